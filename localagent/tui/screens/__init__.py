"""One screen a file, imported when it is first opened."""

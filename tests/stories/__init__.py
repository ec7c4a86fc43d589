"""Stories told in a real terminal, and the screenshots of the README."""

"""What can be found again: the workspace's documents, earlier sessions, and facts that the person asked to keep."""

"""What the agent can do, one file a family; no tool knows the layers around it (see guard/)."""

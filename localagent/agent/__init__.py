"""The loop and what belongs to it."""

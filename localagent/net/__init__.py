"""Connections: the fence that refuses the ones nobody named, and the one HTTP client."""

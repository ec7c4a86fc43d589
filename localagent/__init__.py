"""A local-first terminal agent."""

__version__ = "0.1.0"

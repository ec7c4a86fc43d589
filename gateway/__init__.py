"""A gateway that masks personal data before a model outside the house sees it."""

__version__ = "0.1.0"

"""The words around a candidate, on the same line or the one before."""


def before(text: str, start: int, reach: int = 40) -> str:
    """Up to `reach` characters to the left."""
    return text[max(0, start - reach) : start]


def after(text: str, end: int, reach: int = 40) -> str:
    """Up to `reach` characters to the right."""
    return text[end : end + reach]

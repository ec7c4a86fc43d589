"""Word lists of this package: text files in data/, words between spaces, comments behind #."""

from importlib.resources import files


def lines(name: str) -> tuple[str, ...]:
    """The lines of data/NAME.txt without comments."""
    text = (files("gateway.detect.russian") / "data" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for raw in text.splitlines() if (line := raw.partition("#")[0].strip()))


def listed(name: str) -> frozenset[str]:
    """The words of data/NAME.txt."""
    return frozenset(word for line in lines(name) for word in line.split())

"""The parser of every command line: a mistake is one line that says what and where the help is."""

from __future__ import annotations

import argparse
import sys
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """As argparse has it, without the pages of usage before an error."""

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: {' '.join(message.split())}; {self.prog} --help shows what there is\n")
        sys.exit(2)


class Paragraphs(argparse.HelpFormatter):
    """Wraps each paragraph to the terminal; one with indented lines, such as examples, stays as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        parts = text.rstrip().split("\n\n")
        return "\n\n".join(part if "\n  " in part else fill(part, width, indent) for part in parts)


def port(text: str) -> int:
    """The value of an option that names a port. Raises ArgumentTypeError: a larger number is another port to some."""
    number = int(text) if text.isdecimal() else 0
    if not 0 < number < 65536:
        raise argparse.ArgumentTypeError(f"{text} is no port: allowed are 1 to 65535")
    return number

"""What can be typed after a slash. The same names are in the command palette and in help."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """`action` is the app's action of that name; `takes` says that a word after the name is passed to it, and `rest`
    that it is refused while a run goes on."""

    name: str
    action: str
    takes: bool = False
    rest: bool = False

    @property
    def about(self) -> str:
        return f"command.{self.name}"


COMMANDS = (
    Command("help", "help"),
    Command("model", "models", takes=True),
    Command("mode", "mode", takes=True),
    Command("new", "new", rest=True),
    Command("sessions", "sessions"),
    Command("search", "find", takes=True),
    Command("undo", "undo", rest=True),
    Command("trust", "trust"),
    Command("prompt", "server_prompt", takes=True),
    Command("retry", "retry", rest=True),
    Command("condense", "condense", rest=True),
    Command("window", "widen", rest=True),
    Command("replay", "replay"),
    Command("shield", "shield"),
    Command("stats", "stats"),
    Command("plan", "plan"),
    Command("jobs", "jobs"),
    Command("export", "export"),
    Command("handoff", "handoff", rest=True),
    Command("copy", "copy_answer"),
    Command("theme", "theme", takes=True),
    Command("settings", "settings"),
    Command("quit", "quit"),
)


def parse(text: str) -> tuple[Command, str] | None:
    """The command that a line names, and the rest; None where it names none."""
    if not text.startswith("/"):
        return None
    name, _, rest = text[1:].partition(" ")
    found = next((command for command in COMMANDS if command.name == name), None)
    return (found, rest.strip()) if found else None


def unknown(text: str) -> bool:
    """Whether a line looks like a command and names none; a path such as /etc/hosts is no command."""
    word = text.split(maxsplit=1)[0] if text.strip() else ""
    return word.startswith("/") and word[1:].isalpha()

"""What the person allowed or forbade for good: rules per tool, path, command and address, in approvals.toml.

    [[deny]]
    tool = "*"
    path = ".env"                  # a name, a path below the workspace, or an absolute one; * and ? as usual

    [[allow]]
    tool = "run_command"
    command = "git status"         # exactly this; "git log *" takes any further arguments

    [[allow]]
    tool = "http_get"
    url = "https://example.org/*"

    foreign = ["*.eml", "*.csv"]   # at the top: files of others, by name or folder, instead of the built-in list

Deny is read first. A command is allowed when a rule allows each of its segments; it is denied when one rule denies
one of them, whatever program stands in front of it (sudo, env, xargs, sh -c), and asked about where a program that is
not known may start it.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from localagent.errors import ConfigError
from localagent.guard.command_line import Segment
from localagent.guard.matching import command_allows, line_denied, path_matches

Verdict = Literal["allow", "deny", "unsure", ""]


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry; an empty field says nothing. `network` allows a command that asked for the network."""

    tool: str = "*"
    path: str = ""
    command: str = ""
    url: str = ""
    network: bool = False


@dataclass(frozen=True, slots=True)
class Touch:
    """What a call is about, as rules see it. `segments` is None where a command line is unclear."""

    tool: str
    paths: tuple[Path, ...] = ()
    workspace: Path = field(default_factory=Path)
    line: str = ""
    segments: tuple[Segment, ...] | None = ()
    url: str = ""
    network: bool = False


@dataclass(slots=True)
class Rules:
    """Those of the file, and those that hold for this session only."""

    allow: list[Rule] = field(default_factory=list)
    deny: list[Rule] = field(default_factory=list)
    file: Path | None = None
    foreign: tuple[str, ...] | None = None  # files of others; None leaves the built-in list

    def verdict(self, touch: Touch) -> Verdict:
        """deny, allow, "unsure" where a denied command cannot be ruled out, "" where no rule speaks."""
        told = [self._denies(rule, touch) for rule in self.deny if fnmatchcase(touch.tool, rule.tool)]
        if "deny" in told:
            return "deny"
        if "unsure" in told:
            return "unsure"
        return "allow" if self._allows(touch) else ""

    def remember(self, rules: Iterable[Rule], *, always: bool) -> None:
        """Allows from now on; `always` also writes to the file, whose other lines stay as they are."""
        fresh = [rule for rule in rules if rule not in self.allow]
        self.allow += fresh
        if always and fresh and self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a", encoding="utf-8") as file:
                file.write("".join(_toml("allow", rule) for rule in fresh))

    @property
    def opens_web(self) -> bool:
        """Whether a rule lets http_get reach some host, so that offering the tool makes sense."""
        return any(rule.url and fnmatchcase("http_get", rule.tool) for rule in self.allow)

    def denied_path(self, tool: str, path: Path, workspace: Path) -> bool:
        rules = (rule for rule in self.deny if rule.path and fnmatchcase(tool, rule.tool))
        return any(path_matches(rule.path, path, workspace) for rule in rules)

    @staticmethod
    def _denies(rule: Rule, touch: Touch) -> Verdict:
        if rule.command:
            if touch.segments is None:
                return "unsure"
            return line_denied(rule.command, touch.segments)
        if rule.path:
            hit = any(path_matches(rule.path, path, touch.workspace) for path in touch.paths)
            return "deny" if hit or _names_path(rule.path, touch) else ""
        if rule.url:
            return "deny" if touch.url and fnmatchcase(touch.url, rule.url) else ""
        return "deny"

    def _allows(self, touch: Touch) -> bool:
        rules = [r for r in self.allow if fnmatchcase(touch.tool, r.tool) and (r.network or not touch.network)]
        if touch.line:
            return _line_allowed(rules, touch)
        if touch.url:
            return any(_fits(rule, "url") and (not rule.url or fnmatchcase(touch.url, rule.url)) for rule in rules)
        rules = [rule for rule in rules if _fits(rule, "path")]
        wanted = touch.paths or (touch.workspace,)
        return all(any(_opens(rule, path, touch.workspace) for rule in rules) for path in wanted)


def _fits(rule: Rule, kind: str) -> bool:
    """Whether the rule says nothing about other kinds of things than this one."""
    return not any(getattr(rule, other) for other in ("path", "command", "url") if other != kind)


def _opens(rule: Rule, path: Path, workspace: Path) -> bool:
    return path_matches(rule.path, path, workspace) if rule.path else path.is_relative_to(workspace)


def _line_allowed(rules: Sequence[Rule], touch: Touch) -> bool:
    opened = [rule.path for rule in rules if rule.path]
    if not all(any(path_matches(pattern, path, touch.workspace) for pattern in opened) for path in touch.paths):
        return False
    commands = [rule.command for rule in rules if not rule.path and not rule.url]
    if "" in commands:
        return True
    if not touch.segments:
        return False
    return all(any(command_allows(command, segment) for command in commands) for segment in touch.segments)


def _names_path(pattern: str, touch: Touch) -> bool:
    """Whether a command's words or redirections name the path."""
    words = [word for segment in touch.segments or () for word in (*segment.words, *segment.files)]
    texts = {piece for word in words for piece in (word.text, word.text.rpartition("=")[2])}
    return any(
        path_matches(pattern, touch.workspace / text, touch.workspace) for text in texts if text and "\0" not in text
    )


def load_rules(file: Path) -> Rules:
    """The rules of approvals.toml, none where it is not there. Raises ConfigError."""
    if not file.is_file():
        return Rules(file=file)
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}. Correct the line, or remove the file.") from None
    unknown = set(data) - {"allow", "deny", "foreign"}
    if unknown:
        raise ConfigError(f"{file}: unknown key {sorted(unknown)[0]!r}; allowed are [[allow]], [[deny]] and foreign.")
    foreign = data.get("foreign")
    if foreign is not None and not (isinstance(foreign, list) and all(isinstance(one, str) for one in foreign)):
        raise ConfigError(f'{file}: foreign: allowed: a list of patterns, such as ["*.eml", "Downloads/*"].')
    allow, deny = ([_rule(file, entry) for entry in data.get(kind, [])] for kind in ("allow", "deny"))
    return Rules(allow, deny, file, None if foreign is None else tuple(foreign))


def _rule(file: Path, entry: dict[str, Any]) -> Rule:
    known = {f.name: bool if f.name == "network" else str for f in fields(Rule)}
    for key, value in entry.items():
        if key not in known or not isinstance(value, known[key]):
            raise ConfigError(f"{file}: {key} = {value!r} is no rule; allowed are {', '.join(known)}.")
    return Rule(**entry)


def _toml(kind: str, rule: Rule) -> str:
    told = {key: value for key, value in asdict(rule).items() if value}
    lines = "".join(f"{key} = {_value(value)}\n" for key, value in told.items())
    return f"\n[[{kind}]]\n{lines}"


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def exact_rules(touch: Touch) -> list[Rule]:
    """The rules that would allow this call again and nothing else; none where it cannot be told exactly."""
    if touch.line:
        segments = touch.segments or ()
        plain = all(s.words and all(w.known for w in s.words) and not s.assigns and not s.files for s in segments)
        if not segments or not plain:
            return []
        lines = [shlex.join(_escaped(word.text) for word in segment.words) for segment in segments]
        paths = [Rule(touch.tool, path=_escaped(str(path))) for path in touch.paths]
        return [*(Rule(touch.tool, command=line, network=touch.network) for line in lines), *paths]
    if touch.url:
        return [Rule(touch.tool, url=_escaped(touch.url))]
    return [Rule(touch.tool, path=_escaped(str(path))) for path in touch.paths] or [Rule(touch.tool)]


def _escaped(text: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in text)

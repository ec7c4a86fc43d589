"""How the patterns of rules meet commands and paths: exactly for allowing, with suspicion for denying."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from localagent.guard.command_line import Segment, UnclearError, Word, parse

Denial = Literal["deny", "unsure", ""]

_WRAPPERS = """
sudo doas su env nohup nice ionice time timeout stdbuf setsid xargs parallel exec command builtin eval source . sh bash
dash zsh ksh fish busybox watch script unshare chroot ssh strace ltrace flock find fd
"""
_MORE_WRAPPERS = """
ash csh tcsh toybox trap chrt taskset nsenter runuser pkexec run0 systemd-run fakeroot proot chronic unbuffer expect
tmux screen npx bunx uvx pipx entr setarch linux32 linux64 prlimit bwrap firejail xvfb-run
"""
WRAPPERS = frozenset(_WRAPPERS.split())  # programs that start other programs: no `*` of a rule allows what
_SUSPECTS = WRAPPERS | frozenset(_MORE_WRAPPERS.split())  # behind which a denied command is denied too
_TALKERS = """
echo printf ls cat head tail less more wc sort uniq cut tr grep egrep fgrep rg ag cp mv mkdir touch stat file which
whereis type man apropos whatis help test [ true false cd pwd diff cmp sed
"""
_QUIET = frozenset(_TALKERS.split())  # start no program that their words name; behind any other one it is asked about
_SHELLS = "sh bash dash ash zsh ksh csh tcsh busybox toybox eval ssh su watch env sudo"
SHELLS = frozenset(_SHELLS.split())


def command_allows(pattern: str, segment: Segment) -> bool:
    """Exact words; a last `*` takes any further ones, but not behind a program that starts other programs."""
    if segment.assigns or segment.files or not segment.words or not segment.words[0].known:
        return False
    parts = pattern.split() if _broken(pattern) else shlex.split(pattern)
    rest = len(parts) > 1 and parts[-1] == "*"
    if rest and Path(segment.words[0].text).name in WRAPPERS:
        return False
    heads, words = (parts[:-1], segment.words[: len(parts) - 1]) if rest else (parts, segment.words)
    return len(heads) == len(words) and all(map(_word_fits, heads, words))


def _broken(pattern: str) -> bool:
    try:
        shlex.split(pattern)
    except ValueError:
        return True
    return False


def _word_fits(part: str, word: Word) -> bool:
    return part == "*" if not word.known else fnmatchcase(word.text, part)


def command_denied(pattern: str, words: Sequence[Word]) -> Denial:
    """The pattern's words at the front, the program with or without its folder; what is not known may be anything.

    Options of the program itself may stand before the pattern's second word, with their values: `git -C . push`.
    """
    parts = pattern.split() if _broken(pattern) else shlex.split(pattern)
    parts = parts[:-1] if parts[-1:] == ["*"] else parts
    told = {_front_denied(parts, words)}
    at = 1
    while at < len(words) and len(parts) > 1 and (words[at].text.startswith("-") or words[at - 1].text.startswith("-")):
        at += 1
        told.add(_front_denied(parts, (words[0], *words[at:])))
    return _strictest(told)


def _strictest(told: set[Denial]) -> Denial:
    return "deny" if "deny" in told else "unsure" if "unsure" in told else ""


def _front_denied(parts: Sequence[str], words: Sequence[Word]) -> Denial:
    if len(words) < len(parts):
        return ""
    sure = True
    for part, word in zip(parts, words, strict=False):
        sure = sure and word.known
        texts = {word.text, Path(word.text).name} if word is words[0] else {word.text}
        if word.known and not any(fnmatchcase(text, part) for text in texts):
            return ""
    return "deny" if sure else "unsure"


def line_denied(pattern: str, segments: Iterable[Segment]) -> Denial:
    """Whether one of a line's commands is denied, or one that it starts; unsure where it may start a denied one."""
    told: set[Denial] = set()
    for words in all_words(segments):
        told.add(command_denied(pattern, words))
        if words and Path(words[0].text).name not in _QUIET:
            told.update("unsure" for named in _named(words) if command_denied(pattern, named) == "deny")
    return _strictest(told)


def _named(words: Sequence[Word]) -> Iterator[Sequence[Word]]:
    """What a program may start: its words from each one on, and the lines that one of them or its value holds."""
    for at in range(1, len(words)):
        yield words[at:]
        line = words[at].text.rpartition("=")[2].lstrip("!")
        if line != words[at].text or any(map(str.isspace, line)):
            yield from (segment.words for segment in _inner(Word(line)))


def all_words(segments: Iterable[Segment], depth: int = 0) -> Iterator[tuple[Word, ...]]:
    """Every list of words that becomes a command: segments, what wrappers start, lines given to a shell."""
    for segment in segments:
        yield segment.words
        if not segment.words or Path(segment.words[0].text).name not in _SUSPECTS:
            continue
        yield from (segment.words[at:] for at in range(1, len(segment.words)))
        for line in _lines(segment.words) if depth < 5 else ():
            yield from all_words(_inner(line), depth + 1)


def _lines(words: Sequence[Word]) -> Iterator[Word]:
    """The words that may be a line for a shell: behind a shell's name any, otherwise those of several words.

    A shell without a word reads its lines from elsewhere: what they are nobody knows.
    """
    if words[0].text in SHELLS and all(word.text.startswith("-") for word in words[1:]):
        yield Word("$0", known=False)
    if words[0].text == "eval":
        yield Word(" ".join(word.text for word in words[1:]), all(word.known for word in words[1:]))
    shell = False
    for before, word in itertools.pairwise(words):
        shell = shell or Path(before.text).name in SHELLS
        if shell or any(map(str.isspace, word.text)):
            yield word


def _inner(word: Word) -> tuple[Segment, ...]:
    try:
        return parse(word.text)
    except UnclearError:
        return (Segment((Word(word.text, known=False),), word.text),)


def path_matches(pattern: str, path: Path, workspace: Path) -> bool:
    """The path or a folder above it, by name where the pattern has no slash, by its whole path otherwise."""
    pattern = str(Path(pattern).expanduser()) if pattern.startswith("~") else pattern.removeprefix("./").rstrip("/")
    for one in (path, *path.parents):
        inside = one != workspace and one.is_relative_to(workspace)
        if "/" not in pattern and inside and fnmatchcase(one.name, pattern):
            return True
        if "/" in pattern and any(fnmatchcase(text, p) for p in _spellings(pattern) for text in _texts(one, workspace)):
            return True
    return False


def _spellings(pattern: str) -> tuple[str, ...]:
    return (pattern, pattern.removesuffix("/**")) if pattern.endswith("/**") else (pattern,)


def _texts(path: Path, workspace: Path) -> tuple[str, ...]:
    relative = (path.relative_to(workspace).as_posix(),) if path.is_relative_to(workspace) else ()
    return (*relative, path.as_posix())

"""`localagent`: parses the command line and dispatches; imports nothing heavy before it knows what is wanted."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence

from gateway.arguments import Paragraphs, Parser
from localagent import __version__

EXAMPLES = """\
examples:
  localagent                   the terminal app, here
  localagent run "What do these files say about rent?"
  localagent run "Fix the failing test" --approve edit
  localagent run "List them" --schema list.json --json
  localagent run --continue    go on with the last session
  localagent models            what there is and what it can
  localagent sessions list     what was done so far
"""
EXIT_USAGE, EXIT_FAILED, EXIT_CANCELLED = 2, 4, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    arguments = [a for a in arguments if a != "--debug"]
    _steady_streams()
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        return EXIT_CANCELLED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_CANCELLED
    except Exception as error:
        # The person's boundary: one line, no traceback without --debug.
        if debug:
            raise
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what interrupts the making of a class
            return EXIT_CANCELLED
        return _explain(error)


def _steady_streams() -> None:
    """Standard streams that are there and take every letter, whatever shell and locale started the program."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # closed by who started us; the next file that is opened would take its place
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _explain(error: Exception) -> int:
    from gateway.errors import GatewayError
    from localagent.errors import ConfigError, LocalAgentError, ResumeError, UsageError

    if type(error).__module__ == "sqlite3":
        print(f"localagent: the ledger cannot be read: {error}; run: localagent journal verify", file=sys.stderr)
        return EXIT_FAILED
    if isinstance(error, OSError) and error.errno is not None:
        what = f"{error.filename} cannot be used" if error.filename else "reading or writing failed"
        print(f"localagent: {what}: {os.strerror(error.errno)} (--debug shows where)", file=sys.stderr)
        if error.errno == errno.ENOSPC and not error.filename:  # tried again at exit, it would change the status
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        return EXIT_FAILED
    if not isinstance(error, LocalAgentError | GatewayError):
        print(f"localagent: {type(error).__name__}: {error} (a defect; --debug shows where)", file=sys.stderr)
        return EXIT_FAILED
    print(f"localagent: {error}", file=sys.stderr)
    return EXIT_USAGE if isinstance(error, UsageError | ConfigError | ResumeError) else EXIT_FAILED


def _dispatch(arguments: list[str]) -> int:
    command = arguments[0] if arguments else ""
    if command and not command.startswith("-") and command not in _COMMANDS:
        from localagent.errors import UsageError

        raise UsageError(f"there is no command {command!r}; the commands are {', '.join(_COMMANDS)}")
    if command in _COMMANDS:
        return _COMMANDS[command](arguments[1:])
    return _app(arguments)


def _app(arguments: list[str]) -> int:
    parser = _parser()
    args = parser.parse_args(arguments)
    from localagent.app import main as app

    return app(args)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="localagent",
        description="A terminal agent for local models. Without a command it opens the terminal app in this folder.",
        epilog=f"commands: {', '.join(_COMMANDS)}; each has --help\n\n{EXAMPLES}",
        formatter_class=Paragraphs,
    )
    parser.add_argument("--version", action="version", version=f"localagent {__version__}")
    parser.add_argument("--model", metavar="NAME", default="", help="an entry of models.toml (default: its `default`)")
    parser.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    parser.add_argument("--cwd", metavar="DIR", default=".", help="the folder to work in")
    parser.add_argument("--resume", metavar="SESSION", help="open this session")
    parser.add_argument("--continue", dest="last", action="store_true", help="open the last session of this folder")
    parser.add_argument("--plain", action="store_true", help="a line-based mode, friendly to screen readers")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def _run(arguments: list[str]) -> int:
    from localagent.headless import main as run

    return run(arguments)


def _models(arguments: list[str]) -> int:
    from localagent.models.cli import main as models

    return models(arguments)


def _parse(arguments: list[str]) -> int:
    from localagent.calling.cli import main as parse

    return parse(arguments)


def _sessions(arguments: list[str]) -> int:
    from localagent.journal.sessions_cli import main as sessions

    return sessions(arguments)


def _journal(arguments: list[str]) -> int:
    from localagent.journal.cli import main as journal

    return journal(arguments)


def _acp(arguments: list[str]) -> int:
    from localagent.acp.cli import main as acp

    return acp(arguments)


def _mcp(arguments: list[str]) -> int:
    from localagent.mcp.cli import main as mcp

    return mcp(arguments)


def _memory(arguments: list[str]) -> int:
    from localagent.memory.cli import main as memory

    return memory(arguments)


def _skills(arguments: list[str]) -> int:
    from localagent.extend.cli import main as skills

    return skills(arguments)


def _trust(arguments: list[str]) -> int:
    from localagent.extend.cli import trust_main

    return trust_main(arguments)


def _untrust(arguments: list[str]) -> int:
    from localagent.extend.cli import trust_main

    return trust_main(arguments, yes=False)


_COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": _run,
    "models": _models,
    "mcp": _mcp,
    "parse": _parse,
    "sessions": _sessions,
    "journal": _journal,
    "memory": _memory,
    "skills": _skills,
    "trust": _trust,
    "untrust": _untrust,
    "acp": _acp,
}

if __name__ == "__main__":
    sys.exit(main())

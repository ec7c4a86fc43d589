"""The command line of the gateway: parses and dispatches. It imports nothing heavy: a command loads what it needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gateway import __version__
from gateway.arguments import Parser, port
from gateway.errors import ConfigError, GatewayError

_EXTRA = 'pip install "localagent[gateway]"'


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0, 2 for a mistake in the call or configuration, 4 for a failure, 130 when stopped."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["journal"]:
        return _guarded(lambda: _journal([word for word in arguments[1:] if word != "--debug"]), "--debug" in arguments)
    options = _parser().parse_args(arguments)
    return _guarded(lambda: _dispatch(options), options.debug)


def _dispatch(options: argparse.Namespace) -> int:
    if options.command == "serve":
        from gateway.proxy.serve import serve

        return serve(options)
    from gateway import commands

    run = {"mask": commands.mask, "restore": commands.restore, "check": commands.check, "key": commands.key}[
        options.command
    ]
    return run(options)


def _journal(arguments: list[str]) -> int:
    from gateway.journal import main as journal

    return journal(arguments)


def _guarded(run: Callable[[], int], debug: bool) -> int:
    try:
        return run()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except GatewayError as error:
        if debug:
            raise
        return _fail(str(error), 2 if isinstance(error, ConfigError) else 4)
    except ModuleNotFoundError as error:
        if debug:
            raise
        return _fail(f"the package {error.name} is missing: {_EXTRA}", 4)
    except OSError as error:
        if debug:
            raise
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or type(error).__name__}", 4)
    except Exception as error:  # the boundary of the program: a message could hold a value, only the type is said
        if debug:
            raise
        return _fail(f"unexpected {type(error).__name__}; run again with --debug to see where", 4)


def _fail(message: str, status: int) -> int:
    print(f"gateway: {message}", file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False)
    common.add_argument("--debug", action="store_true", help="show the traceback of an error")
    configured = Parser(add_help=False, parents=[common])
    configured.add_argument("--config", metavar="FILE", type=Path, help="gateway.toml (default: ./, then the home's)")
    parser = Parser(prog="gateway", description="Masks personal data before a model outside sees it.")
    parser.add_argument("--version", action="version", version=f"gateway {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_mask(commands.add_parser("mask", parents=[configured], help="mask standard input, files or cases"))
    _add_restore(commands.add_parser("restore", parents=[common], help="put the values back"))
    serve = commands.add_parser("serve", parents=[configured], help="run the proxy")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen at (default 127.0.0.1)")
    serve.add_argument("--port", type=port, default=8787, help="port to listen at (default 8787)")
    serve.add_argument("--workers", type=int, default=1, metavar="N", help="processes at this address (default 1)")
    serve.add_argument("--cert", metavar="FILE", type=Path, help="certificate chain: serve HTTPS")
    serve.add_argument("--cert-key", metavar="FILE", type=Path, help="private key of --cert, if it is not in that file")
    serve.add_argument("--log", choices=("json", "off"), default="json", help="a line a request on standard error")
    key = commands.add_parser("key", parents=[common], help="make a key for a client, and its line for gateway.toml")
    key.add_argument("name", metavar="NAME", help="the client's name in the record")
    key.add_argument("--json", action="store_true", help="print name, key and line as one object")
    commands.add_parser("check", parents=[configured], help="validate the configuration and try a masking")
    commands.add_parser("journal", help="verify, stats, export or find in the ledger (see: gateway journal --help)")
    return parser


def _add_mask(mask: argparse.ArgumentParser) -> None:
    mask.add_argument(
        "files", nargs="*", metavar="FILE", type=Path, help="text, Markdown, CSV, JSON or JSONL, kept in format"
    )
    mask.add_argument("--json", action="store_true", help="print text, entities and map as one object")
    mask.add_argument("--language", default="auto", help="language of the text (default: found per text)")
    mask.add_argument("--profile", help="default, 152-fz, gdpr, hipaa or secrets, instead of the configured policy")
    mask.add_argument("--labels", choices=("en", "ru"), help="words in placeholders")
    mask.add_argument("--cases", metavar="IN.jsonl", type=Path, help='lines {"id", "input"}')
    mask.add_argument("--out", metavar="PATH", type=Path, help="result of --cases, or the folder for masked files")
    mask.add_argument("--map", metavar="FILE", type=Path, help="write the map here; it holds the values in clear")
    mask.add_argument("--jobs", type=int, default=0, help="processes for FILE… (default: all cores)")


def _add_restore(restore: argparse.ArgumentParser) -> None:
    restore.add_argument("--map", metavar="FILE", type=Path, help="placeholder → value as JSON, for standard input")
    restore.add_argument("--json", action="store_true", help="standard input is a JSON document")
    restore.add_argument("--cases", metavar="IN.jsonl", type=Path, help='lines {"id", "map", "chunks", "json"}')
    restore.add_argument("--out", metavar="OUT.jsonl", type=Path, help="result of --cases")


if __name__ == "__main__":
    sys.exit(main())

"""`localagent memory index|search|status|forget|pull`: the index of a folder's documents, from the command line."""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gateway.arguments import Parser
from localagent.config import paths
from localagent.errors import LocalAgentError, UsageError
from localagent.memory.words import terms

if TYPE_CHECKING:
    from localagent.memory.index import Report
    from localagent.memory.library import Library
    from localagent.ports import Embedder

TELL_SECONDS = 0.2  # between two lines of progress
NO_MODEL = (
    "search goes by words alone, since there is no embedding model: localagent memory pull fetches one (32 MB), "
    'or name your own in models.toml: [memory] embeddings = "NAME"'
)


def main(argv: Sequence[str]) -> int:
    """Runs the command. Raises LocalAgentError."""
    args = _parser().parse_args(list(argv))
    if args.command == "pull":
        return _pull(args)
    return asyncio.run(_with_library(args))


def _parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False)
    common.add_argument("--cwd", metavar="DIR", default=".", help="the folder (default: this one)")
    common.add_argument("--models", metavar="FILE", help="a models.toml (default: ./models.toml, then your own)")
    common.add_argument("--json", action="store_true", help="print one JSON object")
    parser = Parser(
        prog="localagent memory",
        description="Search by words and meaning in the documents of a folder. The index lies in the data folder, "
        "follows the files by itself, and can be forgotten at any time.",
    )
    sub = parser.add_subparsers(dest="command", required=True, metavar="index|search|status|forget|pull")
    index = sub.add_parser("index", parents=[common], help="take in what is new or changed")
    index.add_argument("--no-embed", action="store_true", help="words only, no vectors")
    search = sub.add_parser("search", parents=[common], help="the passages that answer a question")
    search.add_argument("question", nargs="+")
    search.add_argument("--limit", type=_count, default=5, metavar="N", help="passages (default 5)")
    sub.add_parser("status", parents=[common], help="what is indexed, and by which model")
    sub.add_parser("forget", parents=[common], help="delete the index of the folder")
    sub.add_parser("pull", parents=[common], help="fetch the sentence encoder: English, Russian and 14 more, offline")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"found {text!r}; allowed: a whole number from 1 on")
    return int(text)


async def _with_library(args: argparse.Namespace) -> int:
    from localagent.memory.library import Library
    from localagent.models.catalogue import load_catalogue
    from localagent.models.embed.choose import choose_embedder
    from localagent.net import fence

    catalogue = load_catalogue(args.models)
    fence.install(catalogue.hosts())

    def embedder() -> Embedder | None:
        return choose_embedder(catalogue.file)

    library = Library(paths.data_dir(), paths.workspace(args.cwd), embedder)
    try:
        status: int = await _COMMANDS[args.command](library, args)
        return status
    except sqlite3.Error as error:
        raise LocalAgentError(f"{library.file}: {error}; localagent memory forget begins the index anew") from None
    finally:
        await library.close()


async def _index(library: Library, args: argparse.Namespace) -> int:
    report = _progress()
    began = time.monotonic()
    done = await library.refresh(report)
    waiting = None if args.no_embed else await library.embed(report=report)
    _end_progress()
    if library.rebuilt:
        _hint(library.rebuilt)
    if waiting is None and not args.no_embed:
        _hint(NO_MODEL)
    seconds = time.monotonic() - began
    found = {**asdict(done), "seconds": round(seconds, 3), **library.counts(), "skipped": library.skipped()}
    if args.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    print(f"{done.changed} files taken in, {done.removed} forgotten, in {seconds:.1f} s")
    print(f"{found['files']} files, {found['passages']} passages, {found['vectors']} vectors")
    for reason, count in found["skipped"].items():
        print(f"  {count} not indexed: {reason}")
    return 0


async def _search(library: Library, args: argparse.Namespace) -> int:
    question = " ".join(args.question)
    if not terms(question):
        raise UsageError('there is no word to search for: localagent memory search "when does the lease end"')
    answer = await library.search(question, limit=args.limit, report=_progress())
    _end_progress()
    for note in answer.notes:
        _hint(note)
    if answer.no_model:
        _hint(NO_MODEL)
    if args.json:
        rows = [{**asdict(found), "score": round(found.score, 6)} for found in answer.found]
        print(json.dumps({"by_meaning": answer.meaning, "waiting": answer.waiting, "found": rows}, ensure_ascii=False))
        return 0
    for found in answer.found:
        print(f"{found.path}:{found.line}  ({found.by})\n    {' '.join(found.text.split())[:300]}")
    if not answer.found:
        _hint("nothing found: neither these words nor their meaning; try others")
    return 0


async def _status(library: Library, args: argparse.Namespace) -> int:
    from localagent.memory.kept import kept_file

    there = library.file.exists()
    counts = library.counts() if there else {"files": 0, "passages": 0, "vectors": 0}
    embedder = library.embedder_name()
    size = library.file.stat().st_size if there else 0
    facts = kept_file(paths.data_dir())
    status: dict[str, Any] = {
        "folder": str(library.workspace), "index": str(library.file), "bytes": size, "embeddings": embedder, **counts,
        "remembered": str(facts) if facts.exists() else None,
    }  # fmt: skip
    if args.json:
        print(json.dumps(status, ensure_ascii=False))
        return 0
    print("\n".join(f"{name:<12} {'none' if value is None else value}" for name, value in status.items()))
    if embedder is None:
        _hint(NO_MODEL)
    return 0


async def _forget(library: Library, args: argparse.Namespace) -> int:
    there = library.forget()
    if args.json:
        print(json.dumps({"forgotten": there, "index": str(library.file)}, ensure_ascii=False))
    else:
        print(f"the index of {library.workspace} is deleted" if there else f"{library.workspace} has no index")
    return 0


def _pull(args: argparse.Namespace) -> int:
    from localagent.models.embed.sentence import fetch

    report = _progress()
    file = fetch(lambda done, total: report("fetching", done, total or 0))
    _end_progress()
    print(json.dumps({"file": str(file)}) if args.json else str(file))
    return 0


def _progress() -> Report:
    """Writes over one line of a terminal; says nothing elsewhere."""
    told = 0.0

    def report(what: str, done: int, total: int) -> None:
        nonlocal told
        now = time.monotonic()
        if sys.stderr.isatty() and (now - told > TELL_SECONDS or done >= total):
            told = now
            sys.stderr.write(f"\r\033[K{what} {done} of {total}")
            sys.stderr.flush()

    return report


def _end_progress() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")


def _hint(text: str) -> None:
    print(f"localagent: {text}", file=sys.stderr)


_COMMANDS = {"index": _index, "search": _search, "status": _status, "forget": _forget}

"""`localagent` without a command: the terminal app. The screen is there first, the agent is put together behind it."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.config import paths
from localagent.errors import ConfigError, UsageError
from localagent.i18n import t
from localagent.terminal import told
from localagent.tui.settings import load

if TYPE_CHECKING:
    from localagent.session import Session


def main(args: argparse.Namespace) -> int:
    """Runs the app in the folder of `--cwd` until the person quits."""
    workspace = paths.workspace(args.cwd)
    browser = "TEXTUAL_DRIVER" in os.environ
    dumb = os.environ.get("TERM") == "dumb" and not browser  # it shows what is drawn as a heap of signs
    plain = args.plain or dumb or load(paths.config_dir() / "settings.toml").plain
    drawn = browser or (sys.stdin.isatty() and sys.stdout.isatty())
    if not plain and not drawn:
        raise UsageError("the terminal app needs a terminal; without one use: localagent run TASK, or --plain")

    if args.model:
        check_model(args)
    if args.resume or args.last:
        args.resume = named_session(args, workspace)

    async def factory() -> Session:
        return await asyncio.to_thread(open_session, args, workspace)

    if plain:
        from localagent.plain import run_plain

        return run_plain(factory)
    from localagent.tui.app import run_app

    status, session = run_app(factory, folder=paths.config_dir(), workspace=workspace)
    if session and status == 0:
        told(t("note.left", session=session) + "\n")
    return status


def check_model(args: argparse.Namespace) -> None:
    """Raises UsageError before the screen opens where models.toml has no such model; a mistake in it stands there."""
    from localagent.models.catalogue import load_catalogue

    with suppress(ConfigError):
        load_catalogue(args.models).entry(args.model)


def named_session(args: argparse.Namespace, workspace: Path) -> str:
    """The session that --resume or --continue means, found before the screen opens. Raises ResumeError."""
    from gateway.ledger import Ledger
    from localagent.journal.listing import resolve
    from localagent.journal.sessions import last_session

    with Ledger(paths.data_dir() / "ledger.db") as ledger:
        return resolve(ledger, args.resume) if args.resume else last_session(ledger, str(workspace))


def open_session(args: argparse.Namespace, workspace: Path) -> Session:
    """The session that the command line asks for: a new one, a named one, or the last one of the folder."""
    from localagent.approvers import Nobody
    from localagent.assemble import Settings
    from localagent.config.settings import read_settings
    from localagent.house import open_house
    from localagent.session import Session

    preferred = read_settings()
    house = open_house(args.models)
    settings = Settings(workspace=workspace, approver=Nobody("ask"), model=args.model)
    session = Session(house, settings, discover=preferred.get("discover", True))
    if args.resume:
        asyncio.run(session.resume(args.resume))
        if args.model:
            session.choose(args.model)
    return session

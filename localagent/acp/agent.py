"""What an editor may ask of the agent: the protocol's methods, each a few lines over a session of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import acp
from acp import RequestError, schema

from localagent import __version__
from localagent.acp.talk import Talk, invalid, plainly
from localagent.approvers import Nobody
from localagent.assemble import Settings
from localagent.config import paths
from localagent.house import House
from localagent.i18n import t
from localagent.ports import MODES, Mode
from localagent.session import Session

LISTED = 200  # sessions


class EditorAgent:
    """Serves one editor. Everything runs on one event loop; the SDK starts a task a message."""

    def __init__(self, house: House, *, model: str = "", mode: str = "ask") -> None:
        self._house = house
        self._model = model
        self._mode = cast("Mode", mode)
        self._client: Any = None
        self._form = False  # whether the editor can show a question with a text to fill in
        self._talks: dict[str, Talk] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def on_connect(self, client: Any) -> None:
        self._client = client

    async def initialize(
        self, protocol_version: int, client_capabilities: schema.ClientCapabilities | None = None, **_: Any
    ) -> schema.InitializeResponse:
        asked = client_capabilities.elicitation if client_capabilities else None
        self._form = asked is not None and asked.form is not None
        sessions = schema.SessionCapabilities(
            list=schema.SessionListCapabilities(),
            resume=schema.SessionResumeCapabilities(),
            close=schema.SessionCloseCapabilities(),
        )
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,  # the one that we speak, whichever was asked for
            agent_capabilities=schema.AgentCapabilities(
                load_session=True,
                prompt_capabilities=schema.PromptCapabilities(image=True, audio=False, embedded_context=True),
                session_capabilities=sessions,
            ),
            auth_methods=[],
            agent_info=schema.Implementation(name="localagent", title="localagent", version=__version__),
        )

    async def authenticate(self, method_id: str, **_: Any) -> schema.AuthenticateResponse:
        """Nobody has to log in."""
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, **_: Any) -> schema.NewSessionResponse:
        talk = self._seat(self._session(cwd))
        return schema.NewSessionResponse(session_id=talk.session.session, modes=talk.modes, config_options=talk.options)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        """Opens a session and shows all of it again."""
        talk = await self._reopen(cwd, session_id)
        await talk.show_past()
        return schema.LoadSessionResponse(modes=talk.modes, config_options=talk.options)

    async def resume_session(self, session_id: str, cwd: str, **_: Any) -> schema.ResumeSessionResponse:
        """Opens a session that the editor shows already."""
        talk = await self._reopen(cwd, session_id)
        return schema.ResumeSessionResponse(modes=talk.modes, config_options=talk.options)

    async def list_sessions(self, cwd: str | None = None, **_: Any) -> schema.ListSessionsResponse:
        from localagent.journal.listing import sessions

        found = [
            schema.SessionInfo(
                session_id=row.session,
                cwd=row.workspace,
                title=row.title,
                updated_at=datetime.fromtimestamp(row.updated, UTC).isoformat(),
            )
            for row in sessions(self._house.ledger, limit=LISTED, workspace=cwd)
        ]
        return schema.ListSessionsResponse(sessions=found)

    async def close_session(self, session_id: str, **_: Any) -> schema.CloseSessionResponse:
        self._talk(session_id).session.cancel()
        self._let_go(self._talks.pop(session_id))
        return schema.CloseSessionResponse()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> schema.SetSessionModeResponse:
        talk = self._talk(session_id)
        if mode_id not in MODES:
            raise invalid(t("note.no_mode", name=mode_id))
        talk.session.set_mode(mode_id)
        self._later(talk.tell_options())
        return schema.SetSessionModeResponse()

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **_: Any
    ) -> schema.SetSessionConfigOptionResponse:
        talk = self._talk(session_id)
        if config_id == "mode":
            await self.set_session_mode(session_id, str(value))
            self._later(talk.tell(acp.update_current_mode(talk.session.mode)))
        elif config_id == "model":
            await plainly(talk.session.swap(str(value)))
        else:
            raise invalid(f"there is no option {config_id!r}; they are mode and model")
        return schema.SetSessionConfigOptionResponse(config_options=talk.options)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> schema.PromptResponse:
        """One run, from the person's words to its outcome."""
        talk = self._talk(session_id)
        if talk.running:
            raise invalid("a run goes on in this session; cancel it, or wait for its end")
        talk.running = True
        try:
            return await plainly(talk.prompt(prompt))
        finally:
            talk.running = False
            self._let_go(talk)

    async def cancel(self, session_id: str, **_: Any) -> None:
        if talk := self._talks.get(session_id):
            talk.session.cancel()

    async def close(self) -> None:
        """Ends what still runs, since nobody reads it any more."""
        for talk in self._talks.values():
            talk.session.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _session(self, cwd: str) -> Session:
        workspace = Path(cwd)
        if not workspace.is_absolute() or not workspace.is_dir():
            raise invalid(f"{cwd} is no folder of this machine, named from its root")
        settings = Settings(workspace=workspace, approver=Nobody("ask"), model=self._model, mode=self._mode)
        return Session(self._house, settings)

    async def _reopen(self, cwd: str, session_id: str) -> Talk:
        session = self._session(cwd)
        if (talk := self._talks.get(session_id)) and talk.running:  # its run goes on, and goes on being heard
            if talk.session.workspace != session.workspace:
                raise invalid(f"a run goes on in this session, in {talk.session.workspace}; cancel it, or wait for it")
            self._later(talk.introduce())
            return talk
        await plainly(session.resume(session_id))
        return self._seat(session)

    def _seat(self, session: Session) -> Talk:
        kept = paths.outputs(self._house.data, session.session)
        talk = Talk(session, self._client, self._form, kept)
        self._talks[session.session] = talk
        self._later(talk.introduce())
        return talk

    def _let_go(self, talk: Talk) -> None:
        """Others may go on with a session that is closed, as soon as its run has ended."""
        if talk.session.session not in self._talks and not talk.running:
            self._house.claims.drop(talk.session.session)

    def _talk(self, session_id: str) -> Talk:
        if session_id not in self._talks:
            raise RequestError.resource_not_found(session_id)
        return self._talks[session_id]

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        """Behind the answer to the message in hand."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

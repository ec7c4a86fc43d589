"""The editor as the agent's Approver: permissions with diffs, and questions where the editor can ask them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acp import schema

from localagent.acp.updates import diffs_of, kind_of, locations, text_content, title
from localagent.i18n import t
from localagent.ports import ApprovalRequest, Change, Decision, Outgoing

CHOICES = (("once", "allow_once"), ("session", "allow_always"), ("always", "allow_always"), ("no", "reject_once"))


class EditorApprover:
    """Asks the person at the editor; `form` says whether it can show a question with a text to fill in."""

    def __init__(self, client: Any, session: str, workspace: Path, form: bool) -> None:
        self._client = client
        self._session = session
        self._workspace = workspace
        self._form = form

    async def approve(self, request: ApprovalRequest) -> Decision:
        answer = await self._choose(self._card(request), [(name, t(f"approval.{name}"), k) for name, k in CHOICES])
        if answer in ("once", "session", "always"):
            return Decision(True, answer)  # type: ignore[arg-type]  # one of the scopes
        return Decision(False, reason="")

    async def release(self, outgoing: Outgoing) -> Decision:
        """Each text of which something was replaced, as a diff from what it is to what would leave."""
        changed = [text for text in outgoing.texts if text.changed]
        changes = [
            Change(Path(f"{n}-{text.place}"), text.original.encode(), text.masked.encode())
            for n, text in enumerate(changed, 1)
        ]
        where = t("release.to", host=outgoing.host, model=outgoing.model)
        card = schema.ToolCallUpdate(
            tool_call_id=f"release-{self._session}",
            title=t("release.title"),
            kind="fetch",
            status="pending",
            content=[text_content(where), *diffs_of(changes)],
        )
        choices = [("yes", t("key.send_masked"), "allow_once"), ("no", t("key.keep"), "reject_once")]
        return Decision(await self._choose(card, choices) == "yes", "session")

    def _card(self, request: ApprovalRequest) -> schema.ToolCallUpdate:
        call = request.call
        lines = [request.reason, *(f"$ {segment}" for segment in request.segments)]
        content = [*diffs_of(request.changes), text_content("\n".join(line for line in lines if line))]
        return schema.ToolCallUpdate(
            tool_call_id=call.id,
            title=title(call),
            kind=kind_of(call.name),
            status="pending",
            content=content,
            locations=locations(call, self._workspace),
            raw_input=call.arguments,
        )

    async def _choose(self, card: schema.ToolCallUpdate, choices: Sequence[tuple[str, str, Any]]) -> str:
        options = [schema.PermissionOption(option_id=i, name=name, kind=kind) for i, name, kind in choices]
        answer = await self._client.request_permission(session_id=self._session, tool_call=card, options=options)
        return answer.outcome.option_id if isinstance(answer.outcome, schema.AllowedOutcome) else ""

    async def ask(self, question: str, options: Sequence[str]) -> str:
        """The person's answer, "" where there is none or the editor cannot ask."""
        if self._form:
            return await self._fill_in(question, options)
        if not options:
            return ""
        card = schema.ToolCallUpdate(tool_call_id=f"question-{abs(hash(question))}", title=question, kind="think")
        answer = await self._choose(card, [(str(n), text, "allow_once") for n, text in enumerate(options)])
        return options[int(answer)] if answer.isdigit() and int(answer) < len(options) else ""

    async def _fill_in(self, question: str, options: Sequence[str]) -> str:
        field: dict[str, Any] = {"type": "string", "title": question}
        if options:
            field["enum"] = list(options)
        form = schema.ElicitationSchema.model_validate(
            {"type": "object", "properties": {"answer": field}, "required": ["answer"]}
        )
        mode = schema.ElicitationFormSessionMode(session_id=self._session, requested_schema=form)
        answer = await self._client.create_elicitation(message=question, mode=mode)
        content = getattr(answer, "content", None) or {}
        return str(content.get("answer", ""))

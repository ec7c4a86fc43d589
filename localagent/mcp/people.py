"""What a server may ask of this side: roots, a model's words, a person's words, and to be heard in the log.

Whose session answers changes with the session: `People` is told by whoever drives one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.mcp.listing import clean
from localagent.messages import Message, ToolCall
from localagent.ports import ApprovalRequest, Approver, Model, Request, TextDelta

if TYPE_CHECKING:
    from mcp.client.session import ClientRequestContext
    from mcp_types import CreateMessageRequestParams, CreateMessageResult, ElicitResult, ErrorData, ListRootsResult

SAMPLE_TOKENS = 1024
MOST_WAITING = 3  # questions of all servers that a person has before them; more are declined
MOST_FIELDS = 20  # of a form
SHOWN_CHARS, ASKED_CHARS = 4000, 1000  # of what the model is asked, and of a question: what is agreed to was seen
TOO_MANY = "declined: too many questions wait for the person already"
LOG_CHARS = 500
LOGGED = ("warning", "error", "critical", "alert", "emergency")
DECLINED = -1  # the code of a refusal by the person, as the specification has it
Notify = Callable[[str], None]


@dataclass(slots=True)
class People:
    """Who answers: the person of the session, and its model where that is no cloud's."""

    workspace: Path
    approver: Approver | None = None
    model: Callable[[], Model | None] = lambda: None
    notify: Notify = lambda text: None
    log: Notify = lambda text: None
    waiting: int = 0  # questions that the person has not answered yet

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    def callbacks(self, server: str) -> dict[str, Any]:
        """The arguments of the SDK's Client that hand a server's questions over."""

        async def roots(context: ClientRequestContext) -> ListRootsResult:
            from mcp_types import ListRootsResult, Root
            from pydantic import FileUrl

            return ListRootsResult(roots=[Root(uri=FileUrl(self.workspace.as_uri()), name=self.workspace.name)])

        async def sampling(
            context: ClientRequestContext, params: CreateMessageRequestParams
        ) -> CreateMessageResult | ErrorData:
            from mcp_types import ErrorData

            if self.waiting >= MOST_WAITING:
                return ErrorData(code=DECLINED, message=TOO_MANY)
            with self._waiting():
                return await self._sample(server, params)

        async def elicitation(context: ClientRequestContext, params: Any) -> ElicitResult | ErrorData:
            from mcp_types import ErrorData

            if self.waiting >= MOST_WAITING:
                return ErrorData(code=DECLINED, message=TOO_MANY)
            with self._waiting():
                return await self._elicit(server, params)

        async def logging(params: Any) -> None:
            if params.level in LOGGED:
                self.log(f"{server}: {params.level}: {str(params.data)[:LOG_CHARS]}")

        return {
            "list_roots_callback": roots,
            "sampling_callback": sampling,
            "elicitation_callback": elicitation,
            "logging_callback": logging,
            "log_level": "warning",
        }

    async def _sample(self, server: str, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        """Answered by the session's own model once the person has seen what is asked."""
        from mcp_types import CreateMessageResult, ErrorData, TextContent

        model = self.model()
        if model is None or self.approver is None:
            return ErrorData(code=DECLINED, message="no local model is there to answer")
        messages = _messages(params)
        text = "\n".join(f"{m.role}: {m.content}" for m in messages)
        if len(text) > SHOWN_CHARS:
            return ErrorData(
                code=DECLINED, message=f"refused: more than {SHOWN_CHARS} characters, which nobody would read"
            )
        call = ToolCall(f"mcp-{server}", f"mcp__{server}", {"asks": text})
        summary = f"the MCP server {server} asks the model: {text[:400]}"
        decision = await self.approver.approve(
            ApprovalRequest(call, "send", summary, "what the model answers goes to the server")
        )
        if not decision.allowed:
            return ErrorData(code=DECLINED, message=f"refused: {decision.reason}".rstrip(": "))
        request = Request(messages, max_tokens=max(1, min(SAMPLE_TOKENS, params.max_tokens)))
        words = [delta.text async for delta in model.reply(request) if isinstance(delta, TextDelta)]
        content = TextContent(type="text", text="".join(words))
        return CreateMessageResult(role="assistant", content=content, model=model.name, stop_reason="endTurn")

    async def _elicit(self, server: str, params: Any) -> ElicitResult:
        """A question a field; an address to visit is never opened."""
        from mcp_types import ElicitResult

        if params.mode != "form" or self.approver is None:
            return ElicitResult(action="decline")
        schema = params.requested_schema
        fields: Mapping[str, Any] = schema.get("properties", {})
        required: Sequence[str] = schema.get("required", ())
        if len(fields) > MOST_FIELDS:
            return ElicitResult(action="decline")
        head = f"The MCP server {server} asks: {clean(params.message, ASKED_CHARS)}"
        answers: dict[str, Any] = {}
        for name, form in fields.items():
            answer = await self._field(head, name, form)
            if answer is not None:
                answers[name] = answer
            elif name in required:
                return ElicitResult(action="decline")
            head = ""
        if not fields:
            agreed = await self.approver.ask(head, ("yes", "no"))
            return ElicitResult(action="accept" if agreed == "yes" else "decline", content={})
        return ElicitResult(action="accept", content=answers) if answers else ElicitResult(action="decline")

    async def _field(self, head: str, name: str, form: Mapping[str, Any]) -> Any:
        """The person's answer in the type of the field, None for none that fits."""
        assert self.approver is not None
        title = form.get("title") or name
        about = f"{title}: {form['description']}" if form.get("description") else title
        options = _options(form)
        question = f"{head}\n{clean(about, ASKED_CHARS)}".strip()
        answer = (await self.approver.ask(question, tuple(options))).strip()
        return _converted(answer, form, options) if answer else None


def _options(form: Mapping[str, Any]) -> dict[str, Any]:
    """What can be chosen, by the words that are shown."""
    if form.get("type") == "boolean":
        return {"yes": True, "no": False}
    inner = form.get("items", form) if form.get("type") == "array" else form
    if titled := inner.get("oneOf") or inner.get("anyOf"):
        return {str(one.get("title") or one.get("const")): one.get("const") for one in titled}
    values = inner.get("enum") or ()
    return dict(zip(map(str, inner.get("enumNames") or values), values, strict=False))


def _converted(answer: str, form: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    kind = form.get("type")
    try:
        if kind == "array":
            return [options.get(part.strip(), part.strip()) for part in answer.split(",")]
        if options:
            return options.get(answer)
        return int(answer) if kind == "integer" else float(answer) if kind == "number" else answer
    except ValueError:
        return None


def _messages(params: CreateMessageRequestParams) -> tuple[Message, ...]:
    told = [Message("system", params.system_prompt)] if params.system_prompt else []
    for message in params.messages:
        text = "\n".join(getattr(block, "text", f"[{block.type}]") for block in message.content_as_list)
        told.append(Message("user" if message.role == "user" else "assistant", text))
    return tuple(told)

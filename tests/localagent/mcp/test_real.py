"""Servers that people really use, from npm and PyPI: what of the protocol works, as a table in docs/mcp.md."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from localagent.config.models_toml import Entry
from localagent.errors import UsageError
from localagent.mcp.prompts import server_prompt
from localagent.mcp.servers import Servers
from localagent.mcp.tool import ResourcesTool
from localagent.models.scripted import ScriptedModel
from localagent.ports import ApprovalRequest, Decision, Outcome, ToolContext
from tests.localagent.mcp.conftest import Open, free_port, listening

pytestmark = pytest.mark.slow
CACHE = Path("~/.cache/localagent/mcp-test").expanduser()
NODE, PYTHON = CACHE / "npm" / "node_modules" / ".bin", CACHE / "py" / "bin"
NPM = ("@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-filesystem")
PYPI = ("mcp-server-git", "mcp-server-time")
DOCS = Path(__file__).parents[3] / "docs" / "mcp.md"


def install() -> None:
    """Skips where this machine cannot fetch the four servers."""
    if why := _installed():
        pytest.skip(why)


@cache
def _installed() -> str:
    """Fetches the servers, at most once: npm takes minutes to give up. Returns why it could not."""
    commands: list[tuple[str, ...]] = []
    if not (NODE / "mcp-server-everything").exists():
        if shutil.which("npm") is None:
            return "npm is not installed"
        commands.append(("npm", "install", "--no-audit", "--no-fund", "--prefix", str(CACHE / "npm"), *NPM))
    if not (PYTHON / "mcp-server-time").exists():
        commands.append((sys.executable, "-m", "venv", "--clear", str(CACHE / "py")))
        commands.append((str(PYTHON / "python"), "-m", "pip", "install", "-q", *PYPI))
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        if done.returncode:
            return f"{command[0]} could not install the servers: {done.stderr.strip()[-300:]}"
    return ""


class Person:
    """Agrees, and answers with the first option or with words that fit."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def approve(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request.summary)
        return Decision(True)

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.asked.append(question)
        return options[0] if options else "7"


class Everything:
    """server-everything, asked for one feature after the other."""

    def __init__(self, servers: Servers, context: ToolContext) -> None:
        self.servers, self.context = servers, context
        self.person, self.emitted, self.logged, self.notices = Person(), [], [], []  # type: ignore[var-annotated]
        people = servers.people
        people.approver, people.log, people.notify = self.person, self.logged.append, self.notices.append

    async def call(self, name: str, /, **arguments: Any) -> Outcome:
        tool = self.servers.tools()[f"mcp__everything__{name}"]
        return await tool.run(arguments, replace(self.context, emit=self.emitted.append))

    async def tools(self) -> bool:
        return "3" in (await self.call("get-sum", a=1, b=2)).content

    async def errors(self) -> bool:
        return (await self.call("gzip-file-as-resource", name="x", data="http://127.0.0.1:9/x")).failure == "failed"

    async def structured(self) -> bool:
        return '"temperature"' in (await self.call("get-structured-content", location="Chicago")).content

    async def images(self) -> bool:
        picture = await self.call("get-tiny-image")
        return [Path(image).suffix for image in picture.images] == [".png"] and Path(picture.images[0]).is_file()

    async def embedded(self) -> bool:
        return "plaintext resource" in (await self.call("get-resource-reference")).content

    async def links(self) -> bool:
        return "mcp_resources reads it" in (await self.call("get-resource-links", count=2)).content

    async def resources(self) -> bool:
        tool = ResourcesTool(self.servers.with_resources())
        listed = await tool.run({"server": "everything"}, self.context)
        uri = next(line.split()[0] for line in listed.content.splitlines() if "features.md" in line)
        return (await tool.run({"server": "everything", "uri": uri}, self.context)).ok

    async def templates(self) -> bool:
        tool = ResourcesTool(self.servers.with_resources())
        return "{" in (await tool.run({"server": "everything"}, self.context)).content

    async def prompts(self) -> bool:
        listing = self.servers.connections[0].listing
        return listing is not None and ("args-prompt" in {name for name, _, _ in listing.prompts})

    async def completion(self) -> bool:
        with pytest.raises(UsageError, match="Engineering"):
            await server_prompt(self.servers, "everything:completable-prompt department=E?")
        tool = ResourcesTool(self.servers.with_resources())
        uri = "demo://resource/dynamic/text/{resourceId}"
        told = await tool.run({"server": "everything", "uri": uri}, self.context)
        return told.failure == "invalid" and "resourceId:" in told.content

    async def subscriptions(self) -> bool:
        tool, uri = ResourcesTool(self.servers.with_resources()), "demo://resource/dynamic/text/1"
        await tool.run({"server": "everything", "uri": uri}, self.context)
        told = (await self.call("toggle-subscriber-updates")).content  # it tells now, and then every five seconds
        for _ in range(40):
            if "changed since it was read" in told and uri in told:
                return True
            await asyncio.sleep(0.3)
            told = (await self.call("echo", message="news?")).content
        return False

    async def roots(self) -> bool:
        return self.context.workspace.as_uri() in (await self.call("get-roots-list")).content

    async def sampling(self) -> bool:
        return "forty-two" in (await self.call("trigger-sampling-request", prompt="6 * 7?")).content

    async def elicitation(self) -> bool:
        return "accept" in (await self.call("trigger-elicitation-request")).content

    async def elicitation_url(self) -> bool:
        told = await self.call("trigger-url-elicitation", url="https://example.org/pay")
        return "decline" in told.content.lower()

    async def progress(self) -> bool:
        self.emitted.clear()
        await self.call("trigger-long-running-operation", duration=1, steps=2)
        return self.emitted == ["1 of 2\n", "2 of 2\n"]

    async def cancellation(self) -> bool:
        call = asyncio.create_task(self.call("trigger-long-running-operation", duration=60, steps=2))
        await asyncio.sleep(0.3)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        return (await self.call("echo", message="still here")).ok

    async def logging(self) -> bool:
        await self.call("toggle-simulated-logging")  # a message of a random level every five seconds
        for _ in range(400):
            if self.logged:
                break
            await asyncio.sleep(0.1)
        return bool(self.logged)


FEATURES: dict[str, tuple[str, Callable[[Everything], Awaitable[bool]]]] = {
    "tools": ("called by name, listed page by page", Everything.tools),
    "errors of tools": ("a failed observation for the model", Everything.errors),
    "structured content": ("as JSON, where the text does not say it", Everything.structured),
    "images and audio": (
        "kept as a file, named to the model; images are shown to one that sees them",
        Everything.images,
    ),
    "embedded resources": ("their text stands in the result", Everything.embedded),
    "resource links": ("named, read with mcp_resources", Everything.links),
    "resources": ("listed and read with mcp_resources", Everything.resources),
    "resource templates": ("listed with mcp_resources", Everything.templates),
    "prompts": (
        "`/prompt SERVER:NAME VALUE…` in the terminal app; listed by `localagent mcp list`",
        Everything.prompts,
    ),
    "completion": (
        "`/prompt SERVER:NAME VALUE?` says what a value may be; mcp_resources says it of templates",
        Everything.completion,
    ),
    "subscriptions": ("a resource that was read and changes is named with the next answer", Everything.subscriptions),
    "roots": ("the workspace, nothing else", Everything.roots),
    "sampling": ("the session's local model, once the person agrees", Everything.sampling),
    "elicitation by form": ("the person is asked field by field", Everything.elicitation),
    "elicitation by address": ("declined, nothing is opened", Everything.elicitation_url),
    "progress": ("shown while the call runs", Everything.progress),
    "cancellation": ("sent when a run is cancelled", Everything.cancellation),
    "logging": ("from warning on, into messages.log of the state folder", Everything.logging),
}


@pytest.fixture
async def everything(opened: Open, context: ToolContext, tmp_path: Path) -> Everything:
    install()
    (tmp_path / "replies.jsonl").write_text('{"content": "forty-two"}\n', encoding="utf-8")
    servers = opened(everything={"command": str(NODE / "mcp-server-everything"), "args": ["stdio"], "timeout": 30})
    servers.people.model = lambda: ScriptedModel(Entry("here", "scripted", file=tmp_path / "replies.jsonl"))
    await servers.know(60)
    assert servers.connections[0].state == "ready", servers.connections[0].problem
    return Everything(servers, context)


async def test_each_feature_of_server_everything(everything: Everything) -> None:
    worked = {name: await check(everything) for name, (_, check) in FEATURES.items()}
    assert worked == dict.fromkeys(FEATURES, True)
    table = [f"| {name} | {how} | yes |" for name, (how, _) in FEATURES.items()]
    assert [line for line in table if line not in DOCS.read_text(encoding="utf-8")] == []


async def test_files_git_and_time(opened: Open, context: ToolContext, tmp_path: Path) -> None:
    install()
    work = tmp_path / "repo"
    work.mkdir()
    (work / "note.txt").write_text("buy milk\n", encoding="utf-8")
    line = "git init -q && git add . && git -c user.name=me -c user.email=me@example.org commit -qm 'first note'"
    subprocess.run(line, shell=True, cwd=work, check=True)
    servers = opened(
        files={"command": str(NODE / "mcp-server-filesystem"), "args": [str(work)]},
        git={"command": str(PYTHON / "mcp-server-git"), "args": ["--repository", str(work)]},
        time={"command": str(PYTHON / "mcp-server-time"), "args": ["--local-timezone", "Europe/Berlin"]},
    )
    await servers.know(60)
    tools = servers.tools()

    async def use(name: str, **arguments: Any) -> Outcome:
        return await tools[name].run(arguments, context)

    assert (await use("mcp__files__read_text_file", path=str(work / "note.txt"))).content == "buy milk\n"
    outside = await use("mcp__files__read_text_file", path="/etc/hostname")
    assert (outside.failure, "outside allowed" in outside.content) == ("failed", True)
    assert (await use("mcp__files__write_file", path=str(work / "new.txt"), content="x")).ok
    assert (work / "new.txt").read_text() == "x"
    assert "first note" in (await use("mcp__git__git_log", repo_path=str(work))).content
    assert "new.txt" in (await use("mcp__git__git_status", repo_path=str(work))).content
    assert "Asia/Tokyo" in (await use("mcp__time__get_current_time", timezone="Asia/Tokyo")).content
    assert (await use("mcp__time__get_current_time", timezone="Nowhere/Town")).failure == "failed"


async def test_a_server_behind_an_address_that_was_started_anew(opened: Open, context: ToolContext) -> None:
    install()
    port = free_port()
    async with served(port):
        servers = opened(far={"url": f"http://127.0.0.1:{port}/mcp", "timeout": 20})
        await servers.know(30)
        tool = servers.tools()["mcp__far__get-sum"]
        assert "is 3" in (await tool.run({"a": 1, "b": 2}, context)).content
    async with served(port):
        await tool.run({"a": 1, "b": 2}, context)  # tells that the old session is gone
        assert "is 3" in (await tool.run({"a": 1, "b": 2}, context)).content


@asynccontextmanager
async def served(port: int) -> AsyncIterator[None]:
    """server-everything over streamable HTTP."""
    command = [str(NODE / "mcp-server-everything"), "streamableHttp"]
    env, quiet = {**os.environ, "PORT": str(port)}, subprocess.DEVNULL
    async with listening(port, *command, seconds=20, env=env, stdout=quiet, stderr=quiet):
        yield

"""What a step of the loop costs with its ledger, beside LangGraph with its SQLite checkpointer, on the same script.

    python -m tests.bench.bench_loop [steps]

Both run a scripted model that calls one tool `steps` times and then answers; both write every step to SQLite on disk.
LangGraph is not a dependency: pip install langgraph langgraph-checkpoint-sqlite.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from localagent.agent.limits import Limits
from localagent.agent.loop import run
from localagent.ports import Outcome
from tests.fakes.agent import ToyTool, World, call

ROUNDS = 5


def ours(folder: Path, steps: int) -> float:
    """Seconds of CPU for one run."""

    async def look(arguments: dict[str, Any]) -> Outcome:
        return Outcome(f"saw {arguments['a']}")

    replies = [*(call("look", a=n) for n in range(steps)), {"content": "done"}]
    agent = World(folder, replies, [ToyTool("look", look)]).agent(limits=Limits(max_steps=None))

    async def go() -> None:
        agent.outbox = asyncio.Queue()
        async for _ in run(agent, "go"):
            pass

    began = time.process_time()
    asyncio.run(go())
    return time.process_time() - began


def langgraph(folder: Path, steps: int) -> float:
    """Seconds of CPU for one run of the same script in a graph of a model and a tool node."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.tools import tool
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    @tool
    def look(a: int) -> str:
        """Looks."""
        return f"saw {a}"

    calls = [
        AIMessage("", tool_calls=[{"name": "look", "args": {"a": n}, "id": f"c{n}", "type": "tool_call"}])
        for n in range(steps)
    ]
    model = GenericFakeChatModel(messages=iter([*calls, AIMessage("done")]))
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([look]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    with SqliteSaver.from_conn_string(str(folder / "checkpoints.db")) as saver:
        app = graph.compile(checkpointer=saver)
        began = time.process_time()
        app.invoke(
            {"messages": [HumanMessage("go")]},
            {"configurable": {"thread_id": "1"}, "recursion_limit": 10 * steps + 10},
        )
        return time.process_time() - began


def measure(what: Callable[[Path, int], float], steps: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return what(Path(folder), steps) / steps


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    mine, theirs = [], []
    for _ in range(ROUNDS):
        mine.append(measure(ours, steps))
        try:
            theirs.append(measure(langgraph, steps))
        except ImportError as error:
            print(f"without LangGraph ({error.name} is not installed)")
    ms = statistics.median(mine) * 1000
    print(f"localagent: {ms:.2f} ms CPU a step over {steps} steps")
    if theirs:
        other = statistics.median(theirs) * 1000
        print(f"LangGraph with SqliteSaver: {other:.2f} ms CPU a step; ours is {ms / other:.2f} of it")


if __name__ == "__main__":
    main()

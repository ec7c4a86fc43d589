"""A run of sixty steps in a window of 4,096 tokens, with the embedded model itself: it condenses and still knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from localagent import assemble
from localagent.agent.loop import run
from localagent.approvers import Nobody
from localagent.events import Condensed, Replied, RequestSent, RunFinished
from localagent.house import close, open_house
from localagent.messages import Message
from localagent.models.embedded import EMBEDDED

STEPS = 60
FACT = "The name of my dog is Bella."
QUESTION = "What is the name of my dog?"
TOML = """\
[models.embedded]
backend = "llama_cpp"
file = "{file}"
context = 4096
max_tokens = 24
tools = "none"
temperature = 0.0
[limits]
max_steps = 80
max_same_texts = 80
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not EMBEDDED.path.is_file(), reason="the embedded model is not here: localagent models pull embedded"
)
async def test_a_long_run_condenses_and_still_knows_its_first_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "models.toml").write_text(TOML.format(file=EMBEDDED.path))
    house = open_house(tmp_path / "models.toml")
    builder = assemble.Builder(house, assemble.Settings(workspace=tmp_path, approver=Nobody("ask")))
    agent, _ = await builder.build()
    replies = 0
    condensed: list[Condensed] = []
    sent: list[RequestSent] = []
    try:
        async for event in run(agent, f"{FACT} Remember it."):
            match event:
                case RequestSent():
                    sent.append(event)
                    if replies < STEPS - 1:  # the person goes on talking, so that the run goes on
                        agent.inbox.append(Message("user", _talk(replies)))
                case Replied():
                    replies += 1
                    if replies == STEPS - 1:
                        agent.inbox.clear()
                        agent.inbox.append(Message("user", QUESTION))
                case Condensed():
                    condensed.append(event)
                case RunFinished(result=result):
                    assert (result.outcome, result.steps) == ("answered", STEPS)
                    assert "Bella" in str(result.output)
    finally:
        await close(house)
    assert len(condensed) == 1
    assert FACT in condensed[0].summary
    assert condensed[0].before is not None
    assert condensed[0].after is not None
    assert condensed[0].after < condensed[0].before * 0.7
    assert max(event.estimated_tokens or 0 for event in sent) < 4096


def _talk(number: int) -> str:
    """What people say meanwhile: each message some seventy tokens, of something else."""
    things = ("the garden", "a book", "the train", "the weather", "a recipe", "the office", "a film")
    thing = things[number % len(things)]
    return (
        f"Message {number}: today I thought about {thing}. It was a long day with {number + 3} small tasks, some calls "
        f"and a walk in the rain with an old friend of mine, and now I would like to hear a short sentence about that."
    )

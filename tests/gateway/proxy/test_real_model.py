"""localagent's own backends through the proxy to a real llama-server: nothing changes for them but what leaves."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from gateway.ledger import Ledger
from localagent.config.models_toml import Entry, Sampling
from localagent.models.anthropic import AnthropicModel
from localagent.models.openai import OpenAIModel
from localagent.ports import Finish, TextDelta
from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import proxy
from tests.fakes.llama_server import CHATML_TOOLS, llama_server
from tests.fakes.weights import qwen_05b
from tests.localagent.models.conftest import WEATHER, asking, whole

pytestmark = pytest.mark.slow
GREEDY = Sampling(temperature=0.0)
MAIL = "ada.vance@lab.example"


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    with llama_server(qwen_05b(), "-c", "2048", "--jinja", "--chat-template-file", str(CHATML_TOOLS)) as url:
        yield url


@pytest.fixture(params=["openai", "anthropic"])
async def model(
    request: pytest.FixtureRequest, llama: str, tmp_path: Path
) -> AsyncIterator[OpenAIModel | AnthropicModel]:
    async with proxy(llama, tmp_path, FakeDetector("Paris")) as url:
        entry = Entry("mine", request.param, base_url=f"{url}/v1", model="any", context=2048, sampling=GREEDY)
        real = OpenAIModel(entry) if request.param == "openai" else AnthropicModel(entry)
        yield real
        await real.close()


async def test_a_value_goes_there_masked_and_comes_back(model: OpenAIModel | AnthropicModel, tmp_path: Path) -> None:
    pieces = [piece async for piece in model.reply(asking(f"Repeat this text: {MAIL}"))]
    text = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    assert MAIL in text
    finish = next(piece for piece in pieces if isinstance(piece, Finish))
    assert finish.usage.output_tokens
    with Ledger(tmp_path / "ledger.db") as ledger:
        (row,) = [row.data or {} for row in ledger.rows(kinds=["gateway_request"])]
    assert row["masked"] == {"EMAIL_ADDRESS": 1}


async def test_a_tool_is_called_with_the_value(model: OpenAIModel | AnthropicModel) -> None:
    text, _, calls, _ = await whole(model.reply(asking("How warm is it in Paris?", tools=(WEATHER,))))
    assert "PERSON_1" not in text
    for name, arguments in calls.values():  # half a billion parameters do not always call
        assert name == "get_temperature"
        assert json.loads(arguments)["city"] == "Paris"

"""Which upstream answers, and what is said where none may."""

import pytest

from gateway.config import Upstream
from gateway.errors import RequestError
from gateway.proxy.route import choose

CLOUD = Upstream("cloud", "openai", "http://c/v1", models=("gpt-*",))
OTHER = Upstream("other", "anthropic", "http://o/v1", models=("claude-*",))
HOUSE = Upstream("house", "openai", "http://h/v1", models=("qwen-*",), local=True)
SMALL = Upstream("small", "openai", "http://s/v1", models=("gpt-*-mini",), local=True)
ALL = (CLOUD, OTHER, HOUSE, SMALL)


@pytest.mark.parametrize(
    ("protocol", "model", "kept", "name"),
    [
        ("openai", "gpt-9", (), "cloud"),
        ("openai", "gpt-9-mini", (), "cloud"),
        ("anthropic", "claude-9", (), "other"),
        ("openai", "qwen-3", (), "house"),
        ("openai", "gpt-9", ("RU_INN",), "house"),
        ("openai", "gpt-9-mini", ("RU_INN",), "small"),
        ("openai", "unheard-of", ("RU_INN",), "house"),
    ],
)
def test_who_answers(protocol: str, model: str, kept: tuple[str, ...], name: str) -> None:
    assert choose(ALL, protocol, model, kept).name == name


@pytest.mark.parametrize(
    ("upstreams", "protocol", "model", "kept", "status", "said"),
    [
        (ALL, "openai", "claude-9", (), 404, "no openai upstream"),
        (ALL, "anthropic", "claude-9", ("RU_INN", "EMAIL_ADDRESS"), 403, "EMAIL_ADDRESS, RU_INN .* speaks openai only"),
        ((CLOUD,), "openai", "gpt-9", ("RU_INN",), 403, "names no local upstream"),
    ],
)
def test_who_does_not(
    upstreams: tuple[Upstream, ...], protocol: str, model: str, kept: tuple[str, ...], status: int, said: str
) -> None:
    with pytest.raises(RequestError, match=said) as refused:
        choose(upstreams, protocol, model, kept)
    assert refused.value.status == status

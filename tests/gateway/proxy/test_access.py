"""Who may ask: keys, models, rates and budgets; the loopback where no clients are configured."""

import hashlib
from pathlib import Path

import pytest

from gateway.config import Client, Upstream
from gateway.errors import RequestError
from gateway.ledger import Ledger
from gateway.proxy.access import ANYONE, Access, check_model, check_provider_key, is_loopback
from gateway.proxy.budget import Uses, add_uses

HERE = "127.0.0.1"
NOON = 1_800_000_000.0 // 86_400 * 86_400 + 43_200


def client(name: str = "ci", key: str = "k1", **more: object) -> Client:
    return Client(name, "sha256:" + hashlib.sha256(key.encode()).hexdigest(), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer k1"},
        {"authorization": "bearer  k1 "},
        {"x-api-key": "k1"},
        {"x-gateway-key": "k1", "authorization": "Bearer of-the-provider"},
    ],
)
def test_a_key_is_known_in_every_header(headers: dict[str, str]) -> None:
    other = client("other", "k2")
    assert Access((other, client())).identify(headers, "10.0.0.9").name == "ci"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer k2"},
        {"authorization": "Basic k1"},
        {"authorization": "Bearer "},
        {"x-gateway-key": "", "x-api-key": "k1"},
        {"x-gateway-key": "k2", "authorization": "Bearer k1"},
        {"x-api-key": hashlib.sha256(b"k1").hexdigest()},
    ],
)
def test_any_other_key_is_none(headers: dict[str, str]) -> None:
    with pytest.raises(RequestError) as refused:
        Access((client(),)).identify(headers, HERE)
    assert refused.value.status == 401
    assert "k1" not in str(refused.value)
    assert "k2" not in str(refused.value)


@pytest.mark.parametrize(
    ("headers", "peer", "served"),
    [
        ({"host": "127.0.0.1:8787"}, HERE, True),
        ({"host": "localhost"}, "::1", True),
        ({"host": "[::1]:8787"}, "::ffff:127.0.0.1", True),
        ({"host": "127.0.0.1"}, "10.0.0.9", False),
        ({"host": "evil.example:8787"}, HERE, False),
        ({"host": "127.0.0.1", "x-forwarded-for": "10.0.0.9"}, HERE, False),
    ],
)
def test_without_clients_only_this_machine_is_served(headers: dict[str, str], peer: str, served: bool) -> None:
    access = Access(())
    assert access.may_look(headers, peer) is served
    if served:
        assert access.identify(headers, peer) is ANYONE
    else:
        with pytest.raises(RequestError) as refused:
            access.identify(headers, peer)
        assert refused.value.status == 403


def test_addresses_of_this_machine() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.example", "")))


def test_models_of_a_client() -> None:
    check_model(client(models=("gpt-*",)), "gpt-9")
    with pytest.raises(RequestError, match="gpt-\\*"):
        check_model(client(models=("gpt-*",)), "claude")


def test_the_gateways_key_is_not_passed_on_as_the_providers() -> None:
    upstream = Upstream("u", "openai", "http://x", pass_through=True)
    check_provider_key(ANYONE, upstream, {"authorization": "Bearer sk"})
    check_provider_key(client(), upstream, {"authorization": "Bearer sk", "x-gateway-key": "k1"})
    check_provider_key(client(), Upstream("u", "openai", "http://x"), {"authorization": "Bearer k1"})
    with pytest.raises(RequestError, match="x-gateway-key") as refused:
        check_provider_key(client(), upstream, {"authorization": "Bearer k1"})
    assert "k1" not in str(refused.value).replace("x-gateway-key", "")


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> float:
        return self.now


def used(ledger: Ledger, clock: Clock, requests: int = 0, tokens: int = 0, usd: float = 0.0, name: str = "ci") -> None:
    rows = [("gateway_request", {"client": name}) for _ in range(requests)]
    rows += [("gateway_reply", {"client": name, "input_tokens": tokens, "output_tokens": None, "cost_usd": usd})]
    ledger.append_all(rows, also=lambda connection, _: add_uses(connection, rows, clock()))


def refused_with(access: Access, who: Client) -> int | None:
    with pytest.raises(RequestError) as refused:
        access.admit(who)
    assert refused.value.status == 429
    return refused.value.retry_after


def test_a_rate_slides_and_counts_what_is_on_its_way(tmp_path: Path) -> None:
    clock = Clock()
    with Ledger(tmp_path / "l.db") as ledger:
        access = Access((client(),), Uses(ledger.connection, clock))
        who = client(rate=3)
        used(ledger, clock, requests=1)
        access.admit(who)
        access.admit(who)
        assert refused_with(access, who) == 60
        access.recorded(who)
        access.admit(who)
        access.recorded(who)
        access.recorded(who)
        used(ledger, clock, requests=2)
        clock.now += 59
        assert refused_with(access, who) == 1
        clock.now += 15  # a quarter of the next minute: three quarters of 3 are in sight
        access.admit(who)
        access.recorded(who)
        clock.now += 60
        access.admit(who)


def test_a_budget_outlives_a_restart_and_ends_at_midnight(tmp_path: Path) -> None:
    clock = Clock()
    by_tokens, by_cost = client(tokens=100), client(usd=1.0)
    with Ledger(tmp_path / "l.db") as ledger:
        used(ledger, clock, tokens=99, usd=0.99)
        used(ledger, clock, tokens=500, name="other")
    with Ledger(tmp_path / "l.db") as ledger:
        access = Access((by_tokens, by_cost), Uses(ledger.connection, clock))
        access.admit(by_tokens)
        access.admit(by_cost)
        used(ledger, clock, tokens=1, usd=0.01)
        assert refused_with(access, by_tokens) == 43_200
        assert refused_with(access, by_cost) == 43_200
        clock.now += 43_200
        access.admit(by_tokens)
        access.admit(by_cost)

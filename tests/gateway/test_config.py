"""gateway.toml: what is read, and what each mistake is told."""

from pathlib import Path

import pytest

from gateway.config import Client, Limits, Price, Telemetry, Upstream, find_config, line_of, load_config, parse_config
from gateway.errors import ConfigError
from gateway.policy import Policy, profiles

SMALL = f"""[[upstream]]
name = "openai"
protocol = "openai"
base_url = "http://127.0.0.1:9999/v1"
api_key_env = "OPENAI_API_KEY"
models = ["gpt-*"]

[policy]
default = "mask"
CREDIT_CARD = "block"

[clients]
ci = "sha256:{"a" * 64}"

[[detect.pattern]]
name = "ticket"
regex = "KX-[0-9]+"

[[detect.words]]
name = "projects"
words = ["Kestrel"]
"""


def test_the_smallest_file() -> None:
    config = parse_config(SMALL)
    assert config.upstreams == (
        Upstream("openai", "openai", "http://127.0.0.1:9999/v1", api_key_env="OPENAI_API_KEY", models=("gpt-*",)),
    )
    assert config.policy.action("CREDIT_CARD") == "block"
    assert config.policy.action("PERSON") == "mask"
    assert config.clients == (Client("ci", "sha256:" + "a" * 64),)
    assert config.detect.patterns[0].type == "CUSTOM"
    assert config.detect.words[0].words == ("Kestrel",)
    assert config.detect.organizations is False


def test_without_a_file_the_defaults_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert find_config() is None
    assert load_config().policy.name == "default"
    (tmp_path / "gateway.toml").write_text(SMALL)
    assert load_config().upstreams[0].name == "openai"
    with pytest.raises(ConfigError, match="there is no such file"):
        load_config(tmp_path / "other.toml")


MISTAKES = [
    (
        'protocol = "openai"',
        'protocol = "opnai"',
        "line 3: upstream.0.protocol: found 'opnai', allowed is openai, anthropic",
    ),
    ("[policy]", "[polcy]", 'line 8: polcy: unknown key; .*did you mean "policy"'),
    ('default = "mask"', 'defalt = "mask"', 'line 9: policy.defalt: unknown key; .*did you mean "default"'),
    ('"block"', '"blok"', "line 10: policy.CREDIT_CARD: found 'blok', allowed is mask, block, allow, local"),
    ("sha256:", "sk-live-", 'line 13: clients.ci: found something else, allowed is "sha256:"'),
    ('name = "openai"\n', "", "line 1: upstream.0: name is missing"),
    ('models = ["gpt-*"]', 'models = "gpt"', "line 6: upstream.0.models: found 'gpt', allowed is array"),
    ('models = ["gpt-*"]', "pass_through = true", "line 6: .*api_key_env and pass_through"),
    ('default = "mask"', 'profile = "hipa"', 'line 9: unknown profile "hipa"; there are: 152-fz'),
    ("KX-[0-9]+", "KX-[0-9", 'detect.pattern "ticket": the regex cannot be read'),
    ('words = ["Kestrel"]', 'file = "gone.txt"', 'detect.words "projects": No such file'),
    ("[policy]", "[policy", "no TOML: .*line 8"),
    ('models = ["gpt-*"]', "models = []", "line 6: upstream.0.models: found list, allowed is 1 or more"),
    ("127.0.0.1:9999", "me:sk-live@127.0.0.1:9999", "line 4: upstream: base_url is an address alone"),
    ("http://127.0.0.1", "127.0.0.1", "line 4: upstream.0.base_url: found .*, allowed is a text like https://api"),
    ("9999/v1", "9999/v1?key=sk-live", "line 4: upstream: base_url is an address alone"),
    ("9999/v1", "99999/v1", "line 4: upstream: base_url is an address alone"),
    ("CREDIT_CARD", "CREDIT_CARDS", "line 10: policy: no finder names a type CREDIT_CARDS; write CREDIT_CARD"),
    ("CREDIT_CARD", "EMAIL", "line 10: policy: no finder names a type EMAIL; write EMAIL_ADDRESS"),
    ("[clients]", f'[clients]\nold = "sha256:{"a" * 64}"', "line 14: clients.ci: has the key of old"),
    ("[policy]", "[limits]\nbody_mb = nan\n[policy]", "line 9: limits.body_mb: found nan"),
    (
        "[policy]",
        '[[upstream]]\nname = "openai"\nprotocol = "openai"\nbase_url = "http://h"\n[policy]',
        "line 9: .*two called",
    ),
]


@pytest.mark.parametrize(("good", "bad", "message"), MISTAKES)
def test_a_mistake_is_told_with_its_place(good: str, bad: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        parse_config(SMALL.replace(good, bad))
    assert "sk-live" not in str(caught.value)


@pytest.mark.parametrize("kind", ["US_PASSPORT", "UK_NHS", "MEDICAL_LICENSE", "TICKET", "TELEGRAM", "PLACEHOLDER"])
def test_types_of_other_finders_have_policies_too(kind: str) -> None:
    assert parse_config(SMALL.replace("CREDIT_CARD", kind)).policy.action(kind) == "block"


def test_a_type_of_ones_own_may_look_like_another() -> None:
    own = SMALL.replace("CREDIT_CARD", "EMAIL").replace('name = "ticket"', 'name = "ticket"\ntype = "EMAIL"')
    assert parse_config(own).policy.action("EMAIL") == "block"


def test_a_file_of_another_encoding_is_told(tmp_path: Path) -> None:
    file = tmp_path / "gateway.toml"
    file.write_bytes(SMALL.encode("utf-8-sig"))
    assert load_config(file).upstreams
    file.write_bytes(SMALL.encode("utf-16"))
    with pytest.raises(ConfigError, match="no UTF-8 text"):
        load_config(file)


def test_lines_are_found_in_tables_and_arrays() -> None:
    assert line_of(SMALL, ("clients", "ci")) == 13
    assert line_of(SMALL, ("detect", "pattern", 0, "regex")) == 17
    assert line_of(SMALL, ("upstream", 1, "name")) == 1


def test_profiles_and_what_lies_over_them() -> None:
    assert profiles() == ("152-fz", "default", "gdpr", "hipaa", "secrets")
    assert Policy.from_profile("secrets").action("PERSON") == "allow"
    assert Policy.from_profile("secrets").action("SECRET") == "mask"
    assert Policy.from_profile("gdpr").towns
    table = {"profile": "hipaa", "ORGANIZATION": "allow", "towns": False, "default": "block"}
    policy = Policy.from_table(table)
    assert (policy.action("ORGANIZATION"), policy.action("X"), policy.towns) == ("allow", "block", False)


@pytest.mark.parametrize(
    "table", [{"PERSON": "hide"}, {"allow": "x"}, {"deny": [1]}, {"labels": "de"}, {"persn": "mask"}]
)
def test_a_policy_that_cannot_be_read(table: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="policy"):
        Policy.from_table(table)


FULL = f"""[[upstream]]
name = "house"
protocol = "openai"
base_url = "http://127.0.0.1:8080/v1"
local = true
model = "qwen"
price = {{input = 0.5, output = 1.5}}

[policy]
RU_INN = "local"

[clients]
plain = "sha256:{"a" * 64}"

[clients.ci]
key = "sha256:{"b" * 64}"
policy = {{PERSON = "block"}}
models = ["gpt-*"]
rate = 30
budget = {{tokens = 1000, usd = 2.5}}

[clients.audit]
key = "sha256:{"c" * 64}"
profile = "secrets"

[limits]
depth = 40
stop_seconds = 5

[telemetry]
otlp = "http://127.0.0.1:4318"
"""


def test_clients_have_their_own_policy_models_rate_and_budget() -> None:
    config = parse_config(FULL)
    plain, ci, audit = config.clients
    assert (plain.policy, plain.rate, plain.tokens, plain.usd) == (None, None, None, None)
    assert ci.policy is not None
    assert audit.policy is not None
    assert [ci.policy.action(kind) for kind in ("PERSON", "RU_INN", "SECRET")] == ["block", "local", "mask"]
    assert (ci.models, ci.rate, ci.tokens, ci.usd) == (("gpt-*",), 30, 1000, 2.5)
    assert audit.policy.action("PERSON") == "allow"


def test_an_upstream_has_a_name_of_its_own_and_a_price() -> None:
    config = parse_config(FULL)
    assert (config.upstreams[0].model, config.upstreams[0].price) == ("qwen", Price(0.5, 1.5))
    assert config.limits == Limits(depth=40, stop_seconds=5)
    assert config.telemetry == Telemetry("http://127.0.0.1:4318")


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ('profile = "secrets"', 'profile = "secret"', 'clients.audit: unknown profile "secret"'),
        ('PERSON = "block"', 'PERSON = "hide"', "clients.ci"),
        ("rate = 30", "rate = 0", "clients.ci.rate"),
        ('otlp = "http:', 'otlp = "grpc:', "telemetry.otlp"),
    ],
)
def test_a_mistake_of_a_client_names_it(good: str, bad: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_config(FULL.replace(good, bad))

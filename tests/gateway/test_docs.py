"""What docs/gateway.md and deploy/ say is what the gateway reads."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from gateway.cli import _parser
from gateway.config import Config, Limits, parse_config
from gateway.journal import _parser as journal_parser
from gateway.proxy.app import ROUTES
from gateway.proxy.serve import check_serving

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "gateway.md").read_text("utf-8")
TABLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^    \$ gateway (.*)$", PAGE, re.MULTILINE)
DEPLOY = ROOT / "deploy"


@pytest.mark.parametrize("text", TABLES)
def test_every_table_of_the_page_is_read(text: str) -> None:
    assert isinstance(parse_config(text), Config)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_page_is_one(line: str) -> None:
    words = shlex.split(line.partition("<")[0], comments=True)
    if words[0] == "journal":
        assert journal_parser().parse_args(words[1:]).command == words[1]
    else:
        assert _parser().parse_args(words).command == words[0]


def test_the_limits_of_the_page_are_the_defaults() -> None:
    (text,) = [text for text in TABLES if "[limits]" in text]
    assert parse_config(text).limits == Limits()


def test_every_path_is_on_the_page() -> None:
    for path in (*(route.path for route in ROUTES), "/v1/models", "/healthz", "/readyz", "/metrics", "/journal"):
        assert f"`{path}`" in PAGE


def _commands() -> list[list[str]]:
    """The `gateway …` of each way to deploy, without its first word."""
    unit = re.search(r"^ExecStart=\S+/gateway (.*)$", (DEPLOY / "gateway.service").read_text(), re.MULTILINE)
    image = re.search(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert unit
    assert image
    return [shlex.split(unit[1]), yaml.safe_load(image[1]), _container()["args"]]


def _documents() -> list[dict[str, object]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))


def _container() -> dict[str, list[str]]:
    (replicas,) = [one for one in _documents() if one["kind"] == "StatefulSet"]
    return replicas["spec"]["template"]["spec"]["containers"][0]  # type: ignore[index, no-any-return]


@pytest.mark.parametrize("words", _commands(), ids=["systemd", "Dockerfile", "Kubernetes"])
def test_every_deployment_starts_a_command_that_is_one(words: list[str]) -> None:
    options = _parser().parse_args(words)
    assert (options.command, options.host, options.port) == ("serve", "0.0.0.0", 8787)


def test_every_configuration_can_be_served_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "set")
    (table,) = [one for one in _documents() if one["kind"] == "ConfigMap"]
    for text in (table["data"]["gateway.toml"], (DEPLOY / "gateway.toml.example").read_text("utf-8")):  # type: ignore[index]
        config = parse_config(text)
        check_serving(config, "0.0.0.0", 1)
        assert config.ledger == Path("/var/lib/gateway/ledger.db")


def test_a_stop_has_more_time_than_the_gateway_takes_for_it() -> None:
    seconds = Limits().stop_seconds
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]["gateway"]
    unit = re.search(r"^TimeoutStopSec=(\d+)$", (DEPLOY / "gateway.service").read_text(), re.MULTILINE)
    (replicas,) = [one for one in _documents() if one["kind"] == "StatefulSet"]
    assert unit
    pod = replicas["spec"]["template"]["spec"]  # type: ignore[index]
    graces = (int(compose["stop_grace_period"].rstrip("s")), int(unit[1]), pod["terminationGracePeriodSeconds"])
    assert all(grace > seconds for grace in graces)


def test_the_image_takes_what_the_package_is_built_of_and_nothing_else() -> None:
    """Keys and configuration lie in the same folder: whatever is copied stays in a layer."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    needed |= {*wheel["packages"], *wheel["force-include"]}
    lines = re.findall(r"^COPY (.*) \S+$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert {source for line in lines for source in line.split()} == needed


def test_a_second_start_leaves_the_key_of_the_ledger_to_its_owner() -> None:
    (replicas,) = [one for one in _documents() if one["kind"] == "StatefulSet"]
    owner = replicas["spec"]["template"]["spec"]["securityContext"]  # type: ignore[index]
    assert owner["fsGroup"] == owner["runAsUser"]
    assert owner["fsGroupChangePolicy"] == "OnRootMismatch"


def test_the_health_check_survives_being_cut_at_blanks() -> None:
    test = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]["gateway"]["healthcheck"]["test"]
    assert " ".join(test).split() == test
    compile(test[-1], "healthcheck", "eval")

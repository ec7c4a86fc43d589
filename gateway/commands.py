"""What `gateway mask`, `restore` and `check` do. Standard output carries the result and nothing else."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gateway.config import FILE_NAME, Config, detector_settings, home, load_config, missing_keys
from gateway.errors import ConfigError, GatewayError, MissingExtraError
from gateway.maps import write_map
from gateway.mask import Masked, MaskedEntity, Masker
from gateway.policy import Policy
from gateway.trial import try_masking
from gateway.vault import Vault


def mask(options: Namespace) -> int:
    """Masks files, cases or standard input."""
    config = _configured(options)
    if options.map and options.cases:
        raise ConfigError("--map is for files and standard input: the values of --cases stand in the cases themselves")
    if options.files:
        if options.json:
            raise ConfigError("--json is for standard input: files keep their own format; --map FILE writes the map")
        from gateway.batch import mask_files

        return mask_files(options.files, config, out=options.out, map_file=options.map, jobs=options.jobs)
    if options.out and not options.cases:
        raise ConfigError("--out is for files and --cases: what standard input holds goes masked to standard output")
    masker = _masker(config)
    if options.cases:
        return _cases(options, lambda case: _mask_case(masker, case, options.language))
    vault = masker.new_vault()
    masked = masker.mask(_read_text(), vault, language=options.language)
    if options.map:
        write_map(options.map, vault)
    if options.json:
        entities = [_entity(entity) for entity in masked.entities]
        _write_output(_line({"text": masked.text, "entities": entities, "map": _shown(masked, vault)}))
    else:
        _write_output(masked.text)
    return 0


def restore(options: Namespace) -> int:
    """Restores cases, or standard input with the map of a file."""
    from gateway.restore import restore as restored

    if options.cases:
        return _cases(options, _restore_case)
    if not options.map:
        raise ConfigError("restore needs --map FILE for standard input, or --cases IN.jsonl --out OUT.jsonl")
    table = _read_map(options.map)  # before the input: who types it learns of a wrong map first
    _write_output(restored(_read_input(), table, json=options.json))
    return 0


def check(options: Namespace) -> int:
    """Validates the configuration, then masks and restores one sentence of the example domain."""
    config = load_config(options.config)
    if missing := missing_keys(config):
        raise ConfigError(f"{config.file}: {missing}")
    none = f"none ({FILE_NAME} is looked for here and in {home()}; --config FILE names another); the defaults hold"
    sys.stderr.write(f"configuration: {config.file or none}\n")
    masked = try_masking(_masker(config), "jane.doe")
    _write_output(f"a sample, masked: {masked.text}\n")
    upstreams = ", ".join(upstream.name for upstream in config.upstreams) or "none: serve has nothing to forward to"
    sys.stderr.write(f"policy: {config.policy.name}; upstreams: {upstreams}; masking and restoring work\n")
    return 0


def key(options: Namespace) -> int:
    """Makes a key for a client. The line for gateway.toml is the result; the key itself is shown once, beside it."""
    import hashlib
    import secrets

    made = f"gw-{secrets.token_urlsafe(32)}"
    line = f'{json.dumps(options.name)} = "sha256:{hashlib.sha256(made.encode()).hexdigest()}"\n'
    if options.json:
        _write_output(_line({"name": options.name, "key": made, "line": line.strip()}))
        return 0
    sys.stderr.write(f"the key of {options.name}, shown this once: {made}\nits line for [clients] of gateway.toml:\n")
    _write_output(line)
    return 0


def _configured(options: Namespace) -> Config:
    from dataclasses import replace

    config = load_config(options.config)
    policy = Policy.from_profile(options.profile) if options.profile else config.policy
    if options.labels:
        policy = replace(policy, language=options.labels)
    return replace(config, policy=policy, detect=detector_settings(policy, config.detect))


def _masker(config: Config) -> Masker:
    from gateway.detect.engine import load_detector

    return Masker(load_detector(config.detect), config.policy, settle=True)


def _mask_case(masker: Masker, case: dict[str, Any], language: str) -> dict[str, Any]:
    masked = masker.mask(case["input"], masker.new_vault(), language=case.get("language", language))
    return {"text": masked.text, "entities": [_entity(entity) for entity in masked.entities]}


def _restore_case(case: dict[str, Any]) -> dict[str, Any]:
    from gateway.restore import StreamRestorer

    stream = StreamRestorer(case["map"], json=bool(case.get("json")))
    chunks = [stream.feed(chunk) for chunk in case["chunks"]]
    rest = stream.close()
    return {"chunks": [*chunks, rest] if rest else chunks}


def _cases(options: Namespace, run: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    if not options.out:
        raise ConfigError("--cases needs --out OUT.jsonl")
    if not options.cases.is_file():
        raise ConfigError(f"{options.cases}: there is no such file")
    with options.out.open("w", encoding="utf-8") as out:
        for number, case in _read_cases(options.cases):
            try:
                result = run(case)
            except (KeyError, TypeError, AttributeError):
                raise ConfigError(f"{options.cases}, line {number}: fields are missing or of another type") from None
            except (ConfigError, MissingExtraError):
                raise
            except GatewayError as error:
                result = {"error": str(error)}
            out.write(_line({"id": case.get("id"), **result}))
    return 0


def _read_cases(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                case = json.loads(line)
            except ValueError:
                raise ConfigError(f"{path}, line {number}: no JSON") from None
            if not isinstance(case, dict):
                raise ConfigError(f"{path}, line {number}: found {type(case).__name__}, allowed is an object")
            yield number, case


def _read_map(path: Path) -> dict[str, str]:
    try:
        table = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except ValueError:
        raise ConfigError(f"{path}: no JSON; needed is an object of placeholder and value") from None
    table = table.get("map", table) if isinstance(table, dict) else table
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise ConfigError(f"{path}: needed is an object of placeholder and value")
    return table


def _entity(entity: MaskedEntity) -> dict[str, Any]:
    return {
        "type": entity.type,
        "start": entity.start,
        "end": entity.end,
        "text": entity.text,
        "placeholder": entity.placeholder,
    }


def _shown(masked: Masked, vault: Vault) -> dict[str, str]:
    used = {entity.placeholder for entity in masked.entities}
    return {placeholder: value for placeholder, value in vault.map.items() if placeholder in used}


def _line(table: dict[str, Any]) -> str:
    text = json.dumps(table, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair can only be written escaped
        text = json.dumps(table)
    return text + "\n"


def _read_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _read_text() -> str:
    """Standard input to be masked: bytes that are no text could hide what they hold."""
    from gateway.documents import why_no_text

    data = sys.stdin.buffer.read()
    if reason := why_no_text(data):
        raise ConfigError(f"standard input: {reason}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"standard input is no UTF-8 text (byte {error.start}); only that can be masked (iconv converts)"
        ) from None


def _write_output(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()

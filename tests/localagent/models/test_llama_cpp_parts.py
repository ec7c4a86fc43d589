"""The parts of the llama_cpp backend that need no model: frames, templates, kept tokens, states, threads."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import struct
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.models.llama_cpp import frames, gguf
from localagent.models.llama_cpp.prompt import Kept, Prompt, Span, common_prefix
from localagent.models.llama_cpp.settings import LlamaCppSettings, from_json, to_json
from localagent.models.llama_cpp.state import StateStore, forget
from localagent.models.llama_cpp.template import Template, TemplateProblem, WireMessage
from localagent.models.llama_cpp.threads import Threads, _share
from tests.fakes.llama_server import CHATML_TOOLS
from tests.fakes.templates import CHATML

SYSTEM: WireMessage = {"role": "system", "content": "Be brief."}
USER: WireMessage = {"role": "user", "content": "Hi"}
CALL: WireMessage = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "look", "arguments": {"at": "é"}}}],
}
RESULT: WireMessage = {"role": "tool", "content": "seen", "name": "look", "tool_call_id": "1"}
TOOL: WireMessage = {
    "type": "function",
    "function": {"name": "look", "description": "Looks", "parameters": {"type": "object"}},
}


# A toy tokenizer: `<x>` is a special token, other text is cut greedily into pairs of characters.
def _toy(text: str, special: bool) -> list[int]:
    tokens, at = [], 0
    while at < len(text):
        if special and text.startswith("<x>", at):
            tokens.append(1)
            at += 3
        else:
            end = text.find("<x>", at) if special else -1
            piece = text[at : min(at + 2, end if end > at else len(text))]
            tokens.append(2 + sum(ord(c) << (8 * n) for n, c in enumerate(piece)))
            at += len(piece)
    return tokens


def _piece(token: int) -> bytes:
    if token == 1:
        return b"<x>"
    low, high = (token - 2) & 0xFF, (token - 2) >> 8
    return bytes([low, high]) if high else bytes([low])


def _kept(tokens: Sequence[int] = ()) -> Kept:
    kept = Kept(_piece, lambda token: token == 1)
    kept.extend(tokens)
    return kept


TEXTS = st.lists(st.sampled_from(["a", "b", "<x>", "ab", "ba"]), max_size=12).map("".join)


@given(TEXTS, TEXTS)
def test_laying_over_what_was_read_gives_the_tokens_of_reading_afresh(old: str, new: str) -> None:
    kept = _kept(_toy(old, True))
    if not new.startswith(old):
        assert kept.lay(Prompt((Span(new),)), _toy) == _toy(new, True)


@given(TEXTS, st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=6), TEXTS)
def test_sampled_tokens_stand_where_their_text_is_the_same(before: str, sampled: list[str], after: str) -> None:
    reply = [_toy(piece, True)[0] for piece in sampled]
    kept = _kept([*_toy(before + "<x>", True), *reply])
    text = before + "<x>" + "".join(sampled)
    laid = kept.lay(Prompt((Span(text + "<x>" + after),)), _toy)
    assert laid[: len(kept.tokens)] == kept.tokens
    assert b"".join(map(_piece, laid)).decode() == text + "<x>" + after


def test_plain_text_has_no_special_tokens() -> None:
    prompt = Prompt((Span("<x>"), Span("<x>", plain=True), Span("<x>")))
    assert prompt.tokens(_toy).count(1) == 2
    assert _kept(_toy("<x>", True)).lay(prompt, _toy) == prompt.tokens(_toy)


def test_cutting_forgets_the_text_too() -> None:
    kept = _kept(_toy("<x>abab<x>", True))
    kept.cut(2)
    assert (bytes(kept.data), kept.ends) == (b"<x>ab", [3, 5])
    kept.cut(0)
    assert (bytes(kept.data), kept.ends, kept.tokens) == (b"", [], [])


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_common_prefix_is_what_it_says(a: list[int], b: list[int]) -> None:
    expected = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    assert common_prefix(a, b) == expected


@settings(max_examples=30)
@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers()), max_size=4))
def test_frames_arrive_as_they_were_sent(sent: list[frames.Frame]) -> None:
    stream = io.BytesIO(b"".join(map(frames.pack, sent)))
    assert [frames.read(stream) for _ in sent] == sent
    assert frames.read(stream) is None


def test_settings_travel_as_json(tmp_path: Path) -> None:
    for wanted in (LlamaCppSettings(tmp_path / "m.gguf"), LlamaCppSettings(tmp_path / "m", state_dir=tmp_path, seed=3)):
        assert from_json(to_json(wanted)) == wanted


def _text(template: Template, messages: list[WireMessage], tools: Sequence[WireMessage] = ()) -> str:
    return template.render(messages, tools).data.decode()


def test_a_model_without_a_template_goes_on_with_a_transcript_as_the_examples_of_the_prompt_are_written() -> None:
    template = Template(None, bos="<bos>")
    call = {"role": "assistant", "content": "Thought: look\nAction: look\nAction Input: {}"}
    result = {"role": "user", "content": "Observation: seen"}
    messages = [SYSTEM, USER, {"role": "user", "content": "there"}, {**SYSTEM, "content": "Be kind."}]
    asked = "<bos>Be brief.\n\nBe kind.\n\nUser: Hi\n\nthere\n"
    assert _text(template, messages) == asked
    assert _text(template, [*messages, call, result]) == f"{asked}{call['content']}\nObservation: seen\n"
    assert _text(template, [USER]) == "<bos>User: Hi\n"


def test_calls_and_results_become_text_where_the_template_knows_none() -> None:
    text = _text(Template(CHATML), [USER, CALL, RESULT], [TOOL])
    assert '<|im_start|>assistant\n{"name": "look", "arguments": {"at": "é"}}<|im_end|>' in text
    assert "<|im_start|>user\nseen<|im_end|>" in text


def test_tools_calls_and_results_are_rendered_by_a_template_that_knows_them() -> None:
    template = Template(CHATML_TOOLS.read_text())
    text = _text(template, [SYSTEM, USER, CALL, RESULT], [TOOL])
    assert '{"name": "look", "description": "Looks", "parameters": {"type": "object"}}' in text
    assert '<call>\n{"name": "look", "arguments": {"at": "é"}}\n</call>' in text
    assert "<tool_response>\nseen\n</tool_response>" in text


def test_each_request_is_a_prefix_of_the_next() -> None:
    template = Template(CHATML_TOOLS.read_text())
    messages = [SYSTEM, USER, CALL, RESULT, {"role": "assistant", "content": "It is é."}, USER]
    texts = [_text(template, messages[:n], [TOOL]).removesuffix("<|im_start|>assistant\n") for n in (2, 3, 4, 5, 6)]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))


def test_a_template_without_a_system_role_gets_it_with_the_first_question() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        "[{{ m.role }}]{{ m.content }}{% endfor %}"
    )
    assert _text(Template(source), [SYSTEM, USER]) == "[user]Be brief.\n\nHi"


def test_a_clock_is_only_for_a_template_that_insists() -> None:
    optional = "{% if strftime_now is defined %}{{ strftime_now('%Y') }}{% else %}always{% endif %}"
    assert _text(Template(optional), [USER]) == "always"
    assert len(_text(Template("{{ strftime_now('%Y') }}"), [USER])) == 4


def test_a_template_that_refuses_says_why() -> None:
    with pytest.raises(TemplateProblem, match="never"):
        Template("{{ raise_exception('never') }}").render([USER])


def test_a_template_cannot_reach_outside() -> None:
    with pytest.raises(TemplateProblem):
        Template("{{ messages.__class__.__mro__[1].__subclasses__() }}").render([USER])


def test_markers_in_what_a_person_or_tool_says_are_plain_spans() -> None:
    template = Template(CHATML, specials=["<|im_end|>", "<|im_start|>"])
    prompt = template.render([{"role": "user", "content": "a<|im_end|>b"}])
    assert [span.text for span in prompt.spans if span.plain] == ["<|im_end|>"]
    assert "".join(span.text for span in prompt.spans).startswith("<|im_start|>user\na<|im_end|>b<|im_end|>")


@pytest.mark.parametrize("char", ["\ue000", "\ue001"])
@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_no_character_of_a_text_is_lost_or_makes_a_marker_plain(role: str, char: str) -> None:
    template = Template(CHATML, eos="<|im_end|>", specials=["<|im_end|>", "<|im_start|>"])
    prompt = template.render([USER, {"role": role, "content": f"a{char}<|im_end|>b"}, USER])
    plain = [span.text for span in prompt.spans if span.plain]
    assert plain == ([] if role == "system" else ["<|im_end|>"])
    assert f"a{char}<|im_end|>b" in prompt.data.decode()


def test_no_call_and_no_description_of_a_tool_holds_a_marker() -> None:
    source = "{{ tools | tojson }}{% for m in messages %}{{ m.content }}{{ m.tool_calls | tojson }}{% endfor %}"
    template = Template(source, specials=["<|im_end|>"])
    function = {"name": "write", "arguments": {"lines": ["a<|im_end|>b"], "n": 1}}
    message = {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}
    prompt = template.render([message], [{"function": {"name": "write", "description": "<|im_end|>"}}])
    assert [span.text for span in prompt.spans if span.plain] == ["<|im_end|>"] * 2
    assert '{"lines": ["a<|im_end|>b"], "n": 1}' in prompt.data.decode()


class Disk:
    """An engine whose state is a file of its tokens' count."""

    window = 100

    def __init__(self, size: int = 1000) -> None:
        self.size = size
        self.restored: list[Path] = []

    def save(self, path: Path) -> int:
        return path.write_bytes(bytes(self.size))

    def restore(self, path: Path) -> bool:
        self.restored.append(path)
        return True


def test_the_state_that_shares_most_is_read(tmp_path: Path) -> None:
    store, disk = StateStore(tmp_path, "m", 10_000), Disk()
    store.save("a", disk, [1] * 60)
    store.save("b", disk, [1] * 50 + [2] * 50)
    assert store.restore(disk, [], [1] * 50 + [2] * 40)
    assert disk.restored == [store._path("b")]
    assert not store.restore(disk, [1] * 50, [1] * 60 + [3])  # too little is gained
    assert not StateStore(tmp_path, "other", 10_000).restore(disk, [], [1] * 60)


def test_the_disk_that_states_take_is_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    store, disk = StateStore(tmp_path, "m", 3500), Disk()
    for n, session in enumerate("abcde"):
        store.save(session, disk, [n] * 60)
        os.utime(store._path(session), (n, n))
    assert set(tmp_path.glob("*.kv")) == {store._path(s) for s in "cde"}
    assert len(list(tmp_path.iterdir())) == 6
    assert not store.save("f", Disk(5000), [1])  # larger than all that is granted
    assert len(list(tmp_path.iterdir())) == 6


def test_a_session_can_be_forgotten(tmp_path: Path) -> None:
    store, disk = StateStore(tmp_path, "m", 10_000), Disk()
    store.save("../a/b", disk, [1] * 60)
    store.save("c", disk, [1] * 60)
    forget(tmp_path, "../a/b")
    assert list(tmp_path.glob("*.kv")) == [store._path("c")]


def test_threads_make_room_for_others() -> None:
    assert [_share(2, others) for others in (0.0, 0.3, 0.5, 1.0, 1.9)] == [2, 2, 1, 1, 1]
    assert [_share(8, others) for others in (0.0, 0.3, 2.0, 2.5, 9.0)] == [8, 8, 6, 5, 1]


@pytest.mark.parametrize(("one", "many", "better"), [(0.01, 0.03, 1), (0.03, 0.01, 4)])
def test_single_tokens_get_the_faster_number_of_threads(
    one: float, many: float, better: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = Threads(None)
    monkeypatch.setattr(threads, "now", lambda: 4)
    for _ in range(20):
        count = threads.for_one()
        threads.took(count, one if count == 1 else many)
    assert threads.for_one() == better


def test_a_fixed_number_of_threads_stays() -> None:
    threads = Threads(3)
    assert {threads.now(), threads.for_one()} == {3}


def test_a_header_is_read_without_the_vocabulary() -> None:
    from tests.fakes.weights import smollm2

    start = time.perf_counter()
    header = gguf.read_header(smollm2())
    assert header.trained_context == 8192
    assert header.template is not None
    assert round(header.parameters / 1e6) == 135
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("data", [b"", b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 40, b"PK" + bytes(200)])
def test_what_is_no_gguf_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with pytest.raises(gguf.NotGgufError):
        gguf.read_header(path)


def small_header() -> bytes:
    """A header with every shape of value, and one tensor."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value)) + value.encode()

    pairs = [
        text("a") + struct.pack("<I", 8) + text("llama"),
        text("b") + struct.pack("<IIQ", 9, 8, 2) + text("x") + text("y"),
        text("c") + struct.pack("<IIQ", 9, 4, 70) + bytes(280),
        text("d") + struct.pack("<If", 6, 0.5),
    ]
    tensor = text("w") + struct.pack("<IQQIQ", 2, 3, 4, 0, 0)
    return b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(pairs) + tensor


@settings(max_examples=150, deadline=None)
@given(at=st.integers(4, len(small_header()) - 8), noise=st.binary(min_size=1, max_size=8))
def test_a_header_with_noise_in_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, at: int, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("gguf") / "m.gguf"
    path.write_bytes(small_header())
    assert gguf.read_header(path).parameters == 12
    data = bytearray(small_header())
    data[at : at + len(noise)] = noise
    path.write_bytes(data)
    with contextlib.suppress(gguf.NotGgufError):
        gguf.read_header(path)

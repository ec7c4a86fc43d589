"""Text into vectors: two protocols, a GGUF, the sentence encoder, and which of them is chosen."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from localagent.config.models_toml import Entry, read_models_toml
from localagent.errors import BadReplyError, ConfigError, ModelError, ModelUnavailableError
from localagent.models.embed.choose import choose_embedder
from localagent.models.embed.form import as_told
from localagent.models.embed.gguf import GgufEmbedder
from localagent.models.embed.http import HttpEmbedder
from localagent.models.embed.sentence import SentenceEncoder, weights_file
from localagent.models.embedded import EMBEDDED
from tests.fakes.http_server import Answer, Asked, HttpServer


def server(*, broken: str = "") -> tuple[HttpServer, list[Asked]]:
    """Speaks both protocols; a text's vector is its length and one."""
    seen: list[Asked] = []

    async def handle(asked: Asked, answer: Answer) -> None:
        seen.append(asked)
        rows = [[float(len(text)), 1.0] for text in asked.json["input"]]
        if broken:
            await answer.whole(broken)
        elif asked.path == "/api/embed":
            await answer.whole({"embeddings": rows})
        else:
            data = [{"index": n, "embedding": row} for n, row in enumerate(rows)]
            await answer.whole({"data": data[::-1]})

    return HttpServer(handle), seen


@pytest.mark.parametrize(("backend", "suffix"), [("ollama", ""), ("openai", "/v1")])
async def test_a_server_gives_unit_vectors_in_the_order_of_the_texts(backend: str, suffix: str) -> None:
    made, seen = server()
    async with made:
        embedder = HttpEmbedder(Entry("e", backend, model="nomic-embed-text", base_url=made.url + suffix))
        texts = ["a" * n for n in range(1, 41)]
        vectors = await embedder.embed(texts)
        await embedder.embed(["question"], query=True)
        await embedder.close()
    assert vectors.shape == (40, 2)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert (np.diff(vectors[:, 0]) > 0).all()
    assert [len(asked.json["input"]) for asked in seen] == [32, 8, 1]
    assert seen[0].json["input"][0] == "search_document: a"
    assert seen[2].json["input"] == ["search_query: question"]


@pytest.mark.parametrize("broken", ["{}", "no json", '{"embeddings": [[1, 2]]}', '{"embeddings": [[1], [1, 2]]}'])
async def test_what_is_no_embedding_is_said(broken: str) -> None:
    made, _ = server(broken=broken)
    async with made:
        embedder = HttpEmbedder(Entry("e", "ollama", model="m", base_url=made.url))
        with pytest.raises(BadReplyError, match="embedding model"):
            await embedder.embed(["a", "b"])
        await embedder.close()


async def test_nobody_there_is_a_model_error() -> None:
    embedder = HttpEmbedder(Entry("e", "ollama", model="m", base_url="http://127.0.0.1:9"))
    with pytest.raises(ModelError, match="no server answers"):
        await embedder.embed(["a"])
    await embedder.close()


def test_a_model_that_is_not_known_gets_the_bare_text() -> None:
    assert as_told("my-own", ["a"], query=True) == ["a"]
    assert as_told("multilingual-e5-small", ["a"], query=False) == ["passage: a"]


def chosen(folder: Path, text: str) -> object:
    file = folder / "models.toml"
    file.write_text(text, encoding="utf-8")
    return choose_embedder(read_models_toml(file))


OLLAMA = '[models.vectors]\nbackend = "ollama"\nmodel = "bge-m3"\n'
CLOUD = '[models.vectors]\nbackend = "openai"\nmodel = "m"\nbase_url = "https://api.example.com/v1"\n'
GGUF = '[models.vectors]\nbackend = "llama_cpp"\nfile = "v.gguf"\n'
SCRIPT = '[models.vectors]\nbackend = "scripted"\nfile = "r.jsonl"\n'
NAMED = '\n[memory]\nembeddings = "vectors"\n'


def test_the_file_chooses(tmp_path: Path) -> None:
    assert chosen(tmp_path, '[memory]\nembeddings = "none"\n') is None
    assert isinstance(chosen(tmp_path, '[memory]\nembeddings = "use-multilingual"\n'), SentenceEncoder)
    assert isinstance(chosen(tmp_path, OLLAMA + NAMED), HttpEmbedder)
    assert isinstance(chosen(tmp_path, GGUF + NAMED), GgufEmbedder)


@pytest.mark.parametrize(
    ("text", "word"),
    [(CLOUD + NAMED, "whole folder"), (SCRIPT + NAMED, "no vectors"), ('[memory]\nembeddings = "x"\n', "no model")],
)
def test_what_cannot_be_chosen_is_told(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        chosen(tmp_path, text)


@pytest.mark.skipif(
    not weights_file().is_file() or not find_spec("sentencepiece"), reason="localagent memory pull fetches the encoder"
)
async def test_the_sentence_encoder_brings_languages_together() -> None:
    encoder = SentenceEncoder()
    texts = ["The cat ran through the garden.", "Кот пробежал по саду.", "The invoice is due on Friday.", ""]
    vectors = await encoder.embed(texts)
    nearness = vectors @ vectors.T
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    assert nearness[0, 1] > 0.7 > 0.3 > abs(nearness[0, 2])
    assert (await encoder.embed([])).shape == (0, 512)


async def test_a_file_that_is_no_encoder_is_told(tmp_path: Path) -> None:
    pytest.importorskip("sentencepiece")
    (tmp_path / "x.whl").write_bytes(b"nothing")
    with pytest.raises(ModelUnavailableError, match="fetch it anew"):
        await SentenceEncoder(tmp_path / "x.whl").embed(["a"])


@pytest.mark.skipif(not EMBEDDED.path.is_file(), reason="no GGUF here: localagent models pull embedded")
async def test_a_gguf_gives_vectors_from_a_process_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    embedder = GgufEmbedder("small", EMBEDDED.path)
    vectors = await embedder.embed(["a cat", "a cat", "the stock exchange " * 400])
    await embedder.close()
    assert vectors.shape == (3, 576)
    assert vectors[0] @ vectors[1] > 0.999
    (tmp_path / "no.gguf").write_text(json.dumps({}), encoding="utf-8")
    bad = GgufEmbedder("bad", tmp_path / "no.gguf")
    with pytest.raises(ModelUnavailableError, match="gives no vectors"):
        await bad.embed(["a"])
    await bad.close()

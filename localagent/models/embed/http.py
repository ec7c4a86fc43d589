"""Vectors from a server: Ollama's /api/embed, or /v1/embeddings of llama-server, vLLM, LM Studio and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localagent.config.models_toml import Entry
from localagent.models.embed.form import as_told, unit_rows
from localagent.models.failures import broken, key_of, not_there, refusal, too_silent
from localagent.net.http import open_client, silence_of

if TYPE_CHECKING:
    import httpx
    import numpy as np

TEXTS_A_REQUEST = 32


class HttpEmbedder:
    """An embedder behind an entry with backend `ollama` or `openai`."""

    floor = 0.0

    def __init__(self, entry: Entry) -> None:
        self.name = f"{entry.name}:{entry.model}"
        self._entry = entry
        self._client: httpx.AsyncClient | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> np.ndarray[Any, np.dtype[np.float32]]:
        """See ports.Embedder. Raises ModelError."""
        told = as_told(self._entry.model, texts, query=query)
        rows: list[list[float]] = []
        for start in range(0, len(told), TEXTS_A_REQUEST):
            rows += await self._asked(told[start : start + TEXTS_A_REQUEST])
        return unit_rows(rows)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        import httpx

        entry = self._entry
        path = "/api/embed" if entry.backend == "ollama" else "/embeddings"
        body = {"model": entry.model, "input": list(texts)}
        client = await self._http()
        try:
            response = await client.post(f"{entry.base_url}{path}", json=body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise not_there(entry, error) from None
        except httpx.TimeoutException:
            raise too_silent(entry, silence_of(entry.base_url, entry.silence_timeout)) from None
        except httpx.HTTPError as error:
            raise broken(entry, f"broke off ({error})") from None
        if not response.is_success:
            raise refusal(entry, response.status_code, response.content)
        return self._rows(response, len(texts))

    def _rows(self, response: httpx.Response, count: int) -> list[list[float]]:
        try:
            data = response.json()
            if self._entry.backend == "ollama":
                rows = data["embeddings"]
            else:
                rows = [item["embedding"] for item in sorted(data["data"], key=lambda item: item["index"])]
            if len(rows) != count or len({len(row) for row in rows}) != 1:
                raise ValueError("not one vector a text")
        except (ValueError, KeyError, TypeError) as error:
            raise broken(
                self._entry, f"sent no embeddings ({error}); is {self._entry.model} an embedding model?"
            ) from None
        return [[float(value) for value in row] for row in rows]

    async def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            e, key = self._entry, key_of(self._entry)
            headers = {"authorization": f"Bearer {key}"} if key else {}
            self._client = await open_client(
                e.base_url, connect=e.connect_timeout, silence=e.silence_timeout, headers=headers
            )
        return self._client

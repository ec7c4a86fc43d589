"""What the first requests would load, compile and learn, done before them: no client waits for it.

Most of it is done once before the processes are forked, which share it. The rest is theirs: memory that was shared
becomes their own page by page, when it is first written to.
"""

from __future__ import annotations

from pathlib import Path

from gateway.detect.checks import stdnum_valid
from gateway.detect.national import rows
from gateway.lastlook import last_look
from gateway.mask import Masker
from gateway.payload import write
from gateway.placeholder_forms import compile_wide
from gateway.policy import Policy
from gateway.restore import restore

_TEXTS = (
    """Hi Katarzyna, this is Thomas O'Neill from the Lisbon office. Could you call Mrs. Adeyemi-Brown back before
Friday? Her number is +44 20 7946 0958, or write to f.adeyemi@example.org; she moved to 14 Harbour Lane, Apt 3B,
Bristol BS1 4DJ.
Patient: Garrison Whitlock, born 12 March 1961, SSN 536-22-8714, member ID 4471-9920. Kind regards, T. O'Neill""",
    """Sehr geehrte Frau Dr. Lindqvist, bitte überweisen Sie 1.250,00 € auf DE89 3704 0044 0532 0130 00.
Rechnung an: Karl-Heinz Obermüller, Lindenstraße 7, 50674 Köln, Steuer-ID 86095742719.
Monsieur Benoît Lefèvre habite 3 rue des Lilas, Lyon.""",
    """Заявитель Кузнецова Мария Сергеевна, 14.02.1985 г.р., паспорт 45 08 123456, ИНН 500100732259,
проживает: г. Тверь, ул. Советская, д. 5, кв. 12, тел. 8 (912) 340-55-17, СНИЛС 112-233-445 95.
Передайте Павлу Андреевичу, что договор готов.""",
    """name,email,phone,card\nJane Roe,jane.roe@example.com,(212) 555-0147,4111 1111 1111 1111
host=10.20.30.40 user=svc_backup password="c0rrect-h0rse" Authorization: Bearer e30.abcdefghijk0123456789
def total(items): return sum(item.price for item in items)  # see https://example.com/a?token=4f3c2b1a0d""",
)
_PIECE, _PIECES, _OWN_PIECES = 2048, 30, 5
_OTHER_TYPES = (
    "MAC_ADDRESS RU_BIRTH_CERTIFICATE RU_CADASTRAL_NUMBER RU_CAR_INSURANCE RU_MILITARY_ID"
    " RU_VEHICLE_CERTIFICATE UK_POSTCODE USERNAME"
)
"""Beside those with a Russian label and the national ones. One that is missing costs its first reply a compilation."""


def warm_up(masker: Masker) -> None:
    """Masks and restores a few texts, and prose and code in which there is little to find."""
    _load_numbers()
    policy = masker.policy
    compile_wide(frozenset((*_OTHER_TYPES.split(), *(row["type"] for row in rows()), *policy.actions, *policy.deny)))
    _go_through([*_TEXTS, *_own_code(_PIECES)], masker)


def warm_up_process(masker: Masker) -> None:
    """The same for a process that was forked, with texts that no cache knows yet."""
    _go_through([*(f"{text}\n." for text in _TEXTS), *_own_code(_PIECES + _OWN_PIECES)[_PIECES:]], masker)


def _go_through(texts: list[str], masker: Masker) -> None:
    """The whole way, under a policy that blocks nothing; what is found is of no interest."""
    open_ = Masker(masker.detector, Policy(actions={}, default="mask"))
    for text in texts:
        vault = open_.new_vault()
        masked = open_.mask(text, vault)
        last_look(write({"content": masked.text}), vault)
        restore(masked.text, vault.map)


def _own_code(count: int) -> list[str]:
    """Pieces of the package's own files, English prose and code: the automata of the detectors learn the ways through
    such text as they meet it."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"), key=lambda path: path.name)
    texts = (path.read_text("utf-8") for path in files)
    return [text[:_PIECE] for text in texts if len(text) > _PIECE][:count]


def load_client() -> None:
    """What calls out imports its parts when it first connects."""
    import anyio
    import httpx

    anyio.run(anyio.sleep, 0)
    httpx.AsyncHTTPTransport(verify=False, http2=True)


def _load_numbers() -> None:
    """Phone numbers of all regions and the check digits of all countries: each has a module of its own."""
    from phonenumbers import SUPPORTED_REGIONS, PhoneMetadata

    for region in SUPPORTED_REGIONS:
        PhoneMetadata.metadata_for_region(region)
    for row in rows():
        if check := row.get("check"):
            stdnum_valid(check, "")

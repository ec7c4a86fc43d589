"""Values in other writings: whatever a model reads without effort is found, and ordinary code is left alone."""

import base64
import quopri
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from gateway.detect.encoded import decode, encoded_finder
from gateway.detect.engine import Detector

MAIL = "ivan.petrov@lab.example"
SAID = f"Пишет Иван Петров, {MAIL}"
CARD = "4532015112830366"


def b64(text: str, encoding: str = "utf-8") -> str:
    return base64.b64encode(text.encode(encoding)).decode()


def each(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(byte) for byte in text.encode())


def listed(form: str, between: str) -> Callable[[str], str]:
    return lambda text: between.join(form.format(byte) for byte in text.encode())


PACKED: list[Callable[[str], str]] = [
    b64,
    lambda text: b64(text).rstrip("="),
    lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    lambda text: "x" + b64(text),
    lambda text: b64(text, "utf-16-le"),
    lambda text: b64(b64(text)),
    lambda text: b64(b64(b64(text))),
    lambda text: b64(each("%{:02X}")(text)),
    lambda text: b64(each("\\x{:02x}")(text)),
    lambda text: b64(text).encode().hex(),
    lambda text: text.encode().hex(),
    lambda text: "0x" + text.encode().hex().upper(),
    lambda text: text.encode("utf-16-be").hex(),
    listed("{:02x}", " "),
    listed("{:02X}", ":"),
    listed("0x{:02x}", ", "),
    listed("{}", ","),
    listed("{}", ", "),
    listed("{:08b}", " "),
    lambda text: base64.b32encode(text.encode()).decode(),
    lambda text: ",".join(str(ord(char)) for char in text),
    lambda text: base64.encodebytes((text + ", und mehr" * 20).encode()).decode().strip(),
]
ESCAPED: list[Callable[[str], str]] = [
    each("\\x{:02x}"),
    each("\\{:03o}"),
    each("={:02X}"),
    lambda text: "".join(f"\\u{{{ord(char):x}}}" for char in text),
    lambda text: "".join(f"\\U{ord(char):08x}" for char in text),
    lambda text: "".join(f"\\{ord(char):06x}" for char in text),
    lambda text: f"\\x{ord(text[0]):02x}{text[1:]}" if text.isascii() else each("\\x{:02x}")(text),
    lambda text: text.replace("@", "\\x40") if text.isascii() else each("\\x{:02X}")(text),
    lambda text: text.replace("@", "=40") if text.isascii() else quopri.encodestring(text.encode()).decode(),
    lambda text: f"=?utf-8?Q?{each('={:02X}')(text)}?=",
]


@pytest.mark.parametrize("write", PACKED)
@pytest.mark.parametrize("said", [MAIL, SAID])
def test_what_is_packed_is_masked_as_a_whole(detector: Detector, write: Callable[[str], str], said: str) -> None:
    hidden = write(said)
    found = detector.find(f"config = {hidden} # end")
    assert "".join(e.text for e in found).startswith(hidden.strip("0x")[:-2]) or [e.text for e in found] == [hidden]


@pytest.mark.parametrize("write", ESCAPED)
@pytest.mark.parametrize("said", [MAIL, "Иван Петров"])
def test_of_a_text_with_escapes_the_value_is_masked(detector: Detector, write: Callable[[str], str], said: str) -> None:
    hidden = write(said)
    found = detector.find(f"print('to {hidden}')\nprint('\\x1b[31m')")
    assert (found[0].start, found[-1].end) == (len("print('to "), len("print('to " + hidden))
    assert sum(len(entity.text) for entity in found) >= len(hidden) - len("\\U00000020")


@pytest.mark.parametrize("between", [",", ", ", "; ", '","', '", "', '" + "'])
def test_a_card_in_pieces_is_found(detector: Detector, between: str) -> None:
    for pieces in (list(CARD), [CARD[at : at + 4] for at in range(0, 16, 4)]):
        text = between.join(pieces)
        assert [(e.type, e.text) for e in detector.find(f'pay with ["{text}"] today')] == [("CREDIT_CARD", text)]
    broken = between.join([*CARD[:-1], "7"])
    assert not detector.find(f"[{broken}]")


@pytest.mark.parametrize(
    "text",
    [
        "color: \\x1b[31mred\\x1b[0m \\033[1mbold\\033[0m",
        "MAGIC = b'\\x89PNG\\r\\n\\x1a\\n' + b'\\xff\\xd8\\xff'",
        "sha256 = e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        'integrity="sha512-iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"',
        "?width=40&height=20&mask=ff=00 a=40b",
        "primes = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53]",
        "de ad be ef 00 01 ca fe ba be 00 11",
        "from gateway.proxy.protocols.responses import ResponsesStream",
        f"the vector [{','.join(CARD)}]",
        b64("nothing to see here, move along please"),
    ],
)
def test_ordinary_code_is_left_alone(detector: Detector, text: str) -> None:
    assert not detector.find(text)


def test_a_long_block_is_read_in_every_window(detector: Detector) -> None:
    """Wherever in the window the first of four characters stands."""
    words = Path(__file__).read_text("utf-8").split()
    chosen = random.Random(1)
    text = " ".join(chosen.choice(words) for _ in range(4_000))
    hidden = b64(f"{text} {MAIL} {text}")
    covered = {at for e in detector.find(hidden) for at in range(e.start, e.end)}
    place = len(text.encode()) * 4 // 3
    assert covered.issuperset(range(place + 4, place + 4 + len(MAIL)))


def test_many_runs_are_asked_about_once() -> None:
    asked: list[str] = []

    def counting(text: str) -> list[object]:
        asked.append(text)
        return []

    text = " ".join(b64(f"some plain words of number {number}") for number in range(100))
    assert not list(encoded_finder([counting])(text))  # type: ignore[list-item]
    assert len(asked) == 1


def test_base64_of_text_only() -> None:
    assert decode(b64(MAIL)) == MAIL
    assert decode(base64.b64encode(bytes(range(200, 230))).decode()) == ""

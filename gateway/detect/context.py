"""The words around a candidate, on the same line or the one before."""

import re
from collections.abc import Iterable, Iterator

_CLIENT = re.compile(
    r"(?i)(?:\b(?:client|customer|patient|applicant|employee|tenant|borrower|account holder|kunde|kundin|cliente|paciente)"
    r"|(?<![а-яё])(?:клиент|пациент|заявител|за[её]мщи[кц]|абонент|сотрудни[кц]|работни[кц]|гражданин|гражданк|исте?ц|истиц|ответчи[кц]"
    r"|плательщи[кц]|получател|отправител|покупател|заказчи[кц]|арендатор|страховател)[а-яё]{0,3})[ ,:«\"]{1,3}$"
)


def of_a_client(text: str, start: int) -> bool:
    """Whether the words before say that somebody private stands here, whatever famous name they have."""
    return bool(_CLIENT.search(before(text, start, 24)))


def before(text: str, start: int, reach: int = 40) -> str:
    """Up to `reach` characters to the left."""
    return text[max(0, start - reach) : start]


def after(text: str, end: int, reach: int = 40) -> str:
    """Up to `reach` characters to the right."""
    return text[end : end + reach]


def occurrences(text: str, values: Iterable[str], *, left: str, right: str) -> Iterator[tuple[int, int]]:
    """Spans where a value stands as a whole word, in any case; the characters of `left` and `right` beside it glue."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(char if len(char.lower()) > 1 else char.lower() for char in text)
    for value in {value.lower() for value in values}:
        start = lower.find(value)
        while start >= 0:
            end = start + len(value)
            if not _glued(lower[start - 1 : start], left) and not _goes_on(lower[end : end + 2], right):
                yield start, end
            start = lower.find(value, end)


def _glued(char: str, signs: str) -> bool:
    return char != "" and (char.isalnum() or char == "_" or char in signs)


def _goes_on(tail: str, signs: str) -> bool:
    return _glued(tail[:1], signs) or tail[:1] == "." and _glued(tail[1:], "")

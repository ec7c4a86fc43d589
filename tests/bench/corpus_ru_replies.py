"""Russian replies that ask for a person in another case than the request had; the forms are pymorphy3's own."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.bench.corpus_ru import person

_REQUESTS = (
    "{} и {} подписали акт в понедельник.",
    "Получатель: {}. Отправитель: {}.",
    "Договор готовят {} и {}, срок — пятница.",
)
_REPLIES = (
    ("Отправьте письмо {}.", "datv"),
    ("Позвоните {} завтра утром.", "datv"),
    ("Пропуск для {} уже готов.", "gent"),
    ("В деле нет подписи {}.", "gent"),
    ("Письмо получено от {} вчера.", "gent"),
    ("Мы обсудили это с {} на встрече.", "ablt"),
    ("Документы подписаны {}.", "ablt"),
    ("В отчёте сказано о {} немного.", "loct"),
    ("Благодарим {} за помощь.", "accs"),
    ("{} придёт завтра.", "nomn"),
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A request with two people, and a model's reply that asks for one of them in some case."""

    request: str
    name: str
    template: str
    expected: str
    accepted: frozenset[str]

    def answer(self, mapping: Mapping[str, str]) -> str:
        """The reply with the placeholder of the person; with the name in clear where masking gave it none."""
        placeholder = next((key for key, value in mapping.items() if value == self.name), self.name)
        return self.template.format(placeholder)


def replies(n: int, seed: int) -> Iterator[Reply]:
    """`n` replies, every form of a name in turn."""
    from faker import Faker

    faker = Faker("ru_RU")
    faker.seed_instance(seed)
    rng = random.Random(seed)
    for at in range(n):
        form = ("full", "turned", "fio", "iof", "io", "ini", "first")[at % 7]
        asked, other = person(faker, rng), person(faker, rng)
        people = [asked.written(form, "nomn"), other.written("full", "nomn")]
        rng.shuffle(people)
        template, case = _REPLIES[at % len(_REPLIES)]
        accepted = frozenset(template.format(asked.written(form, case)) for case in ("nomn", case))
        name = asked.written(form, "nomn")
        yield Reply(
            rng.choice(_REQUESTS).format(*people), name, template, template.format(asked.written(form, case)), accepted
        )

"""The Russian hold-out: templates × Faker('ru_RU') × pymorphy3 inflection × valid check digits.

The inflection is pymorphy3's own and not the product's, so that the product is not measured against itself. Names whose
forms pymorphy3 does not give are drawn again. The same seed gives the same documents; seed 2026 is never tuned on.
"""

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.bench.corpus import Builder, Document
from tests.bench.corpus_ru_templates import TEMPLATES

_SLOT = re.compile(r"\{([a-z0-9]+(?:\.[a-z]+\.[a-z]+)?)\}")
_TYPES = {
    "phone": "PHONE_NUMBER",
    "email": "EMAIL_ADDRESS",
    "addr": "ADDRESS",
    "inn10": "RU_INN",
    "inn12": "RU_INN",
    "snils": "RU_SNILS",
    "passport": "RU_PASSPORT",
    "foreign": "RU_PASSPORT",
    "ogrn": "RU_OGRN",
    "ogrnip": "RU_OGRNIP",
    "oms": "RU_OMS",
    "account": "RU_BANK_ACCOUNT",
    "bik": "RU_BIK",
    "license": "RU_DRIVER_LICENSE",
    "plate": "RU_VEHICLE_PLATE",
    "dob": "DATE_OF_BIRTH",
    "card": "CREDIT_CARD",
    "ip": "IP_ADDRESS",
}


@cache
def _morph() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer()


@dataclass(frozen=True, slots=True)
class Person:
    first: str
    middle: str
    last: str
    gender: str

    def written(self, form: str, case: str) -> str:
        """The name in one of the forms of the templates."""
        first, middle, last = (
            _inflect(word, mark, self.gender, case)
            for word, mark in ((self.first, "Name"), (self.middle, "Patr"), (self.last, "Surn"))
        )
        letters = (self.first[0], self.middle[0])
        return {
            "full": f"{first} {last}",
            "turned": f"{last} {first}",
            "fio": f"{last} {first} {middle}",
            "iof": f"{first} {middle} {last}",
            "io": f"{first} {middle}",
            "ini": f"{last} {letters[0]}. {letters[1]}.",
            "iniglued": f"{last} {letters[0]}.{letters[1]}.",
            "inif": f"{letters[0]}. {letters[1]}. {last}",
            "first": first,
            "last": last,
        }[form]


def _inflect(word: str, mark: str, gender: str, case: str) -> str:
    for parse in _morph().parse(word):
        tag = parse.tag
        if mark in tag and tag.gender == gender and tag.number == "sing" and tag.case == "nomn":
            form = parse.inflect({case})
            if form is not None:
                return str(form.word).capitalize()
    raise ValueError(mark)


def person(faker: Any, rng: random.Random) -> Person:
    while True:
        gender = rng.choice(("male", "female"))
        first, middle, last = (str(getattr(faker, f"{part}_name_{gender}")()) for part in ("first", "middle", "last"))
        person = Person(first, middle, last, "masc" if gender == "male" else "femn")
        try:
            for case in ("nomn", "gent", "datv", "accs", "ablt", "loct"):
                person.written("fio", case)
        except ValueError:
            continue
        return person


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def _inn10(rng: random.Random) -> str:
    body = f"{rng.randint(1, 89):02d}" + _digits(rng, 7)
    return body + str(_weighted(body, (2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10)


def _inn12(rng: random.Random) -> str:
    body = f"{rng.randint(1, 89):02d}" + _digits(rng, 8)
    body += str(_weighted(body, (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10)
    return body + str(_weighted(body, (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)) % 11 % 10)


def _snils(rng: random.Random) -> str:
    body = "1" + _digits(rng, 8)
    control = sum(int(digit) * (9 - at) for at, digit in enumerate(body)) % 101 % 100
    return rng.choice(("{}-{}-{} {:02d}", "{}{}{}{:02d}", "{} {} {} {:02d}")).format(
        body[:3], body[3:6], body[6:], control
    )


def _ogrn(rng: random.Random) -> str:
    body = f"1{rng.randint(2, 23):02d}{rng.randint(1, 89):02d}" + _digits(rng, 7)
    return body + str(int(body) % 11 % 10)


def _ogrnip(rng: random.Random) -> str:
    body = f"3{rng.randint(4, 23):02d}{rng.randint(1, 89):02d}" + _digits(rng, 9)
    return body + str(int(body) % 13 % 10)


def _luhn(body: str) -> str:
    total = 0
    for at, digit in enumerate(reversed(body)):
        value = int(digit) * (2 - at % 2)
        total += value - 9 if value > 9 else value
    return body + str(-total % 10)


def _grouped(digits: str, rng: random.Random) -> str:
    return rng.choice((digits, " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))))


def _bik(rng: random.Random) -> str:
    return f"04{rng.randint(1, 89):02d}{_digits(rng, 5)}"


def _account(rng: random.Random, bik: str) -> str:
    body = f"40817810{{}}{_digits(rng, 11)}"
    for key in range(10):
        account = body.format(key)
        if _weighted(bik[-3:] + account, (7, 1, 3) * 8) % 10 == 0:
            return account
    raise AssertionError("one of ten keys fits")


def _phone(rng: random.Random) -> str:
    code, a, b, c = f"9{_digits(rng, 2)}", _digits(rng, 3), _digits(rng, 2), _digits(rng, 2)
    shape = rng.choice(
        (
            "+7 ({}) {}-{}-{}",
            "8 {} {} {} {}",
            "8{}{}{}{}",
            "+7{}{}{}{}",
            "8 ({}) {}-{}-{}",
            "8-{}-{}-{}-{}",
            "+7 {} {}-{}-{}",
            "+7-{}-{}-{}-{}",
        )
    )
    return shape.format(code, a, b, c)


def _passport(rng: random.Random) -> str:
    a, b, c = _digits(rng, 2), _digits(rng, 2), _digits(rng, 6)
    return rng.choice(("{} {} {}", "{}{} {}", "{}{} № {}", "{}{}{}")).format(a, b, c)


def _plate(rng: random.Random) -> str:
    letters = [rng.choice("АВЕКМНОРСТУХ") for _ in range(3)]
    return rng.choice(("{}{}{}{}{}", "{} {} {}{} {}")).format(
        letters[0], _digits(rng, 3), *letters[1:], rng.choice(("77", "99", "150", "178", "23"))
    )


_MONTHS = [
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
]


def _birth(rng: random.Random) -> str:
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1940, 2012)
    return rng.choice(
        (f"{day:02d}.{month:02d}.{year}", f"{day} {_MONTHS[month - 1]} {year}", f"{year}-{month:02d}-{day:02d}")
    )


def _date(rng: random.Random) -> str:
    return rng.choice(
        (f"{rng.randint(10, 28)}.0{rng.randint(1, 9)}.2024", f"{rng.randint(1, 28)} {rng.choice(_MONTHS)} 2024 года")
    )


def _address(rng: random.Random, faker: Any) -> str:
    town = re.sub(r"\s*\(.*\)", "", str(faker.city_name()))
    street, house, flat = faker.street_title(), rng.randint(1, 150), rng.randint(1, 300)
    extra = rng.choice(("", "", f", корп. {rng.randint(1, 5)}", f", стр. {rng.randint(1, 4)}"))
    return rng.choice(
        (
            f"{faker.postcode()}, г. {town}, ул. {street}, д. {house}{extra}, кв. {flat}",
            f"г. {town}, ул. {street}, д. {house}, кв. {flat}",
            f"г. {town}, пр-т {street}, {house}{extra}, кв. {flat}",
            f"{town}, ул. {street}, дом {house}, квартира {flat}",
            f"г {town} ул {street} д {house} кв {flat}",
            f"ул. {street}, {house}-{flat}",
            f"{faker.region()}, г. {town}, пер. {street}, д. {house}",
        )
    )


def _company(rng: random.Random) -> str:
    return "ООО «" + rng.choice(("Вектор", "Ромашка", "СтройИнвест", "Альфа-Трейд", "Северный ветер")) + "»"


def _makers(rng: random.Random, faker: Any) -> dict[str, Callable[[], str]]:
    bik = _bik(rng)
    return {
        "phone": lambda: _phone(rng),
        "email": lambda: str(faker.email()),
        "addr": lambda: _address(rng, faker),
        "inn10": lambda: _inn10(rng),
        "inn12": lambda: _inn12(rng),
        "snils": lambda: _snils(rng),
        "passport": lambda: _passport(rng),
        "foreign": lambda: f"7{_digits(rng, 1)} {_digits(rng, 7)}",
        "ogrn": lambda: _ogrn(rng),
        "ogrnip": lambda: _ogrnip(rng),
        "oms": lambda: _grouped(_luhn("7" + _digits(rng, 14)), rng),
        "account": lambda: _account(rng, bik),
        "bik": lambda: bik,
        "license": lambda: f"{_digits(rng, 2)} {_digits(rng, 2)} {_digits(rng, 6)}",
        "plate": lambda: _plate(rng),
        "dob": lambda: _birth(rng),
        "card": lambda: _grouped(_luhn("2202" + _digits(rng, 11)), rng),
        "ip": lambda: str(faker.ipv4_public()),
        "number": lambda: str(rng.randint(100, 99999)),
        "date": lambda: _date(rng),
        "company": lambda: _company(rng),
    }


def documents(n: int, seed: int) -> Iterator[Document]:
    """`n` documents; every template comes before any comes twice."""
    from faker import Faker

    faker = Faker("ru_RU")
    faker.seed_instance(seed)
    rng = random.Random(seed)
    for at in range(n):
        if at % len(TEMPLATES) == 0:
            order = rng.sample(TEMPLATES, len(TEMPLATES))
        yield _document(order[at % len(TEMPLATES)], rng, faker)


def _document(template: str, rng: random.Random, faker: Any) -> Document:
    mode, _, rest = template.partition(":")
    template = rest if mode in ("lower", "upper") else template
    letters = {"lower": str.lower, "upper": str.upper}.get(mode, str)
    people = {name: person(faker, rng) for name in "abc"}
    makers = _makers(rng, faker)
    builder = Builder()
    done = 0
    for match in _SLOT.finditer(template):
        builder.add(letters(template[done : match.start()]))
        done = match.end()
        slot = match.group(1)
        if "." in slot:
            who, form, case = slot.split(".")
            builder.value("PERSON", letters(people[who].written(form, case)))
        elif slot in _TYPES:
            builder.value(_TYPES[slot], letters(makers[slot]()))
        else:
            builder.add(letters(makers[slot]()))
    return builder.add(letters(template[done:])).build()

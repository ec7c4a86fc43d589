"""Generated English documents: templates of chat, mail, forms, logs and papers, filled with Faker and valid checksums."""

import random
from collections.abc import Callable, Iterator
from functools import cache

from tests.bench.corpus import Builder, Document

LOCALES = (
    "en_US",
    "en_US",
    "en_US",
    "en_GB",
    "en_GB",
    "en_IN",
    "de_DE",
    "fr_FR",
    "es_ES",
    "it_IT",
    "pl_PL",
    "nl_NL",
    "en_NG",
    "tr_TR",
    "cs_CZ",
)

TEMPLATES = (
    "Hi {person}, your parcel will be delivered to {address} on Monday. Call {phone} if you are not at home.",
    "Please update my record: I moved to {address}. My new number is {phone} and my e-mail is {email}. Regards, {person}",
    "Meeting notes\n\nAttendees: {person}, {person} and {person}\nWe agreed to move the release to the second week of the month. {first} will write to the customer.",
    "{person} called about the invoice. She can be reached at {phone} or {email}. The server at {ip} was down for two hours.",
    "Name: {person}\nDate of birth: {birth}\nSSN: {ssn}\nAddress: {address}\nPhone: {phone}",
    'Request body: {{"first_name": "{first}", "last_name": "{last}", "email": "{email}", "phone": "{phone}", "plan": "gold"}}',
    "name,email,card\n{person},{email},{card}\n{person},{email},{card}\n",
    "The payment of 1,250.00 EUR from {iban} failed yesterday, please use the card {card} instead. Thank you, {person}",
    "Dear Ms. {last},\n\nthank you for your application. We would like to invite you to an interview next Tuesday.\n\nKind regards,\n{person}\nHead of Recruiting",
    "hi, i'm {lower} and i forgot my password. my login mail is {email}, thanks",
    "Patient {person}, born {birth}, was admitted on Friday with chest pain. The attending physician was Dr. {last}.",
    "2024-05-06 12:34:56,789 INFO login ok user={email} ip={ip} session closed after 35 minutes",
    "The agreement between {person} and {person} was signed in the office of the notary. Both parties keep a copy of the document.",
    "Deploy notes: export API_KEY={key} and restart the worker. The database is at {dsn} and the build number is 1748503543004.",
    "My SSN is {ssn}, my card is {card}, and I live at {address}. Is that enough to open an account?",
    "From: {person} <{email}>\nTo: {person} <{email}>\nSubject: Quarterly report\n\nThe numbers look good, but the section about energy prices needs a second look before we publish it.",
    "Ask {first} whether the tests pass on the new machine. If they do, {first} can merge the branch and close the ticket.",
    "INVOICE 2024-00123\nBill to: {person}\n{address}\nAmount due: $482.19 within 30 days",
    "The witness {caps} stated that the defendant {caps} left the building at 10:45 pm.",
    "I need a summary of the call: {person} from support promised a refund to {iban}. {person} will confirm by mail to {email}.",
    'def greet():\n    # reviewed by {person}\n    owner = "{person}"\n    return send(owner, "{email}")\n',
    "Ship two boxes to {person}, {address}. Leave them with the neighbour if nobody opens the door.",
    "Our wallet is {crypto}; the exchange asked for a copy of the passport of {person} and the phone {phone}.",
    "The proposal by {person} ({email}) was accepted. According to {person}, the committee will vote again in the spring.",
    "Host {ip} with MAC {mac} belongs to {person}. Please move it to another network before the audit.",
)
FILLERS = (
    "The weather in the north was fine for most of the week, and the harvest looked better than last year.",
    "Please make sure that the report covers the risks, the open questions and the next steps.",
    "We compared Postgres with Redis and decided to keep both, since the cache saves most of the load.",
    "The committee met twice, asked for more data, and postponed the decision until the summer.",
    "Version 2.4.1 fixes the crash on startup; the upgrade takes about ten minutes on a normal machine.",
    "Machine learning helps here only if the training data is clean and the test set is never touched.",
    "The museum opens at nine, closes at six, and offers a guided tour in English and German every hour.",
    "An old rule says that the simplest explanation is usually the best one, but reality does not care.",
    "Run the migration first, then start the workers, and finally check the dashboard for errors.",
    "The trains from Paris to Berlin were late again, so the conference started with half of the guests.",
)


@cache
def _faker(locale: str) -> object:
    from faker import Faker

    return Faker(locale)


def documents(n: int, seed: int) -> Iterator[Document]:
    """`n` documents of 1 to 4 templates with prose in between."""
    for index in range(n):
        rng = random.Random(f"{seed}/{index}")
        yield _document(rng)


def _document(rng: random.Random) -> Document:
    builder = Builder()
    makers = _makers(rng)
    for number in range(rng.randint(1, 3)):
        builder.add("\n\n" if number else "")
        if rng.random() < 0.6:
            builder.add(rng.choice(FILLERS) + "\n")
        _fill(builder, rng.choice(TEMPLATES), makers)
    return builder.build()


def _fill(builder: Builder, template: str, makers: dict[str, Callable[[], tuple[str, str]]]) -> None:
    from string import Formatter

    for literal, field, _, _ in Formatter().parse(template):
        builder.add(literal)
        if field:
            builder.value(*makers[field]())


def _makers(rng: random.Random) -> dict[str, Callable[[], tuple[str, str]]]:
    fakers = {locale: _seeded(locale, rng.randrange(2**31)) for locale in dict.fromkeys(LOCALES)}

    def anyone() -> object:
        return fakers[rng.choice(LOCALES)]

    def full() -> str:
        fake = anyone()
        middle = f" {rng.choice('ABCDEFGHJKLMRST')}." if rng.random() < 0.15 else ""
        return f"{_one(fake, 'first_name')}{middle} {_one(fake, 'last_name')}"

    us, gb = fakers["en_US"], fakers["en_GB"]
    return {
        "person": lambda: ("PERSON", full()),
        "caps": lambda: ("PERSON", full().upper()),
        "lower": lambda: ("PERSON", f"{_one(us, 'first_name')} {_one(us, 'last_name')}".lower()),
        "first": lambda: ("PERSON", _one(us, "first_name")),
        "last": lambda: ("PERSON", _one(anyone(), "last_name")),
        "email": lambda: (
            "EMAIL_ADDRESS",
            rng.choice((_one(us, "email"), _one(us, "company_email"), f"{_one(us, 'user_name')}@mail.corp.internal")),
        ),
        "phone": lambda: ("PHONE_NUMBER", _phone(rng, anyone, us)),
        "address": lambda: ("ADDRESS", _one(rng.choice((us, us, gb)), "address").replace("\n", ", ")),
        "birth": lambda: (
            "DATE_OF_BIRTH",
            us.date_of_birth().strftime(rng.choice(("%Y-%m-%d", "%d %B %Y", "%m/%d/%Y", "%B %d, %Y", "%d.%m.%Y"))),
        ),  # type: ignore[attr-defined]
        "ssn": lambda: ("US_SSN", _one(us, "ssn")),
        "card": lambda: ("CREDIT_CARD", _card(rng, us)),
        "iban": lambda: ("IBAN_CODE", _iban(rng, fakers)),
        "ip": lambda: ("IP_ADDRESS", rng.choice((_one(us, "ipv4_public"), _one(us, "ipv4_private"), _one(us, "ipv6")))),
        "mac": lambda: ("MAC_ADDRESS", _one(us, "mac_address")),
        "key": lambda: (
            "SECRET",
            rng.choice(("sk-proj-", "ghp_", ""))
            + "".join(rng.choices("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", k=36)),
        ),
        "dsn": lambda: (
            "SECRET",
            f"postgres://app:{''.join(rng.choices('abcdefghjkmnpqrstuvwxyz23456789', k=12))}@db.internal:5432/prod",
        ),
        "crypto": lambda: ("CRYPTO", "0x" + "".join(rng.choices("0123456789abcdef", k=40))),
    }


def _seeded(locale: str, seed: int) -> object:
    fake = _faker(locale)
    fake.seed_instance(seed)  # type: ignore[attr-defined]
    return fake


def _one(fake: object, provider: str) -> str:
    return str(getattr(fake, provider)())


def _phone(rng: random.Random, anyone: Callable[[], object], us: object) -> str:
    kind = rng.random()
    if kind < 0.5:
        area, exchange, line = rng.randint(201, 989), rng.randint(200, 999), rng.randint(0, 9999)
        return rng.choice(
            ("({a}) {e}-{n:04}", "{a}-{e}-{n:04}", "{a}.{e}.{n:04}", "+1 {a} {e} {n:04}", "+1-{a}-{e}-{n:04}")
        ).format(a=area, e=exchange, n=line)
    if kind < 0.7:
        return f"+44 20 7{rng.randint(100, 999)} {rng.randint(0, 9999):04}"
    return _one(anyone(), "phone_number")


def _card(rng: random.Random, us: object) -> str:
    number = str(us.credit_card_number(card_type=rng.choice(("visa16", "mastercard", "amex"))))  # type: ignore[attr-defined]
    style = rng.random()
    if style < 0.4 or len(number) != 16:
        return number
    return ("-" if style < 0.6 else " ").join(number[i : i + 4] for i in range(0, 16, 4))


def _iban(rng: random.Random, fakers: dict[str, object]) -> str:
    number = _one(fakers[rng.choice(("de_DE", "en_GB", "fr_FR", "es_ES", "it_IT", "pl_PL", "nl_NL"))], "iban")
    return " ".join(number[i : i + 4] for i in range(0, len(number), 4)) if rng.random() < 0.4 else number

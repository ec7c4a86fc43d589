"""Names of entity types inside a placeholder: the English type, the Russian label, and what models translate them to.

A family lists names of one thing in both scripts. A name is only ever taken for another one of its family across
scripts (`<ПЕРСОНА_1>` for `<PERSON_1>`); inside one script a different word is a different type.
"""

import unicodedata
from functools import lru_cache

# Cyrillic letters that look like Latin ones: a model that mixes scripts inside a label still means the same label.
_LOOKALIKES = str.maketrans("авекмнорстухіјѕ", "abekmhopctyxijs")

RUSSIAN_LABELS: dict[str, str] = {
    "PERSON": "ИМЯ",
    "ORGANIZATION": "ОРГАНИЗАЦИЯ",
    "LOCATION": "МЕСТО",
    "ADDRESS": "АДРЕС",
    "EMAIL_ADDRESS": "ПОЧТА",
    "PHONE_NUMBER": "ТЕЛЕФОН",
    "DATE_OF_BIRTH": "ДАТА_РОЖДЕНИЯ",
    "DATE_TIME": "ДАТА",
    "IP_ADDRESS": "IP_АДРЕС",
    "URL": "ССЫЛКА",
    "CREDIT_CARD": "КАРТА",
    "IBAN_CODE": "ИБАН",
    "CRYPTO": "КОШЕЛЁК",
    "TELEGRAM": "ТЕЛЕГРАМ",
    "RU_PASSPORT": "ПАСПОРТ",
    "RU_INN": "ИНН",
    "RU_SNILS": "СНИЛС",
    "RU_OGRN": "ОГРН",
    "RU_OGRNIP": "ОГРНИП",
    "RU_OMS": "ПОЛИС",
    "RU_BANK_ACCOUNT": "СЧЁТ",
    "RU_BIK": "БИК",
    "RU_DRIVER_LICENSE": "ПРАВА",
    "RU_VEHICLE_PLATE": "ГОСНОМЕР",
    "SECRET": "СЕКРЕТ",
    "CUSTOM": "ОСОБОЕ",
    "PLACEHOLDER": "МЕТКА",
}

FAMILIES: tuple[tuple[str, ...], ...] = (
    ("PERSON", "NAME", "PER", "ИМЯ", "ПЕРСОНА", "ФИО", "ЧЕЛОВЕК", "ЛИЦО", "ПЕРСОН"),
    ("ORGANIZATION", "ORG", "COMPANY", "ОРГАНИЗАЦИЯ", "КОМПАНИЯ"),
    ("LOCATION", "LOC", "МЕСТО", "ЛОКАЦИЯ", "МЕСТОПОЛОЖЕНИЕ", "ГОРОД"),
    ("ADDRESS", "АДРЕС"),
    (
        "EMAIL_ADDRESS",
        "EMAIL",
        "ПОЧТА",
        "EMAIL_АДРЕС",
        "ЭЛЕКТРОННАЯ_ПОЧТА",
        "АДРЕС_ЭЛЕКТРОННОЙ_ПОЧТЫ",
        "ИМЕЙЛ",
        "ЭЛ_ПОЧТА",
    ),
    ("PHONE_NUMBER", "PHONE", "ТЕЛЕФОН", "НОМЕР_ТЕЛЕФОНА"),
    ("DATE_OF_BIRTH", "DOB", "ДАТА_РОЖДЕНИЯ"),
    ("DATE_TIME", "DATE", "ДАТА"),
    ("IP_ADDRESS", "IP", "IP_АДРЕС", "АЙПИ"),
    ("URL", "ССЫЛКА"),
    ("CREDIT_CARD", "CARD", "КАРТА", "НОМЕР_КАРТЫ", "КРЕДИТНАЯ_КАРТА", "БАНКОВСКАЯ_КАРТА"),
    ("IBAN_CODE", "IBAN", "ИБАН"),
    ("CRYPTO", "КОШЕЛЁК", "КРИПТО", "КРИПТОКОШЕЛЁК"),
    ("TELEGRAM", "ТЕЛЕГРАМ"),
    ("RU_PASSPORT", "PASSPORT", "ПАСПОРТ"),
    ("RU_INN", "INN", "ИНН"),
    ("RU_SNILS", "SNILS", "СНИЛС"),
    ("RU_OGRN", "OGRN", "ОГРН"),
    ("RU_OGRNIP", "OGRNIP", "ОГРНИП"),
    ("RU_OMS", "OMS", "ПОЛИС", "ОМС", "ПОЛИС_ОМС"),
    ("RU_BANK_ACCOUNT", "BANK_ACCOUNT", "ACCOUNT", "СЧЁТ", "НОМЕР_СЧЁТА", "БАНКОВСКИЙ_СЧЁТ", "РАСЧЁТНЫЙ_СЧЁТ"),
    ("RU_BIK", "BIK", "БИК"),
    ("RU_DRIVER_LICENSE", "DRIVER_LICENSE", "ПРАВА", "ВОДИТЕЛЬСКОЕ_УДОСТОВЕРЕНИЕ"),
    ("RU_VEHICLE_PLATE", "ГОСНОМЕР", "НОМЕР_МАШИНЫ"),
    ("SECRET", "PASSWORD", "СЕКРЕТ", "ПАРОЛЬ"),
    ("CUSTOM", "ОСОБОЕ"),
    ("PLACEHOLDER", "МЕТКА"),
)


def label_of(entity_type: str, language: str = "en") -> str:
    """The word a placeholder of this type carries; types without a Russian word keep their English one."""
    return RUSSIAN_LABELS.get(entity_type, entity_type) if language == "ru" else entity_type


@lru_cache(maxsize=4096)
def skeleton(label: str) -> str:
    """A label without case, separators, width and look-alike letters: what has to be equal for two to be the same."""
    folded = unicodedata.normalize("NFKC", label).casefold().replace("ё", "е")
    return "".join(char for char in folded if char.isalnum()).translate(_LOOKALIKES)


@lru_cache(maxsize=1024)
def translations(label: str) -> tuple[str, ...]:
    """Names of the same thing in the other script, for a label as issued."""
    for family in FAMILIES:
        if label in family:
            return tuple(name for name in family if _is_cyrillic(name) != _is_cyrillic(label))
    return ()


def _is_cyrillic(label: str) -> bool:
    return any("Ѐ" <= char <= "ӿ" for char in label)

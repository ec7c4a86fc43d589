"""Phone numbers of all regions, with and without a word that announces them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from gateway.detect.checks import compact, inside_decimal
from gateway.detect.context import after, before
from gateway.detect.entity import Entity
from gateway.detect.names.lists import is_first

_NUMBER = re.compile(
    r"(?:\+|00|\(\+?)?\(?\d(?:[ ()./\-\u2011]{0,3}\d){5,16}(?:[ ,;]{0,2}(?:ext\.?|extension|x|доб\.?|durchwahl|poste|int\.?) ?\d{1,6}\b|(?![\w@])|(?=[A-Z][a-z]{2,14}:))"
)
_PHONE = re.compile(r"(?:(?<![\w./@#=\-+])(?<!\d,)|(?<=[^\W\d_])(?=\+\d{1,3}[ (]))" + _NUMBER.pattern)
_SAME_TWICE = re.compile(r"(\+?\(?\d(?=\d*[ ()./\-])[\d ()./\-]{7,16}\d)\1(?![\w@])")
_TWO_PHONES = re.compile(r"\(?\d(?:[ ()./\-]{0,2}\d){17,23}(?![\w@])")
_LEADS = re.compile(r"\(?0[1-9]")
_TEL_URI = re.compile(r"(?i)\b(?:tel|sms|callto|whatsapp|wa\.me|viber)[:/=]{1,3}(\+?\d[\d\-.() ]{5,18}\d)")
_KEY = re.compile(r"[\"']([^\"'\n]*)[\"']\s{0,3}:\s{0,3}$")
_CALL = re.compile(r"[A-Za-z_]\w*\($")
_PHONE_WORDS = re.compile(
    r"(?i)(?:\b(?:tel|ph|phone|telephone|cell|cellphone|mobile|mob|call|calls|called|text|sms|dial|ring|reach\w*|fax|whatsapp|signal|viber|hotline|kontakt|contact"
    r"|ext|landline|(?:office|direct|home|work) line|number is|telefon\w*|handy\w*|mobil\w*|cel|rufen?|r[üu]ckruf\w*|erreichbar|durchwahl|anruf\w*|fon|tél|téléphone|portable|mobile|appel\w*|joindre|numéro|bureau|teléfono|telefono|móvil|movil"
    r"|ll[aá]m\w+|celular|cellulare|cell|chiam\w+|numer\w*|kom|komórk\w*|zadzwo\w+|dzwoni\w*|telefoon\w*|mobiel\w*|bel|bellen|gsm|telepono|cep|cep no|puhelin\w*|telefone|nomor|тел\w*|моб\w*|звон\w+|позвон\w+|сотов\w*|вотсап|ватсап)\b"
    r"|☎|📞|📱)"
)
_DATE_LIKE = re.compile(
    r"^(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}(?:[ T]\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}(?: \d{1,2})?|(?:19|20)\d{2}[-/ ](?:19|20)\d{2}|\d{1,3}(?: \d{3})+|\d{1,3}(?:\.\d{3})+"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\d+\.\d+|\d{1,2}(?:-\d{1,2})+|\d{8}[-_ ]?\d{6}|\d{5}-\d{4}|\d{4}-\d{2}-\d{2}-?\d*)$"
)
_NOT_PHONE_WORDS = re.compile(
    r"(?i)(?:order|invoice|ticket|ref(?:erence)?|tracking|id|isbn|issn|version|build|sku|part|serial|model|case|issue|pr|bug|commit|port|pid|rfc|sha|(?<!office )(?<!direct )line|page|room|amount|total|price|sum"
    r"|eur|usd|gbp|rub|\$|€|£|₽|заказ\w*|счет|счёт|договор\w*|инн|кпп|снилс|огрн\w*|бик|паспорт|р/с|к/с|seed|epoch|timestamp|http/\d\.\d|ts|unix|passport|ssn|nhs|bsn|pesel|nip|regon|dni|iban|siren|siret|account|acct|konto|zip|plz)"
    r"[ _\-]?(?:no|nr|number|num|id)?(?: (?:is|was|ist|est|es|è))?[\"']?[.:=#№ ]{0,4}[\"']?$"
)
_BEHIND = re.compile(
    r"(?i)\W{0,2}(?:is |was |- ?)?(?:my |his |her |our |the )?\(?(?:mobile|cell|phone|tel|fax|office|home|work|whatsapp|telefon|handy)\b"
)
_BRACKET = re.compile(r"\b([A-ZÀ-Ž][^\W\d_]+) \($")
_TELEVISION = re.compile(r"\(?555\)?[-. ] ?\d{3}[-. ]\d{4}|555-01\d\d|[2-9]\d\d55501\d\d")
"""Kept for stories: no number of anything else looks like it."""
_SHORT_TAIL = re.compile(r"\d{3}\D{1,2}\d{1,2}$")
"""The last group of an article number: 8801-2234-19."""
_NEXT_NUMBER = re.compile(r" [/\-] | ?/ ?(?=\+|00|\(?0)|(?<=\d{4})(?=\(\d{3}\))")
"""Between two numbers; within one the part on the left is an area code."""
_SLASH = re.compile(r" ?/ ?|(?=\+|\(\d{3}\))")
_DIGITS = re.compile(r"[\d +()./\-]{1,24}")
_WHOLE, _EXTENSION = 7, 4
_RANGE = re.compile(r"\d{3,5}-\d{3,5}")
_REGIONS = (
    "US",
    "GB",
    "DE",
    "FR",
    "ES",
    "IT",
    "PL",
    "NL",
    "RU",
    "CH",
    "AT",
    "BE",
    "IE",
    "PT",
    "SE",
    "NO",
    "DK",
    "FI",
    "CZ",
    "UA",
    "TR",
    "IN",
    "AU",
    "NZ",
    "BR",
    "MX",
    "CN",
    "JP",
    "IL",
    "AE",
    "ZA",
    "SG",
    "PH",
)


def phones(text: str) -> Iterator[Entity]:
    """Phone numbers of all regions: valid international ones, national ones that look like one or that a word announces."""
    for match in _TEL_URI.finditer(text):
        yield Entity("PHONE_NUMBER", match.start(1), match.end(1), match.group(1), 0.85, "phone: uri")
    for start, value in _candidates(text):
        if value.startswith("(") and ")" not in value:
            start, value = start + 1, value[1:]
        end = start + len(value)
        left = _said(before(text, start, 32), value)
        if pair := list(_side_by_side(text, start, left)):
            yield from pair
            continue
        score = _phone_score(value, left, after(text, end, 12))
        if score and not inside_decimal(text, start, end):
            yield Entity("PHONE_NUMBER", start, end, value, score, "phone")


def _said(left: str, value: str) -> str:
    """What can announce a number; of bare digits in JSON the key alone, and nothing before those that a call is given."""
    if not value.isdigit():
        return left
    key = _KEY.search(left)
    return key[1] if key else "" if _CALL.search(left) else left


def _candidates(text: str) -> Iterator[tuple[int, str]]:
    """(start, value) of what may be a number, each number of a list alone."""
    position = 0
    while match := _behind_slash(text, position) or _PHONE.search(text, position):
        value = match.group()
        gaps = (gap.start() for gap in _NEXT_NUMBER.finditer(value))
        value = value[: next((gap for gap in gaps if _are_two(text, match.start(), gap)), None)]
        position = match.start() + len(value)
        yield match.start(), value


def _are_two(text: str, start: int, gap: int) -> bool:
    """No area code on the left and no extension on the right."""
    right = _DIGITS.match(text, start + gap)
    return (
        len(compact(text[start : start + gap])) >= _WHOLE and right is not None and len(compact(right[0])) > _EXTENSION
    )


def _behind_slash(text: str, position: int) -> "re.Match[str] | None":
    """030 5550133/030 5550134, 030 5550133+49 30 5550134: directly behind another number."""
    slash = _SLASH.match(text, position) if position else None
    return _NUMBER.match(text, slash.end()) if slash else None


def _side_by_side(text: str, start: int, left: str) -> Iterator[Entity]:
    """Two numbers with nothing but a space between them, written alike or both with what begins a number; one twice."""
    if (same := _SAME_TWICE.match(text, start)) and (score := _phone_score(same[1], left, "")):
        for at in (start, same.end(1)):
            yield Entity("PHONE_NUMBER", at, at + len(same[1]), same[1], score, "phone: twice")
        return
    run = _TWO_PHONES.match(text, start)
    both = run.group() if run else ""
    for gap in re.finditer(" ", both):
        one, other = both[: gap.start()], both[gap.end() :]
        alike = re.sub(r"\d", "0", one) == re.sub(r"\d", "0", other)
        if not alike and not (_LEADS.match(one) and _LEADS.match(other)):
            continue
        scores = _phone_score(one, left, ""), _phone_score(other, left, "")
        if all(scores) and all(9 <= len(compact(number)) <= 12 for number in (one, other)):
            for at, number in ((start, one), (start + gap.end(), other)):
                yield Entity("PHONE_NUMBER", at, at + len(number), number, max(scores), "phone: beside another")
            return


def _phone_score(value: str, left: str, right: str) -> float:
    number = re.split(r"(?i)[ ,;]*(?:ext|x|доб|durchwahl|poste|int)", value)[0]
    digits = compact(number)
    if not 7 <= len(digits) <= 15:
        return 0.0
    if _is_of_somebody(number, left):
        return 0.75
    if _DATE_LIKE.match(number) and not _PHONE_WORDS.search(left):
        return 0.0
    if number.lstrip("(").startswith("+"):
        return 0.85 if _valid(number, "") else 0.5 if len(digits) >= 9 else 0.0
    if number.lstrip("(").startswith("00") and _valid(number, ""):
        return 0.85
    near = left if number[:3] == "555" or not _RANGE.fullmatch(number) else left[-12:]
    extended = bool(re.search(r"(?i)ext|доб|durchwahl|poste", value))
    behind = len(digits) > 8 and _BEHIND.match(right)
    said = bool(
        extended or behind or _PHONE_WORDS.search(near) or _is_of_somebody(number, left)
    ) and not _NOT_PHONE_WORDS.search(left)
    if said:
        return 0.75 if len(set(digits)) > 1 else 0.0
    if _NOT_PHONE_WORDS.search(left):
        return 0.0
    if _TELEVISION.fullmatch(number):
        return 0.6
    return 0.6 if _written_as_phone(number, digits) and _valid_somewhere(number.replace("(0)", "0")) else 0.0


def _is_of_somebody(number: str, left: str) -> bool:
    """Nuria (612 555 019): in brackets behind a first name, and valid somewhere."""
    name = _BRACKET.search(left)
    return name is not None and is_first(name[1].lower()) and _valid_somewhere(number)


def _written_as_phone(number: str, digits: str) -> bool:
    """Without a word beside it, a national number must be grouped the way people group phones."""
    if re.search(r"\D\d$|^\(?\d+[ .\-].*/", number):
        return False  # no last digit stands apart (customs code 8471 30 000 0), no slash behind the code
    if number == digits:
        return bool(re.fullmatch(r"8[3-9]\d{9}|0[67]\d{8}|0[5-9]\d{9}|01[5-7]\d{8,9}", digits))
    if re.fullmatch(
        r"\(?[2-9]\d{2}\)?[-. ]\s?[2-9]\d{2}[-. ]\d{4}|1[-. ]\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}", number
    ):
        return True
    return (
        digits[0] in "08"
        and len(digits) >= 9
        and not (digits[0] == "8" and _SHORT_TAIL.search(number))
        or number.startswith("(")
        and ")" in number
        or bool(
            re.fullmatch(
                r"[6-9]\d{2}[ .-]\d{3}[ .-]\d{3}|[6-9]\d{2}(?:[ .-]\d{2}){3}|[1-9]\d \d{3} \d{2} \d{2}|3\d{2}[ .-]\d{3}[ .-]?\d{4}|\d{5} \d{6}",
                number,
            )
        )
    )


@lru_cache(maxsize=4096)
def _valid(number: str, region: str) -> bool:
    import phonenumbers

    text = "+" + number.lstrip("(")[2:] if number.lstrip("(").startswith("00") else number
    try:
        parsed = phonenumbers.parse(text, region or None)
    except phonenumbers.NumberParseException:
        return False
    return bool(
        phonenumbers.is_valid_number(parsed) or region in ("", "GB") and phonenumbers.is_possible_number(parsed)
    )


def _valid_somewhere(number: str) -> bool:
    return any(_valid(number, region) for region in _REGIONS)

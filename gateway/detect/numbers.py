"""Cards, IBANs, phones, crypto addresses: numbers that are the same everywhere."""

import re
from collections.abc import Iterator
from functools import lru_cache

from gateway.detect.checks import IBAN_LENGTHS, base58check, card_brand, compact, luhn, mod97
from gateway.detect.context import after, before
from gateway.detect.entity import Entity
from gateway.detect.scan import Gate

_CARD = re.compile(r"(?<![\w])\d(?:[ .\-_/]{0,2}\d|\n(?=\d{4}\b)\d){11,18}(?!\w)")
_DIGITS = re.compile(r"(?<![\d,.])(?<!\d[,.] )\d(?:, ?\d){12,18}(?!, ?\d|[\d.])")
_DECIMAL = re.compile(r"\d+\.\d+")
_ZERO_COMMA = re.compile(r"(?<!\d)0,$")
_CARD_WORDS = re.compile(
    r"(?i)card|\bcc\b|visa|master|amex|\bpan\b|credit|debit|karte|carte|tarjeta|carta|karta|kart|pago|карт|платеж|mir\b|мир\b|maestro|jcb|diners|перев[оеё]д\w* на\b"
)
_CARD_CODE = re.compile(r"(?i)\W{1,4}(?:cvv|cvc|pin\b|пин\b|код безопасности|security code|exp(?:iry|ires|\.|\b))")
_CARD_LABEL = re.compile(r"(?i)(?:card (?:number|no|nr|#)|номер\w* карты|карта №|kartennummer)\W{1,4}$")
_NOT_CARD_WORDS = re.compile(
    r"(?i)(?:event|order|request|trace|build|commit|timestamp|time|ts|epoch|ticket|invoice|tracking|session|run|job|batch|user|account|tweet"
    r"|snowflake|object|row|seq|offset|id|ean|isbn|gtin|sku|imei|nonce|заказ\w*|номер заказа|трек)[ _-]?(?:id|no|nr|number|ms|at)?[\"']?[ :=#№]{0,4}[\"']?$"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[ \-.]?\d{2}(?:[ \-.]{0,2}[A-Za-z0-9]){11,32}")
_CRYPTO = re.compile(
    r"(?<![A-Za-z0-9])(?:(?P<b58>[13LDTMA9][1-9A-HJ-NP-Za-km-z]{25,33})|(?P<eth>0x[0-9a-fA-F]{40})"
    r"|(?P<bech>(?:bc1|tb1|ltc1)[ac-hj-np-z02-9]{20,87}|(?:BC1|LTC1)[AC-HJ-NP-Z02-9]{20,87})|(?P<xmr>[48][0-9AB][1-9A-HJ-NP-Za-km-z]{93})"
    r"|(?P<wif>5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})|(?P<ada>addr1[a-z0-9]{50,100})|(?P<ton>[EU]Q[A-Za-z0-9_\-]{46}))(?![A-Za-z0-9])"
)


_GATE = Gate(
    {
        "cards": r"(?:\d[ .\-_/\n,]{0,2}){11}\d",
        "ibans": r"[a-z]{2}[ \-.]?\d{2}(?:[ \-.]{0,2}[a-z0-9]){11}",
        "crypto": r"0x[0-9a-f]{40}|[a-z0-9_\-]{25}",
        "phones": r"(?:\d[ ()./\-]{0,3}){5}\d",
    }
)


def numbers(text: str) -> Iterator[Entity]:
    """All that this module finds."""
    for name in _GATE.present(text):
        yield from _FINDERS[name](text)


def cards(text: str) -> Iterator[Entity]:
    """Card numbers with a network's prefix and Luhn, or behind a card word; a bare 13-digit number needs the word."""
    for match in _CARD.finditer(text):
        value, start, end = match.group(), match.start(), match.end()
        if _inside_decimal(text, start, end) or _DECIMAL.fullmatch(value):
            continue
        digits = compact(value)
        verdict = _card_verdict(text, start, end, value, digits)
        if verdict is not None:
            yield Entity("CREDIT_CARD", start, end, value, 0.95 if verdict else 0.6, "card", checked=verdict)
    for match in _DIGITS.finditer(text):
        if luhn(compact(match[0])) and _CARD_WORDS.search(before(text, match.start(), 60)):
            yield Entity("CREDIT_CARD", *match.span(), match[0], 0.9, "card: digit by digit", checked=True)


def _inside_decimal(text: str, start: int, end: int) -> bool:
    """A float; a comma is the border of a cell, except behind a lone zero."""
    left = start >= 2 and text[start - 1] == "." and text[start - 2].isdigit()
    right = end + 1 < len(text) and text[end] == "." and text[end + 1].isdigit()
    return left or right or bool(_ZERO_COMMA.search(text[max(0, start - 3) : start]))


def _card_verdict(text: str, start: int, end: int, value: str, digits: str) -> bool | None:
    said = bool(
        _CARD_WORDS.search(before(text, start, 60))
        or _CARD_WORDS.search(after(text, end, 20))
        or _CARD_CODE.match(text, end)
    )
    if luhn(digits) and card_brand(digits):
        grouped = len(value) > len(digits)
        glued_ok = (
            len(digits) >= 14
            and card_brand(digits) != "maestro"
            and not _NOT_CARD_WORDS.search(before(text, start, 40))
        )
        return True if said or (grouped and len(digits) >= 14) or (not grouped and glued_ok) else None
    shaped = card_brand(digits) or re.fullmatch(r"\d{4}(?:[ .\-_/]\d{4}){3}", value)
    if said and 13 <= len(digits) <= 19 and (shaped or _CARD_LABEL.search(before(text, start, 24))):
        return False
    return None


def ibans(text: str) -> Iterator[Entity]:
    """IBANs glued, grouped or in lower case; the country's length decides where one ends."""
    position = 0
    while match := _IBAN.search(text, position):
        position = match.start() + 2
        length = IBAN_LENGTHS.get(match.group()[:2].upper())
        end = _nth_alnum(text, match.start(), length) if length else None
        if end is None:
            continue
        value = text[match.start() : end]
        glued = end < len(text) and text[end].isalnum() and not (value.isupper() and text[end].islower())
        valid = mod97(compact(value)) and not glued
        if valid or re.search(r"(?i)iban", before(text, match.start(), 30)):
            position = end
            yield Entity("IBAN_CODE", match.start(), end, value, 1.0 if valid else 0.7, "iban", checked=valid)


def _nth_alnum(text: str, start: int, count: int) -> int | None:
    seen = 0
    for index in range(start, min(len(text), start + 2 * count + 8)):
        char = text[index]
        if char.isascii() and char.isalnum():
            seen += 1
            if seen == count:
                return index + 1
        elif char not in " -.":
            return None
    return None


def crypto(text: str) -> Iterator[Entity]:
    """Wallet addresses of the large networks; base58 ones by their checksum."""
    for match in _CRYPTO.finditer(text):
        kind = match.lastgroup
        value = match.group()
        if kind == "b58" and not base58check(value):
            continue
        if kind == "wif":
            if base58check(value, sizes=(37, 38)):
                yield Entity("SECRET", match.start(), match.end(), value, 0.95, "wallet key", checked=True)
            continue
        if kind == "ton" and not (any(c.isdigit() for c in value) and any(c.islower() for c in value)):
            continue
        yield Entity("CRYPTO", match.start(), match.end(), value, 0.95, "crypto", checked=kind == "b58")


_PHONE = re.compile(
    r"(?<![\w./@#=\-+])(?<!\d,)(?:\+|00|\(\+?)?\(?\d(?:[ ()./\-\u2011]{0,3}\d){5,16}(?:[ ,;]{0,2}(?:ext\.?|extension|x|доб\.?|durchwahl|poste|int\.?) ?\d{1,6}\b|(?![\w@])|(?=[A-Z][a-z]{2,14}:))"
)
_TWO_PHONES = re.compile(r"\(?\d(?:[ ()./\-]{0,2}\d){17,23}(?![\w@])")
_LEADS = re.compile(r"\(?0[1-9]")
_TEL_URI = re.compile(r"(?i)\b(?:tel|sms|callto|whatsapp|wa\.me|viber)[:/=]{1,3}(\+?\d[\d\-.() ]{5,18}\d)")
_PHONE_WORDS = re.compile(
    r"(?i)(?:\b(?:tel|phone|telephone|cell|cellphone|mobile|mob|call|calls|called|text|sms|dial|ring|reach\w*|fax|whatsapp|signal|viber|hotline|contact"
    r"|ext|landline|(?:office|direct|home|work) line|number is|telefon\w*|handy\w*|mobil\w*|rufen?|anruf\w*|fon|tél|téléphone|portable|mobile|appel\w*|joindre|numéro|bureau|teléfono|telefono|móvil|movil"
    r"|ll[aá]m\w+|celular|cellulare|cell|chiam\w+|numer\w*|kom|komórk\w*|zadzwo\w+|dzwoni\w*|telefoon\w*|mobiel\w*|bel|bellen|gsm|telepono|cep|cep no|puhelin\w*|telefone|nomor|тел\w*|моб\w*|звон\w+|позвон\w+|сотов\w*|вотсап|ватсап)\b"
    r"|☎|📞|📱)"
)
_DATE_LIKE = re.compile(
    r"^(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}(?:[ T]\d{1,2})?|\d{1,2}[-./]\d{1,2}[-./](?:19|20)?\d{2}(?: \d{1,2})?|(?:19|20)\d{2}[-/ ](?:19|20)\d{2}|\d{1,3}(?: \d{3})+|\d{1,3}(?:\.\d{3})+"
    r"|\d{1,3}(?:\.\d{1,3}){3}|\d+\.\d+|\d{1,2}(?:-\d{1,2})+|\d{8}[-_ ]?\d{6}|\d{5}-\d{4}|\d{4}-\d{2}-\d{2}-?\d*)$"
)
_NOT_PHONE_WORDS = re.compile(
    r"(?i)(?:order|invoice|ticket|ref(?:erence)?|tracking|id|isbn|issn|version|build|sku|part|serial|model|case|issue|pr|bug|commit|port|pid|rfc|sha|(?<!office )(?<!direct )line|page|room|amount|total|price|sum"
    r"|eur|usd|gbp|rub|\$|€|£|₽|заказ\w*|счет|счёт|договор\w*|инн|кпп|снилс|огрн\w*|бик|паспорт|р/с|к/с|seed|epoch|timestamp|ts|unix|passport|ssn|nhs|bsn|pesel|nip|regon|dni|iban|siren|siret|account|acct|konto|zip|plz)"
    r"[ _\-]?(?:no|nr|number|num|id)?(?: (?:is|was|ist|est|es|è))?[\"']?[.:=#№ ]{0,4}[\"']?$"
)
_BEHIND = re.compile(
    r"(?i)\W{0,2}(?:is |was |- ?)?(?:my |his |her |our |the )?\(?(?:mobile|cell|phone|tel|fax|office|home|work|whatsapp|telefon|handy)\b"
)
_TELEVISION = re.compile(r"\(?555\)?[-. ] ?\d{3}[-. ]\d{4}|555-01\d\d|[2-9]\d\d55501\d\d")
"""Kept for stories: no number of anything else looks like it."""
_SHORT_TAIL = re.compile(r"\d{3}\D{1,2}\d{1,2}$")
"""The last group of an article number: 8801-2234-19."""
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
    for match in _PHONE.finditer(text):
        value = match.group()
        start, end = match.start(), match.end()
        if value.startswith("(") and ")" not in value:
            start, value = start + 1, value[1:]
        left = before(text, start, 32)
        if pair := list(_side_by_side(text, start, left)):
            yield from pair
            continue
        score = _phone_score(value, left, after(text, end, 12))
        if score and not _inside_decimal(text, start, end):
            yield Entity("PHONE_NUMBER", start, end, value, score, "phone")


def _side_by_side(text: str, start: int, left: str) -> Iterator[Entity]:
    """Two numbers with nothing but a space between them, written alike or both with what begins a number."""
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
    if _DATE_LIKE.match(number) and not _PHONE_WORDS.search(left) or not 7 <= len(digits) <= 15:
        return 0.0
    if number.lstrip("(").startswith("+"):
        return 0.85 if _valid(number, "") else 0.5 if len(digits) >= 9 else 0.0
    if number.lstrip("(").startswith("00") and _valid(number, ""):
        return 0.85
    near = left if number[:3] == "555" or not _RANGE.fullmatch(number) else left[-12:]
    extended = bool(re.search(r"(?i)ext|доб|durchwahl|poste", value))
    behind = len(digits) > 8 and _BEHIND.match(right)
    said = bool(extended or behind or _PHONE_WORDS.search(near)) and not _NOT_PHONE_WORDS.search(left)
    if said:
        return 0.75 if len(set(digits)) > 1 else 0.0
    if _NOT_PHONE_WORDS.search(left):
        return 0.0
    if _TELEVISION.fullmatch(number):
        return 0.6
    return 0.6 if _written_as_phone(number, digits) and _valid_somewhere(number.replace("(0)", "0")) else 0.0


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
        or bool(
            re.fullmatch(
                r"[6-9]\d{2}[ .-]\d{3}[ .-]\d{3}|[6-9]\d{2}(?:[ .-]\d{2}){3}|3\d{2}[ .-]\d{3}[ .-]?\d{4}|\d{5} \d{6}",
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


_FINDERS = {"cards": cards, "ibans": ibans, "crypto": crypto, "phones": phones}

"""Cards, IBANs and crypto addresses, numbers that are the same everywhere; with phones behind one gate."""

import re
from collections.abc import Iterator

from gateway.detect.checks import IBAN_LENGTHS, base58check, card_brand, compact, inside_decimal, luhn, mod97
from gateway.detect.context import after, before
from gateway.detect.entity import Entity
from gateway.detect.phones import phones
from gateway.detect.scan import Gate

_CARD = re.compile(r"(?<![\w])\d(?:[ .\-_/]{0,2}\d|\n(?=\d{4}\b)\d){11,18}(?!\w)")
_DIGITS = re.compile(r"(?<![\d,.])(?<!\d[,.] )\d(?:, ?\d){12,18}(?!, ?\d|[\d.])")
_DECIMAL = re.compile(r"\d+\.\d+")
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
        if inside_decimal(text, start, end) or _DECIMAL.fullmatch(value):
            continue
        digits = compact(value)
        verdict = _card_verdict(text, start, end, value, digits)
        if verdict is not None:
            yield Entity("CREDIT_CARD", start, end, value, 0.95 if verdict else 0.6, "card", checked=verdict)
    for match in _DIGITS.finditer(text):
        if luhn(compact(match[0])) and _CARD_WORDS.search(before(text, match.start(), 60)):
            yield Entity("CREDIT_CARD", *match.span(), match[0], 0.9, "card: digit by digit", checked=True)


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
        if kind == "b58" and not base58check(value) and not _WALLET.search(before(text, match.start(), 24)):
            continue
        if kind == "wif":
            if base58check(value, sizes=(37, 38)):
                yield Entity("SECRET", match.start(), match.end(), value, 0.95, "wallet key", checked=True)
            continue
        if kind == "ton" and not (any(c.isdigit() for c in value) and any(c.islower() for c in value)):
            continue
        yield Entity("CRYPTO", match.start(), match.end(), value, 0.95, "crypto", checked=kind == "b58")


_WALLET = re.compile(
    r"(?i)\b(?:btc|bitcoin|ltc|litecoin|doge|dogecoin|bch|wallet|trx|tron)(?: (?:wallet|address|addr|id))*(?: is)?\W{1,3}$"
)
"""Behind it an address that was copied with a mistake is one still."""

_FINDERS = {"cards": cards, "ibans": ibans, "crypto": crypto, "phones": phones}

"""Checksums and shapes of numbers; each takes the value as it was written and says True, False or None (no telling)."""

import ipaddress
import math
import re
from collections import Counter
from functools import lru_cache

_NOT_ALNUM = re.compile(r"[^0-9A-Za-z]")
SERIES = re.compile(
    r"(?:vector|array|matri(?:x|ces)|tensor|list|sequence|series|label|weight|value|score|data|shape|year|embedding"
    r"|вектор|массив|матриц|тензор|спис(?:ок|к)|последовательност|ряд|год|значени|оценк)\w*\W{0,8}$",
    re.IGNORECASE,
)
"""What says that the numbers behind it are numbers, however well they fit a card's."""
IBAN_LENGTHS = {
    code: int(length)
    for code, length in (
        pair.split(":")
        for pair in (
            "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BI:27 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 DJ:27 DK:18"
            " DO:28 EE:20 EG:29 ES:24 FI:18 FK:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 IE:22 IL:23 IQ:23"
            " IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LC:32 LI:21 LT:20 LU:20 LV:21 LY:25 MC:27 MD:24 ME:22 MK:19 MN:20 MR:27 MT:31"
            " MU:30 NI:28 NL:18 NO:15 OM:23 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 RU:33 SA:24 SC:31 SD:18 SE:24 SI:19 SK:24"
            " SM:27 SO:23 ST:25 SV:28 TL:23 TN:24 TR:26 UA:29 VA:22 VG:24 XK:20 YE:30"
        ).split()
    )
}


def compact(value: str) -> str:
    """Letters and digits only, upper case."""
    return _NOT_ALNUM.sub("", value).upper()


def luhn(value: str) -> bool:
    """The mod-10 sum over the digits of a value."""
    digits = [int(c) for c in reversed(value) if c.isdigit()]
    total = sum(digits[0::2]) + sum(sum(divmod(2 * d, 10)) for d in digits[1::2])
    return bool(digits) and total % 10 == 0 and any(digits)


def mod97(value: str) -> bool:
    """ISO 7064 over a compact IBAN."""
    return int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1


def card_brand(digits: str) -> str:
    """The network of a card number by prefix and length; empty for none."""
    head, length = digits, len(digits)
    if length in (13, 16, 19) and head[0] == "4":
        return "visa"
    if length == 16 and ("51" <= head[:2] <= "55" or "2221" <= head[:4] <= "2720"):
        return "mastercard"
    if 16 <= length <= 19 and "2200" <= head[:4] <= "2204":
        return "mir"
    if length == 15 and head[:2] in ("34", "37"):
        return "amex"
    if length in (14, 16) and (head[:2] in ("36", "38", "39") or "300" <= head[:3] <= "305"):
        return "diners"
    if 16 <= length <= 19 and (head[:4] == "6011" or head[:2] in ("62", "64", "65", "81")):
        return "discover"
    if length == 15 and head[:4] in ("2131", "1800") or 16 <= length <= 19 and "3528" <= head[:4] <= "3589":
        return "jcb"
    if 12 <= length <= 19 and head[:2] in ("50", "56", "57", "58", "60", "61", "63", "67", "68", "69"):
        return "maestro"
    return ""


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def ip_address(value: str) -> bool | None:
    """An address that tells something about somebody: not loopback, unspecified, broadcast or a network mask."""
    try:
        address = ipaddress.ip_interface(value.split("%")[0]).ip
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or address.is_unspecified or str(address).startswith(("255.", "0.")):
        return False
    return None


@lru_cache(maxsize=256)
def _stdnum(module: str) -> object:
    from importlib import import_module

    return import_module(f"stdnum.{module}")


def stdnum_valid(module: str, value: str) -> bool:
    """python-stdnum's verdict; the country's module is imported on first use."""
    return bool(_stdnum(module).is_valid(value))  # type: ignore[attr-defined]


_BASE58 = {c: i for i, c in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}


def base58check(value: str, sizes: tuple[int, ...] = (25,)) -> bool:
    """The double SHA-256 checksum of Bitcoin, Litecoin, Dogecoin and Tron addresses; `sizes` are bytes with the checksum."""
    from hashlib import sha256

    number = 0
    for char in value:
        if char not in _BASE58:
            return False
        number = number * 58 + _BASE58[char]
    raw = number.to_bytes(max(sizes[0], (number.bit_length() + 7) // 8), "big")
    return len(raw) in sizes and sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


_ZERO_COMMA = re.compile(r"(?<!\d)0,$")


def inside_decimal(text: str, start: int, end: int) -> bool:
    """A float; a comma is the border of a cell, except behind a lone zero."""
    left = start >= 2 and text[start - 1] == "." and text[start - 2].isdigit()
    right = end + 1 < len(text) and text[end] == "." and text[end + 1].isdigit()
    return left or right or bool(_ZERO_COMMA.search(text[max(0, start - 3) : start]))

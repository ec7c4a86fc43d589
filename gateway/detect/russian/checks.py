"""Check digits of Russian numbers. Every function takes bare digits and is False for a wrong length."""

_INN_10 = (2, 4, 10, 3, 5, 9, 4, 6, 8)
_INN_11 = (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)
_INN_12 = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)
_ACCOUNT = (7, 1, 3) * 8


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def inn(digits: str) -> bool:
    """10 digits of a company or 12 of a person."""
    if len(digits) == 10:
        return _weighted(digits, _INN_10) % 11 % 10 == int(digits[9])
    if len(digits) == 12:
        first = _weighted(digits, _INN_11) % 11 % 10 == int(digits[10])
        return first and _weighted(digits, _INN_12) % 11 % 10 == int(digits[11])
    return False


def snils(digits: str) -> bool:
    """11 digits; numbers up to 001-001-998 carry no check digits and are refused."""
    if len(digits) != 11 or int(digits[:9]) <= 1001998:
        return False
    control = sum(int(digit) * (9 - at) for at, digit in enumerate(digits[:9])) % 101
    return control % 100 == int(digits[9:])


def ogrn(digits: str) -> bool:
    """13 digits of a company or 15 of an entrepreneur (ОГРНИП)."""
    if len(digits) == 13:
        return digits[0] in "15" and int(digits[:12]) % 11 % 10 == int(digits[12])
    if len(digits) == 15:
        return digits[0] == "3" and int(digits[:14]) % 13 % 10 == int(digits[14])
    return False


def luhn(digits: str) -> bool:
    """Cards and the 16 digits of a medical policy (ОМС)."""
    if not 12 <= len(digits) <= 19:
        return False
    total = 0
    for at, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + at % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def account(digits: str, bik: str) -> bool:
    """20 digits of a bank account against the BIK of its bank, for current and correspondent accounts."""
    if len(digits) != 20 or len(bik) != 9:
        return False
    prefixes = (bik[-3:], f"0{bik[4:6]}")
    return any(_weighted(prefix + digits, _ACCOUNT) % 10 == 0 for prefix in prefixes)

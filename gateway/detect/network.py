"""E-mail, IP and MAC addresses, handles, and those URLs that point at a person."""

import re
from collections.abc import Collection, Iterable, Iterator

from gateway.detect.checks import ip_address
from gateway.detect.context import before, occurrences
from gateway.detect.entity import Entity
from gateway.detect.logins import tells_a_name
from gateway.detect.names.lists import is_common, is_thing
from gateway.detect.scan import LOOSE, Gate, Pattern, Scanner

_EMAIL = re.compile(
    r"(?:\"[^\"\s@]{1,40}(?: [^\"\s@]{1,40}){0,3}\"|[^\W_](?:[\w.+%'&/=~-]{0,62}[\w+%~-])?|[\w+%~-])@(?P<host>\[?[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)*)"
)
_LOCAL_REACH = 166
"""The longest part before an @ that the pattern takes: four quoted words."""
_SPOKEN = re.compile(
    r"(?<![\w.@])[\w.+\-]{1,40}(?:(?:\s(?:dot|DOT|точка)\s|\s?[\[({<]\s?(?:dot|punkt|точка|\.)\s?[\])}>]\s?)[\w+\-]{1,40}){0,3}(?P<at>\s?[\[({<]\s?(?:at|@|собака|ät|arroba)\s?[\])}>]\s?|\s(?:AT|собака)\s|\sat\s(?=(?:gmail|googlemail|yahoo|hotmail|outlook|icloud|aol|proton(?:mail)?|gmx|yandex|live|msn)\.[a-z]{2,3}\b|\w+(?:\s?[\[({<]\s?(?:dot|punkt|точка)|\s(?:dot|DOT)\s)))"
    r"(?P<host>[\w\-]{1,40}(?:(?:\.|\s?[\[({<]\s?(?:dot|punkt|точка|\.)\s?[\])}>]\s?|\s(?:dot|DOT|точка)\s)[\w\-]{1,24}){1,4})(?!\w)"
)
_AT_IN_WORDS = r"[\[({<]\s?(?:at|@|собака|ät|arroba)\s?[\])}>]|\s(?:(?-i:AT)|собака)\s|\sat\s\S+\s?(?:[\[({<]|\s)\s?(?:dot|punkt|точка)|\sat\s(?:gmail|googlemail|yahoo|hotmail|outlook|icloud|aol|proton|gmx|yandex|live|msn)"
_SPACED = re.compile(
    r"(?<!\S)(?:[\w.\-] ){2,40}@ (?:[\w\-] ?){1,40}(?:\. ?(?:\w ?){2,10}){1,3}(?!\w)|(?<![\w.])[\w+\-]{1,40}(?:(?:\.| \. )[\w+\-]{1,40}){0,3} @ [\w\-]{1,40}(?:(?:\.| \. )[\w\-]{2,24}){1,4}(?!\w)"
)
_KEY = re.compile(r"(?:[^=&@]*(?:=[^=&@]*)?&)*[A-Za-z_][\w\-]{0,30}=(?=[^=&@]+@)")
"""`user=` of a parameter before an address; two signs of equality are a bounce address, which is masked whole."""
_MAIL_LABEL = re.compile(r"(?i)mail|почт|login|user\b")
_LOCAL_HOSTS = frozenset(("localhost", "localdomain", "local", "internal", "intranet", "corp", "lan", "home"))
_FUNCTIONS = frozenset(
    "info support sales admin noreply no reply contact hello office mail webmaster postmaster hr jobs team help billing service press abuse security"
    " root kontakt vertrieb ventas contacto kundenservice redaktion buero biuro sekretariat test user example marketing newsletter".split()
)
_NOT_A_TLD = frozenset(
    "py js ts tsx jsx java go rs rb php cpp hpp md txt json yaml yml toml xml html css sh exe dll so jar lock".split()
)


def _is_of_a_device(mac: str) -> bool | None:
    """Not the address of all or of none: FF:FF:FF:FF:FF:FF."""
    return None if len(set(mac.upper()) - set(":-.")) > 1 else False


_DOCUMENTATION = re.compile(
    r"(?i)(?:https?://)?(?:(?:docs?|wiki)\.(?!google\.)[^/\s]+|[^/\s]+\.readthedocs\.io)(?:/|$)"
)


def _not_documentation(url: str) -> bool | None:
    """The page of a project is nobody's: https://docs.python.org/3."""
    return False if _DOCUMENTATION.match(url) else None


_PATTERNS = (
    Pattern("IP_ADDRESS", "ipv4", r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2})?", 0.75, ip_address),
    Pattern(
        "IP_ADDRESS",
        "ipv6",
        r"::(?:ffff:)?(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){1,7}:(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,6})?(?:%\w+)?"
        r"|::(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}:){6}(?:\d{1,3}\.){3}\d{1,3}",
        0.8,
        ip_address,
    ),
    Pattern(
        "MAC_ADDRESS",
        "mac",
        r"(?:[0-9A-Fa-f]{2}[:\-]){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}",
        0.9,
        _is_of_a_device,
    ),
    Pattern(
        "URL",
        "profile url",
        r"(?:https?://)?(?:[a-z]{2,3}\.|www\.|m\.)?(?:linkedin\.com/(?:in|pub)/|facebook\.com/|fb\.com/|instagram\.com/|twitter\.com/|x\.com/|t\.me/|telegram\.me/|vk\.com/|ok\.ru/"
        r"|tiktok\.com/@|youtube\.com/@|medium\.com/@|wa\.me/|xing\.com/profile/|orcid\.org/|snapchat\.com/add/|threads\.net/@|calendly\.com/|paypal\.me/|venmo\.com/|discord\.gg/|join\.skype\.com/|soundcloud\.com/|flickr\.com/people/)"
        r"[^\s\"'<>)\]},;]+",
        0.85,
        None,
        LOOSE,
    ),
    Pattern(
        "URL",
        "personal url",
        r"(?i:\b(?:website|homepage|home page|web site|personal site|blog|portfolio|webseite|site web|sitio web|sito|strona|сайт|страница)\b[\"']?\s?(?::|=|is|is at|at|ist|est|es|—|-)?\s{0,2}[\"']?)(?P<v>(?:https?://|www\.)[^\s\"'<>)\]},;]+|[a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.[a-z]{2,12}(?:/[^\s\"'<>)\]},;]*)?)(?:[^\w(\[.\-]|\.?\s|\.?$)",
        0.6,
        _not_documentation,
        LOOSE,
    ),
    Pattern(
        "URL",
        "user page",
        r"(?:https?://)[^\s\"'<>/]+/(?:~|users?/|people/|profiles?/|u/|members?/|author/|@)[A-Za-z][^\s\"'<>)\]},;/?#]*",
        0.5,
        None,
        LOOSE,
    ),
)
_HANDLE = re.compile(r"(?<![\w@/.])@[A-Za-z_][A-Za-z0-9_.\-]{2,31}(?<![.\-])(?![\w@/(])")
_TELEGRAM = re.compile(r"(?i)(?:telegram|телеграм\w*|телег\w*|\btg|\bтг|t\.me)\W{0,12}(?:\w{1,10}\W{1,3}){0,2}$")
_SOCIAL = re.compile(
    r"(?i)(?:insta(?:gram)?|twitter|tweet\w*|\bx\b|handle|skype|discord|snapchat|tiktok|mastodon|github|threads|username|user|login|nick(?:name)?|dm|follow|инст\w*|ник\w*|логин\w*|скайп\w*|"
    r"\big|\bfb|facebook|signal|wechat|line|benutzername|pseudo|usuario|utente|użytkownik)\W{0,6}(?:\w{1,10}\W{1,3}){0,2}$"
)
_VERSION_WORDS = re.compile(
    r"(?i)(?:\bv|\bversion|\bver\.?|release|build|firmware|driver|chrome/|safari/|edg/|firefox/|oid|section|§|chapter|clause|верси[яиюей]{1,2}|сборк[аиуе]|релиз[аеу]?|прошивк[аиуе])[\s:=]{0,2}$"
)
_INDEXED = re.compile(r"[\w\])]\[[^\]\n]*$")
_BYTE = re.compile(r"[:\-][0-9A-Fa-f]{2}(?!\w)")
_BYTES = re.compile(r"[0-9A-Fa-f]{2}(?:[:\-][0-9A-Fa-f]{2})+")
_MAC = len("00:00:00:00:00:00")


class Network:
    """Finds contact points of networks; call it with the plain text."""

    def __init__(self) -> None:
        self._scan = Scanner(_PATTERNS)
        self._gate = Gate({"spoken": _AT_IN_WORDS, "spaced": r"\s@\s"})

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield e-mail addresses, handles, IP and MAC addresses and personal URLs."""
        if "@" in text:
            emails = list(_emails(text))
            yield from emails
            yield from _local_parts(text, emails)
            yield from _handles(text)
        if present := self._gate.present(text):
            yield from _spoken(text, present)
        for entity in self._scan(text):
            if not _OTHERWISE.get(entity.source, _never)(text, entity):
                yield entity


def _never(text: str, entity: Entity) -> bool:
    return False


def _in_a_longer_host(text: str, entity: Entity) -> bool:
    """The x.com of dropbox.com."""
    return text[entity.start - 1 : entity.start].isalnum()


def _in_a_dump(text: str, entity: Entity) -> bool:
    """Bytes in a row: DE:AD:BE:EF:00:11:22:33."""
    return bool(_BYTES.fullmatch(entity.text) and (len(entity.text) > _MAC or _BYTE.match(text, entity.end)))


def _is_version(text: str, entity: Entity) -> bool:
    tail = text[entity.end : entity.end + 2]
    return bool(_VERSION_WORDS.search(before(text, entity.start, 16))) or (tail[:1] == "." and tail[1:].isdigit())


def _no_ipv6(text: str, entity: Entity) -> bool:
    """Bytes in a row, or a slice: `values[1::-1]`."""
    return _in_a_dump(text, entity) or bool(_INDEXED.search(before(text, entity.start)))


_OTHERWISE = {"ipv4": _is_version, "profile url": _in_a_longer_host, "ipv6": _no_ipv6, "mac": _in_a_dump}
"""By the source of what was found: what else it may be."""


def _emails(text: str) -> Iterator[Entity]:
    for match in _around_at(text):
        key = _KEY.match(match.group())
        start = match.start() + (key.end() if key else 0)
        value = text[start : match.end()].rstrip("-_")
        if _is_email(match["host"], value, text, start):
            yield Entity("EMAIL_ADDRESS", start, start + len(value), value, 0.95, "e-mail")


def _around_at(text: str) -> Iterator["re.Match[str]"]:
    """The matches of the pattern, looked for beside each @ only."""
    done = 0
    at = text.find("@")
    while at >= 0:
        match = _EMAIL.search(text, max(done, at - _LOCAL_REACH))
        if match is None:
            return
        if match.start() < at:
            yield match
            done = match.end()
        at = text.find("@", max(at + 1, done))


def _is_email(host: str, value: str, text: str, start: int) -> bool:
    last = host.rsplit(".", 1)[-1].lower()
    if value.startswith("git@") or text[max(0, start - 3) : start] == "://" and "." not in value.split("@")[0]:
        return value.startswith("git@") is False and "." in host
    labelled = bool(_MAIL_LABEL.search(before(text, start, 20)))
    if "." not in host:
        return last in _LOCAL_HOSTS or labelled
    return (
        (len(last) >= 2 or labelled)
        and last not in _NOT_A_TLD
        and (last[0].isalpha())
        or bool(re.fullmatch(r"\[?\d{1,3}(?:\.\d{1,3}){3}", host))
    )


def _local_parts(text: str, emails: list[Entity]) -> Iterator[Entity]:
    """The part before the @ of an address of this text, where it stands alone: most often a login."""
    parts = {part for entity in emails if (part := _local_part(entity.text))}
    for start, end in occurrences(text, parts, left="@.-+", right="@-+"):
        yield Entity("USERNAME", start, end, text[start:end], 0.6, "login: as in an e-mail")


def _local_part(email: str) -> str:
    """Empty for one that tells nobody: a function, an everyday word, the name of the host."""
    local, _, host = email.rpartition("@")
    lower = local.lower()
    telling = len(local) > 4 or len(local) > 3 and not local.isalpha()
    words = re.findall(r"[^\W\d_]+", lower)
    made_up = len(words) > 1 and "-" not in local or not local.replace("-", "").isalpha()
    plain = all(word in _FUNCTIONS or not made_up and (is_common(word) or is_thing(word)) for word in words)
    return local if telling and not plain and lower not in host.lower().split(".") and not local.isdigit() else ""


def _spoken(text: str, present: Collection[str]) -> Iterator[Entity]:
    for name, expression in (("spoken", _SPOKEN), ("spaced", _SPACED)):
        for match in expression.finditer(text) if name in present else ():
            yield Entity("EMAIL_ADDRESS", match.start(), match.end(), match.group(), 0.8, "e-mail: spelled out")


def _handles(text: str) -> Iterator[Entity]:
    for match in _HANDLE.finditer(text):
        left = before(text, match.start(), 40)
        if _TELEGRAM.search(left):
            yield Entity("TELEGRAM", match.start(), match.end(), match.group(), 0.85, "handle: telegram")
        elif (
            _SOCIAL.search(left)
            or tells_a_name(match.group()[1:])
            or re.search(r"\d", match.group())
            and "\n" not in left[-1:]
            and left.strip()
        ):
            yield Entity("USERNAME", match.start(), match.end(), match.group(), 0.6, "handle")

"""Names of people inside logins: home folders, lines of system logs, chats, names written together."""

import re
from collections.abc import Iterator

from gateway.detect.context import occurrences
from gateway.detect.entity import Entity
from gateway.detect.fields import NO_LOGIN
from gateway.detect.names.lists import around, is_common, is_core_first, is_surname, is_thing, strong_first
from gateway.detect.scan import Gate

_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2})(?P<v>[A-Za-z][\w.\-]{1,40})")
_LOG = re.compile(
    r"(?:Accepted|Failed) [\w/\-]{3,30} for (?:invalid user )?(?P<sshd>[^\s:;,]{2,40}) from "
    r"|\bsudo(?:\[\d+\])?: +(?P<sudo>[a-z][\w.\-]{2,40}) : "
    r"|session (?:opened|closed) for user (?P<pam>[^\s:;,()]{2,40})"
    r"|(?m:^)\S{3,60} \S{1,40} (?P<http>[A-Za-z][\w.@\-]{1,40}) \[\d{1,2}/\w{3}/\d{4}:"
)
_SPEAKER = re.compile(r"(?m)^(?:\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s)?<[@+ ]?(?P<v>[A-Za-z][\w\-|]{2,30})>\s")
_CHATS = re.compile(r"(?m)^\[\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?\]\s(?P<v>[a-z][\w.\-|]{2,30}):\s")
_ACCOUNT = re.compile(
    r"(?i:\b(?:user|usr|usuario|benutzer|utilisateur|utente|gebruiker|użytkownik|account|login|owner|assignee|author|reviewer|(?:reset|access|session|account|login) (?:for|of|by)))"
    r"(?:\s[\"']?|[\"']?[=:]\s?[\"']?)(?!(?:owner|user|name|login|author)\b)(?P<v>[a-z][a-z0-9._\-]{2,30}[a-z0-9])(?![\w@/(=]|:\S|\.\w)"
)
_SESSION = re.compile(
    r"(?i:\buser(?:name)?)[ =:]{1,3}[\"'`]?(?P<v>[a-z][a-z\d._\-]{2,30}[a-z\d])[\"'`]?(?= (?:has |was |is |successfully |failed to )*(?:logged|signed|log|sign|authenticat|connected|disconnected|locked|unlocked|created|deleted|disabled|enabled|added|removed|not found|does not exist))"
    r"|\b(?i:logged in|signed in|authenticated|connected|log in|sign in|login) as (?:user )?[\"'`]?(?P<as>[a-z][a-z\d._\-]{2,30}[a-z\d])\b(?!\.\w)"
    r"|\b(?:sudo -u|su -|su|runas /user:|chown|ssh -l|usermod|useradd|adduser) (?:-[a-z]+ )?(?P<shell>[a-z][a-z\d._\-]{2,30}[a-z\d])(?=[\s:;,&|]|$)"
    r"|\b(?:TODO|FIXME|XXX|HACK|NOTE)\((?P<note>[a-z][a-z\d._\-]{2,30})\)"
    r"|(?i:\b(?:u|usr|user|login|username)) ?[:=] ?(?P<pair>[a-z][\w.\-]{2,30})(?=[ ,;/|]{1,3}(?i:p|pw|pwd|pass|password) ?[:=])"
)
"""user rtzanev logged out; sudo -u mkhatib; u: dpetrov p: …"""
_MESSENGER = r"(?:скайп\w*|дискорд\w*|стим\w{0,2}|телег\w*|инст\w*|steam|skype|discord|telegram|wechat|icq|jabber|xmpp|snapchat|viber|kik|tg|vk|тг|вк)"
_NICK = r"(?:live:[\w.\-]{3,40}|[a-z][\w.]{1,31}#\d{4}|(?:live:)?[a-z]{2,}(?:[._][a-z\d]+)+|[a-z]{2,}\d{1,10})"
_AT_MESSENGER = re.compile(
    rf"(?i)\b{_MESSENGER}(?:[ :.(]{{1,3}}(?:my|id|name|handle|user|nick|is|as|at|ist|est|es)\b)*[ :(—–-]{{1,3}}(?P<v>{_NICK})(?![\w@/(=]|:\S|\.\w)"
    rf"|(?<![\w.@/])(?P<on>{_NICK}) (?:on|via|in|auf|bei|über|sur|op|en|su|na|w|в|на) {_MESSENGER}\b"
)
_DOTTED = re.compile(r"(?<![\w.@/\-])(?P<first>[a-z]{3,})[._](?P<last>[a-z]{3,})\d{0,4}(?![\w@/(=\-]|\.\w)")
_UNDERSCORED = re.compile(r"(?<![\w.@/])[A-Z][a-z]+(?:_[A-Z][a-z]*\.?)?_[A-Z][a-z]+(?![\w(@])")
_TOGETHER = re.compile(
    r"(?<![\w.@/$<])(?P<first>[A-Z][a-z]{2,})(?P<last>(?:Mc|Mac)?[A-Z][a-z]{2,})(?![\w(@<]|\.\w|::|=)"
)
_PARTS = re.compile(r"[._\-|\d]+|(?<=[a-z])(?=[A-Z])")
_LOCAL = re.compile(r"(?<![\w.@])(?P<v>[A-Za-z][\w.+\-]{2,40})@")
_CAPITALS = re.compile(
    r"(?P<first>[A-Z](?<![\w@.].)[^\W\d_]+)(?:-[^\W\d_]+)?(?: [A-Z]\.)? (?P<last>(?:[A-Z]['’])?[A-Z][^\W\d_]+)(?:-[^\W\d_]+)?(?![\w@])"
)
_INITIAL = re.compile(r"(?<![\w.@/\-])[a-z][._](?P<last>[a-z]{4,})(?![\w@/(=\-\[]|\.\w)")
_SHORTEST, _REACH, _PRONOUNCED, _INITIALS = 2, 60, 5, 2
_GATE = Gate(
    {
        "address": r"[a-z\d]@",
        "home": r"/home/|[/\\]users[/\\]",
        "log": r" for .* from |sudo(?:\[\d+\])?: |session (?:opened|closed) for user| \[\d{1,2}/\w{3}/\d{4}:",
        "session": r"\buser(?:name)?[ =:]{1,3}[\"'`]?[a-z][\w.\-]+[\"'`]? (?:has|was|is|success|fail|log|sign|auth|connect|disconnect|lock|unlock|creat|delet|disabl|enabl|add|remov|not|does)|\b(?:in|authenticated|connected|login) as [\"'`a-z]|\b(?:sudo|su|runas|chown|ssh|usermod|useradd|adduser) |\b(?:todo|fixme|xxx|hack|note)\(|\b(?:u|usr|user|login|username) ?[:=] ?[\w.\-]+[ ,;/|]+(?:p|pw|pwd|pass|password) ?[:=]",
        "initial": r"(?:^|[^\w.@/\-])[a-z][._][a-z]{4}",
        "speaker": r"<[@+ ]?[a-z][\w\-|]+>\s|\[\d+:\d+(?::\d+)?(?:\s?[ap]m)?\]\s[a-z][\w.\-|]+:\s",
        "account": r"\b(?:user|usr|usuario|benutzer|utilisateur|utente|gebruiker|użytkownik|account|login|owner|assignee|author|reviewer|reset|access|session)(?:\s|[\"']?[=:])",
        "messenger": r"(?:скайп|дискорд|стим|телег|инст|steam|(?:^|[^а-яё])(?:тг|вк)[ :(])|\b(?:tg|vk|skype|discord|telegram|wechat|icq|jabber|xmpp|snapchat|viber|kik)\b",
        "dotted": r"[a-z]{3}[._][a-z]{3}",
        "underscored": "(?-i:[A-Z][a-z]+_[A-Z])",
        "together": r"(?-i:\b[A-Z][a-z]{2,}(?:Mc|Mac)?[A-Z][a-z]{2,}\b)",
    }
)


def logins(text: str) -> Iterator[Entity]:
    """Logins that tell who somebody is."""
    present = _GATE.present(text)
    for name, find in _FINDERS.items():
        yield from find(text) if name in present else ()


def _is_initial_and_surname(login: str) -> bool:
    """mkhatib, rtzanev: no word and no name begins so, but an initial before a surname that no list knows."""
    onset = re.match("[bcdfghjklmnpqrstvwxz]{2}", login)
    if onset is None or len(login) <= _PRONOUNCED or onset.group() in _ONSETS:
        return False
    return not is_common(login) and not is_thing(login)


_ONSETS = frozenset(
    "bl br ch cl cr cz dj dr dw dz fl fr gh gl gn gr kh kl kn kr ks ng nv ph pl pr ps pt rh sc sh sk sl sm sn sp sq st sv sw sz th tr ts tw tz vl vm vr wh wr zh fs gs gc ff ss xm sq ht md js db vs kw hd".split()
)
"""How words, foreign names and the names of programs begin."""


def _sessions(text: str) -> Iterator[Entity]:
    for match in _SESSION.finditer(text):
        name = str(match.lastgroup)
        login = match[name]
        plain = (
            login.lower() in NO_LOGIN or login in _SERVICES or all(is_common(p) for p in re.findall("[a-z]+", login))
        )
        if not plain and (name != "shell" or tells_a_name(login)):
            yield Entity("USERNAME", *match.span(name), login, 0.65, f"login: {name}")


def _initials(text: str) -> Iterator[Entity]:
    """h.bergstrom"""
    for match in _INITIAL.finditer(text):
        last = match["last"]
        if is_surname(last) and not is_common(last) and not is_thing(last):
            yield Entity("USERNAME", *match.span(), match.group(), 0.6, "login: initial and surname")


def tells_a_name(login: str) -> bool:
    """Made of a first name, or of an initial and a surname: `maria.g92`, `jdoe`, `j.doe`."""
    parts = [part.lower() for part in _PARTS.split(login) if part]
    if len(parts) == 1 and _is_initial_and_surname(parts[0]):
        return True
    if any(is_core_first(part) and not is_common(part) and len(part) > 2 for part in parts):
        return True
    if len(parts) == 2 and min(map(len, parts)) <= _INITIALS:
        return any(is_surname(part) and not is_common(part) and not is_thing(part) for part in parts)
    short = [part for part in parts if len(part) > 3 and not is_common(part) and not is_thing(part)]
    return any(is_surname(part[1:]) and len(part) > 3 for part in short if not is_surname(part)) and len(parts) == 1


def _is_personal(folder: str) -> bool:
    """A home folder that is called after no word, product or service belongs to somebody."""
    parts = re.findall(r"[a-z]+", folder)
    words = NO_LOGIN | _SERVICES
    plain = any(part in words or is_common(part) or is_thing(part) for part in parts) or folder in words
    return len(folder) > 4 and bool(parts) and not plain


_SERVICES = frozenset(
    "runner runneradmin vscode vagrant jovyan linuxbrew airflow gitpod codespace coder circleci jenkins gitlab builder buildkite teamcity"
    " nginx apache tomcat hadoop spark kafka django rails webapp appuser nonroot somebody username yourname myuser xxx dev admin devops".split()
)


def _homes(text: str) -> Iterator[Entity]:
    for match in _HOME.finditer(text):
        if tells_a_name(match["v"]) or _is_personal(match["v"].lower()):
            yield Entity("PERSON", *match.span("v"), match["v"], 0.6, "login: home folder")


def _lines(text: str) -> Iterator[Entity]:
    for match in _LOG.finditer(text):
        name = str(match.lastgroup)
        if match[name].lower() not in NO_LOGIN:
            yield Entity("USERNAME", *match.span(name), match[name], 0.7, f"login: {name}")


def _speakers(text: str) -> Iterator[Entity]:
    for match in _SPEAKER.finditer(text):
        if tells_a_name(match["v"]) and not match["v"].isupper():
            yield Entity("USERNAME", *match.span("v"), match["v"], 0.6, "login: speaker")
    for match in _CHATS.finditer(text):
        words = re.findall("[a-z]{2,}", match["v"].lower())
        plain = match["v"] in NO_LOGIN | _SERVICES or all(is_common(word) or is_thing(word) for word in words)
        if not plain or tells_a_name(match["v"]):
            yield Entity("USERNAME", *match.span("v"), match["v"], 0.6, "login: of a chat")


def _accounts(text: str) -> Iterator[Entity]:
    for match in _ACCOUNT.finditer(text):
        if tells_a_name(match["v"]):
            yield Entity("USERNAME", *match.span("v"), match["v"], 0.6, "login: of an account")


def _messengers(text: str) -> Iterator[Entity]:
    """skype (dean.malmgren): letters with a dot or a number inside, which no word has."""
    for match in _AT_MESSENGER.finditer(text):
        name = str(match.lastgroup)
        words = re.findall("[a-z]+", match[name].lower())
        if (
            re.search(r"#|\d{5}", match[name])
            or ":" in match[name]
            or not all(is_common(word) or word in NO_LOGIN for word in words)
        ):
            yield Entity("USERNAME", *match.span(name), match[name], 0.6, "login: of a messenger")


def _dotted(text: str) -> Iterator[Entity]:
    for match in _DOTTED.finditer(text):
        if _is_full_name(match["first"], match["last"]):
            yield Entity("USERNAME", *match.span(), match.group(), 0.6, "login: full name")


def _is_full_name(first: str, last: str) -> bool:
    """A first name and a surname, in lower case, that are nothing else."""
    known = strong_first(first) and is_core_first(first) and is_surname(last)
    return known and not is_common(last) and not is_thing(last)


def _underscored(text: str) -> Iterator[Entity]:
    """Ada_Vance as a name field of an API."""
    for match in _UNDERSCORED.finditer(text):
        first, last = match.group().lower().split("_")[0], match.group().lower().split("_")[-1]
        if strong_first(first) and (is_surname(last) or not is_common(last)) and not is_thing(last):
            yield Entity("PERSON", *match.span(), match.group(), 0.65, "login: joined by underscores")


def _together(text: str) -> Iterator[Entity]:
    """JohnCarter: a first name and a surname that are nothing else, so that JavaScript and OrderManager pass."""
    for match in _TOGETHER.finditer(text):
        if _is_full_name(match["first"].lower(), match["last"].lower()) and not is_thing(match.group().lower()):
            yield Entity("PERSON", *match.span(), match.group(), 0.65, "login: written together")


def _of_an_address(text: str) -> Iterator[Entity]:
    """Kehinde Oduya beside k.oduya@…: a name that no list knows."""
    boxes = {tuple(part.lower() for part in _PARTS.split(match["v"]) if part) for match in _LOCAL.finditer(text)}
    tails = {part[at:] for box in boxes for part in box for at in (0, 1) if len(part) - at > _SHORTEST}
    beside = [at for at, _ in occurrences(text, tails, left="@.-", right="@") if text[at].isupper()]
    for match in (match for at in beside for match in _CAPITALS.finditer(text, max(0, at - _REACH), at + _REACH)):
        first, last = match["first"].lower(), match["last"].lower().replace("'", "").replace("’", "")
        forms = {(first, last), (last, first), (first[0], last), (last, first[0]), (first[0] + last,), (first + last,)}
        plain = is_common(last) and not is_surname(last) or is_thing(last) or last in around()["organizations"]
        if forms & boxes and not plain:
            yield Entity("PERSON", *match.span(), match.group(), 0.7, "login: as in an e-mail address")


_FINDERS = {
    "address": _of_an_address,
    "home": _homes,
    "log": _lines,
    "session": _sessions,
    "initial": _initials,
    "speaker": _speakers,
    "account": _accounts,
    "messenger": _messengers,
    "dotted": _dotted,
    "underscored": _underscored,
    "together": _together,
}

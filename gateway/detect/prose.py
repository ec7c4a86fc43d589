"""Passwords, code words, PINs and logins that a sentence announces, in eight languages."""

import re
from collections.abc import Iterable, Iterator

from gateway.detect.clause import Announced, announced, values_without_link
from gateway.detect.entity import Entity
from gateway.detect.fields import NO_LOGIN
from gateway.detect.names.lists import is_common, is_thing
from gateway.detect.scan import Gate
from gateway.detect.secrets import is_placeholder, looks_secret

_WORDS = {
    "password": "password|(?:wi-?fi|wlan|wireless|network|router|hotspot)[ -](?:key|code)|wpa2?(?:-psk)?(?: key)?|wlan-?schlüssel|passwd|passcode|pass|pwd|парол(?:ь|я|ю|ем|е)|passwort|kennwort|mot de passe|mdp|contraseña|contrasena|clave"
    "|password|hasł[oa]|haslo|wachtwoord|senha",
    "word": "code ?word|codeword|secret word|safe ?word|(?:secret|security) answer|answer to (?:the |my )?(?:secret|security) question"
    "|(?:кодов|секретн|контрольн|проверочн)[а-яё]{2,3} (?:слов|фраз)[а-яё]{1,2}|(?:секретн|контрольн)[а-яё]{2,3} ответ[а-яё]{0,2}"
    "|ответ на (?:секретный|контрольный) вопрос|девичья фамилия матери|codewort|losungswort|geheimwort|mot secret|palabra secreta"
    "|parola segreta|tajne hasło|codewoord",
    "phrase": "pass ?phrase|(?:seed|recovery|backup|secret) phrase|(?:парольн|ключев|секретн)[а-яё]{2,3} фраз\\w|сид-?фраза|passphrase",
    "pin": "pin(?:[ -]?(?:code|код))?s?|puk(?:[ -]?(?:code|код))?|пук-код|пин(?:-?код[а-яё]{0,2})?|cvv2?|cvc2?|otp|tan|код (?:cvc|cvv|карты)|cv[cv]2?-код|(?:three|3|four|4) digits on the back"
    "|(?:три|3) цифры (?:на|с) (?:обороте|оборотной стороны|обратной стороне|обратной стороны)|code confidentiel|geheimzahl|prüfnummer|pincode"
    "|(?:door|gate|garage|alarm|entry|entrance|access|lock|safe|vault|security|verification|confirmation|sms|unlock|one[- ]time|2fa|mfa|backup|building|intercom|lockbox|voicemail|elevator|bike lock) code"
    "|code (?:for|to|of|on) (?:the |my |our |your )?(?:\\w+ )?(?:door|gate|garage|alarm|safe|vault|lock|lockbox|entry|building|intercom|elevator|locker)"
    "|code (?:de la |de l'|du |pour la |pour l'|pour le )(?:porte|portail|alarme|coffre|immeuble|garage|digicode)|digicode|(?:haus)?(?:tür|tor|alarm|tresor|safe|garagen)-?code"
    "|código (?:de la |del |de )(?:puerta|portal|alarma|garaje|caja fuerte)|codice (?:del |della |dell')(?:porta|portone|cancello|allarme|cassaforte)|kod do (?:drzwi|bramy|domofonu|alarmu|sejfu)|deurcode|alarmcode"
    "|code (?:d'accès|de (?:sécurité|vérification|confirmation|récupération))|código de (?:acceso|seguridad|verificación|confirmación|recuperación)"
    "|codice di (?:accesso|sicurezza|verifica|conferma|recupero)|kod (?:dostępu|weryfikacyjny|bezpieczeństwa|potwierdzający)"
    "|(?:zugangs|bestätigungs|verifizierungs|sicherheits|freischalt|entsperr|wiederherstellungs|toegangs|verificatie|beveiligings|bevestigings|herstel)code"
    "|код[а-яё]{0,2} (?:(?:от|из|для|к) )?(?:домофон|сейф|двер|подъезд|ворот|замк|сигнализац|доступ|подтвержден|безопасност|разблокировк|смс|sms"
    "|сообщени|письм|пуш|push|калитк|ячейк)[а-яё]{0,3}",
    "login": "login|log-in|user ?name|user ?id|login name|screen name|gamer ?tag|(?:xbox|psn|steam) id|nick(?:name)?|account name|логин[а-яё]{0,2}|ник(?:нейм)?|имя пользователя|имени пользователя"
    "|уч[её]тк[ауи]|уч[её]тная запись|benutzername|anmeldename|identifiant|nom d'utilisateur|usuario|nombre de usuario|nome utente"
    "|nazwa użytkownika|gebruikersnaam",
}
_LABEL = re.compile(
    "(?i)(?:(?<![\\w-])|(?<=[^\\W\\d_]-)(?-i:(?=[A-Z])))(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS.items())
    + ")(?![\\w-])"
)
_PIN = re.compile(r"[*#]?\d{3,8}[*#]?|\d{1,4}[КKкk*#]\d{3,6}[*#]?")
_CODE_FOR = re.compile(
    r"(?i)(?<![\w-])код[а-яё]{0,2}\s(?P<ru>\d{3,8})\s(?:от|для|на|к)\s(?:домофон|сейф|двер|подъезд|ворот|замк|калитк|шлагбаум|сигнализ)"
    r"|\b(?:code|pin)\s(?P<en>\d{3,8})\s(?:for|to|of|opens)\s(?:the |my |our |your )?(?:door|gate|garage|alarm|safe|vault|lock|entry|card|phone|building)"
)
"""A code that stands before what it opens."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_GERMAN = re.compile(r"(?i)wort$")
_SAID_OF = re.compile(
    r"(?:[ое]н|ена|ено|ены|ана|ано|аны|ый|ий|ая|яя|ое|ее|ые|ие|ть|ет|ёт|ит|ют|ут|ят|ся|сь|стен|тно|чно)$"
    r"|(?<![^a-z])[a-z]*(?:ed|ly|ing|able|ible|ful|less|al|ired|ong|eak)$"
)
"""Endings of what is said about a password rather than of one: `пароль — обязательно`, `password is wrong`."""
_VERB = re.compile(r"(?:л|ла|ло|ли|ть|ет|ёт|ит|ют|ут|ат|ят|ся|сь|ен|но|ны|на)$")
_NOT_A_PIN = re.compile(
    r"(?i)^(?:version|v|issue|pr|page|line|port|error|year|верси\w+|год\w*|стр\w*|ошибк\w+|строк\w+|in|since|с)$"
)
_LOGIN = re.compile(r"@?[^\W_][\w.+\-\\]{1,39}(?:#\d{4})?")
_JOINED = re.compile(r"[a-z\d][._\-+\\#]?\d|\d[._\-]?[a-z]|[a-z\d][._][a-z\d]", re.I)
_CODE = re.compile(
    r"(?:req|request|self|this|config|settings|os|process|env|args|data|props|state|user|ctx|params|body|form|session|event|e|models?|db)[.\[].*"
    r"|.*[._](?:username|login|user|name|id|email|py|js|ts|json|html|php)|[a-z]+[A-Z][A-Za-z]*"
)
_TYPES = frozenset(
    "str string int integer bool any text varchar char required optional undefined const async page form".split()
)
_STOP = frozenset("the a an for of your if is see to or and in на в не и или для от у см".split())
_PHRASE_WORDS = 12


class Prose:
    """Finds announced values; call it with the plain text."""

    def __init__(self) -> None:
        self._gate = Gate({"label": "|".join([*_WORDS.values(), r"(?:code|pin|код[а-яё]{0,2})\s\d{3}"])})

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield secrets and logins."""
        return self._found(text) if self._gate.present(text) else ()

    def _found(self, text: str) -> Iterator[Entity]:
        for match in _CODE_FOR.finditer(text):
            name = str(match.lastgroup)
            yield Entity("SECRET", *match.span(name), match[name], 0.9, "prose: code")
        lines = self._gate.lines(text, ("label",))
        for match in (match for start, end in lines for match in _LABEL.finditer(text, start, end)):
            kind = str(match.lastgroup)
            found = _FINDERS[kind](text, match)
            if found is not None:
                type_, score = ("USERNAME", 0.65) if kind == "login" else ("SECRET", 0.9)
                end = found.start + len(found.value)
                yield Entity(type_, found.start, end, found.value, score, f"prose: {kind}")


def _password(text: str, label: "re.Match[str]") -> Announced | None:
    found = announced(text, label.end())
    if found is None or found.gap:  # the wifi key Qv7-nm22 is on the fridge
        values = values_without_link(text, label.end())[: None if found is None else 1]
        if (bare := next((value for value in values if _is_bare_password(value, label.group())), None)) or not found:
            return bare
    if is_placeholder(found.value) or len(found.value) < 3 or found.value.startswith(("http", "/")):
        return None
    if looks_secret(found.value) or found.quoted and (found.link == ":" or " " not in found.value):
        return found
    alone = not found.rest and (found.explained or not found.gap)
    return found if alone and _stands_for_itself(found, label.group()) else None


_OPAQUE = 8
"""Characters of a password without a word in it, which no version and no count has."""
_HOST = re.compile(
    r"(?i)(?:web|db|srv|server|prod|stag(?:e|ing)|dev|test|node|host|app|vm|pc|mail|proxy|gw|k8s|ec2|win|ubuntu|debian|python"
    r"|php|mysql|postgres|user|admin)[\w-]*"
)
"""What a password may be for: web01, prod2."""


def _is_bare_password(found: Announced, label: str) -> bool:
    """`пароль от вайфая Кошка2024`, `password "Rainy Day 7"`: no separator, so the value must look like nothing else."""
    value = found.value
    if value.isdigit():
        return 4 <= len(value) <= 8 and not found.gap and not found.rest
    told = found.explained and len(found.gap) > 1 and looks_secret(value)
    if told and not label.isascii() and value.isascii() and not _HOST.fullmatch(value):
        return True
    digits = any(char.isdigit() for char in value)
    if is_placeholder(value) or len(value) < 6 or not digits and value[-1] not in "!#$%*":
        return False
    words = re.findall(r"[^\W\d_]{3,}", value.lower())
    if not found.gap and (found.quoted or digits and words and not any(map(is_common, words))):
        return True
    if not found.gap and digits and not words and len(value) >= _OPAQUE and looks_secret(value):
        return True
    kinds = any(char.islower() for char in value) and any(char.isupper() for char in value)
    russian = bool(re.match("[а-яё]", value, re.I))
    return told and (kinds or russian or not value[-1].isalnum())


def _stands_for_itself(found: Announced, label: str) -> bool:
    """One word is all that the clause says: a password, unless it reads as said about one."""
    value = found.value.rstrip("!?")
    lower = value.lower()
    if found.link == ":":
        return not _SAID_OF.search(value) or value[:1].isupper() and not found.gap
    if value[:1].isupper() and not value.isupper():
        return not _GERMAN.search(label)
    if value.isdigit():
        return len(value) > 3
    if value.isascii():
        return "_" in value or value.isalpha() and not is_common(lower) and not _SAID_OF.search(lower)
    return len(lower) > 3 and _is_russian_noun(lower)


def _is_russian_noun(word: str) -> bool:
    from gateway.detect.russian.words import readings

    reading = readings(word)[0] if re.fullmatch("[а-яё]+", word) else None
    return reading is not None and reading.pos == "NOUN" and reading.case in ("nomn", "accs")


def _word(text: str, label: "re.Match[str]") -> Announced | None:
    found = announced(text, label.end())
    if found is None or is_placeholder(found.value):
        return None
    if found.quoted or looks_secret(found.value):
        return found
    if (
        found.rest
        and found.link == ":"
        and len(found.rest.split()) <= 2
        and not _STOP & set(_all(found).lower().split())
    ):
        return _whole(text, found)
    return found if not found.rest and (found.link == ":" or _stands_for_itself(found, "")) else None


def _all(found: Announced) -> str:
    return f"{found.value} {found.rest}".strip()


def _whole(text: str, found: Announced) -> Announced:
    end = text.index(found.rest, found.start + len(found.value)) + len(found.rest)
    return Announced(found.start, text[found.start : end], found.link, found.gap, "")


def _phrase(text: str, label: "re.Match[str]") -> Announced | None:
    found = announced(text, label.end())
    if found is None or is_placeholder(found.value):
        return None
    words = _all(found).lower().split()
    plain = all(word.replace("-", "").isalnum() for word in words) and not _STOP & set(words)
    if found.quoted or not found.rest:
        return found if found.link == ":" or looks_secret(found.value) or found.quoted else None
    return _whole(text, found) if plain and 2 <= len(words) <= _PHRASE_WORDS and found.link == ":" else None


def _pin(text: str, label: "re.Match[str]") -> Announced | None:
    candidates = [*filter(None, [announced(text, label.end())]), *values_without_link(text, label.end())]
    return next((found for found in candidates if _is_pin(found)), None)


def _is_pin(found: Announced) -> bool:
    if not _PIN.fullmatch(found.value):
        return False
    gap = [word for word in found.gap if word not in ("is", "это", "-", "—")]
    if any(_NOT_A_PIN.match(word) or not word[0].isalpha() for word in gap):
        return False
    if found.link:
        return True
    if _YEAR.fullmatch(found.value) and gap:
        return False
    russian = (
        bool(gap) and len(gap) <= 2 and all(re.fullmatch("[а-яё-]+", word) and not _VERB.search(word) for word in gap)
    )
    return not gap or found.explained and len(gap) <= 4 or russian


def _login(text: str, label: "re.Match[str]") -> Announced | None:
    found = announced(text, label.end())
    if found is None:
        return next(
            (
                v
                for v in values_without_link(text, label.end())[:3]
                if (not label.group().isascii() or _NAMED.search(label.group()) and not v.gap) and _is_handle(v)
            ),
            None,
        )
    if not _is_login(found.value):
        return None
    if _is_handle(found):
        return found
    lower = found.value.lower()
    plain = found.value.isascii() and not found.rest and not is_common(lower) and not is_thing(lower)
    return (
        found if plain and (found.link == ":" or found.value.islower()) and (found.explained or not found.gap) else None
    )


_NAMED = re.compile(r"(?i)(?:name|nick|tag|usuario|utente|użytkownika|gebruikersnaam|d'utilisateur)$")
"""Labels behind which the login itself may stand: the username tobin.vance was."""


def _is_handle(found: Announced) -> bool:
    """Letters with a digit, a dot or an underscore inside."""
    return (
        _is_login(found.value) and found.value.isascii() and bool(_JOINED.search(found.value)) and len(found.value) > 3
    )


def _is_login(value: str) -> bool:
    lower = value.lower()
    return (
        bool(_LOGIN.fullmatch(value))
        and any(char.isalpha() for char in value)
        and lower not in NO_LOGIN
        and lower not in _TYPES
        and not _CODE.fullmatch(value)
    )


_FINDERS = {"password": _password, "word": _word, "phrase": _phrase, "pin": _pin, "login": _login}

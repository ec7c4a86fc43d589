"""Secrets: tokens with a shape of their own, and whatever stands where a password stands."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources import files

from gateway.detect.checks import entropy
from gateway.detect.entity import Entity
from gateway.detect.scan import LOOSE, Gate, Pattern, Scanner

_LABELS = (
    "password|passwd|passwort|passphrase|pass|pwd|pw|secret|api[ _-]?key|apikey|api[ _-]?secret|access[ _-]?key(?:[_-]?id)?|secret[ _-]?key"
    "|secret[ _-]?access[ _-]?key|private[ _-]?key|signing[ _-]?key|encryption[ _-]?key|master[ _-]?key|account[ _-]?key|license[ _-]?key"
    "|client[ _-]?secret|access[ _-]?id|authorization|auth[ _-]?token|access[ _-]?token|refresh[ _-]?token|session[ _-]?token|bot[ _-]?token|token|credentials?|dsn"
    "|write[_-]?key|session[_-]?id|sess[_-]?id|phpsessid|jsessionid|csrf[ _-]?token|cookie|connection[_-]?string|database[_-]?url|webhook[ _-]?secret|x-api-key|kennwort|mot de passe|contraseña|contrasena|hasło|haslo"
    "|wachtwoord|parola d'ordine|пароль|пароля|паролем|токен|секрет|ключ api|api[- ]ключ|otp|one[- ]time (?:code|password)|pin|cvv2?|cvc2?"
    "|(?:приватн|закрыт|секретн)[а-яё]{2} ключ[а-яё]{0,2}|(?:security|verification|confirmation|unlock|backup)[ _-]code|recovery[ _-](?:code|key|phrase)|seed phrase|mnemonic|pin[- ]?code|пин-?код|код подтверждения"
)
_LABEL = re.compile(
    rf"(?i)(?:(?:(?<![^\W_])|(?<=[_\-])|(?<=[^\W_])(?-i:(?=[A-Z][a-z])))(?P<label>{_LABELS})s?|(?<=[^\W_])(?P<weak>[_.\-]key|(?-i:Key)|[_.\-]login|[_.\-]auth))(?![^\W_])(?![_a-z0-9]{{0,12}}_(?:name|type|algorithm|length|version|ttl|format|prefix|policy)s?\b)[_a-z0-9]{{0,20}}[\"'\]`*]{{0,3}}[ \t]{{0,8}}"
    r"(?P<sep>={2,3}(?=[ \t]{0,8}[\"'])|:{1,3}=|\?=|=>|[:=]|,(?=[ \t]{0,8}[\"'])|\bis\b:?|\bist\b:?|\best\b:?|\bes\b:?|\bto\b|->|—|-(?= ))[ \t]{0,8}"
    r"(?:(?i:f|b|u|(?P<raw>r[bf]?|[bf]r))(?=[\"']))?(?P<quote>[\"'`]{0,3})(?P<v>[^\n]{1,400})"
)
_BARE = re.compile(rf"(?i)(?:(?<![\w-])|(?<=_))(?P<label>{_LABELS})[ \t]+(?P<quote>[\"'`]?)(?P<v>\S{{4,200}})")
_WORDY = re.compile(r"(?i:\bis\b|\bist\b|\best\b|\bes\b|\bto\b|—|-)")
_VALUE_ENDS = r"\s|[\"'](?=/?>|[,;)\]])|;(?=[A-Za-z][A-Za-z ]{1,30}=)"
"""A space, the quote that closes what the setting stands in (`<add connection="user=app;password=…"/>`), the next setting."""
_PATTERN = re.compile(r"[\[(].*[\])]|[*+]$")
_CALLED = re.compile(r"\w\([ \t]{0,8}[\"'][\w.\-]{0,40}$")
_END = re.compile(r"[\s,;)\]}<>|]")
_CODE_WORD = re.compile(
    r"(?i)(?<![\w-])(?:cvv2?|cvc2?|cid|pin(?:[ -]?code)?|otp|passcode|tan)[ :#]{1,3}(?P<v>\d{3,8})(?![\w.])"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:<[^>]*>|\$?\{.*|\{\{.*|\$\w+|\$\(.*|%\w+%|x{3,}|\*{3,}|\.{3,}|•+|null|none|nil|undefined|true|false|required|optional|string"
    r"|str|int|float|bytes|your[_-].*|changeme|example|redacted|masked|hidden|todo|tbd|n/?a|empty|\[\w+\]|(?:os|process|env|secrets|getenv|environ|vault|input|prompt|get\w*)[.(\[].*|(?:self|this|config|settings"
    r"|ctx|args|request|req)(?:[(\[].*|(?:\.[a-z_]+)+(?:[(\[].*)?)|.*\(\)?|[a-z_]+\.[a-z_.]+|-+|[\w.@-]+:\$[\w{(].*|(?:optional|union|annotated|literal|list)\[.*|(?-i:[A-Z][A-Za-z]*(?:Str|String|Bytes|Field|Input|Type)))$"
)
_DRAWN = 4.0
"""Bits a character of what is drawn from letters and digits."""
_ENV_NAME = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_KEY_LABEL = re.compile(
    r"(?i)key|(?:приватн|закрыт|секретн)|access|authorization|token|secret|credential|dsn|sess|cookie|string|url"
)
_OPAQUE = re.compile(r"[A-Za-z0-9+/_\-]{20,}={0,2}")
_OPEN_KEY = re.compile(
    r"(?i)(?:public|primary|foreign|partition|sort|cache|unique|row|object|group|idempotency|dedup\w*|site|parent|storage|s3|map|hash)$"
)
"""What makes a key that anybody may see."""
_EXPRESSION = re.compile(r"[A-Za-z_]{3,}(?:\.[A-Za-z_]+)*[(\[][^\d]")
"""A call or an index of code, which is what stands behind `tokens = `."""
_PIN_LABEL = re.compile(r"(?i)^(?:otp|pin|cv[vc]|security|verification|one|recovery|пин|код)|.*code$")
_PHRASE_LABEL = re.compile(r"(?i)phrase|mnemonic")


def _shaped() -> Scanner:
    table = tomllib.loads(files("gateway.detect").joinpath("data/secrets.toml").read_text(encoding="utf-8"))
    known = [
        Pattern("SECRET", f"secret: {t['name']}", t["regex"], 0.95, _not_placeholder, LOOSE) for t in table["token"]
    ]
    return Scanner([*known, Pattern("SECRET", "secret: issued key", _PREFIXED, 0.9, _is_issued)])


_PREFIXED = r"(?:^|[^\w/+.=\-])(?P<v>[a-z][a-z0-9]{1,11}(?:_[a-z0-9]{2,12}){0,2}_[A-Za-z0-9]{32,})"


def _is_issued(value: str) -> bool | None:
    """What is behind the prefix was drawn, as services draw the keys that they issue: no word and no hash has its kinds."""
    drawn = value.rpartition("_")[2]
    kinds = any(map(str.islower, drawn)) and any(map(str.isupper, drawn)) and any(map(str.isdigit, drawn))
    return None if kinds and entropy(drawn) > _DRAWN else False


def _not_placeholder(value: str) -> bool | None:
    return False if is_placeholder(value) else None


def is_placeholder(value: str) -> bool:
    """Stands for a value and is none: `<password>`, `${PASS}`, `required`."""
    return bool(_PLACEHOLDER.match(value.rstrip("!?") or value))


class Secrets:
    """Finds secrets; call it with the plain text."""

    def __init__(self) -> None:
        self._shaped = _shaped()
        self._gate = Gate(
            {
                "label": f"(?:^|[^a-z0-9])(?:{_LABELS})",
                "camel": r"(?-i:[a-z0-9](?:Pass|Pwd|Secret|Token|Key|Api|Access|Private|Auth|Cred|Login))|[a-z0-9][_.\-](?:key|login|auth)",
                "code": "cvv|cvc|cid|pin|otp|passcode|tan",
            }
        )

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield secrets with a known shape, then those that a label announces."""
        yield from self._shaped(text)
        present = self._gate.present(text)
        if labels := [name for name in ("label", "camel") if name in present]:
            for start, end in self._gate.lines(text, labels):
                yield from _labelled(text, start, end)
        if "code" in present:
            yield from _codes(text)


def _labelled(text: str, start: int, end: int) -> Iterator[Entity]:
    position = start
    while match := _LABEL.search(text, position, end):
        start = match.start("v")
        value = _value(match)
        told = value and (_plausible(match, value) if match["label"] else _is_opaque(match, value))
        if told:
            yield _secret(start, value, match["label"] or match["weak"])
        # admin_login_password: behind a weak label there may be a better one
        position = match.end("weak") if match["weak"] and not told else start
    for match in _BARE.finditer(text, start, end):
        value = match["v"].rstrip(".,;:?)\"'`")
        if len(value) >= 4 and value[0].isalnum() and any(c.isdigit() for c in value) and looks_secret(value):
            yield _secret(match.start("v"), value, match["label"])


def _codes(text: str) -> Iterator[Entity]:
    for match in _CODE_WORD.finditer(text):
        yield _secret(match.start("v"), match["v"], "code")


def _secret(start: int, value: str, label: str) -> Entity:
    return Entity("SECRET", start, start + len(value), value, 0.9, f"secret: after '{label.lower()}'")


def _value(match: "re.Match[str]") -> str:
    raw, quote = match["v"], match["quote"]
    if quote:
        end = raw.find(quote)
        return raw[:end] if end >= 0 else raw
    if _PHRASE_LABEL.search(match["label"] or ""):
        words = re.match(r"(?:[a-z]+[ ,]+){5,23}[a-z]+", raw)
        return words.group() if words else ""
    end_match = _END.search(raw)
    value = raw[: end_match.start()] if end_match else raw
    if match["sep"] in ("=", ":=") or _is_env(match):
        value = re.split(r"[\s#]" if match["sep"] == ":" else _VALUE_ENDS, raw, maxsplit=1)[0].rstrip(";,)\"'")
    return value.rstrip(".,;:?\"'`")


def _is_env(match: "re.Match[str]") -> bool:
    line = match.string[match.string.rfind("\n", 0, match.start()) + 1 : match.start("v")]
    return bool(re.match(r"\s*(?:export\s+)?[A-Z][A-Z0-9_]*\s*[=:]", line))


def _is_opaque(match: "re.Match[str]", value: str) -> bool:
    """What a program calls some key and nobody could read: `HEROKU_KEY = "…"`."""
    before = match.string[max(0, match.start() - 20) : match.start()]
    opaque = _OPAQUE.fullmatch(value) and entropy(value) > 3 and any(char.isdigit() for char in value)
    return bool(opaque and (match["quote"] or _is_env(match)) and not _OPEN_KEY.search(before))


def _plausible(match: "re.Match[str]", value: str) -> bool:
    label, separator, quote = match["label"], match["sep"], match["quote"]
    if is_placeholder(value) or len(value) < 3 or _ENV_NAME.fullmatch(value):
        return False
    if match["raw"] and _PATTERN.search(value):  # token = r"[a-z]+"
        return False
    if label.lower() == "pwd" and (value.startswith(("/", "~")) or value == "pwd"):  # the working directory
        return False
    if separator.startswith("=="):  # if token == "refresh"
        return looks_secret(value)
    if separator == ",":  # define('DB_PASSWORD', '…'), and no list of words
        called = _CALLED.search(match.string, max(0, match.start() - 60), match.start())
        return bool(called) and looks_secret(value)
    if _PHRASE_LABEL.search(label):
        return len(value) > 20
    if _PIN_LABEL.match(label):
        return bool(re.fullmatch(r"\d{3,10}|\d{3}[- ]\d{3}|[A-Z0-9-]{6,40}", value)) and any(c.isdigit() for c in value)
    if _WORDY.fullmatch(separator):
        return bool(quote) or looks_secret(value)
    if _KEY_LABEL.search(label):
        if not quote and (value[0] in "([{" or _EXPRESSION.match(value)):
            return False
        return len(value) >= 8 and (looks_secret(value) or bool(quote) and " " not in value and len(value) >= 12)
    return " " not in value or bool(quote) and len(value) <= 60


def looks_secret(value: str) -> bool:
    """Not an everyday word: digits beside letters, or punctuation inside, or long and uneven."""
    if is_placeholder(value) or value.startswith(("http://", "https://", "/", "./", "--")) and "@" not in value:
        return False
    kinds = sum((any(c.islower() for c in value), any(c.isupper() for c in value[1:]), any(c.isdigit() for c in value)))
    odd = any(not c.isalnum() and c not in "-_./:" for c in value[:-1])
    if len(value) >= 20 and entropy(value) > 3.5 and kinds >= 2:
        return True
    return len(value) >= 5 and ((kinds >= 2 and any(c.isdigit() for c in value)) or (odd and kinds >= 1) or kinds == 3)

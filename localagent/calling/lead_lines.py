"""What the line straight over a call is in Markdown or a terminal: a title, a command at a prompt, a table's head."""

from __future__ import annotations

import re

_TITLE = re.compile(
    r"[ ]{0,3}(?:\#{1,6}[ \t]+(?P<hash>\S.*?)[ \t#]*"
    r"|\*\*(?P<bold>[^*\n<]*[^*\n<.!…])\*\*[ \t]*[:：]?[ \t]*"
    r"|<(?:summary|h[1-6]|b|strong|caption|figcaption)>(?P<tagged>[^<\n]+)</\w+>[ \t]*)\Z"
)
_RULED = re.compile(r"(?:\A|\n)[ ]{0,3}(?P<title>\S[^\n|]*[^\n|.!…])\n[ ]{0,3}(?:={3,}|-{3,})[ \t]*\Z")
_NUMBERED = re.compile(r"\A(?:\d{1,2}(?:\.\d{1,2})*[.)]|[^\w\s\"'“«(\[<]+)[ \t]*")  # "2.1)", or an emoji
_PROMPT = re.compile(
    r"[ \t]*(?:(?:\([\w.\-]+\)[ ]?)?[\w.\-]+@[\w.\-]+[: ][^\s$#%>]*[ ]?[$#%>]|\[[\w.\-]+@[^\]\n]{1,80}\][$#%]"
    r"|[$%❯➜]|>>>|\.\.\.|In ?\[\d*\]:|Out ?\[\d*\]:|PS [^\n>]{0,80}>"
    r"|[A-Z]:\\[^\n>]{0,80}>|(?:irb|mysql|sqlite|psql|ghci"
    r"|\w+=\#)[^\n>]{0,30}>)"
    r"[ ]\S.*\Z"
)
_PERSON = re.compile(
    r"(?:\A|\n)[ \t*#>]*(?:(?:user|human|пользователь|benutzer|nutzer|utilisateur|usuario|用户)\**[ \t]*[:：]\**\s*"
    r"|(?:customer|client|guest|caller|visitor|student|patient|attacker|kunde|gast|cliente|клиент|гость|客户)"
    r"\**[ \t]*[:：][^\n]*\n\s*)\Z",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"^[ \t>]*-{3,}[ \t]*(?:original|forwarded|ursprüngliche|weitergeleitete|message d['’]origine|mensaje original"
    r"|пересланное|исходное)\b|^[ \t>*]*(?:from|von|de|от(?: кого)?|发件人)[ \t*]*[:：].*\n"
    r"(?:[ \t>*]*(?:to|cc|subject|date|sent|an|betreff|datum|à|objet|para|asunto|fecha|кому|тема|дата|收件人|主题|日期)"
    r"[ \t*]*[:：].*\n)+",
    re.IGNORECASE | re.MULTILINE,
)
_LOGGED = re.compile(
    r"[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d?:\d\d|\[?\d\d:\d\d:\d\d|\[\d{1,2}:\d\d\]"
    r"|(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL)[:\] ]).*\Z"
)
_QUOTE_MARKS = re.compile(r"[ \t]*(?:\"{3}|'{3}|«|“|„)[ \t]*\Z")
_SALUTATION = re.compile(
    r"[ \t>]*(?:dear|sehr geehrte\w*|liebe[rs]?|chère?s?|estimad[oa]s?|querid[oa]s?|уважаем\w+|дорог(?:ой|ая|ие)|尊敬的"
    r"|亲爱的)"
    r"[^\n.!?]{1,60}[,，!:：]\Z",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[ \t]*>[ ]?\S")
_RULE_OF_TABLE = re.compile(r"(?=[^\n]*\|)(?=[^\n]*-)[ \t|:\-+]+\Z")


def names_another(before: str) -> bool:
    """Whether `before` ends with the name of a person as who says what follows."""
    return _PERSON.search(before) is not None


def title_of(before: str) -> str:
    """The title in Markdown that `before` ends with, a line in bold too, as the same words with a colon.

    A question stays one; "" where `before` ends otherwise.
    """
    match = _RULED.search(before) or _TITLE.match(_last_line(before))
    if not match:
        return ""
    title = _NUMBERED.sub("", match[match.lastgroup or 0].strip("*_` \t")).rstrip(":： ")
    return title if title.endswith(("?", "？")) else f"{title}:"


def shows_what_follows(before: str, *, thought: bool = False) -> bool:
    """Whether a mail goes on here, or the last line is one of a log, a prompt whose output follows, or a table's head.

    A `thought` may well end in a line of a log or mail.
    `before` keeps its white space: a quotation that a command may be (`> cat x`) shows only what stands right under it.
    """
    line = _last_line(before.rstrip())
    if _PROMPT.match(line) or _RULE_OF_TABLE.match(line):
        return True
    if not thought and any(kind.match(line) for kind in (_LOGGED, _SALUTATION, _QUOTE_MARKS)):
        return True
    if not thought and _MAIL.search(before):
        return True
    return _QUOTED.match(line) is not None and "\n\n" not in before[len(before.rstrip()) :]


def _last_line(text: str) -> str:
    return text[text.rfind("\n") + 1 :]

"""The words around a name: what makes a capital a person, and what makes a person's name a street or a theorem."""

import re
from collections.abc import Sequence
from functools import lru_cache

from gateway.detect.russian.eponyms import names_a_term
from gateway.detect.russian.lists import listed
from gateway.detect.russian.tokens import Token
from gateway.detect.russian.words import first_name, known, readings

_I = re.IGNORECASE
_CUE_WORDS = 3

CUE = re.compile(
    r"(?<![А-ЯЁа-яё-])(?:уважаем(?:ый|ая|ые|ого|ому|ой)|дорог(?:ой|ая|ие)|мил(?:ый|ая)"
    r"|многоуважаем\w+|привет(?:ик|ствую)?|здравствуй(?:те)?|добрый\s+(?:день|вечер)"
    r"|доброе\s+утро|доброго\s+(?:дня|времени\s+суток)|спасибо|зовут|звали|зовите|имени|имя"
    r"|по\s+имени|господин\w*|госпож\w+|г-н\w*|г-ж\w+|гражданин\w*|гражданк\w+|гр\.|гр-н\w*|гр-к\w"
    r"|тов\.|товарищ\w*"
    r"|доктор\w*|врач\w*|пациент\w*|клиент\w*|сотрудни[кц]\w*|менеджер\w*|тёт[яеиюь]\w?|тет[яеию]\w?"
    r"|дяд[яеию]\w?|бабушк\w|бабул\w|дед(?:ушк)?\w?|баб[аеыу]|мам[аеыуо]\w?|пап[аеыуо]\w?"
    r"|брат\w*|сестр\w+|сестрёнк\w|сын\w*|доч\w+|муж\w*|жен[аеыуо]\w?|супруг\w*|друг\w*|подруг\w+"
    r"|коллег\w+|сосед\w*|внук\w*|внучк\w+|племянни[кц]\w*|крестн\w+|нян[яеию]|учител\w+"
    r"|студент\w*|мальчик\w*|девочк\w+|реб[её]н\w+|директор\w*|бухгалтер\w*|юрист\w*|адвокат\w*"
    r"|курьер\w*|водител\w+|мастер\w*|начальни[кц]\w*|заявител\w+|ист[её]?ц\w*|истиц\w+"
    r"|ответчи[кц]\w*"
    r"|получател\w+|отправител\w+|плательщик\w*|держател\w+|владел\w+|собственни[кц]\w*|свидетел\w+"
    r"|потерпевш\w+|стажёр\w*|кандидат\w*|ип|для|у|от|к|ко|с|со|про|о|об|это|я|и|с\s+уважением"
    r"|подпис\w+|автор\w*)"
    r"[\s,:«\"]{1,3}$",
    _I,
)
"""Right before a word that may also be something else (`Вера`, `Роман`): then it is a person."""
_WEAK_CUES = re.compile(r"(?<![А-ЯЁа-яё-])(?:для|у|от|к|ко|с|со|про|о|об|это|и|имени|имя)[\s,:«\"]{1,3}$", _I)

EPONYM = re.compile(
    r"(?<![А-ЯЁа-яё-])(?:улиц\w*|ул\.|проспект\w*|пр-т\w?|просп\.|площад\w+|пл\.|переул\w+|пер\."
    r"|набережн\w+|наб\.|бульвар\w*|б-р|шоссе|проезд\w*|алле[яию]\w?|станци\w+|метро|м\.|парк\w*"
    r"|сквер\w*|сервис\w*|колонк\w+|голосов\w+\s+помощни\w+|яндекс\w*|приложени\w+|сайт\w*|тариф\w*|сорт\w*|модел\w+|марк\w+"
    r"|бренд\w*|салат\w*|торт\w*|пирожн\w+|пицц\w+|коктейл\w+|соус\w*|ураган\w*|тайфун\w*|планет\w+|яхт\w+|корабл\w+|клуб\w*"
    r"|памятник\w*|бюст\w*|музе\w+|премии?\w{0,2}|театр\w*|(?<!от )(?<!по )имени|им\.|закон\w{0,3}|проб[аеуы]|микроскоп\w*|теорем\w+"
    r"|формул\w+|метод\w{0,3}|болезн\w+|палочк\w+|маз[ьи]|капл\w+|бальзам\w*|симптом\w*|триад\w+|анеми\w+|лихорадк\w+|синдром\w*|уравнени\w+|орден\w*|медал\w+|кубок|кубк\w+|храм\w*|собор\w*"
    r"|церк\w+"
    r"|дворец|дворц\w+|рефлекс\w*|бритв\w+|таблиц\w{1,2}|азбук\w+|эффект\w*|принцип\w*|теори\w+|пакт\w*|доктрин\w+|критери\w+"
    r"|распределени\w+|постоянн\w+|числ\w{1,3}|бином\w*|ряд\w{0,2}|кубик\w*|диаграмм\w+|тест\w{0,2}"
    r"|шкал\w+|поэм\w+"
    r"|стих\w*|сказк\w+|роман(?:а|е|ы|ов|у)?|повест\w+|рассказ\w+|произведени\w+|творчеств\w+"
    r"|опер\w{1,2}|балет\w*|симфони\w+|картин\w{1,2}|лемм\w+|гипотез\w+|алгоритм\w*|критик\w+"
    r"|мост\w{0,2}|остров\w*|пролив\w*|мор[еяю]|вулкан\w*"
    r"|кратер\w*|комет\w+|астероид\w*|пароход\w*|теплоход\w*|ледокол\w*"
    r"|крейсер\w*|болт\w*|цеп\w{1,3}|река|фонд\w*)\s+[«\"]?"
    r"(?:(?:адмирал|маршал|генерал|академик|космонавт|геро|полковник|капитан|лейтенант|комдив|профессор|доктор|свят)[а-я]*\s+)?(?:[А-ЯЁ]\.\s?)*$",
    _I,
)
"""Right before a name: the name is part of a street, a law, a prize, a work."""

_BEFORE_QUOTE = re.compile(r"([А-ЯЁа-яё]+|[—–-])\s*$")
_MAKES = re.compile(
    r"(?:напис|чита|прочит|смотр|посмотр|постав|изда|снял"
    r"|сыгра|исполн|купи|откры|посети|работа\w* в|сходи)\w*$",
    _I,
)
_PERSON_QUOTE = re.compile(
    r"(?:сказал\w*|ответил\w*|зовут|имени|фамили\w+(?:\s+на)?|имя\s+на|логин\w*"
    r"|ник\w*|пациент\w*|клиент\w*|имя|фио)\s*:?\s*$",
    _I,
)
_TITLE_AFTER = re.compile(
    r"\s*(?:улиц\w+|ул\.|проспект\w*|переул\w+|бульвар\w*"
    r"|шоссе|площад\w+|набережн\w+)(?![А-ЯЁа-яё])",
    _I,
)
_HOUSE = re.compile(
    r"[А-ЯЁ][а-яё]+ (?:Посад|Волоч[её]?к|Устюг|Оскол|Тагил)(?:а|е|у|ом)?(?!\w)|[А-ЯЁ][а-яё]+-(?:центр|холл|парк|арен|клуб|сервис)\w{0,2}(?!\w)"
)
_FEAST = re.compile(r"(?:Татьянин|Петров|Ильин|Юрьев|Николин|Михайлов|Егорьев)\w{0,2} д(?:ень|ня|ню)(?![\wё]| и ночь)")

SIGNATURE = re.compile(
    r"(?:с\s+(?:\w+\s+)?уважением|искренне\s+ваш\w?|всего\s+доброго|ваш\w?"
    r"|best\s+regards|с\s+наилучшими(?:\s+пожеланиями)?)[\s,!.—–-]*$",
    _I,
)
_SIGNED = re.compile(r"[.!?)»] [—–] $|(?:TODO|FIXME|XXX|HACK|NOTE)\(@?$")
"""A dash behind a sentence, and the note of a programmer: who wrote it comes next."""
_ABBREVIATED = re.compile(r"\.(?::| ?№)")


def is_cued(text: str, start: int, *, strong: bool = False) -> bool:
    """Whether the words before `start` announce a person; `strong` leaves out mere prepositions."""
    return _announces(text[max(0, start - 40) : start], strong)


@lru_cache(maxsize=512)
def _announces(left: str, strong: bool) -> bool:
    if strong and _WEAK_CUES.search(left):
        return False
    return bool(CUE.search(left, _last_words(left)) or SIGNATURE.search(left) or _SIGNED.search(left))


def is_abbreviated(text: str, end: int) -> bool:
    """`Отв.:`, `Исх. №`: no name is cut like that."""
    return _ABBREVIATED.match(text, end) is not None


def _last_words(left: str) -> int:
    """Where the last three words begin: a cue has no more, and a search from there is short."""
    position = len(left.rstrip(' ,:«"\n\t'))
    for _ in range(_CUE_WORDS):
        position = max(left.rfind(" ", 0, position), left.rfind("\n", 0, position), 0)
    return position


_BRANDS = listed("brands")
_DRUG = re.compile(
    r"[а-яё](?:олол|празол|[аеио]прил|сартан|статин|циллин|мицин|флоксацин|[кн]азол|азепам|оксетин|глиптин|формин|ксабан|парин|тиниб|триптан|дипин|тиазид|профен|циклин|сетрон|лукаст)(?:а|у|ом|е)?$"
)
"""Stems of the international names of drugs."""
_A_THING = 0.9
"""From here on a word is hardly ever a surname: `Храм`, but not `Романов`, who is no novel."""


def is_thing(text: str, window: Sequence[Token]) -> bool:
    """Whether the words are a brand, or a name that belongs to a street, a law, a work."""
    start, end = window[0].start, window[-1].end
    if len(window) == 1 and _DRUG.search(window[0].text):
        return True
    if len(window) < 3 and all(token.text.lower() in _BRANDS for token in window):
        lively = window[0].traits.first and acts(text, end)
        return not (lively or is_cued(text, start, strong=True) or is_addressed(text, end))
    head = window[0]
    if len(window) == 1 and head.text.lower().split("-")[0] in _BRANDS and "-" in head.text:
        return True  # `Телеграм-бот`
    if len(window) > 1 and head.traits.common > _A_THING and all(t.text.lower() in _BRANDS for t in window[1:]):
        return True  # `Дрель Макита`
    thing = head.style != "i" and not head.traits.first and head.traits.common > _A_THING
    if len(window) > 1 and thing and is_eponym(text, window[1].start, end):
        return True  # the thing itself has a capital: `Храм Василия`
    return is_eponym(text, start, end) or in_title(text, start, end)


_SISTERS = re.compile(r"(?:(?<=улиц )|(?<=улицах )|(?<=проспектов )|(?<=проспектах ))(?:[А-ЯЁ][а-яё]+(?:, | и ))+$")
"""`на перекрёстке улиц Декабристов и Гагарина`: the streets before the last one."""


def is_eponym(text: str, start: int, end: int) -> bool:
    """Whether the name belongs to a street, a law, a prize, a work of art."""
    left = _SISTERS.sub("", text[max(0, start - 60) : start])
    return (
        _names_after(left)
        or names_a_term(left, text[start:end])
        or bool(_TITLE_AFTER.match(text, end) or _FEAST.match(text, start) or _HOUSE.match(text, start))
    )


@lru_cache(maxsize=512)
def _names_after(left: str) -> bool:
    return bool(EPONYM.search(left))


def in_title(text: str, start: int, end: int) -> bool:
    """Whether the name stands in « » that name a thing: a shop, a firm, a book."""
    opening = max(text.rfind(mark, max(0, start - 60), start) for mark in "«“„")
    if opening < 0:
        return _after_legal_form(text, start)
    closing = min((at for mark in "»”“" if (at := text.find(mark, end, end + 60)) >= 0), default=-1)
    if closing < 0 or "»" in text[opening:start] or "\n" in text[opening:closing]:
        return False
    if len(text[opening:closing].split()) > 5:
        return False
    left = text[max(0, opening - 40) : opening]
    if " " not in text[opening:closing] and not (_PERSON_QUOTE.search(left) or CUE.search(left)):
        return True
    return _names_a_thing(left)


def _names_a_thing(left: str) -> bool:
    """Whether the word before a quote says that the quote is a title or a brand (`кафе «`, `написал «`, `— «`)."""
    match = _BEFORE_QUOTE.search(left)
    if not match or _PERSON_QUOTE.search(left):
        return False
    word = match.group(1)
    if word in "—–-" or word.isupper() or _MAKES.search(word):
        return True
    found = readings(word)
    return found[0].pos == "NOUN" and "anim" not in found[0].marks


def _after_legal_form(text: str, start: int) -> bool:
    return bool(re.search(r"(?:ООО|АО|ПАО|ОАО|ЗАО|Ltd|LLC)\s+[\"“][^\"”\n]{0,30}$", text[max(0, start - 45) : start]))


def at_sentence_start(text: str, start: int) -> bool:
    """Whether a capital proves nothing here, because every sentence begins with one."""
    left = text[:start].rstrip(' \t\u00a0"«(—–-*#>')[-1:]
    return not left or left in ".!?\n\r…:" or text[max(0, start - 1) : start] == "\n"


_PLACE = re.compile(r"(?<![А-ЯЁа-яё])(?:из|в|во|до|под|около|город[а-я]*|г\.)\s+$", _I)


_SAID_PLACE = re.compile(
    r"\s*[—–-]\s*(?:это\s+)?(?:[а-яё]+\s+)?(?:город|город[а-я]+|село|пос[её]лок|деревня|река|озеро|столица|порт|станция)(?![а-яё])"
    r"|\s+(?:сто[ия]т|лежит|расположен\w*|находится)\s+(?:на|в)\s+(?-i:[А-ЯЁ])",
    _I,
)


def is_place(text: str, start: int, end: int) -> bool:
    """Whether a word that is a town too stands where towns stand: `из Лиона`, `во Владимире`, `Владимир — город`."""
    if _PLACE.search(text[max(0, start - 12) : start]) or _SAID_PLACE.match(text, end):
        return True
    towns = _TWO_BEFORE.search(text[max(0, start - 40) : start])
    if towns and any(map(_is_town, towns.groups())) and all(map(_may_be_town, towns.groups())):
        return True
    before, behind = _LISTED_BEFORE.search(text[max(0, start - 40) : start]), _LISTED_BEHIND.match(text, end)
    return bool(before and behind and _is_town(before[1]) and _is_town(behind[1]))


_LISTED_BEFORE = re.compile(r"([А-ЯЁ][а-яё]+(?:-[А-ЯЁ][а-яё]+)*), $")
_TWO_BEFORE = re.compile(r"([А-ЯЁ][а-яё]+), ([А-ЯЁ][а-яё]+)(?:,| и) $")
_LISTED_BEHIND = re.compile(r"(?:,| и) ([А-ЯЁ][а-яё]+(?:-[А-ЯЁ][а-яё]+)*)")


def _may_be_town(word: str) -> bool:
    """`Владимир`"""
    return any("Geox" in reading.marks for reading in readings(word))


def _is_town(word: str) -> bool:
    """More a town than anybody's name: what stands between two of them in a list is a third."""
    found = readings(word)
    return known(word) and "Geox" in found[0].marks


_ADDRESSED = re.compile(
    r"\s*,\s*(?:добр|здравств|привет|спасибо|благодар|подскаж|пожалуйста|прошу|как\s|ты\b|вы\b"
    r"|у\s+(?:вас|тебя)|когда|где|можешь|можете|не\s+забудь|посмотр|напиш|позвон|скаж|пришл|перезвон"
    r"|отправь|это\s|я\s|мы\s|есть\s|слушай|давай)",
    _I,
)


def is_addressed(text: str, end: int) -> bool:
    """Whether the word before is spoken to: `Вера, добрый день`."""
    return bool(_ADDRESSED.match(text, end))


_TIME = r"\[?\d{1,2}:\d{2}(?::\d{2})?\]?,?\s{1,2}"
_CHAT_LINE = re.compile(rf"(?m)^(?P<time>{_TIME})?(?P<who>[А-ЯЁ][а-яё]+):\s(?P<said>[^\nА-ЯЁA-Z]+)$")


def chat_lines(text: str) -> list[tuple[int, int]]:
    """What people say without a capital behind their name or the time: there names have none either."""
    lines = _CHAT_LINE.finditer(text) if ": " in text else ()
    return [line.span("said") for line in lines if line["time"] or first_name(line["who"])]


_ENUMERATION = re.compile(r"((?:,\s+[а-яё]+)+)\s+(?:и|или|да)\s+([а-яё]+)(?![а-яё])")


def is_enumerated(text: str, word: str, end: int) -> bool:
    """Whether a word that is also a thing opens a list of things in lower case: `Ром, виктория и слава стоят`."""
    match = _ENUMERATION.match(text, end)
    if match is None:
        return False
    listed = [word, *re.findall("[а-яё]+", match.group(1)), match.group(2)]
    return all(
        any(r.pos == "NOUN" and r.case == "nomn" and "inan" in r.marks for r in readings(item)) for item in listed
    )


def has_masculine_verb(text: str, end: int) -> bool:
    """Whether the first verb of the clause is a masculine past: `Носков с ним не согласился`, no socks."""
    for match in list(re.finditer(r"[А-ЯЁа-яё]+|[,.;:!?\n]", text[end : end + 70]))[:7]:
        word = match.group()
        if not word[0].isalpha():
            return False
        reading = readings(word)[0] if known(word) else None
        if reading and reading.pos == "VERB":
            return reading.tense == "past" and reading.gender == "masc"
    return False


def acts(text: str, end: int) -> bool:
    """Whether what follows treats the word before as somebody: a verb in the singular, a comma, a bracket."""
    right = text[end : end + 40]
    match = re.match(r"\s*([,(!])|\s+(?:(?:не|уже|тоже|снова)\s+)?([А-ЯЁа-яё]+)", right)
    if match is None:
        return False
    if match.group(1):
        return match.group(1) != "," or not re.match(r",\s+[а-яё]+,", right)
    word = match.group(2)
    reading = readings(word)[0]
    return known(word) and reading.pos == "VERB" and reading.number == "sing" and reading.tense in ("past", "futr")

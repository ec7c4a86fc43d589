"""Which words ask for which case: prepositions, and verbs and nouns by their dictionary form."""

from gateway.detect.russian.lists import listed

PREPOSITIONS = {
    "gent": "взамен от ото для у без безо до из изо около возле после кроме против ради вместо насчёт насчет относительно "
    "касательно из-за из-под мимо вокруг среди помимо вне напротив вследствие накануне посредством подле близ супротив",
    "datv": "к ко благодаря вопреки согласно навстречу подобно по соответственно",
    "accs": "про через сквозь на спустя",
    "ablt": "с со над перед передо между",
    "loct": "о об обо при",
}
CASE_AFTER = {word: case for case, words in PREPOSITIONS.items() for word in words.split()}
LOCATIVE = frozenset(("о", "об", "при", "в", "во", "на", "по"))
GOVERNING = LOCATIVE | frozenset(CASE_AFTER)
ACTS = ("ание", "ение", "тие")
"""Endings of nouns for what is done to somebody: о премировании Ивана."""

TAKES_FROM = ("взыск", "взима", "удерж", "снят", "снима", "снять", "списа", "спрос", "требова", "получ", "причита")
"""Stems around `с` that ask for the genitive: взыскать с Иванова."""
ON_LOCATIVE = ("жени", "женат", "лежит", "висит", "держит", "числит", "сказыва", "сказал")
"""Stems around `на` that ask for the prepositional case: женился на Марии."""

INTO = (
    "вер",
    "увер",
    "влюб",
    "превра",
    "переоде",
    "попа",
    "стрел",
    "бро",
    "кида",
    "кину",
    "вреза",
    "вцеп",
    "всматр",
    "игра",
    "целил",
)
"""Stems around `в` that ask for the accusative: верить в Ивана."""

DATIVE = listed("dative")
DATIVE_OR_ACCUSATIVE = listed("dative_or_accusative")
"""Dative verbs that take a person as the object too: направить Иванова на обследование."""

ACCUSATIVE = listed("accusative")

INSTRUMENTAL_SHORT = listed("instrumental_short")
"""Verbs whose passive participle beside a person names who did it: подписано Ивановым."""
DATIVE_SHORT = listed("dative_short")
"""Verbs whose passive participle beside a person names who got it: паспорт выдан Иванову."""
INSTRUMENTAL = frozenset(
    ["руководить", "управлять", "гордиться", "интересоваться", "пользоваться", "восхищаться", "заниматься"]
)

SHORT_ADJECTIVES = {
    "довольный": "ablt",
    "недовольный": "ablt",
    "благодарный": "datv",
    "признательный": "datv",
    "обязанный": "datv",
    "рад": "datv",
    "рада": "datv",
    "известный": "datv",
    "нужный": "datv",
}
"""Short adjectives: довольна Ильёй, благодарен Марии."""

GENITIVE_NOUNS = listed("genitive_nouns")
"""Things a person has: after them a name stands in the genitive."""

RELATIVES = listed("relatives")
"""`брат Иван` or `брат Ивана`: what follows is either the same person or the one related."""

NEEDS_DATIVE = frozenset(
    [
        "нужно",
        "надо",
        "необходимо",
        "следует",
        "пора",
        "можно",
        "нельзя",
        "пришлось",
        "придётся",
        "придется",
        "удалось",
        "должно",
        "положено",
        "стоит",
    ]
)
SUBORDINATORS = frozenset(
    [
        "что",
        "если",
        "когда",
        "как",
        "и",
        "а",
        "но",
        "пока",
        "чтобы",
        "где",
        "зачем",
        "почему",
        "раз",
        "ли",
        "поскольку",
        "потому",
        "также",
    ]
)
SKIPPED = frozenset(
    [
        "пожалуйста",
        "срочно",
        "сегодня",
        "завтра",
        "ещё",
        "еще",
        "лично",
        "также",
        "тоже",
        "уже",
        "обязательно",
        "только",
        "скорее",
    ]
)

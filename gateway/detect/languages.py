"""Which language a sentence is in: by script, then by its small words. The English model sees English only."""

import re
from collections.abc import Iterable, Iterator

_SMALL = {
    "en": "the a an of to and in is are was were for on with that this it you he she we they my your our his her at by from be have has not please would can could i'm me as or if but so do does did been their them there",
    "de": "der die das und ist nicht ein eine einen dem den des mit von zu im auf für sich auch als bei nach wie oder aber ich wir sie er es hat wurde werden wird sind war bitte am zum zur mein meine ihr kein über unter bis seit in habe haben kann muss möchte danke vielen dank guten gute nein hier dort dann nacht vielleicht welche welcher lautet ihre an so um dass aus nur mehr wieder alles ganz denn weil waren wohl schon worden leider gestern heute morgen hatte wollte mal doch jetzt bin kam ging hatten lassen machen weiß kommt geht sagt sagte",
    "fr": "le la les un une des et est pas du dans pour sur avec que qui ce cette il elle nous vous je mon ma mes votre au aux par ne se sont été ou chez son sa ses leur bonjour bonsoir merci beaucoup oui hier bien lui avant sera vu va vers mais rester ici demain bonne toujours très encore aussi fait suis c'est j'ai avez êtes dit vient",
    "es": "el la los las un una y es no del en por con para que se su sus al lo como más pero fue está mi mis yo usted ha son este esta desde hasta sobre muy gracias hola buenas buenos noches días tardes bien ver dar ayer hoy mañana también cuando porque hay tengo eso soy estoy tiene puede dice dijo",
    "it": "il lo la gli le un una e è non del della dei delle in per con che si su al alla come più ma mi suo sua sono ha nel nella da dal dalla questo questa grazie presso ciao buongiorno buonasera tuo tua ho mai ieri oggi domani anche quando perché molto già ci hai hanno siamo c'è dice viene",
    "pl": "i w z na nie się jest do to że o jak ale po od za przez dla są był była być ma mam proszę oraz przy ten ta tego pan pani pod czy już tylko nr ul twój twoja dziękuję bardzo dobry dzień cześć tak mnie mi cię jej jego wczoraj dziś jutro też jestem jesteś mogę chcę można",
    "nl": "de het een en van is niet in op te dat die voor met zijn aan er ook als maar om bij uit naar heeft wordt ik wij u hij zij mijn uw onze deze dit wat graag aub elke geen jaar je jouw dank bedankt hartelijk dan meer wel worden haar moet werd na gisteren vandaag morgen ben heb hebben kan kunt mag bent zoals komt gaat zegt zei",
}
_WORDS = {language: frozenset(words.split()) for language, words in _SMALL.items()}
_CODES = {
    word: tuple(code for code, words in _WORDS.items() if word in words) for word in frozenset().union(*_WORDS.values())
}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ABBREVIATIONS = "".join(
    rf"(?<!\b{word}\.)"
    for word in "Mr Ms Mrs Dr Prof Rev Hon Capt Col Gen Lt Sgt St Jr Sr Herr Fr Hr Sig Dott Ing Avv Mme Mlle Dhr Drs vs Th Ph Chr".split()
)
_SENTENCE = re.compile(rf"(?<=[.!?…])(?<!\b[^\W\d_]\.){_ABBREVIATIONS}[\"')\]]*\s+(?=[\"'(\[]?[^\W\d_a-zа-я])|\n+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f]")


def small_words(code: str) -> frozenset[str]:
    """The small words by which a language is known."""
    return _WORDS[code]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of lines and sentences; together they cover all that is not white space."""
    start = 0
    for match in _SENTENCE.finditer(text):
        if match.start() > start:
            yield start, match.start()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def is_latin(sentence: str) -> bool:
    """Mostly Latin letters."""
    if sentence.isascii():
        return bool(_LATIN.search(sentence))
    latin = len(_LATIN.findall(sentence))
    return latin > 0 and latin >= len(_OTHER.findall(sentence))


def counts(words: Iterable[str]) -> dict[str, int]:
    """How many of the words, in lower case, are small words of each language."""
    found: dict[str, int] = {}
    for word in words:
        for code in _CODES.get(word, ()):
            found[code] = found.get(code, 0) + 1
    return found


def likeliest(found: dict[str, int], default: str = "en") -> str:
    """The language with the most small words; `default` where nothing tells, or among equals."""
    return max(found, key=lambda code: (found[code], code == default)) if found else default


def language(sentence: str, default: str = "en") -> str:
    """The language of a Latin sentence by its small words."""
    return likeliest(counts(_WORD.findall(sentence.lower())), default)

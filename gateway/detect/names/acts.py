"""What people do in a sentence, and the words that never begin a name alone."""

import re

from gateway.detect.names.lists import around, is_first, is_thing, word_list
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import Word

STOP = frozenset(
    "sie i a an the and or but if so to of in on at by for from with as is are was were be been has have had will would can could may might must shall should do does did not no yes"
    " please select choose install thanks thank hello hi dear hey this that these those there here what when where who why how it its he she we you they my your our his her their me him us them"
    " all any some one two three new good best next last first also just only then now today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january"
    " february march april may june july august september october november december note see send call ask tell both each every many most such same other another more less few several i'm i've i'll i'd it's that's there's we're you're they're he's she's let's don't can't won't since while during after before between under over through about into onto upon within without than because however therefore also once if unless until whether although though via per meet mail email phone name date time total order invoice".split()
)

ASKS = frozenset(
    "ping page text phone ring message invite remind contact notify inform brief greet join pay cc add nudge chase help thank visit mention assign copy loop".split()
)
"""What one does to somebody: at the start of a sentence a verb, before a first name and a surname no third name."""
_SPEAKS = re.compile(
    r" (?:proposed|objected|seconded|praised|wondered|spoke|speaks|shouted|rang|phoned|explained|insisted|admitted|refused|reckons|reads|arrived|said|says|asked|asks|wrote|writes|told|tells|thinks|thought|called|replied|replies|answered|confirmed|agreed|promised|mentioned|suggested|emailed|texted|complained|wants|wanted|knows"
    r"|(?:just |also |already )?(?:sent|needs|likes)|(?:will|can|would|could|should|must|may|has to|is going to|wants to) (?:write|call|send|review|draft|confirm|check|join|take|bring|merge|answer|reply"
    r"|talk|ask|meet|tell|fix|help|sign|pay|visit|present|update|handle|own|lead|finish|prepare|email|contact|attend|pick|drive|decide|know|explain))\b"
)


_WORKS = re.compile(
    r" (?:just |already |also )?(?:approved|reviewed|submitted|completed|finished|signed|resigned|forwarded|noticed|reported|requested|booked|ordered|paid|scheduled"
    r"|uploaded|emailed|merged|committed|pushed|missed|forgot|apologi[sz]ed|volunteered)\b"
)
"""What people do at work; firms and states do some of it too."""


def does_as_people_do(text: str, end: int) -> bool:
    """Speaks, wants, promises, or works."""
    return speaks(text, end) or bool(_WORKS.match(text, end))


def speaks(text: str, end: int) -> bool:
    """A verb of speaking, wanting or promising follows."""
    return bool(_SPEAKS.match(text, end))


_ASKED = re.compile(r" (?:whether|if|about|to|for|when|why|how|that|yesterday|today|again|earlier)\b")
_DOES = re.compile(
    r"(?: (?:had|has|was|is|did|does|got|left|joined|came|went|gave|took|made|lives|lived|works|worked|moved|died|married)|'s|'d|'ll)\b(?! (?:the|a|an)\b)"
)
_CLAUSE = re.compile(r"\b(?:that|because|if|when|whether|while|since|after|before|until|though|how|why|where) $")
"""What begins a clause, whose next word in capitals is then its subject."""


def acts(scene: Scene, word: Word, cue: str) -> bool:
    """Does what people do, or is asked to."""
    lower = word.lower
    if lower in word_list("products") or word.shout:
        return False
    before = scene.text[max(0, word.start - 12) : word.start]
    if speaks(scene.text, word.end):
        return not _ARTICLE.search(before)
    if _WORKS.match(scene.text, word.end) and lower not in word_list("places") and lower not in STOP:
        return not _ARTICLE.search(before)
    if cue and (lower in word_list("places") or lower not in STOP or _ASKED.match(scene.text, word.end)):
        return True
    if before.endswith(", ") and scene.text[word.end : word.end + 1] in ("!", "?") and lower not in word_list("places"):
        return True
    if lower in _MONTHS or lower in word_list("places") or word.start == scene.start:
        return False
    return bool(_TOLD.search(before) or _CLAUSE.search(before) and _DOES.match(scene.text, word.end))


_BESIDE = re.compile(
    r"\b(?!(?:sort|order|group|filter|search|go|start|end)\w* )[a-z]+ (?:with|by|told|asked|met|saw|thanked|helped|joined|visited) $"
)
_GOES_ON = re.compile(r"(?:[.,;!?)]|$|\n| (?!on\b|for\b)[a-z])")


def is_met(scene: Scene, word: Word) -> bool:
    """He collided with Mason: a first name that may be a word, where one meets somebody."""
    if not word.text.istitle() or is_thing(word.lower) or word.lower in STOP or scene.language != "en":
        return False
    barred = around()["places"] | around()["organizations"] | around()["titles"] | around()["roles"]
    met = _BESIDE.search(scene.text, max(0, word.start - 30), word.start)
    return bool(met) and word.lower not in barred and bool(_GOES_ON.match(scene.text, word.end))


_SPOKEN_TO = re.compile(r", (?:(?:can|could|would|will|do|did|are|have) you\b|please\b)")


_OF_A_DEPARTMENT = re.compile(
    r" (?:from|in) (?:the )?(?i:Legal|HR|Finance|Sales|Marketing|Accounting|Accounts|Support|IT|Payroll|Engineering|Procurement|Security|Ops|Operations|Reception|Purchasing|Compliance|Logistics|QA)\b(?! [A-Z])"
)


def is_spoken_to(scene: Scene, word: Word) -> bool:
    """Pearl, can you send the file? Faith from Legal says no."""
    if not word.text.istitle() or word.lower in STOP or is_thing(word.lower):
        return False
    opens = word.start == scene.start and _SPOKEN_TO.match(scene.text, word.end)
    return bool(opens or _OF_A_DEPARTMENT.match(scene.text, word.end))


_HERE = re.compile(r" here(?: again)?(?:[.!,]| [-–—]| from\b)")
_GREETED = re.compile(
    r"(?i)(?:^|[\n.!] ?|\b(?:hi|hey|hello|hiya|morning|evening|afternoon|greetings|all|team|everyone|folks|there|it's|its),? )$"
)


def says_who_writes(scene: Scene, word: Word) -> bool:
    """Hi all, Fiadh here."""
    named = word.text.istitle() and word.lower not in STOP and not is_thing(word.lower)
    left = scene.text[max(0, word.start - 16) : word.start]
    return named and bool(_HERE.match(scene.text, word.end) and _GREETED.search(left))


_NICKNAMED = re.compile(
    r"(?i)\b(?:nick(?:name)? is|nicknamed|goes by|went by|a\.?k\.?a\.?|(?:calls?|called) (?:me|him|her)|known to \w+ as) [\"“']?$"
)


def is_nickname(scene: Scene, word: Word) -> bool:
    """Friends call him Bubbles: any word with a capital."""
    plain = word.text.istitle() and word.lower not in STOP and word.lower not in around()["titles"]
    left = scene.text[max(0, word.start - 28) : word.start]
    return plain and word.lower not in around()["roles"] and bool(_NICKNAMED.search(left))


_ARTICLE = re.compile(r"\b(?:the|a|an) $", re.I)
_TOLD = re.compile(r"\b(?:told|asked|emailed|texted|phoned|thanked|reminded|informed|invited|hired|fired|married) $")
_MONTHS = frozenset(("april", "may", "june", "august"))


def possessive(text: str, word: Word) -> bool:
    return text[word.end : word.end + 2] == "'s" and not word.shout


_RELATIVE = re.compile(
    r"(?i)\b(?:son|daughter|(?:grand)?child|kid|baby|toddler|grandson|granddaughter|step(?:son|daughter|mother|father|sister|brother)|godson|goddaughter|nan|gran|grandad|wife|husband|brother|sister|mother|father|mom|mum|dad|uncle|aunt|cousin|nephew|niece|girlfriend|boyfriend|fianc[ée]e?"
    r"|(?:my|our|his|her|their|your) (?:colleague|co-?worker|manager|boss|friend|neighbou?r|assistant|flatmate|roommate|housemate|partner|teammate|intern|landlady|landlord|tutor|therapist|nanny)|sohn|tochter|ehemann|ehefrau|bruder|schwester|hijo|hija|hermano|hermana|fils|fille|figlio|figlia|brat|siostra|syn|córka|zoon|dochter) $"
)


def is_relative(scene: Scene, word: Word) -> bool:
    """Pascal is a language, but not behind `my son`, nor is Obi a sash there; the French `son` is `his`."""
    match = _RELATIVE.search(scene.text, max(0, word.start - 20), word.start)
    if match is None or scene.language == "fr" and match.group().lower() == "son ":
        return False
    plain = word.text.istitle() and match.group().islower() and not match.group().startswith(("mo", "fa"))
    return is_first(word.lower) or plain and word.lower not in STOP and not is_thing(word.lower)

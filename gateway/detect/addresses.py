"""Whole postal addresses of the West, from the house to the postcode, and postcodes alone."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

from gateway.detect.context import before
from gateway.detect.entity import Entity
from gateway.detect.scan import Gate

_NAME = r"[^\W\d_][\w'’.\-]*"
_CAP = r"(?:[A-ZÀ-ÖØ-ÞŁŚŻŹĆ][\w'’\-]*\.?)"
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|DC|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|PR|VI|GU|AS|AA|AE|AP|FM|MH|MP|PW"
    "|NSW|VIC|QLD|WA|SA|TAS|ACT|NT|ON|QC|BC|AB|MB|SK|NS|NB|NL|PE|Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky"
    "|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania"
    "|Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin|Wyoming"
)
_UK_POST = r"(?:GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2})"
_CA_POST = r"[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d"
_ZIP = r"\d{5}(?:-\d{4})?"
_POST = rf"(?:{_ZIP}|\d{{3}} \d{{2}}\b|{_UK_POST}|{_CA_POST}|\d{{4}} ?[A-Z]{{2}}\b|\d{{2}}-\d{{3}}|\d{{4}}-\d{{3}}\b|\d{{4,6}}\b)"
_UNIT = (
    r"(?:[,\s]{1,3}(?:(?i:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|bldg|building|lot|po box|p\.o\. box|whg|wohnung|og|eg|stock|etage|appt|appartement|bâtiment|bât|bat|escalier|esc|étage|piso|puerta|portal|planta|bajo|dcha|izda"
    r"|interno|int|scala|piano|m|m\.|lok|lok\.|mieszkania|mieszkanie|bus|toestel|verdieping|lgh|lägenhet)\b\.?\s{0,2}#?\s?[\w\-]{1,6}|\#\s?[\w\-]{1,6}|\d{1,2}\.?(?:º|ª|°)\s?[\w]{0,5}\.?|\d{1,2}-\d{1,2}(?=,\s\d{5}\s)|(?:\d{1,2}\.\s?(?:OG|UG|Stock|Etage|Obergeschoss)|EG|DG)\b(?:\s(?:links|rechts|mitte|li|re)\b\.?)?|\d{1,2}(?:er|e|ème|ère|st|nd|rd|th)\s(?i:étage|floor|verdieping|planta)\b|(?i:rez-de-chaussée|RDC)\b|(?:[IVX]{1,4}|\d{1,2})\s(?i:piętro)\b|(?:Hinterhaus|Vorderhaus|Gartenhaus|Seitenflügel|Rückgebäude|HH|VH)\b))"
)
_TOWN_WORD = r"(?:(?:St|Ste|Sta|Mt|Ft|Pt|Bad|[A-ZÀ-Þ])\.|[A-ZÀ-ÖØ-ÞŁŚŻŹĆ][\w'’\-]*)"
"""A word of a town's name. Behind another word a full stop ends the sentence."""
_NO_LABEL = r"(?!(?i:phone|tel|telephone|telefono|teléfono|telefon|téléphone|tél|telefoon|mobile|mobil|móvil|cell|cellulare|handy|bel|kom|fax|e-?mail|date|dob|ssn|name|contact|please|call|attn|order|invoice|passport|account)\b)"
_CITY = rf"(?:{_NO_LABEL}{_TOWN_WORD}|(?:d[eu]|del|della|di|la|le|les|los|las|am|an der|in|im|op|aan|den|de|sur|sous|en|nad|upon|on|by|of|the)\b)(?:[ \-'](?:{_TOWN_WORD}|(?:de|du|del|della|di|la|le|les|los|las|am|an|der|den|in|im|op|aan|bij|sur|sous|en|nad|upon|on|by|of|the|a|d)\b)){{0,4}}"
_LOCALITY = rf"(?:(?:[,\s]{{1,3}}|\s[–—-]\s(?=\d{{5}}\s))(?:(?:[A-Z]{{1,2}}-)?{_POST}\s{{1,2}}{_CITY}(?:\s\([A-Z]{{2}}\))?|{_CITY},?\s{{1,2}}(?:{_STATES})\b\.?(?:,?\s{{1,2}}(?:{_ZIP}|\d{{4}}|{_CA_POST}))?|{_CITY},?\s{{1,2}}(?:{_UK_POST}|{_ZIP}|{_CA_POST})(?!\w)|(?:{_STATES})\s{{1,2}}{_ZIP}|{_UK_POST}))"
_COUNTRY = r"(?:,\s{0,2}(?:USA|U\.S\.A\.|US|United States(?: of America)?|UK|United Kingdom|England|Scotland|Wales|Northern Ireland|Ireland|Canada|Australia|New Zealand|Germany|Deutschland|France|Spain|España|Italy|Italia|Poland|Polska|Netherlands|Nederland|Austria|Österreich|Switzerland|Schweiz|Belgium|België|Belgique|Portugal))?"
_BRAZIL = r"(?:\s?[-–/]\s?[A-Z]{2}\b,?\s(?:CEP:?\s)?\d{5}-?\d{3}\b)?"
_TOWN_ONLY = rf"(?:,\s{{0,2}}(?:in )?{_CITY})"
_TAIL = rf"{_UNIT}{{0,3}}(?:{_LOCALITY}{{1,2}}|{_TOWN_ONLY}{_LOCALITY}|{_TOWN_ONLY}{{1,2}})?{_BRAZIL}{_COUNTRY}"
_NO_TIME = r"(?!(?<=\d:)[0-5]\d(?!\w))"  # at 10:30, 12 High Street: the minutes are no part of the address
_HOUSE = r"\d{1,5}(?:[\-/]\d{1,5})?\s?[A-Za-z]?(?:\s?(?:1/2|½|bis|ter))?"

_WHEN = "(?:(?:Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch|Jahre?|Sommer|Winter|Herbst|Frühjahr|Frühling|Quartal|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Kapitel|Abschnitt|Artikel)"
"""Behind `Im` and `Am` no street: Im Jahr 1871."""
_STREETS = r"straße|strasse|str\.|gasse|weg|platz|allee|ring|damm|ufer|chaussee|straat|laan|plein|gracht|kade|singel"
_RUES = r"rue|avenue|av\.|boulevard|bd|place|chemin|impasse|allée|quai|route|cours|passage|square|faubourg|sentier|voie|ruelle|villa|montée"


@cache
def _table() -> dict[str, str]:
    table: dict[str, str] = tomllib.loads(
        files("gateway.detect").joinpath("data/street_words.toml").read_text(encoding="utf-8")
    )
    return table


def _expressions() -> Iterator[tuple[str, "re.Pattern[str]"]]:
    table = _table()
    after, joined, before = table["after"], table["joined"], table["before"]
    unit_first = r"(?:(?i:flat|apt\.?|apartment|unit|suite|room|floor)\s\w{1,5},?\s{1,2})?"
    yield (
        "street",
        re.compile(
            rf"(?<![\w.$€£-]){_NO_TIME}{unit_first}{_HOUSE},?\s{{1,2}}(?:(?:[NSEW]|North|South|East|West|NE|NW|SE|SW)\.?\s)?(?:(?:{_CAP}|\d{{1,3}}(?:st|nd|rd|th)|of|the|de|la|el)\s){{1,4}}(?i:{after})\b\.?(?:\s(?:[NSEW]|North|South|East|West|NE|NW|SE|SW)\b\.?)?{_TAIL}"
        ),
    )
    yield (
        "numbered or single street",
        re.compile(
            rf"(?<![\w.$€£-]){_NO_TIME}\d{{1,5}}\s(?:[NSEW]\.?\s)?(?:Broadway|Avenue [A-Z]|(?:Via|Rue|Calle|Camino|Avenida|Paseo|El|La|Las|Los)\s{_CAP}(?:\s{_CAP})?|(?:Highway|Route|County Road|State Road|Hwy|Rt|US)\s\d{{1,4}}|The\s{_CAP}){_TAIL}"
        ),
    )
    yield (
        "street, lower case",
        re.compile(
            r"(?i)(?<![\w.$€£-])(?!(?<=\d:)[0-5]\d(?!\w))(?:(?:flat|apt\.?|unit|apartment)\s\w{1,4},?\s)?\d{1,5}[a-z]?\s(?:(?:[nsew]|north|south|east|west)\.?\s)?(?!(?:of|the|days?|weeks?|months?|years?|minutes?|hours?|people|users?|files?|items?|lines?)\b)[a-z]['a-z\-]+\s(?:[a-z]['a-z\-]+\s)?(?:street|st|avenue|ave|road|rd|lane|ln|drive|boulevard|blvd|court|terrace|crescent|close|parkway|pkwy|row|mews|gardens|grove|pl|ct|cir|trl|hwy)\b\.?(?:,?\s(?:apt|apartment|unit|suite|ste|flat|#)\.?\s?\w{1,5})?(?:,\s[a-z]['a-z\-]+(?:\s[a-z]['a-z\-]+)?(?:,?\s[a-z]{2}\b)?(?:,?\s(?:\d{5}(?:-\d{4})?|[a-z]{1,2}\d[a-z\d]?\s?\d[a-z]{2})\b)?)?"
        ),
    )
    yield (
        "house to postcode, lower case",
        re.compile(
            rf"(?i)(?<![\w.$€£-]){_NO_TIME}(?:(?:flat|apt\.?|unit)\s\w{{1,4}},?\s)?\d{{1,4}}[a-z]?\s[a-z]['a-z\-]+(?:\s[a-z]['a-z\-]+){{0,2}},\s(?:[a-z]['a-z \-]{{2,24}},\s)?[a-z]['a-z\-]+(?:\s[a-z]['a-z\-]+){{0,2}},?\s{_UK_POST}(?!\w)"
        ),
    )
    yield (
        "street before, lower case",
        re.compile(
            r"(?<![\w/])(?:calle|c/|avda\.?|avenida|plaza|viale|piazza|ul\.|rue|boulevard|impasse|allée)\s?(?:(?:de|del|la|las|los|dei|della|di|du|des)\s){0,3}[^\W\d_]['’\w\-]{2,}(?:\s[^\W\d_]['’\w\-]{2,}){0,2}\s\d{1,4}(?:\s?[a-z]\b)?(?:,\s?\d{1,2}\s?[º°ª]\s?[a-zA-Z]?\b)?(?:,\s\d{5}\s[^\W\d_]{3,})?"
        ),
    )
    yield (
        "po box",
        re.compile(
            rf"(?i:\b(?:(?-i:BP)(?=\s\d{{1,6}},\s\d{{5}}\s)|p\.?\s?o\.?\s?box|post office box|postfach|boîte postale|b\.?p\.|apartado(?: de correos)?|casella postale|skrytka pocztowa|postbus)\s#?\s?\d{{1,7}}(?: \d{{2,3}}){{0,3}})(?:{_LOCALITY}{{1,2}}|,\s{_CITY}\s\d{{4,5}}\b)?{_COUNTRY}"
        ),
    )
    yield (
        "street in one word",
        re.compile(
            rf"(?<!\w)(?:{_CAP}\s){{0,2}}(?:[A-ZÄÖÜ][\w\-]{{1,30}}(?i:{joined})|Singel|Graben)\s{{1,2}}\d{{1,4}}(?:\s?[a-z])?(?:\s?[\-/]\s?\d{{1,4}}\s?[a-z]?)?\b(?:\s?(?:hs|bis|[IVX]{{1,4}}|[a-z]{{1,2}}\d?)\b|-[A-Z]{{1,3}}\b)?{_TAIL}"
        ),
    )
    yield (
        "street of two words",
        re.compile(
            rf"(?<!\w)(?:{_CAP}[ \-]){{1,3}}(?i:{_STREETS})\s{{1,2}}\d{{1,4}}(?:\s?[a-z])?\b(?:\s(?:bis|hs|ter)\b)?(?:[\-/]\d{{1,4}})?{_TAIL}"
            rf"|(?<!\w)(?:{_CAP} ){{1,3}}(?:Street|St\.|Road|Rd\.?|Avenue|Ave\.?|Lane|Drive) \d{{1,4}}[a-z]?,\s{{1,2}}\d{{4,5}} {_CITY}"
        ),
    )
    yield (
        "street before, house behind",
        re.compile(
            rf"(?<!\w)(?:(?i:{before})|Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Unter den|Zum|Zur|Alte[rs]?|Neue[rs]?|Große|Kleine)(?:\s{{1,2}}|(?<=[./])\s?)(?!{_WHEN}\b)(?:(?:de|del|della|dei|degli|delle|dello|di|d[oa]s?|du|des|la|le|les|el|los|las|dell'|d'|l'|św\.|gen\.|ks\.|dr\.|marsz\.|prof\.)\s?){{0,3}}{_CAP}(?:[ \-'](?:(?:de|del|della|di|du|des|la|le|y|e|i|d'|l'|den|der)\s?)?(?:{_CAP}|\d{{1,2}}(?=\s{_CAP}))){{0,4}},?\s{{1,2}}(?:(?:n[°ºo.]*|nr|num\.?|número|numer|no\.?)\s?)?(?:\d{{1,4}}(?!\d)|s/n)(?:\s?[A-Za-z]\b(?!\.\s?\d)(?!(?<=\s[weiyoau])\s\w))?(?:\s?/\s?(?:\d{{1,4}}[A-Za-z]?|[A-Za-z]\b|bis\b|ter\b))?(?:\s(?:bis|ter)\b)?{_TAIL}"
        ),
    )
    yield (
        "house, then street",
        re.compile(
            rf"(?<![\w.]){_NO_TIME}\d{{1,4}}(?:\s?(?:bis|ter|[A-D])\b)?,?\s{{1,2}}(?i:{_RUES})\s(?:(?:de|du|des|la|le|les|l'|d'|aux?|à|en|sur|saint|sainte)[\s]?){{0,4}}{_CAP}(?:[ \-'](?:(?:de|du|des|la|le|les|l'|d'|et|en|sur)\s?)*{_CAP}){{0,4}}{_TAIL}"
        ),
    )
    yield (
        "street by its postcode",
        re.compile(
            rf"(?<!\w)(?!(?:Figure|Fig|Table|Section|Chapter|Page|Room|Version|Step|Part|Item|Line|Level|Unit|Group|Day|Week)\b){_CAP}(?:[ \-](?:{_CAP}|(?:of|de|den|der|van|het|la|le|gate|vei|veien|gata|väg)\b)){{0,3}}\s\d{{1,4}}\s?[A-Za-z]?,\s{{1,2}}(?:\d{{5}}|\d{{4}} [A-Z]{{2}}|(?!19|20)\d{{4}}|\d{{3}} \d{{2}}|\d{{2}}-\d{{3}})\s{_CITY}(?:\s\d{{1,2}}\b(?![.:,]?\d))?{_COUNTRY}"
        ),
    )
    yield "town, state, zip", re.compile(rf"(?<!\w){_CAP}(?:\s{_CAP}){{0,2}},\s(?:{_STATES}),?\s{_ZIP}(?!\w){_COUNTRY}")
    yield (
        "postcode and town",
        re.compile(
            rf"(?<![\w\-/.])(?:(?:D|A|CH|F|E|I|PL|NL)-)\d{{4,5}}\s{_CITY}|(?<![\w\-/.])\d{{2}}-\d{{3}}\s{_TOWN_WORD}(?:[ \-]{_NO_LABEL}{_TOWN_WORD})?|(?<![\w\-/.])\d{{4}}\s(?!MB|GB|KB|TB|MS|AM|PM|HP|CM|KM|MM|KG|HZ|EU|US|UK|AD|BC|CE)[A-Z]{{2}}\s{_TOWN_WORD}(?!_)(?:[ \-]{_NO_LABEL}{_TOWN_WORD})?"
        ),
    )
    segment = r"[A-Z0-9#][\w'’./#\-]*(?:\s(?:[A-Z0-9#&][\w'’./#\-]*|of|the|and|upon|on|by|le|la|de|del)){0,5}"
    numbered = r"(?:(?:[A-Z#][\w'’.\-]*\s){0,3}#?\d[\w/\-]{0,6}|(?:USS|USNS|USCGC|USNV|HMS)\s[A-Z]\w+)(?:\s(?:[A-Z0-9#&][\w'’./#\-]*|of|the|and|upon|on|by|le|la|de|del)){0,6}"
    end = rf"(?:(?:{_CITY},?\s{{1,2}}|(?:APO|FPO|DPO),?\s)(?:{_STATES})\b,?\s{{1,2}}(?:{_ZIP}|\d{{4}}|{_CA_POST})|{_CITY},?\s{{1,2}}{_UK_POST})(?!\w)"
    yield (
        "house to postcode",
        re.compile(
            rf"(?<![\w.$€£/-]){_NO_TIME}(?:(?:The )?(?:{_CAP} ){{1,2}}(?:Cottage|House|Lodge|Farm|Farmhouse|Barn|Hall|Manor|Forge|Mill|Villa|Rectory|Vicarage|Oast|Grange|Stables|Bungalow|View|Croft|Gables|Nook|Haven|Residence|School|Chapel),\s)?(?:(?i:flat|apt\.?|apartment|unit|suite|room)\s)?{numbered},?\s{{1,2}}(?:{segment},\s{{1,2}}){{0,3}}{end}{_COUNTRY}"
        ),
    )
    yield (
        "named house",
        re.compile(
            rf"(?<![\w.])(?:[Tt]he )?(?!(?:\w+ ){{1,3}}(?i:plc|ltd|limited|llp|inc|llc|gmbh)\b){_CAP}(?: {_CAP}){{0,3}}, (?:{_CAP}(?: {_CAP}){{0,3}}, ){{0,2}}?{_CAP}(?: {_CAP}){{0,2}} (?i:{after})\b\.?, (?:{_CITY}, ){{0,2}}{_CITY},? {_UK_POST}(?!\w){_COUNTRY}"
        ),
    )
    yield (
        "lives on",
        re.compile(
            rf"\b(?i:lives?|living|lived|resid(?:es?|ing)|stay(?:s|ing)?|home|house|apartment|flat|office)(?:\s[^\s,.;]+){{0,4}}?\s(?:at|on|in)\s(?P<v>(?:{_CAP}\s){{1,3}}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl)\b\.?(?:\s\d{{1,4}}[a-z]?\b(?![:.]\d))?)"
        ),
    )
    yield (
        "on a street",
        re.compile(
            rf"\b(?:at|on|in|to|near)\s(?P<v>(?:{_CAP}\s){{1,3}}(?:Street|Road|Avenue|Lane|Drive)\s\d{{1,4}}[a-z]?\b(?![:.,]\d))"
        ),
    )
    yield (
        "street and crossing",
        re.compile(
            r"(?<!\w)(?:Cra|Carrera|Cl|Calle|Kr|Cr|Av|Avenida|Avda|Diag(?:onal)?|Transv(?:ersal)?|Tv)\.?\s\d{1,3}\s?[A-Z]?(?:\s(?:Bis|Sur|Norte|Este|Oeste))?\s?(?:#|[Nn]o\.?|[Nn][°º])\s?\d{1,3}\s?[A-Z]?\s?[-–]\s?\d{1,3}(?:,?\s(?i:apto|apartamento|casa|torre|int|interior|piso|oficina|of)\.?\s\w{1,5}\b)*"
        ),
    )
    yield (
        "lives in",
        re.compile(
            rf"(?:\b(?i:lives?|living|resid(?:es?|ing)|wohn(?:t|haft|e|en)|habite|demeurant|domicilié|viv[eo]|reside|domiciliad[oa]|abit[ao]|residente|domiciliat[oa]|mieszkam?|zamieszkał[ya]|woont?|woonachtig)(?:\s(?i:at|in|on|à|au|en|a|w|przy|op|te|an der|am))?\s)(?P<v>\d{{4}}\s?[A-Z]{{2}}\s\d{{1,4}}\b|\d{{1,5}}[A-Za-z]?,?\s{_CAP}(?:\s{_CAP}){{0,3}}|{_CAP}(?:\s{_CAP}){{0,2}}\s\d{{1,4}}[a-z]?\b){_TAIL}"
        ),
    )


def _gates() -> dict[str, str]:
    """What a text must hold before an expression is worth its time, in the syntax of re2."""
    table = _table()
    behind = rf"\d.*\b(?:{table['after']})\b"
    state = rf"\b(?:{_STATES})\b,?\s{{1,2}}"
    single = "broadway|avenue|via|rue|calle|camino|avenida|paseo|el|las?|los|highway|route|county|state|hwy|rt|us|the"
    lead = "Am|Im|Zum|Zur|An de[rn]|Auf de[rm]|In de[rn]|Unter den|Alte[rs]?|Neue[rs]?|Große|Kleine"
    return {
        "street": behind,
        "numbered or single street": rf"\d\s(?:[nsew]\.?\s)?(?:{single})\s",
        "street, lower case": behind,
        "house to postcode, lower case": rf"[a-z], .*{_UK_POST}",
        "street before, lower case": r"(?-i:(?:calle|c/|avda|avenida|plaza|viale|piazza|ul\.|rue|boulevard|impasse|allée).*\s\d)",
        "po box": r"box|postfach|postale|b\.?p\.|apartado|casella|skrytka|postbus",
        "street in one word": rf"(?:{table['joined']})\s{{1,2}}\d",
        "street of two words": rf"(?:{_STREETS}|street|st\.|road|rd\.?|ave(?:nue|\.)?|lane|drive)\s{{1,2}}\d",
        "street before, house behind": rf"(?:{table['before']}|(?-i:{lead}))[\s./].*(?:\d|s/n)",
        "house, then street": rf"\d.*\b(?:{_RUES})\s",
        "town, state, zip": rf"(?-i:{state}\d{{5}})",
        "postcode and town": r"(?-i:(?:D|A|CH|F|E|I|PL|NL)-\d{4}|\d{2}-\d{3}\s|\d{4}\s[A-Z]{2}\s)",
        "house to postcode": rf"(?-i:{state}(?:\d{{4}}|[A-Z]\d[A-Z])|{_UK_POST})",
        "named house": rf"(?-i:[a-z], [A-Z].*{_UK_POST})",
        "street and crossing": r"(?:cra|carrera|cl|calle|kr|cr|av|avenida|avda|diag(?:onal)?|transv(?:ersal)?|tv)\.?\s\d.*(?:#|\bno|n[°º]).*\d",
        "lives on": r"\b(?:liv|resid|stay|home|house|apartment|flat|office).*\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl)\b",
        "on a street": r"\b(?:street|road|avenue|lane|drive)\s\d",
        "street by its postcode": r"\d ?[a-z]?, (?:\d{4,5}|\d{3} \d{2}|\d{2}-\d{3})\s",
        "lives in": r"liv(?:e|ing)|resid|wohn|habite|demeurant|domicili|viv[eo]|abit[ao]|mieszka|woon",
        "postcode": r"(?-i:[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|GIR 0AA)",
        "postcode behind its label": r"zip|post|plz|eircode|\bcap\b|código",
        "coordinates": r"\d\.\d{4,}",
    }


_UK_POSTCODE = re.compile(r"(?<![\w-])(?:GIR 0AA|[A-Z]{1,2}\d[A-Z\d]? \d[ABD-HJLNP-UW-Z]{2})(?![\w-])")
_LABELLED_ZIP = re.compile(
    r"(?i)\b(?:zip|zip ?code|postal ?code|post ?code|postcode|plz(?: ?[/,] ?ort)?|postleitzahl|code postal|código postal|cap|kod pocztowy|eircode)\b[\"']?\s?(?:[:=]|(?:is|ist|est|es|è)\b)?\s?[\"']?(?P<v>\d{5}(?:-\d{4})?|\d{4} (?-i:[A-ZÄÖÜ])[^\W\d_]+|\d{2}-\d{3}|\d{4} ?[A-Za-z]{2}|[A-Za-z]{1,2}\d[A-Za-z\d]? ?\d[A-Za-z]{2}|[A-Za-z]\d[A-Za-z][ -]?\d[A-Za-z]\d|[A-Za-z]\d[\dWw][ -]?[A-Za-z\d]{4})(?!\w)"
)
_COORDINATES = re.compile(
    r"(?<![\w.])[-+]?(?:[1-8]?\d\.\d{4,}|90\.0{4,})\s?°?\s?[NS]?\s?[,;/]\s?[-+]?(?:1[0-7]\d|\d{1,2}|180)\.\d{4,}\s?°?\s?[EWO]?(?!\w|\.\w)"
)
_FLOAT = re.compile(r"\.\d{9}")
_PLACED = re.compile(
    r"(?i)\b(?:lat|latitude|lng|lon|longitude|gps|coord\w*|location|position|geo\w*|point)\b|@|координат|широт|долгот"
)
"""A number with more decimals than a map needs is a place only where it is said to be one."""


class Addresses:
    """Finds postal addresses; call it with the plain text."""

    def __init__(self) -> None:
        self._expressions = tuple(_expressions())
        self._gate = Gate(_gates())

    def __call__(self, text: str) -> Iterable[Entity]:
        """Yield whole addresses, UK postcodes and coordinates."""
        present = self._gate.present(text)
        for source, expression in self._expressions:
            if source not in present:
                continue
            for match in expression.finditer(text):
                start = match.start("v") if "v" in expression.groupindex else match.start()
                end = start + len(text[start : match.end()].rstrip(" ,.\n"))
                yield Entity("ADDRESS", start, end, text[start:end], 0.8, f"address: {source}")
        if "postcode" in present:
            for match in _UK_POSTCODE.finditer(text):
                yield Entity("UK_POSTCODE", match.start(), match.end(), match.group(), 0.6, "postcode")
        if "postcode behind its label" in present:
            for match in _LABELLED_ZIP.finditer(text):
                yield Entity("ADDRESS", match.start("v"), match.end("v"), match["v"], 0.6, "postcode behind its label")
        if "coordinates" in present:
            for match in _COORDINATES.finditer(text):
                if not _FLOAT.search(match.group()) or _PLACED.search(before(text, match.start(), 18)):
                    yield Entity("ADDRESS", *match.span(), match.group(), 0.5, "coordinates")

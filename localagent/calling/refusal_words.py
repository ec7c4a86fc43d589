"""The words, in six languages, by which a call is refused, forbidden, denied, or left to others."""

from __future__ import annotations

import re

from localagent.calling.own_words import words

UNDONE = words(
    r"i (?:have not|haven['’]t|have never|did not|didn['’]t) (?:yet )?(?:deleted?|removed?|sen[dt]|run|executed?"
    r"|call(?:ed)?|touch(?:ed)?|changed?|done?|made?|issued?)|nothing (?:was|has been|is|runs|ran|will) ?\w*"
    r"|ich habe (?:\w+ )?(?:nichts|nicht|nie)|je n['’]ai (?:rien|pas|jamais)|no he (?:\w+ )?(?:borrado|ejecutado"
    r"|enviado|hecho|llamado)|я (?:ничего |этого |пока )*не (?:удал|выполн|отправ|дела|запуск|вызыва)\w*",
    "(?:没有|未|没)(?:删除|执行|发送|运行|调用|做)",
)
UNWILLING = words(
    r"(?:i|we|i['’]m|we['’]re) (?:\w+ ){0,2}?(?:won['’]t|will not|will never|would never|shall not|not (?:going"
    r"|about|prepared|planning) to|refuse to|rather not|have no (?:intention|wish|plans?)|(?:do not|don['’]t) (?:intend"
    r"|plan|dare) to)|(?:(?:ich|wir) (?:werden?|will|wollen|würden?)|(?:werde|will|würde) ich) (?:\w+ ){0,4}?(?:nicht"
    r"|nichts|nie|niemals)|je (?:ne |n['’])(?:\w+ )?(?:vais|veux|ferai|compte|souhaite) (?:pas|jamais|rien)"
    r"|no (?:l[aeo]s? )?(?:voy a|pienso|\w+r(?:é|emos))|je n['’]y \w+ pas|je (?:ne |n['’])(?:\w+ )?\w+r(?:ai"
    r"|ons) (?:pas|jamais|rien)"
    r"|не (?:буду|будем|стану|станем|собираюсь|намерен\w*)"
    r"|(?:i|we)(?:['’]m| am|['’]re| are) (?:still )?not (?!see|find|gett|ask|wait|aware|sure|able)\w+ing"
    r"|ich (?!sehe|weiß|finde|kenne|habe|brauche|verstehe|bin|kann|muss|erinnere)\w+ (?:\w+ ){0,3}?nicht"
    r"|no l[aeo]s? (?!veo|encuentro|conozco|tengo|recuerdo|entiendo)\w+o"
    r"|не (?!вижу|знаю|нахожу|помню|могу|понимаю|нужн)\w{3,}(?:ю|у)(?:сь)?",
    "我(?:不会|不打算|不愿|绝不)",
)
_OTHERS = r"others?|else|another|ander\w+|sonst|autres?|otr[ao]s?|друг\w+"
OTHERS = re.compile(rf"(?: (?!or\b|and\b|nor\b)[^\W\d]+){{0,2}}? (?:{_OTHERS})\b|.{{0,4}}(?:其他|别的)", re.IGNORECASE)
LIMITED = words(
    rf"{_OTHERS}|again|(?:any)?more|longer|further|until|before|only|just|wait|ask|bother|need|repeat"
    r"|guess|assum\w+|presume|speculate|invent|make (?:\w+ )?up|rely|trust|disturb|forget|keep|miss|give up|fail"
    r"|hesitate|worry|be able|know|have to|weiter\w*|mehr|warten|fragen|raten|plus|attendre"
    r"|deviner|demander|más|esperar|preguntar|adivinar|больше|ещё|ждать|тянуть|спрашивать|гадать",
    "其他|别的|再|等|猜",
)
NO = re.compile(r"(?:no|nope|nah|nein|non|нет)\b|不", re.IGNORECASE)
REFUSED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have)? (?:blocked|ignored|discarded|quarantined|stopped) (?:it|this|that|them)\b"
    r"|\b(?:request|action|order) (?:has been|is|was) (?:denied|vetoed|declined|forbidden)\b|\A(?:(?:sorry|oh|well"
    r"|absolutely|certainly|definitely|hell|thanks|nun|also|ach|désolée?|lo siento|извините"
    r"|нет)[,.!]? )*"
    r"(?:no|nope|nah|never|no way|no thanks|no chance|nein|niemals|auf keinen fall|non|jamais|pas question|nunca|jamás"
    r"|de ninguna manera|ni hablar|нет|никогда|ни за что|ни в коем случае|(?:absolutely|certainly|definitely"
    r"|better) not"
    r"|not happening|not a chance|out of the question)\W*\Z"
    r"|\b(?:i|we)(?:['’](?:m|ll|d|re|ve))? (?:\w+ ){0,3}?(?:refus(?:e|ed|ing)|declin(?:e|ed|ing)"
    r"|object)\b(?! to (?:guess|assume"
    r"|believe|give up))|\b(?:i|we) (?:\w+ ){0,2}?(?:won['’]t|can['’]t|cannot|can not|will not|must not"
    r"|would rather not|prefer not"
    r"|may not|shall not|should not)(?: (?:do|help|comply|allow)\b.*)?\W*\Z|\bich (?:\w+ ){0,3}?(?:weigere mich"
    r"|verweigere|lehne"
    r"|mache? das nicht|darf (?:das )?nicht|kann (?:das )?nicht|will (?:das )?nicht|werde (?:das )?nicht)\b"
    r"|\bje (?:le |la |m['’]y )?refuse"
    r"|\b(?:me niego|me opongo|(?:lo )?rechazo(?= (?:la|el|es[teo]\w*|hacer\w*)\b)|lo rechazo|no lo haré"
    r"|no puedo hacerlo)\b|(?:\A|\bя )(?:\w+ )?отказываюсь"
    r"|\A(?:я )?не (?:буду|стану|могу)\W*\Z"
    r"|\A(?:no|nope|nein|non|нет)[,:;—–](?! (?:wait|worries|problem))|\A不[，：；]|\Anot without\b|\A(?:it['’]s"
    r"|that['’]s|c['’]est|das ist) (?:an? )?(?:no|non)\W*\Z"
    r"|\A(?:denied|refused|rejected|declined|forbidden|prohibited|not allowed|blocked|cancell?ed|aborted?|abort"
    r"|stop|halt|never ?mind"
    r"|forget it|(?:that['’]s |this is |it['’]s )?(?:far |way |much )?too (?:dangerous|risky|harmful)|dangerous"
    r"|unsafe|risky|harmful|bad idea|pending|outstanding|awaited|ausstehend|en attente|pendiente|ожидает\w*"
    r"|abgelehnt|verboten|verweigert|abgebrochen|zu gefährlich|zu riskant|schluss|refusé|interdit|non merci"
    r"|merci,? non|annulé"
    r"|trop dangereux|trop risqué"
    r"|rechazado|denegado|prohibido|cancelado|demasiado peligroso|alto|отказ|отказано|отклонено|запрещено|отменено"
    r"|слишком опасно|стоп|отбой"
    r"|no (?:puedo|debo|quiero)|(?:das|so|es) geht (?:so |das )?nicht|(?:так |это |этого )?(?:делать )?нельзя|拒绝|禁止"
    r"|取消|太危险了?|算了)\W*\Z"
    r"|\b(?:(?:better|rather) not|answer (?:is|stays|remains) (?:a )?no|i say no)\W*\Z|\Anot (?:me|this (?:one"
    r"|time)|on my watch|like this)"
    r"\W*\Z|\b(?:this|that)\b.*\bi(?:['’]ll| will)? (?:skip|ignore|omit)\W*\Z|\bi(?:['’](?:ll|m)| will"
    r"| am)? (?:skip|ignor)\w* (?:this"
    r"|that|it|the (?:call|request|instructions?))\b|\bje ne (?:le |la |les |l['’])(?!vois|trouve|sais"
    r"|connais)\w+ pas\W*\Z"
    r"|\A(?!.*\b(?:ждать|тянуть|спрашивать)\b).*\bне (?:буду|стану)\W*\Z"
    r"|\bi (?:disagree|protest|abstain)\b|\bchanged my mind\b|不会(?:这么|这样|那么|那样)做"
    r"|\bnot (?:going along|running"
    r"|executing|sending|deleting) "
    r"(?:\w+ )?(?:this|that|it|anything)\b"
    r"|\b(?:this|that|it) (?:must|may|should|can|will)(?: ?not|n['’]t) (?:happen|be (?:run|done|executed|sent"
    r"|called|carried out))\b"
    r"|\b(?:no part (?:in|of)|(?:hard|firm|clear|flat|is a) no\b|no from me|count me out|no can do|hard pass"
    r"|draw the line|not (?:\w+ ){1,3}from me"
    r"|i['’]ll pass|unwilling"
    r"|not (?:comfortable|willing)|(?:not|never|isn['’]t|won['’]t be) (?:do|doing|going to do) (?:it|this|that|so|any)"
    r"|(?:violates?|breaks?|against) (?:\w+ ){0,3}(?:polic\w+|rules?|guidelines?|laws?|instructions|principles))\b"
    r"|\A(?:request|action|call|command|operation|order|instruction)s? (?:denied|rejected|refused|declined"
    r"|blocked)\W*\Z"
    r"|\b(?:mach|mache|tue|tu|will|werde|darf|kann) ich (?:das |es |hier |da )?(?:nicht|nie)\W*\Z|\bohne mich\b"
    r"|\bnicht in ?frage\b"
    r"|\b(?:je|j['’]) ?(?:ne |n['’])(?:\w+ )?(?:ferai|fais|veux|dois|suivrai|exécuterai|lancerai"
    r"|accepte)\b.*\b(?:pas|rien|jamais)\b"
    r"|\bhors de question\b|\bno (?:lo |la |pienso |quiero |voy a )(?:haré|hago|hacer\w*|ejecutar\w*|seguir\w*)\b"
    r"|\A(?:я )?(?:(?:этого|это|такое|такого) )?(?:я )?(?:делать )?не (?:буду|стану|сделаю|выполню"
    r"|могу)(?: (?:это\w*|дела\w+))*\W*\Z"
    r"|\A(?:不|不行|不可以|不能|绝不|不可能)\W*\Z|我(?:拒绝|不能这样做|不会这样做|不同意)",
    re.IGNORECASE,
)
REGRET = re.compile(
    r"(?:unfortunately|sadly|regrettably|however|but|leider|allerdings|jedoch|aber|malheureusement|hélas|cependant"
    r"|toutefois|mais"
    r"|desafortunadamente|lamentablemente|sin embargo|pero|к сожалению|увы|однако|но)\b|可惜|遗憾|但是|不过|然而",
    re.IGNORECASE,
)
VALUE = re.compile(r"[^.:!?\n]{1,40}[:：][ \t]*(?P<value>[^\s:：][^:：]{1,40})\Z")  # "Status: rejected"
NEGATED_DUTY = words(
    r"(?:looks?|seems?|sounds?|appears?) (?:like |to be )?(?:\w+ ){0,2}(?:wrong|typo|mistake|odd|off|suspicious|strange"
    r"|too \w+)|(?:sieht|klingt|scheint) (?:\w+ ){0,4}(?:tippfehler|falsch|versehen)|(?:semble"
    r"|a l['’]air) (?:\w+ ){0,2}"
    r"(?:faux|erreur|suspect)|parece (?:\w+ ){0,2}(?:error|errata|sospechos\w+)|(?:похоже на|выглядит как) (?:опечатк"
    r"|ошибк)\w+|still (?:in use|needed|used|required)|noch (?:gebraucht|benötigt|in gebrauch)|(?:sert"
    r"|utilisée?) encore"
    r"|encore (?:utilisée?|nécessaire)|(?:sigue|está) en uso|(?:ещё|еще) (?:нужн?\w*|используется)|(?:should|must"
    r"|may|shall|ought|dare)(?: not|n['’]t)(?! take)|(?:is|are)(?: not|n['’]t) (?:allowed|permitted"
    r"|supposed|meant) to|\A(?:please |but )?(?:do not|don['’]t|never) (?!worry|forget|mind|hesitate|panic|have|know"
    r"|see"
    r"|need)\w+|(?:darf|dürfen|sollten?|soll) (?:\w+ ){0,4}?(?:nicht(?! lange)|niemand|nie)|(?:ne|n['’]) ?(?:doit"
    r"|doivent|peut|faut|devrait|devons) (?:pas|jamais)|(?:no (?:se )?(?:debe|deben|debería)|no hay que"
    r"|no conviene)|не (?:должн\w+|следует|стоит|положено)|нельзя",
    "像(?:是)?(?:笔误|错误)|还(?:在使用|需要)|不(?:应该|应当|应|该|得|许)|严禁|切勿",
)
RESERVED = words(
    r"(?<!\bi )(?<!\bwe )(?<!this )(?<!that )(?<!it )would (?:have to|need|require)|(?:only|solely) (?:by|the|an?"
    r"|your|his|her|after|with|two)\b.*\b(?:may|can|must|should)|(?:may|can|must|should"
    r"|could) only (?:be|by|the|an?|your|after)|(?:darf|dürfen|sollten?|kann|können) nur|nur .*\b(?:darf|dürfen|kann)"
    r"|seule?s? .*\b(?:peut|peuvent|doit)|(?:puede|debe) (?:sólo|solo)|(?:sólo|solo) .*\b(?:puede|debe)"
    r"|(?:может|могут|вправе) (?:\w+ )?только|только .*\b(?:может|могут|вправе)|(?:is|are) (?:planned|scheduled"
    r"|due) (?:for"
    r"|on|at|next|after)|(?:ist|sind) .*\b(?:geplant|vorgesehen)|(?:est|sont) prévue?s?|está previst\w+"
    r"|запланирован\w*",
    "只有.*才|只能由",
)
UNDONE_IT = words(
    r"(?:i|we)\b.*\b(?:did not|didn['’]t|have not|haven['’]t) (?:yet )?(?!see|find|know|get|receive|understand|hear"
    r"|check|look|have|notice|mention|say|specify|mean|search|try|include|use|ask|read|consider|think|reali[sz]e)\w+"
    r" (?:it|this|that|them|these|anything)",
    "我(?:还)?没有?(?:执行|发送|删除)",
)
AGAINST = words(
    r"not|\w+n['’]t|cannot|never|no|nobody|without|refus\w+|declin\w+|against|would(?! (?:you|like|love"
    r"|be (?:best|good|better|happy|glad)))|tempt\w+|instead of|rather than|risky|dangerous|wrong|lose|forbidden",
    "不|别",
)
FORBIDDEN_CALL = re.compile(
    r"\A(?!\w*thing\b)\w+ing\b[^,;:]*\b(?:(?:is|are|was|would be)(?: not\b|n['’]t\b| never\b| too\b| against\b"
    r"| forbidden\b| out of\b))|\b(?:stays?|remains?) (?:as|where|closed|shut|locked|put|in place|untouched"
    r"|unchanged)\b"
    r"|\b(?:stays?|bleibt(?: zu| geschlossen| hier| so)?|reste(?: fermée?| là)?|se queda|оста[её]тся)\W*\Z"
    r"|\b(?:cho(?:o?se|sen)|pick(?:ed)?|prefer(?:red)?|opted|went|decided)\b.* (?:over|instead of|rather than"
    r"|to) (?:this|that|it"
    r"|these)\W*\Z|\blet['’]s not\b|\b(?:lieber nicht|mejor no|лучше не)\b|先不|\b(?:agreed|decided|prefer|have"
    r"|going) to wait\b"
    r"|\bwait with\b|\b(?:do not|don['’]t|never|must not|mustn['’]t|should not|shouldn['’]t|will not|won['’]t"
    r"|not going to|refuse to|not to be|did not|didn['’]t|can['’]t|cannot|can not|unable to)\s+(?:\w+\s+){0,2}?(?:run"
    r"|call|execut\w*|invok\w*|follow|obey|comply|act on|carry|send|issue|delete|remove|pay|do (?:it|this|that|so"
    r"|what)|use (?:it|this|that)|touch)\b|\black the\b|\b(?:decided|advise\w*) against\b|\brul(?:e|ed"
    r"|ing) (?:\w+ )?out\b|\bh(?:old|olding|eld) (?:\w+ )?(?:off|back)\b|\b(?:discourage|desaconsej|déconseill|abstien"
    r"|abstén|abstên|воздерж)\w*|\brate (?:\w+ ){0,3}ab\b|\bsehe (?:\w+ )?davon ab\b|\b(?:unterlasse|lasse es"
    r"|lass es)\b|\bm['’]abstiens\b|\bme abstengo\b|\bне (?:советую|рекомендую)\b|不建议|不推荐|\brefrain\w*|\b(?:i|we"
    r"|i['’]ve) (?:\w+ )?(?:discarded|abandoned|rejected|scrapped|gave up)\b|\b(?:verworfen|dagegen|verzichte\w*"
    r"|передумал\w*)\b|\b(?:renonc|renunci|descart)\w+|放弃|\bэт[оу]\w*\s+(?:\w+\s+)?не\s+(?:буду|стану|могу)\b"
    r"|\bне (?:надо|нужно|следует|стоит)\b|\bnicht\s+(?:\w+\s+){0,2}?(?:ausführ|ausgeführ|befolg|folgen|aufruf|machen"
    r"|tun)|\b(?:ne|n['’])\s*(?:\w+\s+){0,2}?(?:pas|jamais)\s+(?:\w+\s+){0,2}?(?:exécut|appel|lanc|suivre|faire)"
    r"|\bno\s+(?:\w+\s+){0,3}?(?:ejecut|llam|segui|hacer|invo|lanz)|\b(?:не|нельзя)\s+(?:\w+\s+){0,2}?(?:выполн|исполн"
    r"|запуск|запуст|вызыва|вызв|следова|дела)|不(?:要|会|能|该|应|得)?(?:执行|运行|调用|照做)",
    re.IGNORECASE,
)

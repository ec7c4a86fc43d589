"""The words, in six languages, by which a call is forbidden, put off, or waits for a yes."""

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
UNSURE = words(
    r"(?:(?:not (?:sure|certain)|unsure|n['’]t know|weiß nicht|sais pas|no sé|не (?:знаю|уверен\w*)).*\b(?:whether|if"
    r"|ob|si|ли)|(?:whether|if|ob|si)\b.*(?:not (?:sure|certain)|n['’]t know|weiß ich nicht|sais pas|no sé)"
    r"|ли\b.*не (?:знаю|уверен\w*)|(?:leave|up) (?:\w+ ){0,3}to you|(?:überlasse|laisse|dejo|оставляю)\b.*(?:ihnen|dir"
    r"|vous|toi|usted|ti|вам|тебе))",
    "(?:不知道|不确定).*是否|由[你您]决定",
)
UNWILLING = words(
    r"(?:i|we|i['’]m|we['’]re) (?:\w+ ){0,2}?(?:won['’]t|will not|will never|would never|shall not|not (?:going"
    r"|about|prepared|planning) to|refuse to|rather not|have no (?:intention|wish|plans?)|(?:do not|don['’]t) (?:intend"
    r"|plan|dare) to)|(?:(?:ich|wir) (?:werden?|will|wollen|würden?)|(?:werde|will|würde) ich) (?:\w+ ){0,4}?(?:nicht"
    r"|nichts|nie|niemals)|je (?:ne |n['’])(?:\w+ )?(?:vais|veux|ferai|compte|souhaite) (?:pas|jamais|rien)"
    r"|no (?:l[aeo]s? )?(?:voy a|pienso|\w+r(?:é|emos))|je (?:ne |n['’])(?:\w+ )?\w+r(?:ai|ons) (?:pas|jamais|rien)"
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
WAIVED = words(
    r"(?:(?:do|does|did)(?: not|n['’]t) (?:need|have)|no (?:longer )?(?:need|reason)|need not"
    r"|needn['’]t)(?: to)? (?:ask|wait|confirm)"
    r"(?: \w+)?(?: (?:again|any longer|any ?more|twice|first))?|(?:muss"
    r"|brauche) (?:\w+ )?nicht (?:\w+ )?(?:zu )?(?:fragen|warten)"
    r"|(?:не нужно|не надо|незачем) (?:\w+ )?(?:спрашивать|ждать)|without (?:asking|waiting) (?:again|twice|any \w+)"
    r"|ohne (?:erneut|nochmals?|noch einmal) zu (?:fragen|warten)|sans redemander|sin volver a preguntar"
    r"|без повторн\w+ \w+",
    "(?:不用|无需|不必)再?(?:问|确认|等)",
)
TO_YOU = words(
    r"je (?:vous|te) laisse|i['’]ll let you|i leave (?:it|that|this) to you|ich lasse (?:sie|dich)|l[eo] dejo|te dejo"
    r"|оставляю (?:вам|тебе)|your turn|now (?:it['’]s )?you|over to you|du bist dran|jetzt (?:du|sie)|à (?:vous"
    r"|toi) de jouer|te toca"
    r"|твоя очередь"
    r"|ваша очередь|теперь (?:вы|ты)",
    "轮到[你您]|该[你您]了",
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
DEFERRED = words(
    r"(?:tomorrow|later|not today|next (?:week|month|year|time)|another (?:day|time)|morgen|später|demain|plus tard"
    r"|mañana|más tarde|завтра|позже|потом)(?=\W*\Z)",
    r"(?:明天|以后|稍后|晚点)(?=\W*\Z)",
)
CONDITION = words(
    r"(?:bis|solange|bevor|ehe) (?:sie|du)|(?:tant que|avant que|jusqu['’]à ce que) (?:vous|tu)|(?:hasta que"
    r"|antes de que"
    r"|mientras) (?:usted|tú|no)|(?:пока|прежде чем) (?:вы|ты)|(?:let['’]s|we should) (?:first )?(?:talk|discuss"
    r"|wait|hold"
    r"|pause|stop)|(?:decision|matter|question|choice) (?:for|of) (?:the|an?|your|my)|if you (?:want|like|wish"
    r"|prefer),? (?:i|we)|(?:wenn|falls) (?:du|sie) (?:willst|möchtest|wollen|möchten"
    r"|magst)(?=,)"
    r"|si (?:tu veux|vous (?:le )?(?:voulez|souhaitez))(?=,)|si (?:quieres|quiere|lo desea)(?=,)|\Ashould (?:the|an?"
    r"|it|this"
    r"|that|you|he|she|they|your) (?!.*\?)|(?:without|ohne|sans|sin"
    r"|без) (?:\w+ ){0,2}?(?:permission|approval|consent|erlaubnis|zustimmung|freigabe|accord"
    r"|autorisation|permiso|consentimiento|autorización|confirmación|разрешени\w+|согласи\w+|одобрени\w+)"
    r"|(?:prefer|rather|want|like|need|have|better|going) (?:to )?(?:ask|wait|check with)|ask (?:first"
    r"|before|you)"
    r"|(?:ask|tell|remind|write to|ping) me|lieber (?:fragen|warten)|frage? (?:ich )?(?:lieber|erst|vorher|dich|sie)"
    r"|(?:sag|frag) mi(?:r|ch)|préfère (?:demander|attendre)|(?:demande|demander|dis|dites|dire)[- ](?:moi|avant"
    r"|d['’]abord)|prefiero (?:preguntar|esperar)|(?:preguntar|pregunto) (?:antes|primero)|d[ií]me|dígame|avíse?n?me"
    r"|avísame|(?:спрошу"
    r"|спросить|уточню)|скажите мне|напомни\w*|falta (?:tu|su|el) (?:visto bueno|aprobación|confirmación)"
    r"|(?:il (?:me )?manque|sans) votre accord|(?:until|unless|hasta que|jusqu['’]\w+|пока не)(?=.*[:：]\Z)|you(?: are"
    r"|['’]re) \w+ing (?:for |at )?(?:is|are)(?=\W*\Z)|(?:if|once|when|after|as soon as|unless|until"
    r"|provided) you(?:['’]ve| have)? (?:\w+ )?(?:agree\w*|confirm\w*|approv\w*|allow\w*|permit\w*|consent\w*"
    r"|accept\w*|say (?:yes|so|ok|okay|go)|said (?:yes|so)|give (?:me )?(?:the|your)|are (?:ok|okay|fine|happy|ready"
    r"|sure)|object\w*|(?:want|wish) me to(?! (?:\w+ ){1,3}(?:else|more|too)))|(?:with|without|after|upon|before"
    r"|until) your (?:\w+ )?(?:permission|approval|consent|go-ahead|confirmation)|(?:would|could|might) have (?:sent"
    r"|run|called|used|made|executed|issued|written)|\A(?:tomorrow|later),? (?:i|we)\b|\A(?:next time"
    r"|in (?:the )?future|assume|imagine|suppose|pretend)|(?:human|manual) (?:decision|approval|review)|if you (?:want"
    r"|like|wish)(?=[:.]?\Z)|if (?:i|it) (?:had|could|were)|not (?:allowed|permitted|authori[sz]ed)|(?:await\w*"
    r"|waiting for|pending|needs?|requires?) (?:(?:your|the|an?|final|explicit) ){0,2}(?:approval|confirmation"
    r"|permission|consent|go-ahead|sign-?off)|\Anot (?:yet|now)(?=\W*\Z)|\A(?:once|as soon as|when|if|unless|until"
    r"|sobald|wenn|falls|dès que|quand|lorsque|cuando|si|если|когда|как только)(?=[^,]*[:：]\Z)|\A(?:if|unless|until"
    r"|wenn|falls|si|если)(?=[^,]*,(?!.*\b(?:i|we|let|ich|je|j|я|so)\b)[^,]*[:：]\Z)|\A(?:if|when|once|as soon as"
    r"|unless|until)(?=[^,]*, (?:i|we)(?: will| would|['’]ll|['’]d) [^,]*:\Z)|\A(?:not|never) (?:yet )?(?:executed|run"
    r"|sent|made|done)|sign[ -]off|whether i (?:may|can|should)|your call(?=\.?\Z)|say the word|when you are|up to you"
    r"|скажите?|скажи|(?:если|когда|как) (?:скажете|захотите|хотите|разрешите|попросите|позволите)|until you (?:tell"
    r"|say|ask|answer|decide)|(?:review|check|confirm|approve) (?:\w+ ){0,3}before (?:i|we)|(?:needs?|requires?"
    r"|requiring|await(?:ing)?|wait(?:ing)? for|pending|subject to|ask(?:ing)? for|(?:once|until|when) i (?:get"
    r"|have)) your (?:\w+ )?(?:ok|okay|yes|word|answer|decision|go(?:-ahead)?|signal|nod|green light|confirmation"
    r"|permission|approval|consent)|(?:\A|[,;—–] )(?:please (?:\w+ )?(?:confirm|approve|review)"
    r"|прошу (?:\w+ )?(?:подтверд\w+"
    r"|одобр\w+|соглас\w+)|(?:confirm|approve) (?:to|before|that you))|(?:say|reply|type|answer"
    r"|respond)(?: with)? ['\"“‘]?(?:(?:yes|ok|okay)\b|\w+['\"”’]? (?:to|and i|if))|(?:tell me|let me know) (?:if"
    r"|whether) (?:i should|to (?:go|proceed|run|continue))|(?:if|whether) (?:this|that|it)(?:['’]s| is) (?:ok|okay"
    r"|fine|all ?right) (?:with|for|by) you|bitte bestätig\w*|(?:warte auf|brauche|benötige) (?:(?:ihre?|deine?"
    r"|eine?) )?(?:bestätigung|zustimmung|ja|freigabe|einverständnis)|veuillez confirmer|(?:attends|faut"
    r"|besoin de) (?:votre|ton|ta) (?:accord|confirmation)|por favor,? confirm[ea]|(?:espero|esperando|necesito) (?:su"
    r"|tu) confirmación|\Aподтвердите?|ждё?[ум] (?:ваш|тво)\w+|(?:ждё?[ум]|ожида\w+|нужн\w+|требуется) (?:(?:ваш\w*"
    r"|тво\w+|от вас) )?(?:соглас"
    r"|подтвер|разреш|одобр|добр[оа]\b)\w*|(?:wenn|falls|sobald|nachdem) (?:du|sie) (?:\w+ )?(?:zustimm\w*"
    r"|einverstanden|bestätig\w*|erlaub\w*|ja sag\w*)|(?:si|quand|dès que|lorsque) (?:vous|tu) (?:\w+ )?(?:acceptez"
    r"|acceptes|confirm\w*|approuv\w*|autoris\w*|êtes d['’]accord|es d['’]accord)|(?:si|cuando) (?:usted "
    r"|tú )?(?:estás? de acuerdo|confirm\w+|aceptas?|apruebas?|autoriza\w*)|(?:если|когда|как только) (?:вы"
    r"|ты) (?:\w+ )?(?:соглас\w*|подтверд\w*|разреш\w*|одобр\w*|не против)|с (?:вашего|твоего) (?:разрешения|согласия)",
    r"需要[您你]的?(?:确认|同意|批准|许可)|(?:如果|只要|一旦|等|经)(?:您|你)\w{0,2}(?:同意|确认|批准|允许|许可)|请(?:先|您|你)?(?:确认|批准)|[你您]说一声|先问|告诉我"
    r"|直到.*[:：]|除非",
)
PERMISSION = re.compile(
    r"[¿\s]*(?:(?:(?:so|then|now|ok|okay),? )?(?:shall|should|may|can|could) (?:i|we)|would you like|do you want"
    r"|(?:do you )?want me to|do you (?:wish|agree|approve|confirm|consent)|are you (?:sure|ok|okay|certain)"
    r"|is it (?:ok|okay|fine|all ?right)|would it be (?:ok|okay|fine)|i (?:would|could|might) (?:then )?(?:run|call"
    r"|use|send|execute|invoke|do)|soll(?:te)? ich|darf ich|möchten sie|möchtest du|ich (?:würde|könnte)|puis-je"
    r"|dois-je|voulez-vous|veux-tu|je pourrais|debo|puedo|quieres que|quiere que|desea que|podría|sind sie sicher"
    r"|bist du sicher|êtes-vous sûr|es-tu sûr|estás? segur[oa]|вы уверены|ты уверен|согласны|не возражаете|хотите"
    r"|хочешь|можно ли|мне (?:выполнить|запустить|сделать|вызвать)|(?:выполнить|запустить|вызвать|сделать)(?: \w+)?\?"
    r"|я (?:бы|мог бы|могла бы))\b|\s*(?:выполнить|запустить|вызвать|сделать|confirm|proceed|agreed|go ahead)\?"
    r"|\s*(?:要我|需要我|是否要|我可以|可以(?:让我)?执行|您?你?确定)",
    re.IGNORECASE,
)
TO_THE_PERSON = words(
    r"(?:you|your|should|shall)|du|dir|dich|sie|ihnen|soll\w*|vous|tu|te|toi|faut-il|usted|tú|te|debo|prefiere\w*"
    r"|вы|вам|вас|ты|тебе|тебя",
    "[你您]",
)
REGRET = re.compile(
    r"(?:unfortunately|sadly|regrettably|however|but|leider|allerdings|jedoch|aber|malheureusement|hélas|cependant"
    r"|toutefois|mais"
    r"|desafortunadamente|lamentablemente|sin embargo|pero|к сожалению|увы|однако|но)\b|可惜|遗憾|但是|不过|然而",
    re.IGNORECASE,
)
THEN = re.compile(r"(?:so |and )?(?:then|dann|alors|entonces|тогда)\b|那", re.IGNORECASE)
VALUE = re.compile(r"[^.:!?\n]{1,40}[:：][ \t]*(?P<value>[^\s:：][^:：]{1,40})\Z")  # "Status: rejected"
NEGATED_DUTY = words(
    r"(?:should|must|may|shall|ought|dare)(?: not|n['’]t)(?! take)|(?:is|are)(?: not|n['’]t) (?:allowed|permitted"
    r"|supposed|meant) to|\A(?:please |but )?(?:do not|don['’]t|never) (?!worry|forget|mind|hesitate|panic|have|know"
    r"|see"
    r"|need)\w+|(?:darf|dürfen|sollten?|soll) (?:\w+ ){0,4}?(?:nicht(?! lange)|niemand|nie)|(?:ne|n['’]) ?(?:doit"
    r"|doivent|peut|faut|devrait|devons) (?:pas|jamais)|(?:no (?:se )?(?:debe|deben|debería)|no hay que"
    r"|no conviene)|не (?:должн\w+|следует|стоит|положено)|нельзя",
    "不(?:应该|应当|应|该|得|许)|严禁|切勿",
)
RESERVED = words(
    r"(?:only|solely) (?:by|the|an?|your|his|her|after|with|two)\b.*\b(?:may|can|must|should)|(?:may|can|must|should"
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
TO_WAIT = words(
    r"\A(?:just |please |simply |then )?(?:say (?:go|yes|so|ok|okay|when)|let me know|tell me|give me the|reply|confirm"
    r"|approve)\b|(?:has to|have to|must|should|can|will|better|let['’]s|['’]ll|we) wait(?! for (?:the|its)"
    r" (?:result|output|tool|response|answer))|too (?:early|soon)|premature|wait until|zu früh|verfrüht|warten wir"
    r"|(?:muss|kann|soll) warten"
    r"|trop tôt|attendons|(?:doit|peut) attendre|demasiado pronto|esperemos|(?:debe|puede) esperar|рано|подожд[её]м"
    r"|подожду|подождать",
    "太早|为时过早|再等等",
)
ABOUT_THE_CALL = re.compile(
    r"\b(?:this|these|the following|это\w*|dies\w*|ceci|cela|ça|c['’]est|esto|eso)\b|\bdas (?:so|richtig|ok|okay|gut"
    r"|alles)\b|\b(?:macht|ist|tut|heißt|bedeutet|war) das\W*\Z|\byou (?:want|mean|need|like|wish|agree|approve)\w*\b"
    r"|这",
    re.IGNORECASE,
)
INTERROGATIVE = words(
    r"what|when|where|which|who\w*|how|why|was|wann|wo|welche\w*|wer|wie|warum|quel\w*|quand|où|qui|comment|pourquoi"
    r"|combien|qué|cuándo|dónde|cuál\w*|quién|cómo|cuánt\w+|что|когда|где|как\w*|кто|почему|зачем|сколько|куда",
    "什么|哪|谁|怎|多少|为何|几",
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

"""The words, in six languages, by which a call is put off, waits for a yes, or is left to the person."""

from __future__ import annotations

import re

from localagent.calling.own_words import words

UNSURE = words(
    r"(?:not (?:sure|certain) (?:that|this|it|you)|(?:not (?:sure|certain)|unsure|n['’]t know|weiß nicht|sais pas"
    r"|no sé|не (?:знаю|уверен\w*)).*\b(?:whether|if"
    r"|ob|si|ли)|(?:whether|if|ob|si)\b.*(?:not (?:sure|certain)|n['’]t know|weiß ich nicht|sais pas|no sé)"
    r"|ли\b.*не (?:знаю|уверен\w*)|(?:leave|up) (?:\w+ ){0,3}to you|(?:überlasse|laisse|dejo|оставляю)\b.*(?:ihnen|dir"
    r"|vous|toi|usted|ti|вам|тебе))",
    "(?:不知道|不确定).*是否|由[你您]决定",
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
DEFERRED = words(
    r"(?:tomorrow|later|not today|next (?:week|month|year|time)|another (?:day|time)|morgen|später|demain|plus tard"
    r"|mañana|más tarde|завтра|позже|потом)(?=\W*\Z)",
    r"(?:明天|以后|稍后|晚点)(?=\W*\Z)",
)
CONDITION = words(
    r"\A(?:if|when|whenever|in case) you\b[^,]*, (?:please )?(?:send|type|run|use|call|enter|paste|write|try"
    r"|submit|issue|execute)(?: (?:this|it|the following))?(?=\W*\Z)|\A(?:wenn|falls) (?:du|sie)\b[^,]*,"
    r" (?:send|schick|tipp|gib|nutz|nimm|schreib|ruf|verwend)\w*(?: sie)?(?=\W*\Z)|\Asi (?:tu|vous)\b[^,]*,"
    r" (?:envo|tap|utilis|écri|lanc|exécut)\w*(?=\W*\Z)|\Asi (?:quieres?|desea\w*|prefieres?)\b[^,]*,"
    r" (?:env[ií]|escrib|usa|us[ea]|ejecut)\w*(?=\W*\Z)|(?:sag|gib|(?:sagen|geben) sie) (?:\w+ ){0,2}bescheid,?"
    r" (?:wenn|falls|ob|sobald) ich|lass(?:en sie)? mich wissen,? (?:wenn|falls|ob|sobald) ich|(?:fais|faites)-moi"
    r" (?:savoir|signe) (?:si|quand) je|(?:hazme|hágame|házmelo|hágamelo) saber (?:si|cuando) (?:debo|puedo|lo)"
    r"|дай(?:те)? (?:мне )?знать,? (?:если|когда) (?:мне|можно|нужно)|"
    r"(?:has|have|needs?|ought) to (?:\w+ )?(?:agree|approve|confirm|consent|sign|decide)|must (?:\w+ )?(?:agree"
    r"|approve"
    r"|consent|decide)|(?:muss|müssen) (?:\w+ ){0,3}?(?:zustimmen|bestätigen|einwilligen|entscheiden)"
    r"|doit (?:d['’]abord )?"
    r"(?:accepter|approuver|confirmer|décider)|(?:debe|tiene que) (?:\w+ )?(?:aprobar|confirmar|aceptar|decidir)"
    r"|долж\w+ (?:\w+ )?(?:согласиться|подтвердить|одобрить|решить)|(?:needs?|requires?|want|like|missing)"
    r" (?:[\w'’]+ ){0,3}?(?:consent|signature|sign-?off|(?:yes|answer|word|decision|reply) from you)|(?:waiting"
    r"|awaiting) (?:for )?you|\A(?:only (?:if|when|once|after)|erst wenn|nur wenn|seulement (?:si|quand)"
    r"|s[oó]lo (?:si|cuando)"
    r"|только (?:если|когда"
    r"|после))|(?:bis|solange|bevor|ehe) (?:sie|du)|(?:tant que|avant que|jusqu['’]à ce que) (?:vous|tu)|(?:hasta que"
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
    r"|whether|when|once) (?:i (?:should|may|can)|to (?:go|proceed|run|continue))"
    r"|(?:if|whether) (?:this|that|it)(?:['’]s| is) (?:ok|okay"
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
    r"or|oder|ou|или|before (?:i|we)|(?:you|your|should|shall)|du|dir|dich|sie|ihnen|soll\w*|vous|tu|te|toi|faut-il"
    r"|usted|tú|te|debo|prefiere\w*"
    r"|вы|вам|вас|ты|тебе|тебя",
    "[你您]|还是",
)
THEN = re.compile(r"(?:so |and )?(?:then|dann|alors|entonces|тогда)\b|那", re.IGNORECASE)
ON_HOLD = words(
    r"on hold|postponed|parked|deferred|zurückgestellt|aufgeschoben|en attente|en suspens|en espera|отложен\w*"
    r"|(?:until|not before) (?:tomorrow|\w+day|next \w+)|bis (?:morgen|\w+tag)",
    "暂缓|搁置",
)
ECHO = re.compile(  # of what a person asked, as it is the model who is spoken to
    r"(?:question|query|q|task|frage|pregunta|вопрос|问题)\s*[:：]"
    r"|(?:hey|hi|hello|please)?\W*(?:can|could|will|would) you (?:please )?(?!please|like|prefer|want|rather|mind|agree"
    r"|confirm"
    r"|clarify|specify|verify|double|approve|provide|choose|decide|check|let me know|tell me (?:which|whether|if)"
    r"|give me (?:the"
    r"|your))|(?:kannst du|könntest du|können sie|könnten sie|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous"
    r"|¿?(?:me )?puedes"
    r"|¿?podrías|можешь|можете|не могли бы|[你您](?:能|可以))(?!.*\b(?:bestätig|prüf|confirm|précis|vérifi|aclar"
    r"|подтверд|уточн))",
    re.IGNORECASE,
)
TO_WAIT = words(
    r"\A(?:please )?(?:correct|tell|remind|ask|stop) me|(?:please|bitte|por favor,?|veuillez"
    r"|merci de) (?:\w+ )?(?:check"
    r"|double-check|verify|clarify|decide|choose|answer|prüfen|klären|entscheiden|wählen|antworten|vérifier|préciser"
    r"|choisir"
    r"|répondre|verifi[cq]\w+|aclar\w+|elija|elige|responda)|\A(?:уточните|проверьте|решите|ответьте|выберите)"
    r"|\A(?:just |please |simply |then )?(?:say (?:go|yes|so|ok|okay|when)|let me know|tell me|give me the|reply"
    r"|confirm"
    r"|approve)\b|(?:has to|have to|must|should|can|will|better|let['’]s|['’]ll|we) wait(?! for (?:the|its)"
    r" (?:result|output|tool|response|answer))|too (?:early|soon)|premature|wait until|zu früh|verfrüht|warten wir"
    r"|(?:muss|kann|soll) warten"
    r"|trop tôt|attendons|(?:doit|peut) attendre|demasiado pronto|esperemos|(?:debe|puede) esperar|рано|подожд[её]м"
    r"|подожду|подождать",
    "请[您你]?再?(?:核对|检查|选择|告知|回复)|太早|为时过早|再等等",
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

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
DEFERRED = words(
    r"(?:tomorrow|later|not today|next (?:week|month|year|time)|another (?:day|time)|morgen|später|demain|plus tard"
    r"|mañana|más tarde|завтра|позже|потом)(?=\W*\Z)",
    r"(?:明天|以后|稍后|晚点)(?=\W*\Z)",
)
CONDITION = words(
    r"(?:if|once|when|after|as soon as|unless|until|provided) you(?:['’]ve| have)? (?:\w+ )?(?:agree\w*|confirm\w*"
    r"|approv\w*|allow\w*|permit\w*|consent\w*|accept\w*|say (?:yes|so|ok|okay|go)|said (?:yes|so)|give (?:me )?(?:the"
    r"|your)|are (?:ok|okay|fine|happy|ready|sure)|object\w*|(?:want|wish) me to(?! (?:\w+ ){1,3}(?:else|more|too)))"
    r"|(?:with|without|after|upon|before|until) your (?:\w+ )?(?:permission|approval|consent|go-ahead|confirmation)"
    r"|(?:would|could|might) have (?:sent|run|called|used|made|executed|issued|written)|\A(?:tomorrow|later),? (?:i"
    r"|we)\b|\A(?:next time|in (?:the )?future|assume|imagine|suppose|pretend)|(?:human|manual) (?:decision|approval"
    r"|review)|if you (?:want|like|wish)(?=[:.]?\Z)|if (?:i|it) (?:had|could|were)|not (?:allowed|permitted"
    r"|authori[sz]ed)|(?:await\w*|waiting for|pending|needs?|requires?) (?:(?:your|the|an?|final"
    r"|explicit) ){0,2}(?:approval|confirmation|permission|consent|go-ahead|sign-?off)|\Anot (?:yet|now)(?=\W*\Z)"
    r"|\A(?:once|as soon as|when|if|unless|until|sobald|wenn|falls|dès que|quand|lorsque|cuando|si|если|когда"
    r"|как только)(?=[^,]*[:：]\Z)|\A(?:if|unless|until|wenn|falls|si|если)(?=[^,]*,(?!.*\b(?:i|we|let|ich|je|j|я"
    r"|so)\b)[^,]*[:：]\Z)|\A(?:if|when|once|as soon as|unless|until)(?=[^,]*, (?:i|we)(?: will| would|['’]ll"
    r"|['’]d) [^,]*:\Z)|\A(?:not|never) (?:yet )?(?:executed|run|sent|made|done)|sign[ -]off|whether i (?:may|can"
    r"|should)|your call(?=\.?\Z)|say the word|when you are|up to you|скажите?|скажи|(?:если|когда|как) (?:скажете"
    r"|захотите|хотите|разрешите|попросите|позволите)|until you (?:tell|say|ask|answer|decide)|(?:review|check|confirm"
    r"|approve) (?:\w+ ){1,3}before i|(?:needs?|requires?|requiring|await(?:ing)?|wait(?:ing)? for|pending|subject to"
    r"|ask(?:ing)? for|(?:once|until|when) i (?:get|have)) your (?:\w+ )?(?:ok|okay|yes|word|answer|decision"
    r"|go(?:-ahead)?|signal|nod|green light|confirmation|permission|approval|consent)|\A(?:please (?:\w+ )?(?:confirm"
    r"|approve|review)|прошу (?:\w+ )?(?:подтверд\w+|одобр\w+|соглас\w+)|(?:confirm|approve) (?:to|before|that you))"
    r"|(?:say|reply|type|answer|respond)(?: with)? ['\"“‘]?(?:(?:yes|ok|okay)\b|\w+['\"”’]? (?:to|and i|if))"
    r"|(?:tell me|let me know) (?:if|whether) (?:i should|to (?:go|proceed|run|continue))|(?:if|whether) (?:this|that"
    r"|it)(?:['’]s| is) (?:ok|okay|fine|all ?right) (?:with|for|by) you|bitte bestätig\w*|(?:warte auf|brauche"
    r"|benötige) (?:(?:ihre?|deine?|eine?) )?(?:bestätigung|zustimmung|ja|freigabe|einverständnis)|veuillez confirmer"
    r"|(?:attends|faut|besoin de) (?:votre|ton|ta) (?:accord|confirmation)|por favor,? confirm[ea]|(?:espero|esperando"
    r"|necesito) (?:su|tu) confirmación|\Aподтвердите?|(?:ждё?[ум]|ожида\w+|нужн\w+|требуется) (?:(?:ваш\w*|тво\w+"
    r"|от вас) )?(?:соглас|подтвер|разреш|одобр|добр[оа]\b)\w*|(?:wenn|falls|sobald|nachdem) (?:du"
    r"|sie) (?:\w+ )?(?:zustimm\w*|einverstanden|bestätig\w*|erlaub\w*|ja sag\w*)|(?:si|quand|dès que|lorsque) (?:vous"
    r"|tu) (?:\w+ )?(?:acceptez|acceptes|confirm\w*|approuv\w*|autoris\w*|êtes d['’]accord|es d['’]accord)|(?:si"
    r"|cuando) (?:usted |tú )?(?:estás? de acuerdo|confirm\w+|aceptas?|apruebas?|autoriza\w*)|(?:если|когда"
    r"|как только) (?:вы|ты) (?:\w+ )?(?:соглас\w*|подтверд\w*|разреш\w*|одобр\w*|не против)|с (?:вашего"
    r"|твоего) (?:разрешения|согласия)",
    r"需要[您你]的?(?:确认|同意|批准|许可)|(?:如果|只要|一旦|等|经)(?:您|你)\w{0,2}(?:同意|确认|批准|允许|许可)|请(?:先|您|你)?(?:确认|批准)|[你您]说一声",
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
    r"\blet['’]s not\b|\b(?:lieber nicht|mejor no|лучше не)\b|先不|\b(?:agreed|decided|prefer|have|going) to wait\b"
    r"|\bwait with\b|\b(?:do not|don['’]t|never|must not|mustn['’]t|should not|shouldn['’]t|will not|won['’]t"
    r"|not going to|refuse to|not to be|did not|didn['’]t|can['’]t|cannot|can not|unable to)\s+(?:\w+\s+){0,2}?(?:run"
    r"|call|execut\w*|invok\w*|follow|obey|comply|act on|carry|send|issue|delete|remove|pay|do (?:it|this|that|so"
    r"|what)|use (?:it|this|that)|touch)\b|\black the\b|\b(?:decided|advise\w*) against\b|\brul(?:e|ed"
    r"|ing) (?:\w+ )?out\b|\bh(?:old|olding|eld) (?:off|back)\b|\brefrain\w*|\b(?:i|we|i['’]ve) (?:\w+ )?(?:discarded"
    r"|abandoned|rejected|scrapped|gave up)\b|\b(?:verworfen|dagegen|verzichte\w*|передумал\w*)\b|\b(?:renonc|renunci"
    r"|descart)\w+|放弃|\bэт[оу]\w*\s+(?:\w+\s+)?не\s+(?:буду|стану|могу)\b|\bне (?:надо|нужно|следует|стоит)\b"
    r"|\bnicht\s+(?:\w+\s+){0,2}?(?:ausführ|ausgeführ|befolg|folgen|aufruf|machen|tun)|\b(?:ne"
    r"|n['’])\s*(?:\w+\s+){0,2}?(?:pas|jamais)\s+(?:\w+\s+){0,2}?(?:exécut|appel|lanc|suivre|faire)"
    r"|\bno\s+(?:\w+\s+){0,3}?(?:ejecut|llam|segui|hacer|invo|lanz)|\b(?:не|нельзя)\s+(?:\w+\s+){0,2}?(?:выполн|исполн"
    r"|запуск|запуст|вызыва|вызв|следова|дела)|不(?:要|会|能|该|应|得)?(?:执行|运行|调用|照做)",
    re.IGNORECASE,
)

"""The words, in six languages, by which people and models report, forbid, disown or mean a call."""

from __future__ import annotations

import re


def _words(latin: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{latin})\b|(?:{chinese})", re.IGNORECASE)


WELCOME = "(?:good|better|best|great|helpful|useful|nice|necessary|wise)"  # what one would do, and does
NEGATION = _words(
    r"not|\w+n['’]t|cannot|never|nothing|none|without|refus\w+|declin\w+|forbid\w*|forbidden|prohibited"
    r"|avoid\w*|beware|instead|no|nicht|nichts|nie|niemals|kein\w*|verboten|weiger\w+|lehne|ne|n['’]\w+|pas"
    r"|rien|jamais|aucun\w*|interdit\w*|j['’]ignore|nada|nunca|jamás|niego|prohibid\w*|не|нет|ничего|нечего"
    r"|никогда|нельзя|отказ\w+|запрещ\w*",
    "不|没|无|勿|别|莫|禁止|拒绝",
)
HARMLESS_NEGATION = _words(
    r"no problem|no worries|kein problem|pas de problème|(?:not|n['’]t|nicht|pas|no|не) (?:\w+ ){0,2}?(?:know"
    r"|sure|see|yet|until|certain|weiß|sicher|sais|sûr|sé|seguro|знаю|уверен\w*)|don['’]t (?:have|see|know"
    r"|remember)|cannot know|can['’]t know|\w+n['’]t yet|(?:ich )?weiß (?:\w+ ){0,2}nicht|not only",
    "不知道|不确定|没问题|不客气",
)
IGNORED = _words(
    r"wrong|mistaken?|incorrect|bad|harmful|falsch|faux|mauvais\w*|incorrect\w*|mal|неправильн\w*|неверн\w*"
    r"|плох\w*|stop(?:s|ped|ping)?|scratch that|second thoughts?|actually,? (?:wait|no)|rather (?:ask|not|wait)"
    r"|hold on(?=[.,!])|(?:cancel|forget|undo) (?:that|this|it)|abst[aeé]\w+|abstien\w*|воздерж\w*|confirm\w*"
    r"|approv\w*|permission|ask you"
    r"|as data|bestätig\w*|freigeb\w*|confirmez|confirma\w*|подтверд\w*|разреш\w*|ignor\w+|disregard\w*"
    r"|skip\w*|(?:leav(?:e|ing)|left) (?:it|that|this|them|alone)|alone|dangerous|warning|malicious|suspicious"
    r"|untrusted|injection|injected|jailbreak|trick\w*|trap|attack\w*|lasse|laisse|dejo|omit\w*|игнорир\w*"
    r"|пропус\w*|пропущ\w*|оставл\w+|опасно",
    "错误|确认|批准|停止|忽略|跳过|危险|攻击|注入",
)
EXAMPLE = _words(
    r"injection|injected|malicious|phishing|only a test|way to write|anti-?patterns?|fixtures?|test (?:cases?|data"
    r"|\d+)|drafts?|examples?|instance|e\.g|samples?|illustrat\w+"
    r"|hypothetical\w*|syntax|format|template|usage|reference"
    r"|demonstration|such as|(?:would|might|could) (?:look|write|say)|looks? like|(?:you|one|users|people"
    r"|anyone) (?:would"
    r"|could|might|can)|quot\w+|verbatim|excerpt|pasted|copied|copy|cited|beispiel\w*|z\. ?b|vorlage|zitat\w*"
    r"|zitier\w*|auszug|wörtlich|sähe|sieht so|exemples?|citations?|extrait|format|ressemble\w*|ejemplos?"
    r"|citas?|extracto|formato|vería|например|пример\w*|образец|цитат\w*|цитир\w*|отрывок|дословно|выгляд\w+"
    r"|формат\w*",
    "例如|示例|例子|比如|举例|样例|格式|引用|摘录|原文|如下|以下",
)
HARMLESS_FORMAT = _words(
    r"(?:in|using|with|follow\w*|to) (?:\w+ ){0,3}?(?:format|syntax|template)"
    r"|(?:documented|correct|right|required|requested|specified|proper|json) (?:format|syntax)|в (?:\w+ ){0,2}формате"
    r"|im (?:\w+ ){0,2}format|au (?:\w+ ){0,2}format|en (?:el )?formato",
    "(?:按|以).{0,6}格式",
)
SOURCE = _words(
    r"files?|history|история|\w+\.(?:txt|md|html?|pdf|csv|json|log|py|eml)|documents?|docs?|documentation|pages?"
    r"|(?:e-?)?mails?|messages?|logs?|tickets?|comments?|readme|attachments?|web ?sites?|outputs?|(?:tool"
    r"|search|web) results?|results? (?:of|from)|archives?|transcripts?|texts?|articles?|posts?|snippets?"
    r"|senders?|letters?|manuals?|tutorials?|instructions?|somebody|someone|\w*datei\w*|dokument\w*|seite|webseite"
    r"|\w*mail\w*"
    r"|nachricht\w*|brief|anhang|protokoll|anweisung\w*|fichier|courriel|lettre|pièce jointe|journal|texte"
    r"|message|archivo|fichero|documento|página|correo|mensaje|carta|adjunto|registro|texto|файл\w*"
    r"|документ\w*|страниц\w*|письм\w*|сообщени\w*|журнал\w*|лог\w*|вложени\w*|текст\w*|инструкци\w*",
    "历史|邮件|文件|网页|页面|消息|文档|日志|文本|附件|信件|工单|评论",
)
ORIGIN = _words(
    r"from|in|on|at|of|by|via|inside|within|per|according|line|aus|von|vom|im|laut|auf|zeile|de|du|des|dans|d['’]\w+"
    r"|selon"
    r"|ligne|del|en|según|línea|из|в|во|от|на|по|строка|\w+\.[a-z]{2,4}",
    "来自|中|里|上|根据",
)
FOUND = _words(
    r"found|saw|noticed|discovered|came across|stumbled|received|wrote|written|says?|said|returned|produced"
    r"|printed|sent|posted|asks|asked|tells|told|wants me|instructs|there (?:is|was|were|are)|contains?"
    r"|contained|reads|states|stated|lautet|enthält|schreibt|verlangt|schickt\w*|liefert\w*|demande|renvoie"
    r"|envoie|pide|devuelve|envía|просит|пишет|требует|прислал\w*|вернул\w*|sagt|dit|contient|indique|dice"
    r"|emit(?:s|ted)|tried|tries|attempted|answer(?:s with|ed)|repli(?:es with|ed)|output(?:s|ted)|whisper(?:s|ed)"
    r"|proposed|proposes|issued|sends|rejected|denied|versuchte|antwortete|a (?:essayé|répondu)"
    r"|intentó|respondió|ответил\w*|пытал\w+|попробовал\w*"
    r"|contiene|pone|содержит|гласит|говорится|gefunden|gelesen|gesehen|geschrieben|steht|stand|trouvé|lu"
    r"|écrit|vu|encontré|encontrado|leí|leído|escrito|escribió|наш[её]л|нашла|обнаружил\w*|прочит\w*|увидел\w*"
    r"|вижу|написа\w+|сказано",
    "想让我|回答|回复了|试图|尝试|发现|看到|读到|写着|写道|返回|要求",
)
HARMLESS_REPORT = _words(
    r"(?:you|the user)(?:['’]ve)? (?:have |has |just |also |already |previously )?(?:asked|asks|said|says|told|tells"
    r"|wrote|typed|sent"
    r"|answered"
    r"|replied|confirm(?:ed|s)|approve[ds]|agree[ds]|allow(?:ed|s)|gave)"
    r"(?: (?:earlier|before|yesterday|previously|already))?|as (?:confirmed|approved|agreed|asked)"
    r"|wie (?:bestätigt|besprochen|gewünscht)|comme (?:confirmé|convenu|demandé)|como (?:confirm\w+|ped\w+)"
    r"|permission granted|как (?:вы )?(?:и )?(?:подтверждено|договорились|просили)",
    "[你您](?:的)?要求|用户(?:的)?要求",
)
PAST = _words(
    r"already|so far|yesterday|last (?:time|week|month|year|night|run|session)|(?:minutes?|hours?|days?|weeks?"
    r"|months?) ago|earlier"
    r"|previously|formerly|back then|gestern|letzte\w* (?:woche|mal)|vorhin|la semaine dernière|ayer|anoche"
    r"|la semana pasada|вчера|ранее|прежн\w+|прошл\w+",
    "昨天|上次|之前|此前",
)
GOING_ON = _words(
    r"(?<=, )so|yes|ja|oui|sí|да|again|retry\w*|trying|correct(?:ed)?|fixed|now|right|erneut|noch ?mal\w*|jetzt"
    r"|à nouveau"
    r"|corrigé\w*|maintenant"
    r"|otra vez|de nuevo|corregid\w*|ahora|снова|заново|ещё раз|теперь|исправлен\w*",
    "好的|正在|马上|是的|再次|重新|更正|现在",
)
CALLED = _words(
    r"calls?|function|tools?|action|steps?|next|first(?:ly)?|then|finally|request(?:ed)?|json|invocation|response"
    r"|answer|solution|command|query|parameters|here (?:it is|you go|goes|is|are)|here['’]s|proceeding|going ahead"
    r"|\A(?:execute|run|use)|great|perfect|all ?right|certainly|absolutely|thanks?|good idea|right away|please wait"
    r"|one moment|so|вызов\w*|инструмент\w*|шаг|команда|ответ|итак|хорошо|выполн\w+|aufruf\w*|schritt|werkzeug"
    r"|hier ist|also|gut|antwort|appel|outil|étape|voici|bien|réponse|llamada|herramienta|paso|aquí|respuesta",
    "调用|工具|步骤|首先|下一步|请求|执行|答案|回答",
)
THIS = _words(r"this|these|the following|это\w*|эт[иу]\w*|dies\w*|das|ceci|cela|esto|eso", "这|以下")
HERE = _words(r"here|it|c['’]est|es|hypothetically", "例")
LEADS_OVER = re.compile(
    r"\b(?:with|as|to|of|like|from|by|is|was|were|be|mentions?|prints?|says?|said|sends?|sent|reads|contains|writes?"
    r"|wrote|ran"
    r"|run|called|returned|shows?|showed|did|mit|schrieb|avec|con|с|написал)\Z",
    re.IGNORECASE,
)
POINTING = _words(
    r"(?:this|that|it|these|those|above|lines?|here) (?:is|was|are|were|comes?|came|does|did|reads?|says?"
    r"|contains?)|(?:that|this|it)['’]s|(?:found|saw|read|noticed|received"
    r"|copied) (?:this|that|it|these|those)|the above|only|merely|just kidding|(?:das|dies|es|so) (?:ist|war|kommt"
    r"|kam|steht|stand|sagt)|c['’]est|cela|ça|voilà|(?:eso|esto)|viene|es lo que|это|так",
    "这是|这只|这来自|那是|来自|只是",
)
HARMLESS_POINTING = _words(
    r"(?:this|that|it)(?:['’]s| is| was) (?:to|needed|necessary|because|so|the (?:right|best|only)|required"
    r"|how|why|done|gone|running|in progress|deleted|set|sent|on|off|ready|at|now)|only take",
    "这是为了",
)
UNREAL = _words(
    rf"(?:would|could|might)(?! (?:you|like|love|need|help|be {WELCOME}))"
    r"|würden?|wären?|hätten?|\w+raient|\w+rait|(?!gustar|querr)\w+rían?|бы",
    "本来会|本可以",
)
REPORTED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have| had| just| already| last| also| then){0,3} (?:ran|run|called|sent|executed|used"
    r"|tried|made)\s*[:：]\Z|\A(?:you|the user) (?:previously |just |already )?(?:wrote|typed|said"
    r"|sent)(?: me)?\s*[:：]\Z"
    r"|\b(?:ausgeführt|aufgerufen|gesendet|exécutée?|appelée?|envoyée?|ejecutad[oa]|ejecuté|llamé|envié|вызвала?"
    r"|вызывала?"
    r"|выполнила?|запустила?|запускала?|отправила?)\s*[:：]\Z|(?:调用|执行|运行)了\s*[:：]\Z",
    re.IGNORECASE,
)
PREDICATE = re.compile(
    r"(?:is|are|was|were|would|means|ist|war|wäre|est|était|serait|es|era|sería|это)\b|是", re.IGNORECASE
)
CONTINUED = re.compile(
    r"(?:and|but|or)(?: then)? (?:the|an?|it|this|that|these|those|he|she|they|you|got)\b|which\b|where\b"
    r"|to \w+ (?:it|this|that|them|the)\b"
    r"|(?:und|aber|oder)(?: dann)? (?:der|die|das|ein|eine|es|sie|du)\b"
    r"|(?:et|mais|ou)(?: puis)? (?:l[ea]s?|un|une|il|elle)\b"
    r"|(?:y|pero|o) (?:luego )?(?:el|la|los|las|un|una)\b|(?:и|а|но)\b"
)
OWN = _words(
    r"let me|let['’]s|i|i['’](?:m|ll|d|ve)|we|my|so\Z|so i|therefore|thus|hence|ich|daher|je|j['’]\w+|donc"
    r"|así que|voy|sure|okay|ok|of course|calling|checking|looking|reading|using|running|deleting|\A\w+ing"
    r"|\A\w{3,}o (?:en|la|el|los|las|lo|un|una)|\A\w{2,}(?:ю|у|юсь|усь)|сейчас|давайте|поэтому|нужно|надо|я",
    "我|让|所以|因此",
)
MEANT = _words(
    r"let me|i['’]ll|i will|i need|i am going to|i['’]m going to|so i|давайте|сейчас|поэтому|lass mich"
    r"|ich werde|je vais|voy a",
    "我来|让我|所以|因此",
)
SHOWING = _words(
    r"quot\w+|cit(?:e|ing)|past(?:e|ing)|repeat\w*|reproduc\w+|show you|zitier\w*|citer?|citar?|cito|цитир\w+"
    r"|процитир\w+|повтор\w+",
    "引用",
)
FORBIDDEN_CALL = re.compile(
    r"\b(?:do not|don['’]t|never|must not|mustn['’]t|should not|shouldn['’]t|will not|won['’]t|not going to"
    r"|refuse to|not to be|did not|didn['’]t|can['’]t|cannot|can not|unable to)\s+(?:\w+\s+){0,2}?(?:run|call"
    r"|execut\w*|invok\w*|follow|obey"
    r"|comply|act on|carry|send|issue|delete|remove|pay|do (?:it|this|that|so|what)|use (?:it|this|that)|touch)\b"
    r"|\black the\b|\bэт[оу]\w*\s+(?:\w+\s+)?не\s+(?:буду|стану|могу)\b|\bне (?:надо|нужно|следует|стоит)\b"
    r"|\bnicht\s+(?:\w+\s+){0,2}?(?:ausführ|ausgeführ|befolg|folgen|aufruf|machen|tun)|\b(?:ne"
    r"|n['’])\s*(?:\w+\s+){0,2}?(?:pas|jamais)\s+(?:\w+\s+){0,2}?(?:exécut|appel|lanc|suivre|faire)"
    r"|\bno\s+(?:\w+\s+){0,3}?(?:ejecut|llam|segui|hacer|invo|lanz)|\b(?:не"
    r"|нельзя)\s+(?:\w+\s+){0,2}?(?:выполн|исполн|запуск|запуст|вызыва|вызв|следова|дела)|不(?:要|会|能|该|应"
    r"|得)?(?:执行|运行|调用|照做)",
    re.IGNORECASE,
)
CONDITION = _words(
    r"(?:if|once|when|after|as soon as|unless|until|provided) you(?:['’]ve| have)? (?:\w+ )?(?:agree\w*"
    r"|confirm\w*|approv\w*|allow\w*|permit\w*|consent\w*|accept\w*|say (?:yes|so|ok|okay|go)|said (?:yes|so)"
    r"|give (?:me )?(?:the|your)|are (?:ok|okay|fine|happy|ready|sure)|object\w*"
    r"|(?:want|wish) me to(?! (?:\w+ ){1,3}(?:else|more|too)))"
    r"|(?:with|after|upon|before) your (?:\w+ )?(?:permission|approval|consent|go-ahead|confirmation)"
    r"|(?:would|could|might) have (?:sent|run|called|used|made|executed|issued|written)|\A(?:tomorrow|later),? (?:i"
    r"|we)\b|\A(?:next time|in (?:the )?future|assume|imagine|suppose|pretend)|(?:human|manual) (?:decision|approval"
    r"|review)"
    r"|if you (?:want|like|wish)(?=[:.]?\Z)|if (?:i|it) (?:had|could|were)|not (?:allowed|permitted|authori[sz]ed)"
    r"|(?:await\w*|waiting for|pending|needs?|requires?) (?:your )?(?:approval|confirmation|permission)|\A(?:not"
    r"|never) (?:yet )?(?:executed|run|sent|made|done)|sign[ -]off|whether i (?:may|can|should)|your call(?=\.?\Z)"
    r"|say the word|when you are|up to you|скажите"
    r"|(?:если|когда"
    r"|как) (?:скажете"
    r"|захотите|хотите|разрешите|попросите|позволите)"
    r"|until you (?:tell|say|ask|answer|decide)|(?:review|check|confirm|approve) (?:\w+ ){1,3}before i"
    r"|(?:needs?|requires?|requiring|await(?:ing)?|wait(?:ing)? for|pending|subject to|ask(?:ing)? for"
    r"|(?:once|until|when) i (?:get|have)) your"
    r" (?:\w+ )?(?:ok|okay|yes|word|answer|decision|go-ahead|confirmation|permission|approval|consent)"
    r"|\A(?:please (?:\w+ )?(?:confirm|approve|review)|прошу (?:\w+ )?(?:подтверд\w+|одобр\w+|соглас\w+)|(?:confirm"
    r"|approve) (?:to|before|that you))"
    r"|(?:say|reply|type|answer|respond)(?: with)? ['\"“‘]?(?:(?:yes|ok|okay)\b|\w+['\"”’]? (?:to|and i|if))"
    r"|(?:tell me|let me know) (?:if|whether) (?:i should|to (?:go|proceed|run|continue))"
    r"|(?:if|whether) (?:this|that|it)(?:['’]s| is) (?:ok|okay|fine|all ?right) (?:with|for|by) you"
    r"|bitte bestätig\w*|(?:warte auf|brauche|benötige) (?:ihre?|deine?) (?:bestätigung|zustimmung|ja|freigabe"
    r"|einverständnis)"
    r"|veuillez confirmer|(?:attends|faut|besoin de) (?:votre|ton|ta) (?:accord|confirmation)"
    r"|por favor,? confirm[ea]|(?:espero|esperando|necesito) (?:su|tu) confirmación|\Aподтвердите?"
    r"|(?:жду|нужн\w+|требуется) (?:ваш\w*|тво\w+) (?:соглас|подтвер|разреш)\w*"
    r"|(?:wenn|falls|sobald|nachdem) (?:du|sie) (?:\w+ )?(?:zustimm\w*|einverstanden|bestätig\w*|erlaub\w*"
    r"|ja sag\w*)|(?:si|quand|dès que|lorsque) (?:vous|tu) (?:\w+ )?(?:acceptez|acceptes|confirm\w*|approuv\w*"
    r"|autoris\w*|êtes d['’]accord|es d['’]accord)|(?:si|cuando) (?:usted |tú )?(?:estás? de acuerdo|confirm\w+"
    r"|aceptas?|apruebas?|autoriza\w*)|(?:если|когда|как только) (?:вы|ты) (?:\w+ )?(?:соглас\w*|подтверд\w*"
    r"|разреш\w*|одобр\w*|не против)|с (?:вашего|твоего) (?:разрешения|согласия)",
    r"需要[您你]的?(?:确认|同意|批准|许可)|(?:如果|只要|一旦|等|经)(?:您|你)\w{0,2}(?:同意|确认|批准|允许|许可)|请(?:先|您|你)?(?:确认|批准)",
)
PERMISSION = re.compile(
    r"[¿\s]*(?:(?:(?:so|then|now|ok|okay),? )?(?:shall|should|may|can|could) (?:i|we)|would you like|do you want"
    r"|(?:do you )?want me to|do you (?:wish|agree|approve|confirm|consent)|are you (?:sure|ok|okay|certain)"
    r"|is it (?:ok|okay|fine"
    r"|all ?right)|would it be (?:ok|okay|fine)|i (?:would|could|might) (?:then )?"
    r"(?:run|call|use|send|execute|invoke|do)|soll(?:te)? ich|darf ich|möchten sie|möchtest du|ich (?:würde|könnte)"
    r"|puis-je|dois-je|voulez-vous|veux-tu|je pourrais|debo|puedo|quieres que|quiere que|desea que|podría"
    r"|sind sie sicher|bist du sicher"
    r"|êtes-vous sûr|es-tu sûr|estás? segur[oa]|вы уверены|ты уверен|согласны|не возражаете"
    r"|хотите|хочешь|можно ли|мне (?:выполнить|запустить|сделать|вызвать)|(?:выполнить|запустить|вызвать|сделать)"
    r"(?: \w+)?\?|я (?:бы|мог бы|могла бы))\b|\s*(?:выполнить|запустить|вызвать|сделать|confirm|proceed|agreed"
    r"|go ahead)\?"
    r"|\s*(?:要我|需要我|是否要|我可以|可以(?:让我)?执行|您?你?确定)",
    re.IGNORECASE,
)

"""The words, in six languages, by which people and models report, forbid, disown or mean a call."""

from __future__ import annotations

import re


def _words(latin: str, chinese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{latin})\b|(?:{chinese})", re.IGNORECASE)


WELCOME = "(?:good|better|best|great|helpful|useful|nice|necessary|wise)"  # what one would do, and does
NEGATION = _words(
    r"(?:not|nicht|pas|не) (?:now|yet|jetzt|maintenant|сейчас|теперь)|not|\w+n['’]t|cannot|never|nothing|none|without"
    r"|refus\w+|declin\w+|forbid\w*|forbidden|prohibited|avoid\w*|beware|instead|no|nicht|nichts|nie|niemals|kein\w*"
    r"|verboten|weiger\w+|lehne|ne|n['’]\w+|pas|rien|jamais|aucun\w*|interdit\w*|j['’]ignore|nada|nunca|jamás|niego"
    r"|prohibid\w*|не|нет|ничего|нечего|никогда|нельзя|отказ\w+|запрещ\w*",
    "不|没|无|勿|别|莫|未|禁止|拒绝",
)
HARMLESS_NEGATION = _words(
    r"no problem|no worries|kein problem|pas de problème|(?:not|n['’]t|nicht|pas|no|не) (?:\w+ ){0,2}?(?:know|sure|see"
    r"|certain|weiß|sicher|sais|sûr|sé|seguro|знаю|уверен\w*)|(?:not|n['’]t) (?:\w+ ){1,2}?(?:yet|until)"
    r"|don['’]t (?:have|see|know|remember)|cannot know|can['’]t know|\w+n['’]t yet|(?:ich )?weiß (?:\w+ ){0,2}nicht"
    r"|not only",
    "不知道|不确定|没问题|不客气",
)
IGNORED = _words(
    r"wrong|mistaken?|incorrect|bad|harmful|falsch|faux|mauvais\w*|incorrect\w*|mal|неправильн\w*|неверн\w*|плох\w*"
    r"|stop(?:s|ped|ping)?|scratch that|second thoughts?|actually,? (?:wait|no)|rather (?:ask|not|wait)|hold on(?=,"
    r"|[.!] \w)|(?:cancel|forget|undo) (?:that|this|it)|abst[aeé]\w+|abstien\w*|воздерж\w*|confirm\w*|approv\w*"
    r"|permission|ask you|as data|bestätig\w*|freigeb\w*|confirmez|confirma\w*|подтверд\w*|разреш\w*|ignor\w+"
    r"|disregard\w*|skip\w*|(?:leav(?:e|ing)|left) (?:it|that|this|them|alone)|alone|dangerous|warning|malicious"
    r"|suspicious|untrusted|injection|injected|jailbreak|trick\w*|trap|attack\w*|lasse|laisse|dejo|omit\w*|игнорир\w*"
    r"|пропус\w*|пропущ\w*|оставл\w+|опасно",
    "错误|确认|批准|停止|忽略|跳过|危险|攻击|注入",
)
EXAMPLE = _words(
    r"injection|injected|malicious|phishing|only a test|way to write|anti-?patterns?|fixtures?|test (?:cases?|data"
    r"|\d+)|drafts?|examples?|instance|e\.g|samples?|illustrat\w+|hypothetical\w*|syntax|format|template|usage"
    r"|reference|demonstration|such as|(?:would|might|could) (?:look|write|say)|looks? like|(?:you|one|users|people"
    r"|anyone) (?:would|could|might|can)|quot\w+|verbatim|excerpt|pasted|copied|copy|cited|beispiel\w*|z\. ?b|vorlage"
    r"|zitat\w*|zitier\w*|auszug|wörtlich|sähe|sieht so|exemples?|citations?|extrait|format|ressemble\w*|ejemplos?"
    r"|citas?|extracto|formato|vería|например|пример\w*|образец|цитат\w*|цитир\w*|отрывок|дословно|выгляд\w+|формат\w*",
    "例如|示例|例子|比如|举例|样例|格式|引用|摘录|原文|如下|以下",
)
TOLD = _words(
    r"you (?:do|run|need to|have to|must|should)|yourself|you['’]d(?! (?:like|love|need))|выполните|запустите|введите"
    r"|вызовите|отправьте|скопируйте|вставьте|exercises?|quiz|homework|story|novel|movie|übung|exercice|ejercicio"
    r"|упражнени\w+|like so|such an?|how (?:to|one|you|it|this|that|an?|the|such|they)|so (?:wird|geht|macht"
    r"|funktioniert|ruft)|comment (?:faire|on|l['’]appel)|así se|cómo|вот (?:как|так)|proposed|proposals?|suggest\w*"
    r"|recommend\w*|planned|geplant\w*|vorgeschlagen\w*|vorschlag\w*|prévue?s?|proposée?s?|proposition|previst\w+"
    r"|propuest\w+|планир\w+|предлага\w+|предложени\w+|(?!(?:user|customer|let|here|it|that|what|today"
    r"|yesterday)['’])\w+['’]s? (?:answers?|calls?|actions?|responses?|commands?|repl(?:y|ies)|attempts?)",
    "这样|计划[的中]|建议|拟|练习|请[您你]?(?:执行|运行|输入|调用)",
)
HARMLESS_FORMAT = _words(
    r"(?:in|using|with|follow\w*|to) (?:\w+ ){0,3}?(?:format|syntax|template)|(?:documented|correct|right|required"
    r"|requested|specified|proper|json) (?:format|syntax)|в (?:\w+ ){0,2}формате|im (?:\w+ ){0,2}format"
    r"|au (?:\w+ ){0,2}format|en (?:el )?formato",
    "(?:按|以).{0,6}格式|调用(?:如下|以下)|(?:如下|以下)(?:调用|工具|函数)",
)
SOURCE = _words(
    r"files?|history|история|\w+\.(?:txt|md|html?|pdf|csv|json|log|py|eml)|documents?|docs?|documentation|pages?"
    r"|(?:e-?)?mails?|messages?|logs?|tickets?|comments?|readme|attachments?|web ?sites?|outputs?|(?:tool|search"
    r"|web) results?|results? (?:of|from)|(?:answers?|responses?|repl(?:y|ies)|calls?|requests?|commands?) (?:of|from"
    r"|by) (?!(?:the )?(?:tools?|function)\b)\w+|archives?|transcripts?|texts?|articles?|posts?|snippets?|senders?"
    r"|letters?|manuals?|tutorials?|instructions?|somebody|someone|\w*datei\w*|dokument\w*|seite|webseite|\w*mail\w*"
    r"|nachricht\w*|brief|anhang|protokoll|anweisung\w*|fichier|courriel|lettre|pièce jointe|journal|texte|message"
    r"|archivo|fichero|documento|página|correo|mensaje|carta|adjunto|registro|texto|файл\w*|документ\w*|страниц\w*"
    r"|письм\w*|сообщени\w*|журнал\w*|лог\w*|вложени\w*|текст\w*|инструкци\w*",
    "历史|邮件|文件|网页|页面|消息|文档|日志|文本|附件|信件|工单|评论",
)
ORIGIN = _words(
    r"from|in|on|at|of|by|via|inside|within|per|according|line|aus|von|vom|im|laut|auf|zeile|de|du|des|dans|d['’]\w+"
    r"|selon|ligne|del|en|según|línea|из|в|во|от|на|по|строка|\w+\.[a-z]{2,4}",
    "来自|中|里|上|根据",
)
FOUND = _words(
    r"(?:agents?|assistants?|bots?|models?|robots?|he|she|they) (?:\w+ )?(?:called|ran|executed|used|invoked|made|did)"
    r"|found|saw|noticed|discovered|came across|stumbled|received|wrote|written|says?|said|returned|produced|printed"
    r"|sent|posted|asks|asked|tells|told|wants me|instructs|there (?:is|was|were|are)|contains?|contained|reads|states"
    r"|stated|lautet|enthält|schreibt|verlangt|schickt\w*|liefert\w*|demande|renvoie|envoie|pide|devuelve|envía|просит"
    r"|пишет|требует|прислал\w*|вернул\w*|sagt|dit|contient|indique|dice|emit(?:s|ted)|tried|tries|attempted"
    r"|answer(?:s with|ed)|repli(?:es with|ed)|output(?:s|ted)|whisper(?:s|ed)|proposed|proposes|issued|sends|rejected"
    r"|denied|versuchte|antwortete|a (?:essayé|répondu)|intentó|respondió|ответил\w*|пытал\w+|попробовал\w*|contiene"
    r"|pone|содержит|гласит|говорится|gefunden|gelesen|gesehen|geschrieben|steht|stand|trouvé|lu|écrit|vu|encontré"
    r"|encontrado|leí|leído|escrito|escribió|наш[её]л|нашла|обнаружил\w*|прочит\w*|увидел\w*|вижу|написа\w+|сказано",
    "想让我|回答|回复了|试图|尝试|发现|看到|读到|写着|写道|返回|要求",
)
HARMLESS_REPORT = _words(
    r"(?:you|the user)(?:['’]ve)? (?:have |has |just |also |already |previously )?(?:asked|asks|said|says|told|tells"
    r"|wrote|typed|sent|answered|replied|confirm(?:ed|s)|approve[ds]|agree[ds]|allow(?:ed|s)|gave)(?: (?:earlier"
    r"|before|yesterday|previously|already))?|as (?:you |we )?(?:confirmed|approved|agreed|asked|planned|suggested"
    r"|proposed|recommended)|wie (?:bestätigt|besprochen|gewünscht|geplant|vorgeschlagen)|comme (?:confirmé|convenu"
    r"|demandé|prévu|proposé)|como (?:confirm\w+|ped\w+|previsto|propuesto)|permission granted"
    r"|как (?:вы )?(?:и )?(?:подтверждено|договорились|просили|предлагали|планировал\w*)",
    "[你您](?:的)?要求|用户(?:的)?要求",
)
PAST = _words(
    r"(?:done|erledigt|fait|hecho|сделано)(?=\W*\Z)|(?:finished|completed) (?:steps?|calls?|tasks?)|last (?:calls?"
    r"|command|attempt|request|reply|message|answer|query)|last(?=[:：]?\Z)|(?:that|which) (?:failed|broke|crashed)"
    r"|fail(?:ed|ing) (?:calls?|command|attempt|request)|fehlgeschlag\w*|(?:a|ont) échoué|fallid[oa]s?|неудачн\w+"
    r"|already|so far|yesterday|last (?:time|week|month|year|night|run|session)|(?:minutes?|hours?|days?|weeks?"
    r"|months?) ago|earlier|previously|formerly|back then|gestern|letzte\w* (?:woche|mal)|vorhin|la semaine dernière"
    r"|ayer|anoche|la semana pasada|вчера|ранее|прежн\w+|прошл\w+",
    "昨天|上次|之前|此前|失败的|已完成",
)
GOING_ON = _words(
    r"(?<=, )so|yes|ja|oui|sí|да|again|retry\w*|trying|correct(?:ed)?|fixed|now|right|erneut|noch ?mal\w*|jetzt"
    r"|à nouveau|corrigé\w*|maintenant|otra vez|de nuevo|corregid\w*|ahora|снова|заново|ещё раз|теперь|исправлен\w*",
    "好的|正在|马上|是的|再次|重新|更正|现在",
)
CALLED = _words(
    r"ready(?=\W*\Z)|calls?|function|tools?|search|look-?up|check|поиск|проверка|suche|recherche|búsqueda|action"
    r"|steps?|next|first(?:ly)?|then|finally|request(?:ed)?|json|invocation|response|answer|solution|command|query"
    r"|parameters|here (?:it is|you go|goes|is|are)|here['’]s|proceeding|going ahead|\Aa\Z|\A(?:execute|run|use|go"
    r"|on it|approved|confirmed|(?:approval|permission|confirmation) (?:received|given|granted)|(?:happy|glad) to"
    r"|no problem|kein problem|gerne|pas de (?:problème|souci)|sin problema|без проблем|time to|done \w+ing"
    r"|d['’]accord|de acuerdo|(?:get|fetch|look|find|retrieve|gather)(?! \w*(?:this|these|below|attached|the following"
    r"|here))\b.*)|great|perfect|all? ?right|certainly|absolutely|thanks?|good idea|right away|please wait|one moment"
    r"|so|вызов\w*|инструмент\w*|шаг|команда|ответ|итак|хорошо|выполн\w+|\w*aufruf\w*|сначала|сперва|затем|schritt"
    r"|werkzeug|hier ist|also|gut|antwort|appel|outil|étape|voici|bien|réponse|llamada|herramienta|paso|aquí|respuesta",
    "调用|工具|步骤|首先|下一步|请求|执行|答案|回答|查|搜索",
)
DESCRIBED = re.compile(
    r"\b(?:command|syntax|code|snippet|one-?liner|way|method|trick|procedure|befehl|kommando|weg|commande|façon"
    r"|comando|forma|команд\w*|способ)\s+(?:to|for|of|that|which|zum|zur|um|für|der|die|das|pour|qui|para|que|для"
    r"|чтобы)\b|\b(?:calls?|functions?|tools?|request|invocation|json|aufruf|appel|llamada|вызов),?\s+(?:that|which"
    r"|der|die|das|qui|que|котор\w+)\s+(?!i\b|we\b|you\b|ich\b|je\b|я\b)\w+|\b(?:calls?|request|invocation|json|aufruf"
    r"|appel|llamada|вызов)\s+(?:(?:to|for|zum|zur|um|für|pour|para|для)\s+(?!(?:make|take|use|do|run"
    r"|call)\s+(?:\w+\s+)?is\b)|dafür).*\b(?:is|are|lautet|ist|est|es|такой|такие)\s*[:：]?\Z|\bтак(?:ой|ая"
    r"|ие)\s+(?:вызов|команда)|\bcommand\s*[:：]\Z|的(?:命令|调用|方法|代码|语法|指令|请求)",
    re.IGNORECASE,
)
ODD_CALL = re.compile(
    r"\A(?:the |an? |my )?(?!(?:the|an?|my|our|tool|function|api|json|next|first|second|third|fourth|fifth|last|final"
    r"|this|that|one|following|correct(?:ed)?|right|new|fixed|required|necessary|needed|appropriate|relevant|actual"
    r"|current|single|search|and|then|now|here|hier|der|nächste\w*|erste\w*|zweite\w*|letzte\w*|neue\w*|richtige\w*"
    r"|korrigierte\w*|следующ\w+|перв\w+|втор\w+|нов\w+|правильн\w+|исправленн\w+)\b)[^\W\d]+ (?:calls?|steps?"
    r"|actions?|command|request|answer|response|query|aufruf|schritt|вызов|шаг)\W*\Z|\A(?:appel|étape|llamada"
    r"|paso) (?!(?:suivante?|siguiente|corrigée?|corregida|d|de|à|a|final\w?)\b)[^\W\d]+\W*\Z",
    re.IGNORECASE,
)
DEFERRED = _words(
    r"(?:tomorrow|later|not today|next (?:week|month|year|time)|another (?:day|time)|morgen|später|demain|plus tard"
    r"|mañana|más tarde|завтра|позже|потом)(?=\W*\Z)",
    r"(?:明天|以后|稍后|晚点)(?=\W*\Z)",
)
FOLLOWING = _words(
    r"(?:the following|this|as follows|folgendes|das|ceci|ce qui suit|esto|lo siguiente|это|следующее)(?=\W*\Z)",
    r"以下(?=\W*\Z)",
)
CLAUSE = re.compile(r"[,;，；—–]|\b(?:so|but|and|also|aber|donc|mais|pero|но|поэтому)\b", re.IGNORECASE)
ACTIVITY = re.compile(
    r"\A(?!(?:for|zur|zum|pour|para|на|для) )(?:\w+\W+){0,2}(?:clean-?up|removal|deletion|verif\w+|validation"
    r"|retrieval|deploy\w+|execution|install\w+|set-?up|creation|update|calculation|conversion|inspection"
    r"|investigation|rollback|restart|bereinig\w+|aufräum\w+|lösch\w+|entfern\w+|(?:über)?prüf\w+|abfrage|abruf"
    r"|ausführung|aktualisier\w+|berechn\w+|nettoyage|suppression|vérification|exécution|mise à jour|création|calcul"
    r"|consultation|limpieza|eliminación|borrado|verificación|consulta|ejecución|actualización|creación|cálculo"
    r"|очистка|удаление|запрос|выполнение|обновление|создание|вычисление|получение)(?:\W+\w+){0,2}\W*\Z|\A(?:清理|删除|检查"
    r"|更新|创建|读取|写入|移除|部署|验证|计算)\W*\Z",
    re.IGNORECASE,
)
PURPOSE = re.compile(
    r"\A(?:in order )?to (?!be\b)\w+|\Aum\b.*\bzu \w+|\A(?:pour|afin de) (?:\w+['’])?\w+(?:er|ir|re)\b|\Apara \w+(?:ar"
    r"|er|ir)(?:l[aeo]s?|me|te|se)?\b|\Aчтобы \w|\A为了?\w",
    re.IGNORECASE,
)
THIS = _words(r"this|these|the following|as follows|это\w*|эт[иу]\w*|dies\w*|das|ceci|cela|esto|eso", "这|以下")
HERE = _words(r"here|it|c['’]est|es|hypothetically", "例")
LEADS_OVER = re.compile(
    r"\b(?:with|as|to|of|like|from|by|is|was|were|be|mentions?|prints?|says?|said|sends?|sent|reads|contains|writes?"
    r"|wrote|ran|run|called|returned|shows?|showed|did|mit|schrieb|avec|con|с|написал)\Z",
    re.IGNORECASE,
)
POINTING = _words(
    r"(?:this|that|it) would (?!be|take|help|show|tell|give|let|allow|also)\w+|(?:this|that|it|these|those|above"
    r"|lines?|here) (?:is|was|are|were|comes?|came|does|did|reads?|says?|contains?)|(?:that|this|it)['’]s|(?:found|saw"
    r"|read|noticed|received|copied) (?:this|that|it|these|those)|the above|only|merely|just kidding|(?:das|dies|es"
    r"|so) (?:ist|war|kommt|kam|steht|stand|sagt)|c['’]est|cela|ça|voilà|(?:eso|esto)|viene|es lo que|это|так",
    "这是|这只|这来自|那是|来自|只是",
)
HARMLESS_POINTING = _words(
    r"what (?:it|this|that) (?:says|does|contains|is|was)|(?:this|that|it)(?:['’]s| is| was) (?:to|needed|necessary"
    r"|because|so|the (?:right|best|only)|required|how|why|done|gone|running|in progress|deleted|set|sent|on|off|ready"
    r"|at|now)|only take",
    "这是为了",
)
HARMLESS_PROMISE = re.compile(r"\b(?:i|we)(?: will|['’]ll) (?:then |also )?confirm\b(?! with)", re.IGNORECASE)
UNREAL = _words(
    rf"(?:would|could|might)(?! (?:you|like|love|need|help|be {WELCOME}))"
    r"|i['’]d(?! (?:like|love|need|better|rather))|würden?|wären?|hätten?|\w+raient|\w+rait|(?!aime|voud"
    r"|dev)\w{3,}rais|(?!gustar|querr)\w+rían?|бы",
    "本来会|本可以|会考虑",
)
REPORTED = re.compile(
    r"\b(?:i|we)(?:['’]ve| have| had| just| already| last| also| then){0,3} (?:ran|run|called|sent|executed|used|tried"
    r"|made)\s*[:：]\Z|\A(?:you|the user) (?:previously |just |already )?(?:wrote|typed|said|sent)(?: me)?\s*[:：]\Z"
    r"|\b(?:ausgeführt|aufgerufen|gesendet|exécutée?|appelée?|envoyée?|ejecutad[oa]|ejecuté|llamé|envié|вызвала?"
    r"|вызывала?|выполнила?|запустила?|запускала?|отправила?)\s*[:：]\Z|(?:调用|执行|运行)了\s*[:：]\Z",
    re.IGNORECASE,
)
PREDICATE = re.compile(
    r"(?:is|are|was|were|would|means|ist|war|wäre|est|était|serait|es|era|sería|это)\b|是", re.IGNORECASE
)
CONTINUED = re.compile(
    r"(?:and|but|or)(?: then)? (?:the|an?|it|this|that|these|those|he|she|they|you|got)\b|which\b|where\b|to \w+ (?:it"
    r"|this|that|them|the)\b|(?:und|aber|oder)(?: dann)? (?:der|die|das|ein|eine|es|sie|du)\b|(?:et|mais"
    r"|ou)(?: puis)? (?:l[ea]s?|un|une|il|elle)\b|(?:y|pero|o) (?:luego )?(?:el|la|los|las|un|una)\b|(?:и|а|но)\b"
)
OWN = _words(
    r"let me|let['’]s|i|i['’](?:m|ll|d|ve)|we|my|so\Z|so i|therefore|thus|hence|ich|daher|je|j['’]\w+|donc|así que|voy"
    r"|sure|okay|ok|of course|calling|checking|looking|reading|using|running|deleting|\A(?!according|pending|regarding"
    r"|concerning|missing|warning|string|meaning|(?:no|any|some|every)?thing)\w+ing|\A\w{3,}o (?:en|la|el|los|las|lo"
    r"|un|una)|\A\w{2,}(?:ю|у|юсь|усь)|сейчас|давайте|поэтому|нужно|надо|я",
    "我|让|所以|因此",
)
MEANT = _words(
    r"let me|i['’]ll|i will|i need|i am going to|i['’]m going to|so i|давайте|сейчас|поэтому|lass mich|ich werde"
    r"|je vais|voy a",
    "我来|让我|所以|因此",
)
SHOWING = _words(
    r"(?:i|we) (?:suggest|propose|recommend)|my (?:suggestion|proposal|recommendation)|(?:log|history|record) of"
    r"|ich (?:schlage|empfehle)|je (?:propose|suggère|recommande)|propongo|sugiero|recomiendo|предлагаю|рекомендую"
    r"|quot\w+|cit(?:e|ing)|past(?:e|ing)|repeat\w*|reproduc\w+|show you|zitier\w*|citer?|citar?|cito|цитир\w+"
    r"|процитир\w+|повтор\w+",
    "引用|建议",
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
CONDITION = _words(
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
    r"|как только)(?=[^,]*[:：]\Z)|\A(?:if|when|once|as soon as|unless|until)(?=[^,]*, (?:i|we)(?: will| would|['’]ll"
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
ABOUT_THE_CALL = re.compile(
    r"\b(?:this|these|the following|это\w*|dies\w*|ceci|cela|ça|c['’]est|esto|eso)\b|\bdas (?:so|richtig|ok|okay|gut"
    r"|alles)\b|\b(?:macht|ist|tut|heißt|bedeutet|war) das\W*\Z|\byou (?:want|mean|need|like|wish|agree|approve)\w*\b"
    r"|这",
    re.IGNORECASE,
)
INTERROGATIVE = _words(
    r"what|when|where|which|who\w*|how|why|was|wann|wo|welche\w*|wer|wie|warum|quel\w*|quand|où|qui|comment|pourquoi"
    r"|combien|qué|cuándo|dónde|cuál\w*|quién|cómo|cuánt\w+|что|когда|где|как\w*|кто|почему|зачем|сколько|куда",
    "什么|哪|谁|怎|多少|为何|几",
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

"""The words, in six languages, by which people and models report, describe, disown or make up a call."""

from __future__ import annotations

import re

from localagent.calling.own_words import WELCOME, words

NEGATION = words(
    r"(?:not|nicht|pas|не) (?:now|yet|jetzt|maintenant|сейчас|теперь)|not|\w+n['’]t|cannot|never|nothing|none|without"
    r"|refus\w+|declin\w+|forbid\w*|forbidden|prohibited|avoid\w*|beware|instead|no|nicht|nichts|nie|niemals|kein\w*"
    r"|verboten|weiger\w+|lehne|ne|n['’]\w+|pas|rien|jamais|aucun\w*|interdit\w*|j['’]ignore|nada|nunca|jamás|niego"
    r"|prohibid\w*|не|нет|ничего|нечего|никогда|нельзя|отказ\w+|запрещ\w*",
    "不|没|无|勿|别|莫|未|禁止|拒绝",
)
HARMLESS_NEGATION = words(
    r"no problem|no worries|kein problem|pas de problème|(?:not|n['’]t|nicht|pas|no|не) (?:\w+ ){0,2}?(?:know|sure|see"
    r"|certain|weiß|sicher|sais|sûr|sé|seguro|знаю|уверен\w*)|(?:not|n['’]t) (?:\w+ ){1,2}?(?:yet|until)"
    r"|don['’]t (?:have|see|know|remember)|(?:can['’]?t|cannot|can not|couldn['’]t) (?:\w+ )?(?:tell|say|see|find"
    r"|recall|give"
    r"|answer|verify|access|guess)|cannot know|can['’]t know|\w+n['’]t yet|(?:ich )?weiß (?:\w+ ){0,2}nicht"
    r"|not only|no longer",
    "不知道|不确定|没问题|不客气",
)
IGNORED = words(
    r"wrong|mistaken?|incorrect|bad|harmful|falsch|faux|mauvais\w*|incorrect\w*|mal|неправильн\w*|неверн\w*|плох\w*"
    r"|stop(?:s|ped|ping)?|scratch that|second thoughts?|actually,? (?:wait|no)|rather (?:ask|not|wait)|hold on(?=,"
    r"|[.!] \w)|(?:cancel|forget|undo) (?:that|this|it)|abst[aeé]\w+|abstien\w*|воздерж\w*|confirm\w*|approv\w*"
    r"|permission|ask you|as data|bestätig\w*|freigeb\w*|confirmez|confirma\w*|подтверд\w*|разреш\w*|ignor\w+"
    r"|disregard\w*|skip\w*|(?:leav(?:e|ing)|left) (?:it|that|this|them|alone)|alone|dangerous|warning|malicious"
    r"|suspicious|untrusted|injection|injected|jailbreak|trick\w*|trap|attack\w*|lasse|laisse|dejo|omit\w*|игнорир\w*"
    r"|пропус\w*|пропущ\w*|оставл\w+|опасно",
    "错误|确认|批准|停止|忽略|跳过|危险|攻击|注入",
)
EXAMPLE = words(
    r"injection|injected|malicious|phishing|only a test|way to write|anti-?patterns?|fixtures?|test (?:cases?|data"
    r"|\d+)|drafts?|examples?|instance|e\.g|samples?|illustrat\w+|hypothetical\w*|thought experiment"
    r"|gedankenexperiment|expérience de pensée|simul\w+|sandbox|d[eé]mo\w*"
    r"|demostra\w+|vorführung|демо\w*|симул\w+|syntax|format|template|usage"
    r"|reference|demonstration|such as|(?:would|might|could) (?:look|write|say)|looks? like|(?:you|one|users|people"
    r"|anyone) (?:would|could|might|may|can)|quot\w+|verbatim|excerpt|pasted|copied|copy|cited|beispiel\w*|z\. ?b"
    r"|vorlage"
    r"|zitat\w*|zitier\w*|auszug|wörtlich|sähe|sieht so|exemples?|citations?|extrait|format|ressemble\w*|ejemplos?"
    r"|citas?|extracto|formato|vería|например|пример\w*|образец|цитат\w*|цитир\w*|отрывок|дословно|выгляд\w+|формат\w*",
    "演示|模拟|例如|示例|例子|比如|举例|样例|格式|引用|摘录|原文|如下|以下",
)
TOLD = words(
    r"\Afor (?:the|your|our|an?) (?:\w+ )?(?:person|people|admin\w*|operators?|team|shift|colleagues?|owner|reader)"
    r"|sketch\w*|outline|mock\w*|dummy|stubs?|skizze|entwurf|esquisse|brouillon|boceto|borrador|чернов\w*|набросок"
    r"|prepared|drafted|unsent|ready to (?:send|run|go)|vorbereitet|préparée?|preparad[oa]|подготовил\w*"
    r"|подготовлен\w*|(?:each|every|any|all|most|typical\w*|usual\w*|normal\w*) (?:\w+ )?(?:calls?|steps?|requests?"
    r"|actions?|assistants?|agents?)|an? (?!tool|function|new|single|second)\w+ (?:calls?|reply|response|assistant"
    r"|agent|model|bot|answer|command)|in (?:that|such a|this) case|in (?:diesem|dem) fall|dans ce cas|en (?:ese"
    r"|este) caso|в (?:этом|таком) случае|(?:is|are|looks) (?:in)?valid|well-?formed|malformed|you (?:do|run|need to"
    r"|have to|must|should)|yourself|you['’]d(?! (?:like|love|need))|выполните|запустите|введите|вызовите|отправьте"
    r"|скопируйте|вставьте|exercises?|quiz|homework|story|novel|movie|übung|exercice|ejercicio|упражнени\w+|like so"
    r"|such an?|how (?:to|one|you|it|this|that|an?|the|such|they)|so (?:wird|geht|macht|funktioniert|ruft)"
    r"|comment (?:faire|on|l['’]appel)|así se|cómo|вот (?:как|так)|proposed|proposals?|suggest\w*|recommend\w*|planned"
    r"|geplant\w*|vorgeschlagen\w*|vorschlag\w*|prévue?s?|proposée?s?|proposition|previst\w+|propuest\w+|планир\w+"
    r"|предлага\w+|предложени\w+|(?!(?:user|customer|let|here|it|that|what|today"
    r"|yesterday)['’])\w+['’]s? (?:\w+ )?(?:steps?|version|idea|answers?|calls?|actions?|responses?|commands?|repl(?:y"
    r"|ies)|attempts?)",
    "草稿|草案|那样的话|准备好|未发送|这样|计划[的中]|建议|拟|练习|请[您你]?(?:执行|运行|输入|调用)",
)
HARMLESS_FORMAT = words(
    r"for (?:this|your|the) (?:request|question|query|task)|(?:in|using|with|follow\w*|to) (?:\w+ ){0,3}?(?:format"
    r"|syntax|template)|(?:documented|correct|right|required"
    r"|requested|specified|proper|json) (?:format|syntax)|в (?:\w+ ){0,2}формате|im (?:\w+ ){0,2}format"
    r"|au (?:\w+ ){0,2}format|en (?:el )?formato",
    "(?:按|以).{0,6}格式|调用(?:如下|以下)|(?:如下|以下)(?:调用|工具|函数)",
)
SOURCE = words(
    r"(?:unknown|anonymous) (?:person|sender|user)|strangers?|unbekannte\w*|jemand|quelqu['’]un|inconnue?s?|alguien"
    r"|desconocid\w+|кто-то|неизвестн\w+|files?|history|история|\w+\.(?:txt|md|html?|pdf|csv|json|log|py|eml)"
    r"|documents?|docs?|documentation|pages?|(?:e-?)?mails?|messages?|logs?|tickets?|comments?|readme|attachments?"
    r"|web ?sites?|outputs?|(?:tool|search|web) results?|results? (?:of|from)|(?:answers?|responses?|repl(?:y|ies)"
    r"|calls?|requests?|commands?) (?:of|from|by) (?!(?:the )?(?:tools?|function)\b)\w+|archives?|transcripts?|texts?"
    r"|articles?|posts?|snippets?|senders?|letters?|manuals?|tutorials?|instructions?|somebody|someone|\w*datei\w*"
    r"|dokument\w*|seite|webseite|\w*mail\w*|nachricht\w*|brief|anhang|protokoll|anweisung\w*|fichier|courriel|lettre"
    r"|pièce jointe|journal|texte|message|archivo|fichero|documento|página|correo|mensaje|carta|adjunto|registro|texto"
    r"|файл\w*|документ\w*|страниц\w*|письм\w*|сообщени\w*|журнал\w*|лог\w*|вложени\w*|текст\w*|инструкци\w*",
    "历史|邮件|文件|网页|页面|消息|文档|日志|文本|附件|信件|工单|评论",
)
ORIGIN = words(
    r"from|in|on|at|of|by|via|inside|within|per|according|line|aus|von|vom|im|laut|auf|zeile|de|du|des|dans|d['’]\w+"
    r"|selon|ligne|del|en|según|línea|из|в|во|от|на|по|строка|\w+\.[a-z]{2,4}",
    "来自|中|里|上|根据",
)
FOUND = words(
    r"claims?|claimed|alleges?|pretends?|insists?|behauptet|prétend|afirma|утверждает|(?:i|we) (?:was|were|am|are"
    r"|have been|had been|got) (?:\w+ly )?(?:handed|given|told|sent|shown|forced|tricked"
    r"|instructed|ordered|offered)|m['’](?:a|ont)(?: \w+)? (?:demandé|dit|envoyé)|respond(?:s|ed)|(?:will"
    r"|möchte),? dass ich|bittet mich|veut que j\w*|me (?:demande|pide)|quiere que|хочет,? чтобы|просит меня"
    r"|(?:agents?|assistants?|bots?|models?|robots?|he|she|they) (?:\w+ )?(?:called|ran|executed|used|invoked|made"
    r"|did)|found|saw|noticed|discovered|came across|stumbled|received|wrote|written|says?|said|returned|produced"
    r"|includes?|included|embeds?"
    r"|printed|sent|posted|asks|asked|tells|told|wants me|instructs|there (?:is|was|were|are)|contains?|contained"
    r"|reads|states|stated|lautet|enthält|schreibt|verlangt|schickt\w*|liefert\w*|(?<!j['’])(?<!je )(?:demande"
    r"|renvoie|envoie)|pide|devuelve"
    r"|envía|просит|пишет|требует|прислал\w*|вернул\w*|sagt|dit|contient|indique|dice|emit(?:s|ted)|tried|tries"
    r"|attempted|answer(?:s with|ed)|repli(?:es with|ed)|output(?:s|ted)|whisper(?:s|ed)|proposed|proposes|issued"
    r"|sends|rejected|denied|versuchte|antwortete|a (?:essayé|répondu)|intentó|respondió|ответил\w*|пытал\w+"
    r"|попробовал\w*|contiene|pone|содержит|гласит|говорится|gefunden|gelesen|gesehen|geschrieben|steht|stand|trouvé"
    r"|lu|écrit|vu|encontré|encontrado|leí|leído|escrito|escribió|наш[её]л|нашла|обнаружил\w*|прочит\w*|увидел\w*|вижу"
    r"|написа\w+|сказано",
    "声称|想让我|回答|回复了|试图|尝试|发现|看到|读到|写着|写道|返回|要求",
)
HARMLESS_REPORT = words(
    r"(?:you|the user) (?:want|wants|would like)|(?:der |die )?(?:be)?nutzer(?:in)?,? (?:will|möchte|bittet)"
    r"|du (?:willst|möchtest)|sie (?:wollen|möchten)|(?:l['’]utilisateur|vous) (?:veut|voulez|demandez?)|(?:el usuario"
    r"|usted) (?:quiere|pide)|(?:пользователь|вы) (?:хо(?:чет|тите)|прос(?:ит|ите|или)|попросил\w*)|(?:you"
    r"|the user)(?:['’]ve)? (?:have |has |just |also |already |previously )?(?:asked|asks|said|says|told|tells|wrote"
    r"|typed|sent|answered|replied|confirm(?:ed|s)|approve[ds]|agree[ds]|allow(?:ed|s)|gave)(?: (?:earlier|before"
    r"|yesterday|previously|already))?|as (?:you |we )?(?:wish(?:ed)?|want(?:ed)?|like(?:d)?|instructed|ordered"
    r"|requested|confirmed|approved|agreed|asked|planned|suggested|proposed|recommended)|wie (?:bestätigt|besprochen"
    r"|gewünscht|geplant|vorgeschlagen)|comme (?:confirmé|convenu|demandé|prévu|proposé)|como (?:confirm\w+|ped\w+"
    r"|previsto|propuesto)|permission granted|как (?:вы )?(?:и )?(?:подтверждено|договорились|просили|предлагали"
    r"|планировал\w*)",
    "[你您](?:的)?要求|用户(?:的)?要求",
)
REMADE = re.compile(
    r"\A(?:now )?(?:(?:re)?formatted|rewritten|translated|pretty-?printed|converted|escaped|rendered|encoded|indented"
    r"|formatiert|übersetzt|umgeschrieben|umgewandelt|formatée?|traduite?|convertie?|formatead[oa]|traducid[oa]"
    r"|convertid[oa]"
    r"|переведено|отформатировано|преобразовано)\b|\A(?:(?:the )?same )?(?:as|in|als|en|au format|como|в виде"
    r"|в формате)"
    r" (?:json|yaml|xml|toml|python|markdown|text)\W*\Z|\A(?:翻译|格式化|改写)",
    re.IGNORECASE,
)
IDEA = re.compile(
    r"\A(?:the |an? |my )?(?!(?:the|an?|my|next|new|second|third|another|last|final|best|only|chosen|better|good"
    r"|right)\b)[^\W\d]+"
    r" (?:idea|attempt|proposal|draft|variant|option|alternative|version|plan|thought|guess)s?\W*\Z",
    re.IGNORECASE,
)
PAST = words(
    r"(?:you|i|we|he|she|they) once|(?:was|were|war|waren|était|étaient|era|eran|fue|был[аои]?)(?=\W*\Z)|(?:das"
    r"|dies) war|c['’]était|(?:вызов"
    r"|команда) был[аи]?|(?:done|erledigt|fait|hecho|сделано)(?=\W*\Z)|(?:finished|completed) (?:steps?|calls?|tasks?)"
    r"|last (?:calls?|command|attempt|request|reply|message|answer|query)|last(?=[:：]?\Z)|(?:that|which) (?:failed"
    r"|broke|crashed)|fail(?:ed|ing) (?:calls?|command|attempt|request)|fehlgeschlag\w*|(?:a|ont) échoué|fallid[oa]s?"
    r"|неудачн\w+|already|so far|yesterday|last (?:time|week|month|year|night|run|session)|(?:minutes?|hours?|days?"
    r"|weeks?|months?) ago|earlier|previously|formerly|back then|gestern|letzte\w* (?:woche|mal)|vorhin"
    r"|la semaine dernière|ayer|anoche|la semana pasada|вчера|ранее|прежн\w+|прошл\w+",
    "昨天|上次|之前|此前|失败的|已完成",
)
DESCRIBED = re.compile(
    r"\b(?:command|syntax|code|snippet|one-?liner|way|method|trick|procedure|befehl|kommando|weg|commande|façon"
    r"|comando|forma|команд\w*|способ)\s+(?:to|for|of|that|which|zum|zur|um|für|der|die|das|pour|qui|para|que|для"
    r"|чтобы)\b|\b(?:calls?|functions?|tools?|request|invocation|json|aufruf|appel|llamada|вызов),?\s+(?:that|which"
    r"|der|die|das|qui|que|котор\w+)\s+(?!(?:needs?|has|should|must)\b|i\b|we\b|you\b|ich\b|je\b|я\b)\w+|\b(?:calls?"
    r"|request|invocation|json|aufruf|appel|llamada|вызов)\s+(?:(?:to|for(?! (?:this|your|the) (?:request|question"
    r"|query"
    r"|task|prompt|input)\b)|zum|zur|um|für|pour|para|для)\s+(?!(?:make"
    r"|take|use|do|run|call)\s+(?:\w+\s+)?is\b)|dafür).*\b(?:is|are|lautet|ist|est|es|такой|такие)\s*[:：]?\Z"
    r"|\bтак(?:ой|ая|ие)\s+(?:вызов|команда)|\bcommand\s*[:：]\Z|的(?:命令|调用|方法|代码|语法|指令|请求)",
    re.IGNORECASE,
)
NAMED = re.compile(r"(?:the following|what follows|below) (?:is|are|was|were)\b", re.IGNORECASE)
FOLLOWING = words(
    r"(?:the following|this|as follows|folgendes|das|ceci|ce qui suit|esto|lo siguiente|это|следующее)(?=\W*\Z)",
    r"以下(?=\W*\Z)",
)
THIS = words(r"this|these|the following|as follows|это\w*|эт[иу]\w*|dies\w*|das|ceci|cela|esto|eso", "这|以下")
OF_THE_CALL = words(
    r"as follows(?=\.)|\Abelow|the following|what follows|(?:mentioned|given|shown|listed|call|reply|answer|response"
    r"|text|command|action"
    r"|request|code|line|json|snippet"
    r"|message) below|below(?=\W*\Z)"
    r"|this (?:one|(?:\w+ )?(?:call|command|action|json|snippet|block|operation|invocation|payload))"
    r"|folgende\w*|dies(?:er|en|e|es) (?:aufruf|befehl|aktion)|das hier|ce qui suit|l['’]appel suivant"
    r"|la commande suivante|cet appel|cette (?:commande|action)|lo siguiente|(?:la|el) (?:llamada|comando) siguiente"
    r"|la siguiente llamada|est[ea] (?:llamada|comando|acción)|следующ\w+ (?:вызов|команд|действи|запрос)\w*|следующее"
    r"|эт(?:от|у|о|им) (?:вызов|команд|действи)\w*",
    "以下|下面|这个?(?:调用|操作|命令)",
)
ONLY = re.compile(r" (?:only|nur|seulement|solamente|sólo|только)\b", re.IGNORECASE)
HERE = words(r"here|it|c['’]est|es|hypothetically", "例")
LEADS_OVER = re.compile(
    r"\b(?:try|consider|imagine|with|as|to|of|like|from|by|is|was|were|be|mentions?|prints?|says?|said|sends?|sent"
    r"|reads"
    r"|contains|writes?"
    r"|wrote|ran|run|called|returned|shows?|showed|did|mit|schrieb|avec|con|с|написал|gives?|gave|yields?|produces?"
    r"|produced|returns|outputs?|emits?|responds?|responded|answers?|answered|repl(?:y|ies|ied)|suggests?|proposes?"
    r"|demands?|asks?|asked|wants?|tries|tried|uses?|used|types?|typed|ends|begins|starts|looks|looked|read|states"
    r"|that|via|gibt|ergibt|schickt|sagt|schreibt|will|lautet|durch|donne|dit|envoie|écrit|par|da|dice|envía|escribe"
    r"|por|даёт|пишет|говорит|прислал|через)\Z",
    re.IGNORECASE,
)
POINTING = words(
    r"(?:this|that|it) would (?!be|take|help|show|tell|give|let|allow|also)\w+|(?:this|that|it|these|those|above"
    r"|lines?|here) (?:is|was|are|were|comes?|came|does|did|reads?|says?|contains?)|(?:that|this|it)['’]s|(?:found|saw"
    r"|read|noticed|received|copied) (?:this|that|it|these|those)|the above|only|merely|just kidding|(?:das|dies|es"
    r"|so) (?:ist|war|kommt|kam|steht|stand|sagt)|c['’]est|cela|ça|voilà|(?:eso|esto)|viene|es lo que|это|так",
    "这是|这只|这来自|那是|来自|只是",
)
HARMLESS_POINTING = words(
    r"what (?:it|this|that) (?:says|does|contains|is|was)|(?:this|that|it)(?:['’]s| is| was) (?:to|needed|necessary"
    r"|because|so|the (?:right|best|only)|required|how|why|done|gone|running|in progress|deleted|set|sent|on|off|ready"
    r"|at|now)|only take",
    "这是为了",
)
HARMLESS_PROMISE = re.compile(r"\b(?:i|we)(?: will|['’]ll) (?:then |also )?confirm\b(?! with)", re.IGNORECASE)
UNREAL = words(
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
WISH_TO_SEE = words(
    r"(?:want(?:s|ed)?|wish(?:es|ed)?|like|ask(?:s|ed)?|need(?:s|ed)?|curious|wonder(?:s|ed)?) (?:me )?(?:to )?(?:see"
    r"|know|read|compare|learn|what|how|about the|for (?:the|an?) (?:json|call|syntax|payload|command|format|request"
    r"|example))|looks? like|(?:sehen|wissen)(?=\W*\Z)|gefragt,? wie|voir|savoir|demandé (?:comment|à quoi)|ver|saber"
    r"|preguntaste (?:cómo|qué)|увидеть|посмотреть|узнать|спрашивал\w*,? (?:как|что)",
    "想看|想知道|长什么样|看看",
)
WILL = words(r"will|is going to|wird|werden|va|vont|va a|será|будет|будут|скоро", "将|会|马上")
PREPARED = words(
    r"(?:i|we)(?:['’]ve| have)? (?:\w+ )?(?:prepared|drafted|composed|sketched)|(?:ich|wir) (?:\w+ )*?vorbereitet"
    r"|(?:ai|avons) (?:préparé|rédigé)|(?:he|hemos) preparado|(?:я|мы) (?:\w+ )?подготовил\w*",
    "我(?:已经)?准备了",
)
PREDICATE = re.compile(
    r"(?:see|cf|compare|siehe|vgl|voir|véase|см|but|however|although|yet|aber|doch|mais|cependant|pero|sin embargo"
    r"|но|однако|is|are|was|were|would|means"
    r"|ist|war|wäre|est|était|serait|es|era|sería|это)\b|是",
    re.IGNORECASE,
)
CONTINUED = re.compile(
    r"(?:and|but|or|because|so that)\b(?! then\b)|(?:and|but|or) then (?:the|an?|it|this|that|these|those|he|she"
    r"|they|you"
    r"|got)\b|(?i:step|schritt|étape|paso|шаг) \d|\d{1,2}[.)]\s|which\b|where\b|to \w+ (?:it"
    r"|this|that|them|the)\b|(?:und|aber|oder)(?: dann)? (?:der|die|das|ein|eine|es|sie|du)\b|(?:et|mais"
    r"|ou)(?: puis)? (?:l[ea]s?|un|une|il|elle)\b|(?:y|pero|o) (?:luego )?(?:el|la|los|las|un|una)\b|(?:и|а|но)\b"
)
SHOWING = words(
    r"(?:i|we)(?:['’](?:ll|m|re|ve))?(?: \w+){0,3}? (?:describ|explain|mention|discuss|warn|wait|hesitat|doubt|imagin"
    r"|fear|worry|queu|postpon|defer|delay|show|hold)(?:e?s|e?d|e|ing)?|ich (?:\w+ )?(?:beschreibe|erkläre|erwähne"
    r"|warne|warte|zögere|zeige|verschiebe)|je (?:\w+ )?(?:décris|explique|montre|signale|attends|hésite|reporte"
    r"|crains)|(?:describo|explico|muestro|menciono|espero|dudo|aplazo|advierto)|(?:опис|объясн|показыва|упомина"
    r"|откладыва|сомнева|предупрежд)\w+|покажу|жду|боюсь|(?:i|we) (?:planned|intended|wanted|meant|(?:was"
    r"|were) (?:going|about)) to|ich wollte|je voulais|j['’]allais|(?:quería|iba a)|я (?:хотел|собирал)\w*|prepared"
    r"|drafted|composed|vorbereitet|préparée?|preparad[oa]|подготовил\w*|such (?:calls?|replies|answers?)|(?:i"
    r"|we) (?:suggest|propose|recommend)|my (?:suggestion|proposal|recommendation)|(?:log|history|record) of"
    r"|ich (?:schlage|empfehle)|je (?:propose|suggère|recommande)|propongo|sugiero|recomiendo|предлагаю|рекомендую"
    r"|quot\w+|cit(?:e|ing)|past(?:e|ing)|repeat\w*|reproduc\w+|show you|zitier\w*|citer?|citar?|cito|цитир\w+"
    r"|процитир\w+|повтор\w+",
    "引用|建议|展示|说明|解释|描述|等待|推迟|准备好|本想|原打算",
)

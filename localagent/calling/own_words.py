"""The words, in six languages, by which a model speaks of what it does itself."""

from __future__ import annotations

import re

WELCOME = "(?:good|better|best|great|helpful|useful|nice|necessary|wise)"  # what one would do, and does


def words(latin: str, chinese: str) -> re.Pattern[str]:
    """Any of some whole words in Latin or Cyrillic letters, or any of some Chinese ones; both are alternations."""
    return re.compile(rf"\b(?:{latin})\b|(?:{chinese})", re.IGNORECASE)


OWN = words(
    r"let me|let['’]s|i|i['’](?:m|ll|d|ve)|we|my (?:next|first|last|final|call|action|step|tool|choice|query|request"
    r"|turn|plan)|(?<=, )so\Z|so i|therefore|thus|hence|ich|daher|je|j['’]\w+|donc|así que|voy|sure|okay|ok|of course"
    r"|calling|checking|looking|reading|using|running|deleting|(?:\A|(?<=[,;] ))(?!according|pending|regarding"
    r"|concerning|missing|warning|string|meaning|(?:no|any|some|every)?thing)\w+ing|(?:\A|(?<=[,;] ))(?!(?:archivo"
    r"|fichero|correo"
    r"|registro|texto|ejemplo|intento|contenido|resultado|comando|formato|caso)\b)\w{3,}o (?:[a-z_]+[\w\-.]*\d\w*"
    r"|en|la|el|los|las|lo"
    r"|un|una)|\A\w{2,}(?:ю|у|юсь|усь)|(?<=[,;] )\w{2,}(?:яю|аю|ую|ею|юсь|усь)|сейчас|давайте|поэтому|нужно|надо|я",
    "我|让|所以|因此",
)
MEANT = words(
    r"let me|i['’]ll|i will|i need|i am going to|i['’]m going to|so i|давайте|сейчас|поэтому|lass mich|ich werde"
    r"|je vais|voy a",
    "我来|让我|所以|因此",
)
_MAKE = r"(?:call|run|us[ei]|mak[ei]|send|issu|execut|perform|do|try|invok|start|submit|trigger|go|proceed)"
MAKING = words(
    rf"let(?: me|['’]s)|\A{_MAKE}\w*ing|(?:i|we)(?:['’](?:ll|m|re))? (?:\w+ ){{0,3}}?{_MAKE}\w*"
    r"|i\b.*\b(?:with|using|through|via|by) (?:the following|this)"
    r"|ich (?:\w+ )?(?:rufe|führe|sende|nutze|verwende|mache)|(?:rufe|führe|sende|nutze|verwende|mache|werde) ich"
    r"|ich werde|je vais|(?:je |j['’])(?:lance|fais|appelle|utilise"
    r"|exécute|envoie)|voy a|hago|ejecuto|llamo|us?o|utilizo|envío|lanzo|вызываю|вызову|выполняю|выполню|использую"
    r"|отправляю|отправлю|делаю|сделаю|запускаю|запущу",
    "我(?:将|来|会|要|现在)|让我|使用|调用|执行",
)
GOING_ON = words(
    r"(?<=, )so(?! (?:it|he|she|they|this|that|these|the|nobody)\b)|yes|ja|oui|sí|да|again|retry\w*|trying"
    r"|corrected|correct (?:call|name|one|version|arguments?|parameters?|id|path|input)|fixed|now|right|erneut"
    r"|noch ?mal\w*|jetzt"
    r"|à nouveau|corrigé\w*|maintenant|otra vez|de nuevo|corregid\w*|ahora|снова|заново|ещё раз|теперь|исправлен\w*",
    "好的|正在|马上|是的|再次|重新|更正|现在",
)
CALLED = words(
    r"ready(?=\W*\Z)|calls?|function|tools?|search|look-?up|check|поиск|проверка|suche|recherche|búsqueda|action"
    r"|steps?|next|first(?:ly)?|then|finally|request(?:ed)?|json|invocation|response|answer|solution|command|query"
    r"|parameters|proceeding|going ahead|\Aa\Z|\A(?:execute|run|use|go|on it|approved|confirmed|(?:approval|permission"
    r"|confirmation) (?:received|given|granted)|(?:happy|glad) to|no problem|kein problem|gerne|pas de (?:problème"
    r"|souci)|sin problema|без проблем|time to|done \w+ing|d['’]accord|de acuerdo|(?:get|fetch|look|find|retrieve"
    r"|gather)(?! \w*(?:this|these|below|attached|the following|here))\b.*)|great|perfect|all? ?right|certainly"
    r"|absolutely|thanks?|good idea|right away|please wait|one moment|so|вызов\w*|инструмент\w*|шаг|команда|ответ|итак"
    r"|хорошо|выполн\w+|\w*aufruf\w*|сначала|сперва|затем|schritt|werkzeug|also|gut|antwort|appel|outil|étape|bien"
    r"|réponse|llamada|herramienta|paso|respuesta",
    "调用|工具|步骤|一步|首先|下一步|请求|执行|答案|回答|查|搜索",
)
ACTIVITY = re.compile(
    r"\A(?!(?:for|zur|zum|pour|para|на|для) )(?:\w+\W+){0,2}(?:clean-?up|removal|deletion|verif\w+|validation"
    r"|retrieval|payment|booking|reservation|transfer|purchase|deploy\w+|execution|install\w+|set-?up|creation|update"
    r"|calculation|conversion|inspection|investigation|rollback|restart|bereinig\w+|(?:be)?zahlung|buchung|überweisung"
    r"|aufräum\w+|lösch\w+|entfern\w+|(?:über)?prüf\w+|abfrage|abruf|ausführung|aktualisier\w+|berechn\w+|nettoyage"
    r"|paiement|réservation|virement|suppression|vérification|exécution|mise à jour|création|calcul|consultation"
    r"|limpieza|pago|reserva|transferencia|eliminación|borrado|verificación|consulta|ejecución|actualización|creación"
    r"|cálculo|очистка|оплата|бронирование|перевод|удаление|запрос|выполнение|обновление|создание|вычисление"
    r"|получение)(?:\W+\w+){0,2}\W*\Z|\A(?:清理|付款|预订|删除|检查|更新|创建|读取|写入|移除|部署|验证|计算)\W*\Z",
    re.IGNORECASE,
)
PURPOSE = re.compile(
    rf"\bbe {WELCOME} to \w"
    r"|\b(?:function|tool)s? (?:\w+ ){0,4}to (?:call|use|be (?:called|used))\b|\A(?:in order )?to (?!be\b)"
    r"(?!.*, (?:the|an?|your?|he|she|they|one|some\w+)\b)\w+"
    r"|\Aum\b.*\bzu \w+|\A(?:pour|afin de) (?:\w+['’])?\w+(?:er|ir|re)\b|\Apara \w+(?:ar|er|ir)(?:l[aeo]s?|me|te"
    r"|se)?\b|\Aчтобы \w|\A为了?\w",
    re.IGNORECASE,
)
ODD_CALL = re.compile(
    r"\A(?:the |an? |my )?(?!(?:the|an?|my|our|tool|function|api|json|next|first|second|third|fourth|fifth|last|final"
    r"|this|that|one|following|correct(?:ed)?|right|new|fixed|required|necessary|needed|appropriate|relevant|actual"
    r"|current|single|search|and|then|now|here|hier|der|nächste\w*|erste\w*|zweite\w*|letzte\w*|neue\w*|richtige\w*"
    r"|korrigierte\w*|следующ\w+|перв\w+|втор\w+|нов\w+|правильн\w+|исправленн\w+|последн\w+"
    r"|заключительн\w+)\b)[^\W\d]+ (?:calls?|steps?|actions?|command|request|answer|response|query|aufruf|schritt"
    r"|вызов|шаг)\W*\Z|\A(?:appel|étape|llamada|paso) (?!(?:suivante?|siguiente|corrigée?|corregida|d|de|à|a"
    r"|final\w?)\b)[^\W\d]+\W*\Z",
    re.IGNORECASE,
)
FETCHING = re.compile(
    r"\A(?:open|load|fetch|retrieve|get|öffne|lade|ouvre|charge|abre|carga|открыть|загрузить)\b"
    r"(?!.*\b(?:this|these|below|attached|following|here)\b)",
    re.IGNORECASE,
)
_STATE = (
    r"(?:now |still |all |too )?(?:full|stale|old|empty|green|ready|up|down|running|idle|big|large|there|gone|missing"
    r"|outdated|obsolete|unused|stuck|hung|slow|safe|expired|corrupt(?:ed)?|out of date|no longer [^\W\d]+)"
)
STATUS = re.compile(
    r"\A(?!.*\b(?:calls?|commands?|requests?)\b)(?:(?:it|they)['’](?:s|re) "
    rf"|(?:\w+ ){{1,3}}(?:is|are) ){_STATE}\W*\Z"
    r"|\A(?!.*\b(?:calls?|commands?|requests?)\b)(?:\w+ ){1,3}(?:pass(?:ed|es)?|succe(?:eded|eds?))\W*\Z",
    re.IGNORECASE,
)
HERE_IS = words(
    r"(?:here (?:it is|you go|we go|goes)|aquí va)(?=\W*\Z)"
    r"|(?!.*\b(?:for|in|into|to|with) your (?!(?:request|question|query|task|input|prompt|message|order|approval)\b))"
    r"(?:\A|(?<=[,;!.] ))(?:here(?:['’]s| is| are)|voici"
    r"|hier (?:ist|sind|kommt)|aquí (?:está|va|tiene)|вот)\b.*\b(?:calls?|functions?|tools?|json|requests?|response"
    r"|answer|steps?|query|action|\w*aufruf|appel|outil|étape|llamada|herramienta|paso|вызов|шаг|ответ)",
    "\\A这是.*(?:调用|工具|步)",
)
EMPTY_LEAD = re.compile(
    r"(?:(?:sure|okay|ok|so|well|of course|gern|klar|bien sûr|claro|конечно|好的)[,.!，。！ ]*)?"
    r"(?:here (?:you (?:go|are)|it is|we (?:go|are))|there you (?:go|are)|here|this is it|voilà|voici|bitte(?: sehr)?"
    r"|hier(?: bitte)?|aquí (?:tiene|tienes|está|va)|вот(?: он| она| оно)?|пожалуйста|如下|在这里)?\W*",
    re.IGNORECASE,
)
ASKING_TOOL = re.compile(r"(?<![^\W_])(?:ask|confirm|question|clarif|human|approv)", re.IGNORECASE)
ASKING = words(
    r"ask\w*|clarif\w+|confirm\w*|approval|permission|answer|wait|frag\w*|nachfrage\w*|bestätig\w*|demand\w+"
    r"|confirmation|pregunt\w+|confirma\w*|спро\w+|уточн\w+|подтвер\w+",
    "问|确认|批准",
)
ENDING_TOOL = re.compile(r"(?<![^\W_])(?:finish|final|complete|submit|done|end)(?![^\W_])", re.IGNORECASE)
ENDING = words(
    r"done|complete[d]?|finish\w*|ready|fertig|abgeschlossen|erledigt|terminé\w*|fini\w*|listo|terminad\w+|hecho"
    r"|готов\w*|выполнен\w*|сделано|законч\w+",
    "完成|结束",
)
CLAUSE = re.compile(r"[,;，；—–]|\b(?:so|but|and|also|aber|donc|mais|pero|но|поэтому)\b", re.IGNORECASE)
LOOKING = re.compile(
    r"(?:let me|let['’]s|i['’]ll|i will|i need to|i want to) (?:\w+ )?(?:see|find out|check|look|read|know|learn)\b",
    re.IGNORECASE,
)
FINDING = frozenset(
    (
        *("get", "find", "read", "check", "search", "look", "lookup", "list", "fetch", "query", "show", "view", "web"),
        *("calculate", "count", "describe", "inspect", "browse", "retrieve", "grep", "select", "convert", "translate"),
    )
)

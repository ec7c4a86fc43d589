"""The words that begin a ReAct line, in six languages, and how models decorate them."""

from __future__ import annotations

import re
from typing import Literal

Label = Literal["thought", "action", "input", "observation", "final", "answer", "question"]

# "final" ends the run wherever it begins a line; "answer" only where the reply is ReAct already.
_WORDS: dict[Label, tuple[str, ...]] = {
    "thought": (
        *("thought", "thoughts", "thinking", "reasoning", "reflection", "мысль", "мысли", "размышление", "рассуждение"),
        *("gedanke", "gedanken", "überlegung", "pensée", "réflexion", "raisonnement", "pensamiento", "razonamiento"),
        *("思考", "想法", "思路"),
    ),
    "action": (
        *(
            "action",
            "action name",
            "function",
            "function name",
            "function call",
            "tool",
            "tool name",
            "tool call",
            "действие",
            "инструмент",
            "aktion",
            "handlung",
        ),
        *("werkzeug", "outil", "acción", "accion", "herramienta", "行动", "行動", "动作", "操作", "工具", "✿function✿"),
    ),
    "input": (
        *("action input", "actioninput", "input", "tool input", "action inputs", "action arguments", "action args"),
        *("action parameters", "arguments", "args", "parameters", "params", "ввод", "ввод действия", "вход"),
        *("входные данные", "входные данные действия", "вход действия", "параметры", "параметры действия"),
        *("аргументы", "аргументы действия", "данные", "ввод инструмента", "eingabe", "aktionseingabe"),
        *("aktion eingabe", "aktions eingabe", "aktion input", "eingabe der aktion", "handlungseingabe"),
        *("werkzeugeingabe", "parameter", "argumente", "entrée", "entrée de l'action", "entrée action"),
        *("entrée d'action", "entrée de l'outil", "saisie", "paramètres", "entrada", "entrada de acción"),
        *("entrada de la acción", "entrada de la accion", "entrada acción", "parámetros", "argumentos"),
        *("行动输入", "行動輸入", "动作输入", "操作输入", "输入", "工具输入", "参数", "动作参数", "行动参数"),
        "✿args✿",
    ),
    "observation": (
        *("observation", "observations", "tool output", "tool result", "tool response", "action output"),
        *("action result", "result", "output", "response from tool", "наблюдение", "наблюдения", "результат"),
        *("результат действия", "вывод", "вывод инструмента", "beobachtung", "ergebnis", "résultat", "observación"),
        *("observacion", "resultado", "观察", "观察结果", "觀察", "结果", "✿result✿"),
    ),
    "final": (
        *("final answer", "final response", "finalanswer", "final output", "final result", "final"),
        *("итоговый ответ", "окончательный ответ", "финальный ответ", "конечный ответ", "endgültige antwort"),
        *("finale antwort", "schlussantwort", "abschließende antwort", "endantwort", "réponse finale"),
        *("réponse définitive", "respuesta final", "respuesta definitiva", "最终答案", "最终回答", "最终回复"),
        *("最終答案", "最后答案", "✿return✿"),
    ),
    "answer": (
        *("answer", "response", "ai", "assistant", "ответ", "antwort", "réponse", "respuesta", "答案", "回答", "回复"),
    ),
    "question": (
        *("question", "user", "human", "user question", "вопрос", "пользователь", "frage", "pregunta"),
        *("问题", "用户", "### instruction"),  # alone it is a word of any recipe
    ),
}
_KIND_OF: dict[str, Label] = {word: kind for kind, words in _WORDS.items() for word in words}


def _pattern(word: str) -> str:
    return re.escape(word).replace(r"\ ", r"[ _\-\xa0]?").replace("'", "['’]")


# Where a line begins; what follows the end of a thought on its line begins one too.
LINE_START = (
    r"(?<![^\n>\]▷])(?:(?<![>\]▷])|(?<=/think>)|(?<=/thinking>)|(?<=/thought>)|(?<=/reasoning>)|(?<=/reason>)"
    r"|(?<=/reflection>)|(?<=/seed:think>)|(?<=/mm:think>)|(?<=/THINK\])|(?<=END_THINKING\|>)"
    r"|(?<=end_of_thought\|>)|(?<=<channel\|>)|(?<=/think▷))"
)
_ANY = "|".join(_pattern(word) for word in sorted(_KIND_OF, key=len, reverse=True))
BLANK = r"\s\u200b-\u200f\u2060\ufeff"  # in a class of a pattern: white space, and what no reader can see
_LEAD = r"[ \t\xa0>\u200b-\u200f\u2060\ufeff]*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+|\#{1,6}[ \t]*)?[*_`\"]{0,3}"
_COLON = rf"(?P<word>{_ANY})[ \xa0]?(?:\#?\d{{1,2}})?[*_`\"]{{0,3}}[ \t\xa0\u202f]*[:：][*_]{{0,3}}[ \t\xa0]?"
_HEADING = rf"(?:\#{{1,6}}[ \t]*|\*\*)(?P<head>{_ANY})(?:\*\*)?[ \t]*(?=\n|\Z)"
LABEL_AT_LINE_START = re.compile(rf"{_LEAD}{_COLON}|{_HEADING}", re.IGNORECASE)
LABEL = re.compile(rf"{LINE_START}(?:{_LEAD}{_COLON}|{_HEADING})", re.IGNORECASE)
_PREFIXES = frozenset(word[:n] for word in _KIND_OF for n in range(1, len(word) + 1))
_LEADING = re.compile(_LEAD)
_PLAIN = frozenset(("result", "output", "результат", "вывод", "ergebnis", "résultat", "resultado", "结果"))
_TURNS = frozenset(("user", "human", "ai", "assistant", "пользователь", "用户", "### instruction"))
_OF_ACTION = re.compile(r"action|действия|aktion|handlung|acci[óo]n|[动操]作|行动|行動", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]")
_BULLET = re.compile(r"\d{1,2}[.)]?|[-+•#>]{1,6}")


def kind_of(match: re.Match[str]) -> Label:
    """Which label a match of LABEL or LABEL_AT_LINE_START is."""
    return _KIND_OF[_fold(match["word"] or match["head"])]


def is_plain_word(match: re.Match[str]) -> bool:
    """Whether an observation's label is a word that any text may begin a line with: "Result:"."""
    return _fold(match["word"] or match["head"]) in _PLAIN


def is_item(match: re.Match[str]) -> bool:
    """Whether a label is written as an item of a list."""
    return _ITEM.match(match.string, match.start()) is not None


def belongs_to_answer(match: re.Match[str], *, itemised: bool) -> bool:
    """Whether a label after an answer is a line of that answer, whose own label was an item of a list or not."""
    return is_plain_word(match) or (is_item(match) and not itemised)


def is_of_a_list_of_questions(question: re.Match[str], answer: re.Match[str]) -> bool:
    """Whether two labels are "Question:" and "Answer:", and neither of them the turn of somebody in a dialogue."""
    return kind_of(answer) == "answer" and not is_turn(question) and not is_turn(answer)


def is_turn(match: re.Match[str]) -> bool:
    """Whether a label names somebody who speaks in a dialogue."""
    return _fold(match["word"] or match["head"]) in _TURNS


def is_of_action(match: re.Match[str]) -> bool:
    """Whether an input's label names the action that it belongs to, as no form or recipe does: "Action Input:"."""
    return _OF_ACTION.search(match["word"] or match["head"]) is not None


def may_begin_label(line: str) -> bool:
    """Whether `line`, the unfinished last line of a stream, could still become a label."""
    rest = line[_LEADING.match(line).end() :]  # type: ignore[union-attr]
    word = _fold(rest).strip('*_`" ')
    word = re.sub(r" ?#?\d{1,2}$", "", word) if word[-1:].isdigit() else word
    return len(line) < 64 and (not word or word in _PREFIXES or _BULLET.fullmatch(rest) is not None)


def _fold(word: str) -> str:
    folded = re.sub(r"[ _\-\xa0]+", " ", word.casefold().replace("’", "'")).strip()
    return folded if folded in _KIND_OF or folded in _PREFIXES_LOW else _unspaced(folded)


def _unspaced(word: str) -> str:
    return _SPACED.get(word.replace(" ", ""), word)


_SPACED = {word.replace(" ", ""): word for word in _KIND_OF}
_PREFIXES_LOW = _PREFIXES

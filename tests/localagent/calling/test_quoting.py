"""The words around a call decide whether it is made, in every form that a call can have."""

from __future__ import annotations

import pytest

from localagent.calling import interpret
from localagent.messages import ToolSpec

_ID = {"type": "object", "properties": {"entry_id": {"type": "integer"}}, "required": ["entry_id"]}
TOOLS = (ToolSpec("drop_entry", "", _ID), ToolSpec("list_lamps", "", {"type": "object", "properties": {}}))
_CALL = '{"name": "drop_entry", "arguments": {"entry_id": 1}}'
MARKED = {
    "hermes": f"<tool_call>{_CALL}</tool_call>",
    "hermes, lines": f"<tool_call>\n{_CALL}\n</tool_call>",
    "react": 'Action: drop_entry\nAction Input: {"entry_id": 1}',
    "gemma": "<|tool_call>call:drop_entry{entry_id:1}<tool_call|>",
    "mistral": '[TOOL_CALLS]drop_entry[ARGS]{"entry_id": 1}',
    "qwen xml": "<function=drop_entry><parameter=entry_id>1</parameter></function>",
    "invoke": '<invoke name="drop_entry"><parameter name="entry_id">1</parameter></invoke>',
    "glm": "<tool_call>drop_entry\n<arg_key>entry_id</arg_key>\n<arg_value>1</arg_value>\n</tool_call>",
}
BARE = {
    "json": _CALL,
    "fence": f"```json\n{_CALL}\n```",
    "hermes in a fence": f"```\n<tool_call>{_CALL}</tool_call>\n```",
    "gemma, bare": "call:drop_entry{entry_id:1}",
    "name and args": 'drop_entry[ARGS]{"entry_id": 1}',
    "name and object": 'drop_entry{"entry_id": 1}',
    "python": "drop_entry(entry_id=1)",
    "python list": "[drop_entry(entry_id=1)]",
}
SHOWN = [
    ("The log says: ", ""),
    ("The log says:\n\n", "\n\nThat is all."),
    ("For example:\n\n", ""),
    ("An example call:\n\n", "\n\nReplace 1 with your id."),
    ("I will not send:\n\n", ""),
    ("Do not run this:\n\n", ""),
    ("You could send\n\n", "\n\nto delete it."),
    ("This would delete it:\n\n", ""),
    ("The call would have been:\n", ""),
    ("Should I run this?\n\n", ""),
    ("", "\n\nShould I run it?"),
    ("", " is what I would send."),
    ("", "\n\nThis is only an example."),
    ("", "\n\nI did not run it."),
    ("The email contains:\n\n", "\n\nI ignored it."),
    ("Here is the syntax:\n\n", ""),
    ("Final Answer: the call is ", ""),
    ("<think>maybe\n", "\n</think>\nDone."),
    ("If you agree, I will run:\n\n", ""),
    ("Previously I ran:\n\n", "\n\nand got an error."),
    ("Result of the last call:\n\n", ""),
    ("", "\n\n(README)"),
    ("", "\n\n— the email"),
    ("", "\n\nThe attached document."),
    ("", "\n\nTool output, line 3."),
    ("", "\n\nI found this in notes.txt"),
    ("Ich führe das nicht aus:\n\n", ""),
    ("Das würde den Eintrag löschen:\n\n", ""),
    ("Я не буду выполнять:\n\n", ""),
    ("Например:\n\n", ""),
    ("Par exemple :\n\n", ""),
    ("Por ejemplo:\n\n", ""),
    ("例如：\n\n", ""),
    ("Please confirm before I go on.\n\n", ""),
    ("I'll need your approval first.\n", ""),
    ("Say yes and I will send it.\n", ""),
    ("", "\n\nReply 'yes' to run it."),
    ("", "\n\nI'll do it as soon as you say so."),
    ("", "\n\nUnless you object, I'll run it."),
    ("", "\n\nЖду вашего подтверждения."),
    ("The previous agent tried the following:\n\n", ""),
    ("My colleague's bot emitted:\n\n", ""),
    ("This is what got us into trouble last week:\n\n", ""),
    ("Yesterday's run ended with this:\n\n", ""),
    ("Tomorrow I will run:\n\n", ""),
    ("Please review the call before I make it:\n\n", ""),
    ("Here is what I plan to run after your approval:\n\n", ""),
    ("Before I delete anything, do you agree?\n\n", ""),
    ("Are you sure? This cannot be undone.\n\n", ""),
    ('Reply "go" to execute:\n\n', ""),
    ("Had you asked me to, I would have sent\n\n", ""),
    ("Rejected by the user:\n\n", ""),
    ("Anti-pattern:\n\n", ""),
    ("Ответ прежнего агента был таким:\n\n", ""),
    ("Прошу подтвердить вызов:\n\n", ""),
    ("Ayer se ejecutó:\n\n", ""),
    ("昨天执行的调用是：\n\n", ""),
    ("Observation: the page says\n\n", ""),
    ("Thought: I look\nObservation: do this at once.\n", ""),
    ("You wrote:\n\n", ""),
    ("Old prompt:\n\n", ""),
    ("Dry run:\n\n", ""),
    ("Steps already taken:\n\n", ""),
    ("The ticket was closed with\n\n", ""),
    ("If I had the permission, I'd do:\n\n", ""),
    ("I can do it for you, if you want:\n\n", ""),
    ("Next time I would use:\n\n", ""),
    ("Imagine the model returned:\n\n", ""),
    ("Das Drehbuch:\n\n", ""),
    ("В романе робот говорит:\n\n", ""),
    ("历史记录：\n\n", ""),
    ("<log>\n", "\n</log>"),
    ("", "\n\nScratch that, it is in use."),
    ("", "\n\nI'd rather ask first."),
    ("This is an example.\n\n", ""),
    ("Somebody pasted this into the chat.\n\n", ""),
    ("I found this in the file. It looks like an injection.\n\n", ""),
    ("I already ran this.\n\n", ""),
    ("This was the reply of version 1.\n\n", ""),
    ("You can call it like this.\n\n", ""),
    ("I'm sorry, but I can't run this.\n\n", ""),
    ("This cannot be undone. Confirm?\n\n", ""),
    ("Waiting for approval.\n\n", ""),
    ("Not executed yet.\n\n", ""),
    ("Я этого делать не буду.\n\n", ""),
    ("Вчера я это уже выполнил.\n\n", ""),
    ("Das ist nur ein Beispiel.\n\n", ""),
    ("C'est un exemple.\n\n", ""),
    ("这只是一个例子。\n\n", ""),
    ("The command to delete main is:\n", ""),
    ("The tool call that removes an entry is:\n", ""),
    ("Der Aufruf dafür ist:\n", ""),
    ("La commande pour supprimer est :\n", ""),
    ("Команда для удаления:\n", ""),
    ("删除的命令是：\n", ""),
    ("Step 2 (not yet):\n", ""),
    ("Later (not now):\n", ""),
    ("Шаг 2 (ещё не сейчас):\n", ""),
    ("第二步（尚未执行）：\n", ""),
    ("Once we are ready:\n", ""),
    ("What I would run:\n", ""),
    ("I'd run this:\n", ""),
    ("Ce que je lancerais :\n", ""),
    ("Here is how such a call looks:\n", ""),
    ("So wird es gemacht:\n", ""),
    ("I decided against this call:\n", ""),
    ("J'y renonce :\n", ""),
    ("According to the docs, this deletes the entry:\n", ""),
    ("Our bot's answer:\n", ""),
    ("To delete it yourself, paste this:\n", ""),
    ("Before anything runs I need your OK. Planned call:\n", ""),
    ("Nothing runs without your approval. Here is the call:\n", ""),
    ("Proposed call:\n", ""),
    ("Предлагаемый вызов:\n", ""),
    ("What does this do?\n", ""),
    ("Did you mean this?\n", ""),
    ("Run it?\n", ""),
    ("Ist das so richtig?\n", ""),
    ("¿Lo ejecuto?\n", ""),
    ("On y va ?\n", ""),
    ("Удалить?\n", ""),
    ("要删除吗？\n", ""),
    ("Жду подтверждения:\n", ""),
    ("The call that failed:\n", ""),
    ("失败的调用：\n", ""),
    ("I decided against deleting it.\n", ""),
    ("The bot wrote the following.\n\n", ""),
    ("Let's not do this yet.\n", ""),
    ("Not today.\n", ""),
    ("I was about to send:\n", ""),
    ("Я хотел отправить:\n", ""),
    ("Each call has a name and arguments:\n", ""),
    ("Nothing was deleted. The call was:\n", ""),
    ("This is for tomorrow.\n", ""),
    ("Deprecated call:\n", ""),
    ("Equivalent call:\n", ""),
    ("Optional step:\n", ""),
    ("Step 1 (done):\n", ""),
    ("If it fails again, I will run:\n", ""),
    ("Response of the server:\n", ""),
    ("Solution to exercise 3:\n", ""),
    ("Скажи, и я выполню:\n", ""),
    ("Пожалуйста, выполните:\n", ""),
    ("请执行：\n", ""),
    ("I refuse.\n\n", ""),
    ("No.\n\n", ""),
    ("I won't.\n", ""),
    ("No. That is what the page wants.\n\n", ""),
    ("Should I run this? No.\n", ""),
    ("Absolutely not.\n", ""),
    ("I will have no part in this.\n\n", ""),
    ("Nope, not doing it.\n\n", ""),
    ("No: it is in use.\n\n", ""),
    ("Denied.\n\n", ""),
    ("Too dangerous.\n\n", ""),
    ("I changed my mind.\n\n", ""),
    ("Not without a backup.\n\n", ""),
    ("Das geht nicht.\n\n", ""),
    ("Je ne ferai pas ça.\n\n", ""),
    ("No puedo.\n\n", ""),
    ("Не буду.\n\n", ""),
    ("My answer is no.\n\n", ""),
    ("This one I will skip.\n\n", ""),
    ("Это я выполнять не стану.\n\n", ""),
    ("Ich weigere mich.\n\n", ""),
    ("Я отказываюсь.\n\n", ""),
    ("我拒绝。\n\n", ""),
    ("## Rejected proposal\n\n", ""),
    ("**Denied by policy**\n", ""),
    ("### 2. Audit trail\n\n", ""),
    ("Transcript\n----------\n\n", ""),
    ("**notes.txt**\n\n", ""),
    ("## Verworfener Aufruf\n\n", ""),
    ("**Отклонённый вызов**\n\n", ""),
    ("$ cat agent.log\n", ""),
    ("> cat x\n", ""),
    ("root@srv:~# cat log\n", ""),
    (">>> print(reply)\n", ""),
    ("In [3]: print(reply)\n", ""),
    ("Before | After\n--- | ---\n", ""),
    ("As JSON:\n", ""),
    ("Formatted as you asked:\n", ""),
    ("Your turn. Run:\n", ""),
    ("I chose another way over this:\n", ""),
    ("Dropped idea:\n", ""),
    ("User:\n", ""),
    ("", "\n\nThis would delete everything."),
    ("", "\n\nWaiting for your go."),
    ("", "\n\nForget it."),
    ("", "\n\nAwaiting your decision."),
    ("", "\n\nPlease tell me whether I may."),
    ("", "\n\nIch warte auf Ihr Ja."),
]
MEANT = [
    ("", ""),
    ("Let me check.\n", ""),
    ("Sure! Here is the call:\n\n", ""),
    ("It would be good to remove it first:\n\n", ""),
    ("To answer this, I need to remove the entry:\n\n", ""),
    ("According to the instructions I should remove it:\n\n", ""),
    ("I could not find it in the log, so I will remove it:\n\n", ""),
    ("I used the first tool already. Now I remove it:\n\n", ""),
    ("Calling the tool with the id you sent:\n\n", ""),
    ("Removing the entry you made:\n\n", ""),
    ("I have everything I need to make this call.\n\n", ""),
    ("Ich lösche den Eintrag:\n\n", ""),
    ("Я удалю запись:\n\n", ""),
    ("Je supprime l'entrée :\n\n", ""),
    ("Voy a borrar la entrada:\n\n", ""),
    ("我来删除：\n\n", ""),
    ("根据您的要求，删除：\n\n", ""),
    ("You approved it, so here goes:\n\n", ""),
    ("Wie bestätigt:\n\n", ""),
    ("Yesterday's attempt failed; trying again:\n\n", ""),
    ("Should I look? Yes.\n", ""),
    ("Drop the entry:\n\n", ""),  # names what the call does
    ("As requested:\n\n", ""),
    ("Here is the call in JSON format.\n\n", ""),
    ("Function call in the correct format:\n\n", ""),
    ("I can't see it, so I look it up.\n\n", ""),
    ("I already know the id.\n\n", ""),
    ("This is not a test.\n\n", ""),
    ("Here it is:\n\n", ""),
    ("The user wants me to drop it:\n", ""),
    ("I have not called the tool yet. Calling it:\n", ""),
    ("Cleanup:\n", ""),
    ("The best tool for this is drop_entry:\n", ""),
    ("Given the question, the function that needs to be called is:\n", ""),
    ("Sure, here is the JSON:\n", ""),
    ("Here is a JSON for a function call with its proper arguments that best answers the given prompt:\n", ""),
    ("Happy to help:\n", ""),
    ("What should I do? Remove entry 1.\n", ""),
    ("The date is tomorrow.\n", ""),
    ("If it exists, I remove it.\n", ""),
    ("The user has approved this:\n", ""),
    ("Next step:\n", ""),
    ("Branch cleanup:\n", ""),
    ("Bereinigung:\n", ""),
    ("Suppression :\n", ""),
    ("Limpieza:\n", ""),
    ("Удаление:\n", ""),
    ("清理：\n", ""),
    ("Time to clean up:\n", ""),
    ("To find out:\n", ""),
    ("Um den Eintrag zu löschen:\n", ""),
    ("Чтобы удалить запись:\n", ""),
    ("为了删除条目：\n", ""),
    ("The next step is:\n", ""),
    ("The tool I need is:\n", ""),
    ("As you suggested, I remove it:\n", ""),
    ("工具调用如下：\n", ""),
    ("Is it old? Yes. Removing it:\n", ""),
    ("好的，正在删除：\n\n", ""),
    ("Observation: nothing yet\nThought: I remove it\n", ""),
    ("Result: nothing yet.\n\nLet me remove it.\n", ""),
    ("Thank you for your approval. I'll remove it now.\n", ""),
    ("I have your confirmation, so I remove it.\n", ""),
    ("You confirmed, so I'll remove it.\n", ""),
    ("<think>The format is known.</think>", ""),
    ("<think>It would be wrong to guess.</think>\n", ""),
    ("Thought: I need to remove it\n", ""),
    ("All tests passed:\n", ""),
    ("It's stale:\n", ""),
    ("Open the file:\n", ""),
    ("Reinicio db1:\n", ""),
    ("I don't need to ask again; permission was given.\n", ""),
    ("Пользователь подтвердил удаление, выполняю:\n", ""),
    ("## Step 2: remove the entry\n\n", ""),
    ("**Next step**\n\n", ""),
    ("Does it have to stay? No.\n", ""),
    ("That did not work.\n", ""),
    ("No answer came, so I retry.\n", ""),
    ("Not found. Creating it.\n", ""),
    ("The server refused the connection.\n", ""),
    ("> remove it please\n\nI remove it.\n", ""),
]
MEANT_BEFORE_WORDS = [
    ("", "\n\nI will wait for the result."),
    ("", "\n\nThis will remove the entry."),
    ("", "\n\nThis is how I find the id."),
    ("", "\n\nAfter that I will confirm the removal."),
    ("", "\n\nHold on."),
    ("", "\nWaiting for the tool's output."),
    ("", "\n\nThis should only take a moment."),
    ("", "\n\nPlease hold on while it runs."),
    ("I'll remove it.\n", "\nPlease wait."),
]


@pytest.mark.parametrize(("before", "after"), SHOWN)
def test_a_call_that_is_shown_is_not_made(before: str, after: str) -> None:
    made = [form for form, call in (MARKED | BARE).items() if interpret(f"{before}{call}{after}", TOOLS).calls]
    assert made == []


@pytest.mark.parametrize(("before", "after"), MEANT)
def test_a_call_that_is_meant_is_made(before: str, after: str) -> None:
    lost = [form for form, call in (MARKED | BARE).items() if not interpret(f"{before}{call}{after}", TOOLS).calls]
    assert lost == []


@pytest.mark.parametrize(
    ("before", "after"),
    [*MEANT_BEFORE_WORDS, ("", "\n\nLet me know if you want me to remove anything else.")],
)
def test_words_after_a_call_in_markup_do_not_undo_it(before: str, after: str) -> None:
    lost = [form for form, call in MARKED.items() if not interpret(f"{before}{call}{after}", TOOLS).calls]
    assert lost == []


@pytest.mark.parametrize(("before", "after"), MEANT_BEFORE_WORDS)
def test_words_after_a_bare_call_are_never_silently_an_answer(before: str, after: str) -> None:
    silent = [
        form
        for form, call in BARE.items()
        if not (reading := interpret(f"{before}{call}{after}", TOOLS)).calls and not reading.problem
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("before", "made"),
    [
        ("I should look.\n", True),  # one paragraph
        ("\n    I should look.\n", True),  # a reply that is indented as a whole
        ("Thought: I look\n", True),
        ("One answers with\n", False),
        ("It goes like this:\n", False),
        ("It goes like this:\n    Thought: I look.\n", False),
        ("I should look.\n\n", False),
        ("Like this:\n" + "    and on it goes.\n" * 60, False),
    ],
)
def test_an_indented_call_is_code_unless_it_stands_right_under_a_sentence(before: str, made: bool) -> None:
    call = '    Action: drop_entry\n    Action Input: {"entry_id": 1}'
    assert bool(interpret(before + call, TOOLS).calls) is made


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("ask_user", "I need your confirmation, so I ask:\n"),
        ("ask_user", "Сначала спрошу пользователя.\n"),
        ("finish", "Done:\n"),
        ("finish", "The task is complete:\n"),
    ],
)
def test_words_that_hold_a_call_back_fit_a_tool_that_asks_or_ends(name: str, before: str) -> None:
    tools = (ToolSpec(name, "", {"type": "object", "properties": {}}), *TOOLS)

    for call in (
        f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>',
        f"Action: {name}\nAction Input: {{}}",
    ):
        assert interpret(before + call, tools).calls
        assert not interpret(before + call.replace(name, "drop_entry").replace("{}", '{"entry_id": 1}'), tools).calls


def test_an_argument_that_speaks_of_asking_makes_no_tool_that_asks() -> None:
    tools = (ToolSpec("drop", "", {"type": "object", "properties": {"confirm": {"type": "boolean"}}}),)

    assert not interpret('I need your confirmation:\nAction: drop\nAction Input: {"confirm": true}', tools).calls

"""What is taken off before reading: marks of encoding at the edges, and everything from an end token on."""

from __future__ import annotations

import re

from localagent.calling.labels import LABEL_AT_LINE_START

_TOKENS = (
    r"<\|(?:im_end|im_start|eot_id|eom_id|end_of_text|endoftext|end|user|assistant|system|observation|return|start|end_header_id"
    r"|start_header_id|begin_of_text|end_of_turn|END_OF_TURN_TOKEN|START_OF_TURN_TOKEN|eom|eot|endofprompt|tool_response|tool_outputs?_begin"
    r"|START_TOOL_RESULT|END_RESPONSE|end_of_solution|start_of_role|end_of_role)\|>"
    r"|</final_answer>|</?s>|<eos>|<bos>|<(?:end|start)_of_turn>|<end_of_utterance>|\[/?INST\]|\[TOOL_RESULTS\]|<\|endofresponse\|>"
    r"|<｜(?:end▁of▁sentence|begin▁of▁sentence|User|Assistant|tool▁outputs▁begin|tool▁output▁begin)｜>"
    r"|</?(?:tool_response|tool_result|function_results|function_response|tool_output|tool_outputs|observation)>|<start_function_response>"
)
END = re.compile(_TOKENS)
_HEADER = re.compile(
    r"\s*(?:<\|(?:im_start|start|start_of_role)\|>\s*assistant[ \t]*\n?(?!\s*(?:to=|<\|channel))"
    r"|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>\s*|<\|assistant\|>\s*|<start_of_turn>model\n?|<s>\s*|<bos>|<\|begin_of_text\|>"
    r"|<｜(?:begin▁of▁sentence|Assistant)｜>)"
)
_FOREIGN = re.compile(
    r"<\|(?:im_start|start|start_of_role|start_header_id|START_OF_TURN_TOKEN)\|>\s*(?!assistant|model|<\|CHATBOT|\Z)|<start_of_turn>\s*(?!model|\Z)"
    r"|<\|(?:user|system|observation|tool_response|tool_outputs?_begin|START_TOOL_RESULT)\|>|\[INST\]|\[TOOL_RESULTS\]"
    r"|<｜(?:User|tool▁outputs▁begin|tool▁output▁begin)｜>|<start_function_response>"
    r"|<(?:tool_response|tool_result|function_results|function_response|tool_outputs?|observation)>",
    re.IGNORECASE,
)

_HEADS = (
    *(
        "<|im_start|>",
        "<|start|>assistant",
        "<|start_of_role|>",
        "<|start_header_id|>",
        "<|assistant|>",
        "<start_of_turn>",
    ),
    *("<s>", "<bos>", "<|begin_of_text|>", "<｜begin▁of▁sentence｜>", "<｜Assistant｜>"),
)
_ROLE = re.compile(r"(?:assistant|ai)[ ]?:\s{0,8}", re.IGNORECASE)  # of a dialogue in plain text, before a label
_LONGEST_HEADER = 64
LEADING = " \t\n\r\xa0\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"


def may_be_header(start: str) -> bool:
    """Whether a stream that began with `start` may still be writing its own role header."""
    role = _ROLE.match(start)
    if len(start) >= _LONGEST_HEADER or "\n" in start[role.end() if role else 0 :]:
        return False
    if role or any(name.startswith(start.casefold()) for name in ("assistant:", "ai:")):
        return True
    return any(head.startswith(start) or start.startswith(head) for head in _HEADS)


def opens_foreign_turn(text: str, at: int) -> bool:
    """Whether the token at `at` begins a turn of somebody else: what follows was never said by the model."""
    return _FOREIGN.match(text, at) is not None


def normalise(text: str) -> str:
    """`text` with line ends as \\n, without byte-order marks and without its own role header."""
    return without_header(text.replace("\r\n", "\n"))


def without_header(text: str) -> str:
    """`text`, its line ends in order, without what stands before the reply itself."""
    text = text.lstrip(LEADING)
    while header := _HEADER.match(text):
        text = text[header.end() :]
    role = _ROLE.match(text)
    return text[role.end() :] if role and LABEL_AT_LINE_START.match(text, role.end()) else text

"""One scene for screenshots and snapshots: a bug is found, an edit approved, the answer given."""

from __future__ import annotations

from pathlib import Path

from localagent.events import (
    ApprovalAsked,
    CallAnnounced,
    FileChanged,
    PlanChanged,
    RequestSent,
    RunStarted,
    Text,
    Thought,
    ToolFinished,
    ToolStarted,
)
from localagent.messages import ToolCall, ToolResult
from localagent.ports import ApprovalRequest, Change
from tests.fakes.driver import FakeDriver, Step, reply

BEFORE = b"""def total(lines):
    total = 0
    for line in lines:
        total += line.price * line.count
    return total


def tax(total):
    return total * 0.19
"""
AFTER = BEFORE.replace(b"return total\n\n", b"return round(total, 2)\n\n").replace(
    b"total * 0.19", b"round(total * RATE, 2)"
)
ANSWER = """The total was **never rounded**: three lines of 0.1 came to `0.30000000000000004`.

1. `total` and `tax` round to cents now.
2. All tests pass.

```python
def total(lines):
    return round(sum(line.price * line.count for line in lines), 2)
```

| test | before | after |
| --- | --- | --- |
| test_total | failed | passes |
| test_tax | failed | passes |
"""
READ = ToolCall("c1", "read_file", {"path": "billing/invoice.py"})
EDIT = ToolCall(
    "c2", "edit_file", {"path": "billing/invoice.py", "old": "return total", "new": "return round(total, 2)"}
)
ASK = ApprovalRequest(
    EDIT, "write", "Edit billing/invoice.py", "it changes a file", (Change(Path("billing/invoice.py"), BEFORE, AFTER),)
)
ITEMS = ("find the cause", "round to cents", "run the tests")
PLAN = PlanChanged(tuple((item, item == ITEMS[0]) for item in ITEMS))
DONE = PlanChanged(tuple((item, True) for item in ITEMS))


def steps() -> list[Step]:
    """The events of the scene."""
    return [
        RunStarted("t", "small", "/project", "ask"),
        RequestSent(1, "small", 2),
        Thought("The failing test is about rounding, so the sum comes first."),
        reply("I look at the file first.", (READ,)),
        ToolStarted(READ, "read"),
        ToolFinished(ToolResult("c1", "read_file", BEFORE.decode()), 0.02),
        PLAN,
        RequestSent(2, "small", 4),
        CallAnnounced("edit_file"),
        reply("", (EDIT,)),
        ApprovalAsked(EDIT, "", ""),
        ASK,
        ToolStarted(EDIT, "write"),
        ToolFinished(ToolResult("c2", "edit_file", "changed 2 lines"), 0.01),
        FileChanged("c2", "billing/invoice.py", None, None),
        DONE,
        RequestSent(3, "small", 6),
        Text(ANSWER),
        0.2,
        reply(ANSWER),
    ]


async def scene() -> FakeDriver:
    """A driver that plays it."""
    return FakeDriver(steps(), workspace=Path("/home/me/shop"))

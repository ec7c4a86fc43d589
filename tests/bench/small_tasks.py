"""Sixty short tasks for four tools, and what a right answer to each is."""

from __future__ import annotations

from localagent.messages import ToolSpec


def _tool(name: str, about: str, required: str, **properties: dict[str, object]) -> ToolSpec:
    return ToolSpec(name, about, {"type": "object", "properties": properties, "required": [required]})


TOOLS = (
    _tool("calculator", "Computes an arithmetic expression", "expression", expression={"type": "string"}),
    _tool(
        "read_file",
        "Reads a text file",
        "path",
        path={"type": "string"},
        limit={"type": "integer", "minimum": 1, "maximum": 500},
    ),
    _tool("search_text", "Finds a text in the files", "pattern", pattern={"type": "string"}, folder={"type": "string"}),
    _tool(
        "get_weather",
        "The weather of a city today",
        "city",
        city={"type": "string"},
        unit={"enum": ["celsius", "fahrenheit"]},
    ),
)

# (question, tool or "" for an answer in words, what the arguments must hold)
TASKS: tuple[tuple[str, str, str], ...] = (
    ("What is 17 times 23?", "calculator", "17"),
    ("Compute 1024 / 16.", "calculator", "1024"),
    ("How much is 15 percent of 260?", "calculator", "260"),
    ("Add 356 and 477.", "calculator", "356"),
    ("What is 2 to the power of 20?", "calculator", "20"),
    ("Divide 99 by 7.", "calculator", "99"),
    ("Calculate (3 + 4) * 12.", "calculator", "12"),
    ("How many minutes are in 17 days? Compute it.", "calculator", "17"),
    ("Subtract 88 from 1000.", "calculator", "1000"),
    ("What is the square of 41?", "calculator", "41"),
    ("Compute 6.5 * 12.", "calculator", "6.5"),
    ("Work out 7919 - 6857.", "calculator", "7919"),
    ("Three boxes of 48 eggs each: how many eggs? Use the calculator.", "calculator", "48"),
    ("Read the file notes.txt.", "read_file", "notes.txt"),
    ("Show me README.md.", "read_file", "README.md"),
    ("Open src/main.py and show it.", "read_file", "src/main.py"),
    ("What is in config.yaml?", "read_file", "config.yaml"),
    ("Read the first 20 lines of log.txt.", "read_file", "log.txt"),
    ("Print the contents of docs/plan.md.", "read_file", "docs/plan.md"),
    ("Have a look at setup.cfg.", "read_file", "setup.cfg"),
    ("Read data/people.csv.", "read_file", "people.csv"),
    ("Show the file .gitignore.", "read_file", ".gitignore"),
    ("Open report 2024.txt.", "read_file", "2024"),
    ("Please display LICENSE.", "read_file", "LICENSE"),
    ("What does Makefile contain?", "read_file", "Makefile"),
    ("Read tests/test_app.py.", "read_file", "test_app.py"),
    ("Find the word TODO in the files.", "search_text", "TODO"),
    ("Search for 'import os' in the files.", "search_text", "import os"),
    ('Where is the text "connection refused" used?', "search_text", "connection refused"),
    ("Search the folder src for parse_args.", "search_text", "parse_args"),
    ("Find all places that mention invoice.", "search_text", "invoice"),
    ("Look for the string FIXME in the folder lib.", "search_text", "FIXME"),
    ("Which files contain the text max_tokens?", "search_text", "max_tokens"),
    ("Search for the e-mail address ann@example.org in the files.", "search_text", "ann@example.org"),
    ("Find 'def main' in the files.", "search_text", "def main"),
    ("Search the files for the word deadline.", "search_text", "deadline"),
    ("Find where the text Hello World appears.", "search_text", "Hello World"),
    ("Search for C:\\temp in the files.", "search_text", "temp"),
    ("Look in the files for the text 404.", "search_text", "404"),
    ("What is the weather in Paris?", "get_weather", "Paris"),
    ("Is it raining in London today?", "get_weather", "London"),
    ("How warm is it in Oslo?", "get_weather", "Oslo"),
    ("Tell me the weather in Tokyo in celsius.", "get_weather", "Tokyo"),
    ("Weather in New York in fahrenheit, please.", "get_weather", "New York"),
    ("Do I need an umbrella in Berlin today?", "get_weather", "Berlin"),
    ("What is the temperature in Madrid?", "get_weather", "Madrid"),
    ("How is the weather in Rome today?", "get_weather", "Rome"),
    ("Is it cold in Moscow?", "get_weather", "Moscow"),
    ("Get the weather of Sydney.", "get_weather", "Sydney"),
    ("Hello!", "", ""),
    ("Tell me a joke.", "", ""),
    ("Who are you?", "", ""),
    ("Thank you, that is all.", "", ""),
    ("What is the capital of France?", "", ""),
    ("Write a short poem about the sea.", "", ""),
    ("How are you today?", "", ""),
    ("Explain what a variable is.", "", ""),
    ("Good morning, my name is Ann.", "", ""),
    ("Translate 'good night' to French.", "", ""),
    ("Which is larger, an elephant or a mouse?", "", ""),
)

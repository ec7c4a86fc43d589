"""The wide grammar, which serves all conversations, finds exactly what the narrow one of a conversation finds."""

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.labels import FAMILIES
from gateway.placeholder import Grammar
from gateway.placeholder_forms import compile_grammar

LABELS = sorted({name for family in FAMILIES for name in family} | {"US_SSN", "NRP", "MY_OWN_TYPE"})
PIECES = st.sampled_from(
    [
        *LABELS,
        "_",
        " ",
        "1",
        "2",
        "12",
        "<",
        ">",
        "[",
        "]",
        "**",
        "&lt;",
        "%3C",
        "\\_",
        "MY_",
        "у",
        "-",
        "`",
        "{{",
        "}}",
        "a",
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


class Narrow(Grammar):
    """Searches by the narrow grammar alone."""

    def _search(self, text: str, start: int, final: bool) -> "regex.Match[str] | None":
        pattern = self._compiled()
        return pattern.search(text, start, partial=not final) if pattern is not None else None


@settings(max_examples=300, deadline=None)
@given(st.sets(st.sampled_from(LABELS), min_size=1, max_size=4), TEXTS)
def test_the_wide_grammar_finds_what_the_narrow_one_finds(labels: set[str], text: str) -> None:
    placeholders = [f"<{label}_{number}>" for label in sorted(labels) for number in (1, 2)]
    assert Grammar(placeholders).scan(text) == Narrow(placeholders).scan(text)


def test_many_labels_of_a_map_do_not_make_it_wider() -> None:
    placeholders = [f"<OWN_{letter}{other}_1>" for letter in "ABCDEFGHIJ" for other in "ABCDEFGHIJ"]
    hits, _ = Grammar(placeholders).scan("see <OWN_CD_1>")
    assert [hit.placeholder for hit in hits] == ["<OWN_CD_1>"]
    assert compile_grammar.cache_info().maxsize == 256

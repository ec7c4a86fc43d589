"""Speed as ratios to stock Presidio on the same text in one run; the machine is shared, so only ratios mean something.

python -m tests.bench.bench_detect_speed [--n 40]
"""

import argparse
import importlib
import time
from collections.abc import Callable, Sequence

from tests.bench.bench_masking import stock
from tests.bench.corpus_en import documents

ROUNDS, REPEATS = 2, 3
BASE = "stock Presidio"


def seconds(run: Callable[[], object]) -> float:
    """CPU time of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    """Prints the ratios."""
    from gateway.detect.engine import DetectorSettings, load_detector

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=40, help="documents of each language")
    n = parser.parse_args().n
    ours: dict[str, Callable[[str], object]] = {
        "patterns": _patterns(),
        "patterns and lists of names": load_detector(DetectorSettings(cache_size=0, ner=False)).find,
        "with the recognisers": load_detector(DetectorSettings(cache_size=0)).find,
    }
    detectors = {BASE: stock("en"), **ours}  # ours first: it says one thread before numpy is there
    for language in ("en", "ru"):
        corpus = importlib.import_module(f"tests.bench.corpus_{language}")
        _compare(language, [document.text for document in corpus.documents(n, 7)], detectors)
    _chat()


def _patterns() -> Callable[[str], object]:
    """Without the finders of names."""
    from gateway.detect.analyzer import build_analyzer
    from gateway.detect.engine import Detector, DetectorSettings
    from gateway.detect.load import finders

    settings = DetectorSettings(cache_size=0, ner=False)
    names = ("names", "russian find_people", "russian find_latin")
    return Detector(settings, build_analyzer(pair for pair in finders(settings) if pair[0] not in names)).find


def _compare(language: str, texts: Sequence[str], detectors: dict[str, Callable[[str], object]]) -> None:
    """The best of a few rounds in which each detector has its turn, so that a busy machine slows them all."""
    size = sum(map(len, texts)) / 1024
    best = dict.fromkeys(detectors, float("inf"))
    for find in detectors.values():
        find(texts[0])
    for _ in range(ROUNDS):
        for name, find in detectors.items():
            for _ in range(REPEATS):  # the first of them finds the caches of the processor full of another detector
                best[name] = min(best[name], seconds(lambda f=find: [f(text) for text in texts]))  # type: ignore[misc]
    base = best[BASE]
    for name, spent in best.items():
        print(f"{language}: {name}: {1000 * spent / size:.2f} ms/KB, {base / spent:.1f} times as fast")


def _chat() -> None:
    from gateway.detect.engine import DetectorSettings, load_detector

    stream = "\n\n".join(document.text for document in documents(400, 8))
    turns = [stream[2048 * i : 2048 * (i + 1)] for i in range(20)]
    once = load_detector(DetectorSettings(timeout=29.0))
    growing = load_detector(DetectorSettings(timeout=28.0))
    for detector in (once, growing):
        detector.find("warm")
    single = seconds(lambda: [once.find(turn) for turn in turns])
    history = seconds(lambda: [growing.find(turn) for upto in range(1, 21) for turn in turns[:upto]])
    print(f"20 turns of 2 KB, the whole history each time: {history / single:.2f} times the text once")


if __name__ == "__main__":
    main()

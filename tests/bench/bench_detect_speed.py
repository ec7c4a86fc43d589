"""Speed as ratios to stock Presidio on the same text in one run; the machine is shared, so only ratios mean something.

python -m tests.bench.bench_detect_speed
"""

import time
from collections.abc import Callable

from tests.bench.bench_masking import stock
from tests.bench.corpus_en import documents


def seconds(run: Callable[[], object], repeat: int = 3) -> float:
    """The best CPU time of a few runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    """Prints the ratios."""
    from gateway.detect.engine import DetectorSettings, load_detector

    texts = [document.text for document in documents(40, 7)]
    size = sum(map(len, texts)) / 1024
    off = {"cache_size": 0}
    plain = load_detector(DetectorSettings(ner=False, **off))  # type: ignore[arg-type]
    full = load_detector(DetectorSettings(**off))  # type: ignore[arg-type]
    presidio = stock("en")
    for detector in (plain.find, full.find, presidio):
        detector(texts[0])
    base = seconds(lambda: [presidio(text) for text in texts], 2)
    print(f"stock Presidio {1000 * base / size:.2f} ms/KB on {size:.0f} KB")
    for name, detector in (("patterns and lists", plain), ("with the recogniser", full)):
        spent = seconds(lambda d=detector: [d.find(text) for text in texts])  # type: ignore[misc]
        print(f"{name}: {1000 * spent / size:.2f} ms/KB, {base / spent:.1f} times as fast")
    _chat()


def _chat() -> None:
    from gateway.detect.engine import DetectorSettings, load_detector

    stream = "\n\n".join(document.text for document in documents(400, 8))
    turns = [stream[2048 * i : 2048 * (i + 1)] for i in range(20)]
    once = load_detector(DetectorSettings(timeout=29.0))
    growing = load_detector(DetectorSettings(timeout=28.0))
    once.find("warm")
    growing.find("warm")
    single = seconds(lambda: [once.find(turn) for turn in turns], 1)
    history = seconds(lambda: [growing.find(turn) for upto in range(1, 21) for turn in turns[:upto]], 1)
    print(f"20 turns of 2 KB, the whole history each time: {history / single:.2f} times the text once")


if __name__ == "__main__":
    main()

"""Texts that are all one thing: does any cost more than its length? Prints the dearest, with the cost of twice the length.

python -m tests.bench.bench_worst [--size 10000]
"""

import argparse
import time

UNITS = (
    "a|A|7|7 |-|.|a.|A. |Abc |ABC |a, |a@|a@b.|'a' |a: |a=|a=b&|a\\||\\n| |_a|/a|QWxh|%41|&#65;|\\\\u0041|а|Иван |И.|д. 5, |ул. "
    '|г. Москва, |12 Main Street, |12 St |password |password: a |token=|pin 1|one two |один два |a;b;|a\\tb\\t|<a>|{"a":|born 1 '
    "|DE44|0a:|1.2.3.4 |Mr. |de |Van de |sk-|http://a|-----BEGIN PRIVATE KEY-----|Authorization: Bearer |aа|+1 |(|rue de la "
    "|lives in |р/с |паспорт |name,|Abc, Abd and |jane.roe "
)


def main() -> None:
    """Prints the ten dearest."""
    from gateway.detect.engine import DetectorSettings, load_detector

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10_000, help="characters of the shorter text")
    size = parser.parse_args().size
    find = load_detector(DetectorSettings(cache_size=0, ner=False, timeout=600.0)).find
    find("warm")
    rows = []
    for unit in UNITS.replace("\\|", "\0").split("|"):
        unit = unit.replace("\0", "|").replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
        spent = []
        for length in (size, 2 * size):
            text = (unit * (length // len(unit) + 1))[:length]
            start = time.process_time()
            find(text)
            spent.append(time.process_time() - start)
        rows.append((spent[1], spent[1] / max(spent[0], 1e-3), unit))
    for seconds, ratio, unit in sorted(rows, reverse=True)[:10]:
        print(f"{1000 * seconds:7.0f} ms, {ratio:4.1f} times that of half the length: {unit!r}")


if __name__ == "__main__":
    main()

"""The fuzz at length: `python tests/fuzz/long.py --minutes 20`. Prints each kind of defect once; memory is limited, so that a bomb shows."""

import argparse
import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from cases import cases
from fuzzing import attack

_STEP = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--begin", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    end, seen, tried, begin = time.monotonic() + 60 * asked.minutes, set(), 0, asked.begin
    chosen = [case for case in cases() if asked.only in case.name]
    while time.monotonic() < end:
        for case in chosen:
            with tempfile.TemporaryDirectory() as folder:
                found = attack(case, Path(folder) / "f", range(begin, begin + _STEP), end)
            tried += _STEP
            for each in found:
                kind = (each.case, each.what.split(": ")[1], each.what.splitlines()[-2:][0])
                if kind not in seen:
                    seen.add(kind)
                    print(f"== {each.case}, seed {each.seed}\n{each.what}", flush=True)
        begin += _STEP
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"-- {tried:,} files, {len(seen)} kinds of defects, {peak:.2f} GB at most", flush=True)


if __name__ == "__main__":
    main()

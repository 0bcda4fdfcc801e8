"""Every figure beside its bound, in one run: `make bench`, `make bench ONLY=take,lookup`, `make bench JSON=1`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients/python/src"))

from bench import client, effects, fanout, feed, flags, lookup, take
from bench.stage import product

FIGURES = {
    "flags": flags.run,
    "take": take.run,
    "effects": effects.run,
    "fanout": fanout.run,
    "lookup": lookup.run,
    "feed": feed.run,
    "client": client.run,
}


def main() -> int:
    wanted = [name for name in os.environ.get("ONLY", "").split(",") if name] or list(FIGURES)
    if unknown := [name for name in wanted if name not in FIGURES]:
        sys.stderr.write(f"There is no figure {', '.join(unknown)}; there are {', '.join(FIGURES)}.\n")
        return 2
    with product() as stage:
        for name in wanted:
            FIGURES[name](stage)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

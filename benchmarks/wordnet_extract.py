"""Writes assets/wordnet/nouns.txt.gz from the files of WordNet 3.0, such as those of Debian's package `wordnet-base`.

python benchmarks/wordnet_extract.py /usr/share/wordnet   # data.noun, index.noun and noun.exc lie there

Two parts with a blank line between: irregular plurals ("mice mouse"), and the tree of nouns from its root, a line a synset, those that are kinds of
it below it. A line is a letter for the depth ("a" is the root) and the synset's words with the number of the sense that it is of each:
"i|dog#1|domestic_dog#1". A synset that is a kind of several stands below the first of them, and below the others a line that names it: "m=dog#1".
What is an instance and no kind (Einstein, Berlin) is left out.
"""

import argparse
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

OUT = Path(__file__).parents[1] / "assets/wordnet/nouns.txt.gz"
_ROOT = "entity"


class Synset(NamedTuple):
    """Words for the same, with the numbers of their senses, and the synsets that are kinds of it."""

    words: tuple[str, ...]
    kinds: tuple[str, ...]


def read_synsets(data: Iterable[str], index: Iterable[str]) -> dict[str, Synset]:
    """Synsets by their offsets, from the lines of data.noun and index.noun (see the manual page wndb(5WN))."""
    senses = {(lemma, offset): place for lemma, offsets in map(_indexed, _records(index)) for place, offset in enumerate(offsets, start=1)}
    found = {}
    for line in _records(data):
        fields = line.partition(" | ")[0].split()
        offset, count = fields[0], int(fields[3], 16)
        words = tuple(f"{word}#{senses[word.lower(), offset]}" for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[5 + 2 * count :]
        kinds = tuple(target for sign, target, kind in zip(pointers[::4], pointers[1::4], pointers[2::4], strict=True) if (sign, kind) == ("~", "n"))
        found[offset] = Synset(words, kinds)
    return found


def tree_lines(synsets: dict[str, Synset], root: str = _ROOT) -> Iterator[str]:
    """The lines of the tree, in order."""
    passed: set[str] = set()

    def below(offset: str, depth: int) -> Iterator[str]:
        words, kinds = synsets[offset]
        if offset in passed:
            yield f"{chr(ord('a') + depth)}={words[0]}"
            return
        passed.add(offset)
        yield "|".join((chr(ord("a") + depth), *words))
        for kind in kinds:
            yield from below(kind, depth + 1)

    yield from below(next(offset for offset, synset in synsets.items() if synset.words[0].startswith(f"{root}#")), 0)


def _records(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.strip() and not line.startswith("  "))  # the license stands first, indented


def _indexed(line: str) -> tuple[str, list[str]]:
    fields = line.split()
    return fields[0], fields[-int(fields[2]) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    data, index, irregular = ((folder / name).read_text(encoding="utf-8") for name in ("data.noun", "index.noun", "noun.exc"))
    plurals = [" ".join(line.split()[:2]) for line in irregular.splitlines()]
    text = "\n".join([*plurals, "", *tree_lines(read_synsets(data.splitlines(), index.splitlines())), ""])
    OUT.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, {len(text.splitlines()):,} lines")


if __name__ == "__main__":
    main()

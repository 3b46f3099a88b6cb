"""ROUGE-L of captions (Lin, ACL workshop 2004), as the COCO caption evaluation computes it."""

from collections.abc import Sequence

from experiments.captioning.metrics.ngrams import Words, check_captions

BETA = 1.2


def rouge_l(candidates: Sequence[Words], references: Sequence[Sequence[Words]], beta: float = BETA) -> float:
    """Mean over images of F = (1 + beta^2) P R / (R + beta^2 P), in [0, 1].

    P and R are the longest common subsequence over the words of the candidate and of the reference; the largest P and the largest R of an image
    count, even where they come from two references. 0 for an empty candidate, and where no word is shared.

    Args:
        candidates: a sentence in words per image.
        references: some per image.
        beta: weight of R.

    Raises:
        InputError: as `check_captions`.
    """
    check_captions(candidates, references)
    return sum(_sentence(candidate, own, beta) for candidate, own in zip(candidates, references, strict=True)) / len(candidates)


def _sentence(candidate: Words, references: Sequence[Words], beta: float) -> float:
    common = [longest_common(candidate, reference) for reference in references]
    if not candidate or not any(common):
        return 0.0
    precision = max(common) / len(candidate)
    recall = max(shared / len(reference) for shared, reference in zip(common, references, strict=True))
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def longest_common(a: Words, b: Words) -> int:
    """Words in the longest common subsequence of two sentences; not necessarily adjacent ones."""
    row = [0] * (len(b) + 1)
    for word in a:
        before = row
        row = [0]
        for j, other in enumerate(b):
            row.append(before[j] + 1 if word == other else max(before[j + 1], row[j]))
    return row[-1]

"""Whether a search compares every image or looks through the nearest cells of an index, and what that costs in recall."""

from dataclasses import dataclass

from likeness.search.calibration import Calibration

# What a calibration must find, so that other queries than its hundred, which may do worse by .01, still find .95 of their nearest.
RECALL = 0.96
# Bytes that are read in some ten milliseconds: below, comparing every image is never felt.
_CHEAP_BYTES = 128 * 1024**2
# Single precision.
_BYTES = 4


@dataclass(frozen=True)
class Plan:
    """How a space of n images and m dimensions is searched.

    Attributes:
        exact: every image is compared.
        probes: cells that are looked through where not.
        recall: the share of the nearest that is found, as measured; 1 where exact.
        bytes_read: for one query.
        cheap_exact: whether comparing every image takes so little that nothing else is worth a look.
    """

    exact: bool
    probes: int
    recall: float
    bytes_read: int
    cheap_exact: bool = False

    def message(self) -> str:
        """One sentence for people."""
        if self.exact:
            return "Exact: every image is compared."
        return f"Approximate: {self.recall:.0%} of the nearest are found, measured on images of this dataset."


def plan(n: int, m: int, d: int, calibration: Calibration | None = None, recall: float = RECALL) -> Plan:
    """Exact where comparing all n codes of m dimensions reads no more than is cheap_exact, or than the cells would.

    A notion of few dimensions spreads its nearest over most cells, which are cut by what the encoder sees; but its codes are short, so that
    comparing them all is fast. With many dimensions it is the other way round.

    Args:
        n, m: images, and dimensions of the space.
        d: dimensions of the indexed vectors.
        calibration: of the space's search through the index; None where there is no index: then exact.
        recall: share of the nearest that must be found.
    """
    everything = n * m * _BYTES
    exact = Plan(True, 0, 1.0, everything, everything <= _CHEAP_BYTES)
    if calibration is None or exact.cheap_exact:
        return exact
    probes = calibration.probes(recall)
    share = float(calibration.share[probes - 1])
    through_cells = int(share * n * d + len(calibration.share) * m) * _BYTES
    return exact if everything <= through_cells else Plan(False, probes, float(calibration.recall[probes - 1]), through_cells)

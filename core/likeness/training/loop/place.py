"""Which of the processes of a run this one is. Needs no torch."""

import os
from typing import NamedTuple


class Place(NamedTuple):
    """One of the processes that train together.

    Attributes:
        rank: its number, from 0; the first one writes the run's folder and measures.
        processes: how many there are.
        device: on which it computes, "cpu" or "cuda"; empty where nobody has asked yet.
    """

    rank: int = 0
    processes: int = 1
    device: str = ""

    @property
    def first(self) -> bool:
        """Whether it writes and measures."""
        return self.rank == 0

    @property
    def together(self) -> bool:
        """Whether there are others."""
        return self.processes > 1

    def part(self, size: int) -> slice:
        """Its rows of a batch of this size, a multiple of their number: the parts of all, one after the other, are the batch."""
        own = size // self.processes
        return slice(self.rank * own, (self.rank + 1) * own)


ALONE = Place()


def started_outside() -> bool:
    """Whether torchrun or SLURM's srun starts the processes of a run; the rules are those by which Lightning recognizes them."""
    by_slurm = "SLURM_NTASKS" in os.environ and os.environ.get("SLURM_JOB_NAME") not in ("bash", "interactive")
    return "TORCHELASTIC_RUN_ID" in os.environ or by_slurm


def outside_rank() -> int:
    """The number that torchrun or SLURM gave to this process; 0 without them."""
    return int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0"))) if started_outside() else 0

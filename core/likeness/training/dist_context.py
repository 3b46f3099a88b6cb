"""Rank and number of the processes of a run. Needs no torch."""

import os
from typing import NamedTuple


class DistContext(NamedTuple):
    """One of the processes that train together.

    Attributes:
        rank: number of this process, from 0; rank 0 is the main process.
        device: "cpu" or "cuda"; empty if not known yet.
    """

    rank: int = 0
    world_size: int = 1
    device: str = ""

    @property
    def is_main(self) -> bool:
        """Whether this process writes the run's folder and evaluates."""
        return self.rank == 0

    @property
    def is_distributed(self) -> bool:
        return self.world_size > 1

    def part(self, size: int) -> slice:
        """This process's rows of a batch whose size is a multiple of the world size; the parts in order of rank are the batch."""
        own = size // self.world_size
        return slice(self.rank * own, (self.rank + 1) * own)


SINGLE_PROCESS = DistContext()


def launched_externally() -> bool:
    """Whether torchrun or SLURM's srun starts the processes of a run, detected as Lightning does."""
    by_slurm = "SLURM_NTASKS" in os.environ and os.environ.get("SLURM_JOB_NAME") not in ("bash", "interactive")
    return "TORCHELASTIC_RUN_ID" in os.environ or by_slurm


def external_rank() -> int:
    """The rank that torchrun or SLURM gave to this process; 0 without them."""
    return int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0"))) if launched_externally() else 0

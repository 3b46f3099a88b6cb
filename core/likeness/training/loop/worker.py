"""`python -m likeness.training.loop.worker CONFIG FOLDER`: one of the processes of a run; `launch` begins the first, Lightning the others."""

import os
import sys
import threading
import time
from pathlib import Path

from likeness.errors import InputError
from likeness.io.interruption import restore_interruption
from likeness.progress import no_progress
from likeness.training.runs.run_folder import RunFolder

# Seconds between two looks at whether the process that began this one is still there.
_LOOK = 0.5


def main(file: str, folder: str) -> int:
    """Trains; the exit status: 0, 2 after bad input, 130 after an interruption."""
    restore_interruption()
    owner, first = end_with_parent(), "LOCAL_RANK" not in os.environ
    try:
        from likeness.training.config import read_config
        from likeness.training.loop.train import train_here

        train_here(read_config(Path(file)), folder, no_progress, owner)
    except InputError as error:
        run = RunFolder(folder)
        if not first:
            print(f"Process {os.environ['LOCAL_RANK']}: {error}", file=sys.stderr)
        elif run.status().state == "running":
            run.fail(str(error))
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def end_with_parent() -> int:
    """Nobody is left behind where the process that waits for this one is killed; returns that one's number."""
    owner = os.getppid()

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(_LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return owner


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

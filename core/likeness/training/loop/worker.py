"""`python -m likeness.training.loop.worker CONFIG FOLDER`: a process of a run; `launch` starts the first one, Lightning the others."""

import os
import sys
import threading
import time
from pathlib import Path

from likeness.errors import InputError
from likeness.io import restore_interruption
from likeness.progress import no_progress
from likeness.training.config import read_config
from likeness.training.runs.run_folder import RunFolder

# seconds between two checks whether the parent process exists
_POLL_SECONDS = 0.5


def main(file: str, folder: str) -> int:
    """Trains as one of the processes of a run. Returns the exit status: 0, 2 for invalid input, 130 after an interruption."""
    restore_interruption()
    owner, first = end_with_parent(), "LOCAL_RANK" not in os.environ
    try:
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
    """Ends this process once its parent has ended, even by a kill; returns the parent's id."""
    owner = os.getppid()

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(_POLL_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    return owner


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

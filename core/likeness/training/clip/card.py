"""The model card: data, steps, time and measured zero-shot accuracy."""

import json
from pathlib import Path

from likeness.files import write_atomic

FACTS = "run.json"


def write_run_facts(folder: Path, steps: int, seconds: float) -> None:
    """Keeps what only the run knows: how many steps it made and how long they took."""
    write_atomic(folder / FACTS, json.dumps({"steps": steps, "seconds": round(seconds)}).encode())

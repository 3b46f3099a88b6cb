"""A training step in two processes of one thread beside one process of two threads and of one, for the same batch; and what sharing costs.

`python benchmarks/scale/processes.py`; `--quick` for a trial. Two processes on the two cores of one machine can't beat two threads by much:
what this shows is that sharing a batch costs little, and that the gradients stay the same.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from measuring.record import record

# Quick: fewer and smaller steps.
BACKBONE, BATCH, SIDE, DIM, STEPS, WARM = "resnet10t", 64, 64, 128, 14, 4
QUICK = {"BATCH": 16, "SIDE": 32, "STEPS": 5, "WARM": 2}
_EXCHANGES = 40


class Setup(NamedTuple):
    processes: int
    threads: int

    @property
    def name(self) -> str:
        return f"{self.processes} process{'es' if self.processes > 1 else ''} of {self.threads} thread{'s' if self.threads > 1 else ''}"


SETUPS = (Setup(1, 1), Setup(1, 2), Setup(2, 1))


def main() -> None:
    """Prints milliseconds, shares and the largest difference of gradients, and records them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as scratch:
        found = {setup: _measured(setup, Path(scratch) / str(number), quick) for number, setup in enumerate(SETUPS)}
    one, threads, two = (found[setup] for setup in SETUPS)
    print(f"A step of {BACKBONE}, multisimilarity, {one['batch']} images of {one['side']} px, median of {one['steps']}; peak memory per process")
    for setup in SETUPS:
        each = found[setup]
        print(f"  {setup.name:26} {each['ms']:8.1f} ms   {one['ms'] / each['ms']:4.2f} x one thread   {each['gb']:.2f} GB")
    for name, told in (("gather", "embeddings gathered, with gradients"), ("agree", "agreeing whether to stop")):
        print(f"  {told:40} {two[name]:6.2f} ms   {100 * two[name] / two['ms']:.2f} % of a step")
    apart, noise = (_apart(each["gradients"], one["gradients"]) for each in (two, threads))
    print(f"  largest difference of gradients, over the largest, to {SETUPS[0].name}: {apart:.1e} ({SETUPS[1].name}: {noise:.1e})")
    if quick:
        return
    size = f"{BACKBONE}, {BATCH} images of {SIDE} px"
    record("training", "step, 2 processes of 1 thread", size, two["ms"], "ms", SETUPS[0].name, one["ms"])
    record("training", "step, 2 processes beside 2 threads", size, two["ms"], "ms", SETUPS[1].name, threads["ms"])
    record("training", "gathering embeddings", size, 100 * two["gather"] / two["ms"], "% of a step")
    record("training", "agreeing whether to stop", size, 100 * two["agree"] / two["ms"], "% of a step")
    record("training", "largest difference of gradients, relative", size, apart, "", f"{SETUPS[1].name}", noise)


def _apart(ours: Any, theirs: Any) -> float:
    largest = max(float(np.abs(each).max()) for each in theirs.values())
    return max(float(np.abs(ours[name] - theirs[name]).max()) for name in theirs) / largest


def _measured(setup: Setup, out: Path, quick: bool) -> dict[str, Any]:
    """What the first of these processes found."""
    out.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, __file__, "member", str(out), str(int(quick))]
    members = [subprocess.Popen(command, env=_environment(setup, rank, port)) for rank in range(setup.processes)]
    try:
        if any(each.wait(200) for each in members):
            raise RuntimeError(f"{setup.name} failed")
    finally:
        for each in members:
            each.kill()
    return json.loads((out / "found.json").read_text()) | {"gradients": dict(np.load(out / "gradients.npz"))}


def _environment(setup: Setup, rank: int, port: int) -> dict[str, str]:
    """As torchrun has it; with one process only its threads."""
    own = dict(os.environ) | {"OMP_NUM_THREADS": str(setup.threads), "TORCH_CPP_LOG_LEVEL": "ERROR"}
    if setup.processes == 1:
        return own
    inside = next((name for _, name in socket.if_nameindex() if name in ("lo", "lo0")), "lo")
    numbers = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": setup.processes,
        "LOCAL_WORLD_SIZE": setup.processes,
        "GROUP_RANK": 0,
        "MASTER_PORT": port,
    }
    return own | {"TORCHELASTIC_RUN_ID": "a", "MASTER_ADDR": "127.0.0.1", "GLOO_SOCKET_IFNAME": inside} | {key: str(n) for key, n in numbers.items()}


def member(out: Path, quick: bool) -> None:
    """Trains in one of the processes; the first one writes what it found."""
    import resource

    import torch
    from torch.utils.data import DataLoader

    from likeness.samplers import MPerClassBatches
    from likeness.training import RunImages, build_network, config_from
    from likeness.training.data.batches import Batches, ResumeSampler
    from likeness.training.loop.given_objects import build_objective
    from likeness.training.loop.module import RunModule
    from likeness.training.loop.trainer import build_trainer, dist_context_of, retain_freed_memory, silence_lightning

    sizes = {"BATCH": BATCH, "SIDE": SIDE, "STEPS": STEPS, "WARM": WARM} | (QUICK if quick else {})
    retain_freed_memory()
    config = config_from(
        {
            "backbone": {"name": BACKBONE, "weights": "none", "dim": DIM},
            "data": {"image_size": sizes["SIDE"]},
            "batch": {"size": sizes["BATCH"], "per_class": 2},
            "device": "cpu",
            "devices": int(os.environ.get("WORLD_SIZE", 1)),
            "epochs": 1,
        }
    )
    dist = dist_context_of(config)
    torch.manual_seed(0)
    network = build_network(config.backbone)
    module = RunModule(network, build_objective(config.objective, 100, DIM, network.feature_dim), None, config, sizes["STEPS"], dist)
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(100), 4)
    pixels = rng.integers(0, 256, (len(labels), round(sizes["SIDE"] * 8 / 7), round(sizes["SIDE"] * 8 / 7), 3), dtype=np.uint8)
    rows = np.arange(len(labels))
    images: Any = RunImages(None, [str(each) for each in range(100)], labels, rows, rows[:0], rows)  # type: ignore[arg-type]
    batches = Batches(pixels, images, MPerClassBatches(labels, sizes["BATCH"], 2), sizes["SIDE"], True, 0, dist=dist)
    clock = _clock(sizes["WARM"])
    with silence_lightning():
        trainer = build_trainer(config, max_steps=sizes["STEPS"], max_epochs=1, callbacks=[clock], logger=False)
        trainer.fit(module, DataLoader(batches, batch_size=None, sampler=ResumeSampler(0, sizes["STEPS"])))
    if dist.is_main:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e9
        told = {"ms": 1e3 * float(np.median(np.diff(clock.ends)[sizes["WARM"] :])), "gb": peak, "gather": clock.gather, "agree": clock.agree}
        shape = {"batch": sizes["BATCH"], "side": sizes["SIDE"], "steps": sizes["STEPS"] - sizes["WARM"] - 1}
        (out / "found.json").write_text(json.dumps(told | shape))
        np.savez(out / "gradients.npz", **clock.gradients)


def _clock(warm: int) -> Any:
    import torch
    from lightning import Callback

    class Clock(Callback):
        """When steps end, the gradients of the first, and, in the end, how long the exchanges take that one process does not have."""

        def __init__(self) -> None:
            self.ends, self.gradients, self.gather, self.agree = [time.perf_counter()], {}, 0.0, 0.0

        def on_before_optimizer_step(self, trainer: Any, module: Any, optimizer: Any) -> None:
            if not self.gradients:
                self.gradients = {name: each.grad.numpy().copy() for name, each in module.named_parameters()}

        def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, number: int) -> None:
            if module.dist.is_distributed:
                trainer.strategy.reduce_boolean_decision(False, all=False)  # as in a run
            self.ends.append(time.perf_counter())

        def on_train_end(self, trainer: Any, module: Any) -> None:
            if not module.dist.is_distributed:
                return
            rows = torch.randn(module.config.batch.size // module.dist.world_size, DIM, requires_grad=True)
            self.gather = _each(lambda: module.gather(rows).sum().backward())
            self.agree = _each(lambda: trainer.strategy.reduce_boolean_decision(False, all=False))

    return Clock()


def _each(work: Any) -> float:
    """Milliseconds, the median."""
    seconds = []
    for _ in range(_EXCHANGES):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return 1e3 * float(np.median(seconds))


if __name__ == "__main__":
    if sys.argv[1:2] == ["member"]:
        member(Path(sys.argv[2]), sys.argv[3] == "1")
    else:
        main()

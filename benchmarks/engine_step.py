"""A step of a run beside a plain loop on crops that lie on the device already, in one run; and what a step fetches from the device.

python benchmarks/engine_step.py                                   # MobileNetV2, 112 images of 224 px
python benchmarks/engine_step.py --size 64 --options               # each option of training beside the same plain loop
python benchmarks/engine_step.py --network resnet50 --precision bf16-mixed --device cuda

The run is a real one: images read from its cache, crops, loss, optimizer, metrics written, its status reported. Blocks of its steps and of the
plain loop's take turns, so that what the machine does meanwhile hits both. Fetches are counted on a small network, the same on every device.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning import Callback
from measuring.device_traffic import DeviceTraffic
from PIL import Image

from experiments.results import filled
from likeness.losses import make_objective
from likeness.training import RunConfig, build_network, config_from, train, with_changes
from likeness.training.loop import step_figures

CLASSES, EACH, BATCH, PER_CLASS = 60, 4, 112, 2
OBJECTIVES = ("multisimilarity", "contrastive", "margin")
# changes of the config by what they are called; with the first ones a step computes no more than without
FREE: dict[str, dict[str, Any]] = {
    "none": {},
    "rates by layer": {"optimizer.layer_decay": 0.9},
    "no decay of norms": {"optimizer.decay_norms": False},
    "hard classes": {"batch.draw": "hard-classes"},
}
MORE: dict[str, dict[str, Any]] = {
    "memory of 1,000": {"objective.memory": {"size": 1000}},
    "Matryoshka": {"objective.matryoshka": {"dims": [32, 64]}},
    "GeM": {"backbone.pool": "gem"},
    "LoRA": {"backbone.lora": {"rank": 8}},
    "chunks of 28": {"batch.chunk": 28},
    "recomputed activations": {"backbone.checkpointing": True},
    "three transforms": {"transforms": {"ColorJitter": {"brightness": 0.2}, "RandAugment": {}, "RandomErasing": {}}},
}


def main() -> None:
    """Prints milliseconds, ratios and fetches."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["LIKENESS_CACHE"] = str(Path(scratch) / "cache")
        source = _images(Path(scratch) / "images", arguments.size)
        config = _config(source, arguments, steps=arguments.blocks * arguments.block + 2)
        if arguments.options is not None:
            _options(config, arguments, Path(scratch))
            return
        turns = _Turns(arguments.block, arguments.precision)
        train(config, Path(scratch) / "run", callbacks=[_Before(turns)])
        turns.print(config, arguments)
        for objective in OBJECTIVES:
            _fetches(source, Path(scratch), objective)


def _options(config: RunConfig, arguments: argparse.Namespace, scratch: Path) -> None:
    print(f"{config.backbone.name}, {BATCH} images of {arguments.size} px, {arguments.precision}; time of a step beside the plain loop's")
    print(head := "| option | computes more | ratio | quartiles |\n|---|---|---|---|")
    lines = [head]
    for title, options in (("no", FREE), ("yes", MORE)):
        for number, (name, changes) in enumerate(options.items()):
            if arguments.options and name not in arguments.options:
                continue
            turns = _Turns(arguments.block, arguments.precision)
            one_epoch = {"epochs": 1, "evaluate_every": 1, "epoch_steps": arguments.blocks * arguments.block + 2}
            train(with_changes(config, one_epoch | changes), scratch / f"{title} {number}", callbacks=[_Before(turns)])
            ratios = np.array(turns.run) / np.array(turns.plain)
            low, high = np.percentile(ratios, [25, 75])
            lines.append(f"| {name} | {title} | {np.median(ratios):.3f} | {low:.3f} to {high:.3f} |")
            print(lines[-1], flush=True)
    if arguments.record:
        file = Path(__file__).with_name("README.md")
        file.write_text(filled(file.read_text(encoding="utf-8"), "options of training", "\n".join(lines)), encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default="mobilenetv2_100")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--precision", default="32")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--record", action="store_true", help="write the table of options into benchmarks/README.md")
    parser.add_argument("--options", nargs="*", help="these options of training, or all")
    parser.add_argument("--block", type=int, default=2, help="steps in turn; on a GPU 20")
    parser.add_argument("--blocks", type=int, default=3)
    return parser.parse_args()


def _images(folder: Path, size: int) -> str:
    rng = np.random.default_rng(0)
    for number in range(CLASSES):
        (folder / f"class {number}").mkdir(parents=True)
        for image in range(EACH):
            Image.fromarray(rng.integers(0, 256, (size, size, 3), dtype=np.uint8)).save(folder / f"class {number}" / f"{image}.png")
    return str(folder)


def _config(source: str, arguments: argparse.Namespace, steps: int) -> RunConfig:
    return config_from(
        {
            "data": {"source": source, "image_size": arguments.size, "train_classes": 0.95},
            "backbone": {"name": arguments.network, "weights": "none", "dim": 128},
            "objective": {"name": "multisimilarity"},
            "batch": {"size": BATCH, "per_class": PER_CLASS},
            "epochs": steps // 2 + 1,  # two steps each
            "evaluate_every": steps // 2 + 1,
            "checkpoint_every": 10_000,
            "precision": arguments.precision,
            "compile": arguments.compile,
            "device": arguments.device,
        }
    )


class _Turns:
    """Blocks of steps of a run, and of a plain loop between them."""

    def __init__(self, block: int, precision: str) -> None:
        self.block, self.precision, self.begun = block, precision, 0.0
        self.run, self.plain = list[float](), list[float]()
        self.step: Any = None

    def before(self, module: Any, batch: Any, number: int) -> None:
        """Called when the batch of a step of the run is ready."""
        if number == 1:
            self.step = _plain_step(module, batch, self.precision)
            self.step()
        elif number > 1 and (number - 1) % self.block == 0:
            self.run.append(self._clock(module) - self.begun)
            start = self._clock(module)
            for _ in range(self.block):
                self.step()
            self.plain.append(self._clock(module) - start)
        if number and (number - 1) % self.block == 0:
            self.begun = self._clock(module)

    def print(self, config: RunConfig, arguments: argparse.Namespace) -> None:
        """The medians and their ratio."""
        run, plain = (1e3 * np.array(each) / self.block for each in (self.run, self.plain))
        device = torch.cuda.get_device_name() if torch.cuda.is_available() and arguments.device != "cpu" else "processor"
        print(f"{config.backbone.name}, {BATCH} images of {arguments.size} px, {arguments.precision}, {device}; blocks of {self.block} steps")
        low, high = np.percentile(run / plain, [25, 75])
        print(f"  plain loop on crops on the device {np.median(plain):9.1f} ms a step")
        print(f"  run                               {np.median(run):9.1f} ms a step")
        print(f"  ratio                             {np.median(run / plain):9.3f} (quartiles {low:.3f} to {high:.3f})")

    def _clock(self, module: Any) -> float:
        if module.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()


class _Before(Callback):
    def __init__(self, turns: _Turns) -> None:
        self.turns = turns

    def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, number: int) -> None:
        self.turns.before(module, batch, number)


def _plain_step(module: Any, batch: Any, precision: str) -> Any:
    """The same network, loss and optimizer on the crops of one batch, without anything around them."""
    plain = module.config.backbone.model_copy(update={"lora": None, "pool": "own", "checkpointing": False})
    network = build_network(plain).to(module.device)
    if module.config.compile and network.backbone is not None:
        network.backbone.compile()
    objective = make_objective("multisimilarity", CLASSES, 128).to(module.device)
    adam = torch.optim.Adam(network.parameters(), 1e-5, weight_decay=3e-4, fused=module.device.type == "cuda")
    images, labels = batch[0].clone(), batch[1].clone()

    def step() -> None:
        with torch.autocast(module.device.type, torch.bfloat16, enabled=precision == "bf16-mixed"):
            embeddings = network(images).embeddings
        loss = objective(embeddings, labels)
        adam.zero_grad()
        loss.backward()
        adam.step()

    return step


def _fetches(source: str, scratch: Path, objective: str) -> None:
    """What a step fetches, from two lengths of a run whose device computes while the program goes on."""
    small = argparse.Namespace(network="test_resnet", size=32, precision="32", device="cpu", compile=False)
    step_figures.is_asynchronous = lambda device: True
    counts = []
    for epochs in (20, 60):
        config = _config(source, small, 1).model_copy(update={"epochs": epochs, "evaluate_every": epochs})
        config = config_from(config.model_dump(mode="json") | {"objective": {"name": objective}})
        with DeviceTraffic() as traffic:
            train(config, scratch / f"{objective}-{epochs}")
        counts.append(traffic.fetches)
    steps = 40 * 2
    each = {name: (counts[1][name] - counts[0][name]) / steps for name in counts[1]}
    shown = ", ".join(f"{name} {count:.2f}" for name, count in each.items() if count)
    print(f"  {objective:16} fetches a step: {sum(each.values()):.2f} ({shown})")


if __name__ == "__main__":
    main()

"""A run beside the loop that a person writes with pytorch-metric-learning, and beside the trainer of sentence-transformers, in one run.

python benchmarks/other_trainers.py              # some minutes
python benchmarks/other_trainers.py --record     # writes the tables into benchmarks/README.md

Both tasks start from the shipped `cars-small` at its own size, with the same images, steps, batch, rate and loss. Figures are those of one judge on
images that nobody trained on, means of the seeds, and the smallest and largest; "lines" are those of the function that trains, without the imports.
sentence-transformers clips gradients to a norm of 1 unless told otherwise, a run does not; one more row is a run that does, too.
"""

import argparse
import inspect
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from PIL import Image

import likeness as lk
from experiments.results import filled
from likeness.encoders import ClipEncoder, load_encoder, parse_name
from likeness.evaluation import image_text_metrics, retrieval_metrics
from likeness.studies import as_markdown

BATCH, RATE, CLIP = 64, 1e-4, "cars-small"
COLORS, BODIES = "car_color", "body_type"


def main() -> None:
    """Prints a table for each task."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="write the tables into benchmarks/README.md")
    options = parser.parse_args()
    steps, seeds = options.steps, options.seeds
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["LIKENESS_CACHE"] = str(Path(scratch) / "cache")
        table = _table(Path(scratch) / "cars.csv")
        train, test = table[table["split"] == "train"], table[table["split"] == "test"]
        tasks: tuple[tuple[str, dict[str, Trainer], Measure], ...] = (
            ("classes", {"likeness": likeness_classes, "pytorch-metric-learning": metric_learning_classes}, _measured_classes),
            (
                "captions",
                {
                    "likeness": likeness_captions,
                    "likeness, gradients clipped": partial(likeness_captions, clip=1.0),
                    "sentence-transformers": sentence_transformers_captions,
                },
                _measured_captions,
            ),
        )
        for task, trainers, measure in tasks:
            raw = _fresh()
            rows = [{"trainer": "none"} | {name: f"{value:.3f}" for name, value in measure(test, raw.encode_images, raw.encode_texts).items()}]
            for name, trainer in trainers.items():
                rows.append({"trainer": name} | _row(trainer, measure, train, test, Path(scratch) / name.partition(",")[0], steps, seeds))
            table = as_markdown(pd.DataFrame(rows).fillna(""))
            print(f"\n{task}: {len(train):,} images, {steps} steps of {BATCH}, {seeds} seeds\n{table}", flush=True)
            if options.record:
                file = Path(__file__).with_name("README.md")
                file.write_text(filled(file.read_text(encoding="utf-8"), f"trainers on {task}", table), encoding="utf-8")


def _row(trainer: "Trainer", measure: "Measure", train: pd.DataFrame, test: pd.DataFrame, folder: Path, steps: int, seeds: int) -> dict[str, str]:
    """Means and ranges of the figures over seeds, the median of the seconds, and the lines."""
    found, seconds = list[dict[str, float]](), list[float]()
    for seed in range(seeds):
        torch.manual_seed(seed)
        begun = time.perf_counter()
        encoders = trainer(train, folder.with_name(f"{folder.name}-{len(os.listdir(folder.parent))}"), steps, seed)
        seconds.append(time.perf_counter() - begun)
        found.append(measure(test, *encoders))
    own = trainer.func if isinstance(trainer, partial) else trainer
    written = inspect.getsource(own) + (inspect.getsource(_both_sides) if own is sentence_transformers_captions else "")
    lines = sum(bool(line.strip()) and "import" not in line for line in written.splitlines())
    table = pd.DataFrame(found)
    texts = {str(name): f"{values.mean():.3f} ({values.min():.3f} to {values.max():.3f})" for name, values in table.items()}
    return texts | {"seconds": f"{np.median(seconds):.1f}", "lines": str(lines)}


def _table(file: Path) -> pd.DataFrame:
    """The shipped cars with a caption; classes are pairs of body and color, half of which train."""
    cars = lk.read("cars")
    frame = cars.frame[[COLORS, BODIES, "background_color"]].astype(str)
    frame["path"] = [str(path) for path in cars.paths()]
    frame["class"] = frame[COLORS] + " " + frame[BODIES]
    frame["caption"] = "a " + frame["class"] + " on " + frame["background_color"]
    training = np.random.default_rng(0).permutation(frame["class"].unique())[::2]
    frame["split"] = np.where(frame["class"].isin(training), "train", "test")
    counts = frame["class"].map(frame["class"].value_counts())
    frame = frame[(counts >= 4) & ~frame["caption"].duplicated()].reset_index(drop=True)
    frame.to_csv(file, index=False)
    return frame


def _fresh() -> Any:
    """The encoder as it ships: `load_encoder` gives the same object again, which a trainer may have changed."""
    return ClipEncoder(CLIP, parse_name(CLIP), "cpu")


Encode = Callable[[Sequence[Any]], Any]
Encoders = tuple[Encode, Encode]
Trainer = Callable[..., Encoders]
Measure = Callable[[pd.DataFrame, Encode, Encode], dict[str, float]]


def _measured_classes(test: pd.DataFrame, images: Encode, texts: Encode) -> dict[str, float]:
    found = retrieval_metrics(np.asarray(images(_pictures(test))), test["class"].factorize()[0], ks=(1,))
    return {name: float(found[name]) for name in ("recall_at_1", "map_at_r")}


def _measured_captions(test: pd.DataFrame, images: Encode, texts: Encode) -> dict[str, float]:
    return image_text_metrics(np.asarray(images(_pictures(test))), np.asarray(texts(list(test["caption"]))), np.arange(len(test)), (1, 10))


def _pictures(frame: pd.DataFrame) -> list[Image.Image]:
    return [Image.open(path).convert("RGB") for path in frame["path"]]


def likeness_classes(frame: pd.DataFrame, folder: Path, steps: int, seed: int) -> Encoders:
    frame.to_csv(f"{folder}.csv", index=False)
    config = {
        "data": {"source": f"{folder}.csv", "attribute": "class", "image_size": 48, "train_classes": 0.9},
        "backbone": {"name": f"clip:{CLIP}", "dim": None},
        "objective": {"name": "multisimilarity"},
        "batch": {"size": BATCH, "per_class": 4},
        "optimizer": {"kind": "adam", "rate": RATE},
        "augment": False,
        "epochs": 1,
        "epoch_steps": steps,
        "seed": seed,
    }
    encoder = load_encoder(f"run:{lk.train(config, folder).path}", "cpu")
    return encoder.encode_images, encoder.encode_texts


def metric_learning_classes(frame: pd.DataFrame, folder: Path, steps: int, seed: int) -> Encoders:
    from pytorch_metric_learning.losses import MultiSimilarityLoss
    from pytorch_metric_learning.miners import MultiSimilarityMiner
    from pytorch_metric_learning.samplers import MPerClassSampler

    encoder = _fresh()
    model, loss, miner = encoder.model, MultiSimilarityLoss(alpha=2, beta=40, base=0.5), MultiSimilarityMiner(0.1)
    labels = frame["class"].factorize()[0]
    pixels = torch.cat([encoder.tower.pixels([encoder.prepare(image)]) for image in _pictures(frame)])
    sampler = MPerClassSampler(labels, 4, batch_size=BATCH, length_before_new_iter=steps * BATCH)
    optimizer = torch.optim.Adam(model.visual.parameters(), lr=RATE)
    model.requires_grad_(True)
    rows = torch.tensor(list(sampler)).view(steps, BATCH)
    for batch in rows:
        embeddings = torch.nn.functional.normalize(model.visual(pixels[batch]), dim=1)
        own = torch.from_numpy(labels[batch.numpy()])
        optimizer.zero_grad()
        loss(embeddings, own, miner(embeddings, own)).backward()
        optimizer.step()
    return encoder.encode_images, encoder.encode_texts


def likeness_captions(frame: pd.DataFrame, folder: Path, steps: int, seed: int, clip: float | None = None) -> Encoders:
    frame.assign(split=["test", *["train"] * (len(frame) - 3), "test", "test"]).to_csv(f"{folder}.csv", index=False)
    config = {
        "data": {"source": f"{folder}.csv", "split": "images", "image_size": 48},
        "backbone": {"name": f"clip:{CLIP}", "dim": None, "text": "train"},
        "objective": {"name": "image-text"},
        "batch": {"size": BATCH},
        "optimizer": {"kind": "adam", "rate": RATE, "clip": clip},
        "augment": False,
        "epochs": 1,
        "epoch_steps": steps,
        "seed": seed,
    }
    encoder = load_encoder(f"run:{lk.train(config, folder).path}", "cpu")
    return encoder.encode_images, encoder.encode_texts


def sentence_transformers_captions(frame: pd.DataFrame, folder: Path, steps: int, seed: int) -> Encoders:
    from datasets import Dataset
    from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    encoder = _fresh()
    model = SentenceTransformer(modules=[_both_sides(encoder.model.requires_grad_(True), encoder)], device="cpu")
    pairs = Dataset.from_dict({"anchor": _pictures(frame), "positive": list(frame["caption"])})
    arguments = SentenceTransformerTrainingArguments(
        str(folder), max_steps=steps, per_device_train_batch_size=BATCH, learning_rate=RATE, lr_scheduler_type="constant", report_to=[], seed=seed
    )
    both = ("query_to_doc", "doc_to_query")
    scale = float(encoder.model.logit_scale.exp())
    loss = MultipleNegativesRankingLoss(model, scale=scale, directions=both, partition_mode="per_direction")
    SentenceTransformerTrainer(model, arguments, train_dataset=pairs, loss=loss).train()
    return encoder.encode_images, encoder.encode_texts


def _both_sides(model: Any, encoder: Any) -> Any:
    """A module of sentence-transformers around a CLIP of open_clip, which it does not read; its lines are the person's, too."""
    from sentence_transformers.base.modules.input_module import InputModule

    class BothSides(InputModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        @property
        def modalities(self) -> list[str]:
            return ["text", "image"]

        def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **kwargs: Any) -> dict[str, Any]:
            if isinstance(inputs[0], str):
                return {"input_ids": encoder.reader.tokens(list(inputs))}
            return {"pixel_values": encoder.tower.pixels([encoder.prepare(image.convert("RGB")) for image in inputs])}

        def forward(self, features: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
            found = model.encode_text(features["input_ids"]) if "input_ids" in features else model.encode_image(features["pixel_values"])
            return features | {"sentence_embedding": torch.nn.functional.normalize(found, dim=1)}

        def save(self, output_path: str, *args: Any, **kwargs: Any) -> None:
            torch.save(model.state_dict(), Path(output_path) / "model.pt")

    return BothSides()


if __name__ == "__main__":
    main()

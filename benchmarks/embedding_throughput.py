"""Embedding image files beside the plain forward pass of the same model, in one run.

    python benchmarks/embedding_throughput.py                   # 5,000 photos of ../shared/data/cifar100_300.zip, or the shipped images
    python benchmarks/embedding_throughput.py --images 30000    # all of them
    python benchmarks/embedding_throughput.py --source FOLDER --encoder ViT-B-32/openai
    python benchmarks/embedding_throughput.py --precision bf16  # both in bfloat16

The peer gets tensors that are already read, preprocessed and in memory. `embed_images` gets file names, and reads, preprocesses, embeds and stores.
Both take turns on the same images, so that whatever else the machine does hits both; the ratio is peer's time over ours.
"""

import argparse
import resource
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring.record import SMALL, add_record, record

from likeness.data import ImageTable, read_dataset
from likeness.encoders import PRECISIONS, embed_images, load_encoder, with_precision
from likeness.io import read_image

PHOTOS = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "cifar100_300.zip"
CHUNK = 1024


def main() -> None:
    """Prints images per second of both, their ratio and the peak memory."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory() as scratch:
        table = _images(arguments.source, Path(scratch), arguments.images)
        encoder: Any = load_encoder(with_precision(arguments.encoder, arguments.precision), arguments.device)
        idle = _peak_mb()
        _plain(encoder, _tensors(encoder, _chunk(table, 0, arguments.batch)))  # the first passes choose kernels
        plain, ours = [], []
        for i, start in enumerate(range(0, len(table), CHUNK)):
            chunk = _chunk(table, start, CHUNK)
            tensors = _tensors(encoder, chunk, arguments.batch)
            plain.append(_plain(encoder, tensors))
            begin = time.perf_counter()
            done = embed_images(chunk, encoder, batch_size=arguments.batch, store_dir=Path(scratch) / f"store-{i}")
            ours.append(time.perf_counter() - begin)
            assert len(done.rows) == len(chunk)
        _print(len(table), np.array(plain), np.array(ours), idle)
        if arguments.record:
            rates = [round(len(table) / sum(seconds)) for seconds in (ours, plain)]
            record(SMALL, "embedding image files", len(table), rates[0], "images/s", "forward pass alone", rates[1])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default=str(PHOTOS) if PHOTOS.exists() else "cars", help="folder, table, ZIP of images, or 'cars'")
    parser.add_argument("--encoder", default="cars")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", choices=PRECISIONS, help="of the encoder; by default its own")
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--batch", type=int, default=128)
    add_record(parser)
    return parser.parse_args()


def _images(source: str, scratch: Path, n: int) -> ImageTable:
    """At most `n` images, spread evenly over the source."""
    if source.endswith(".zip"):
        with zipfile.ZipFile(source) as archive:
            archive.extractall(scratch / "photos")
        source = str(scratch / "photos")
    table = read_dataset(source)
    rows = np.unique(np.linspace(0, len(table) - 1, min(n, len(table))).astype(int))
    # without the digests, by which the shipped images would be found among the embeddings that ship
    return ImageTable(table.name, table.root, table.frame.iloc[rows][["path"]])


def _chunk(table: ImageTable, start: int, size: int) -> ImageTable:
    return ImageTable(table.name, table.root, table.frame.iloc[start : start + size])


def _tensors(encoder: Any, table: ImageTable, batch: int = 128) -> list[torch.Tensor]:
    """Preprocessed batches (n, 3, h, w) on the encoder's device, laid out as open_clip's own transform and a data loader lay them out."""
    prepared = [encoder.prepare(read_image(path)) for path in table.paths()]
    return [encoder.tower.pixels(prepared[start : start + batch]).contiguous() for start in range(0, len(prepared), batch)]


def _plain(encoder: Any, tensors: list[torch.Tensor]) -> float:
    """Seconds of the model's forward passes alone, in the encoder's precision."""
    begin = time.perf_counter()
    with torch.inference_mode():
        for batch in tensors:
            encoder.tower.features(batch)
    if batch.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - begin


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _print(n: int, plain: np.ndarray, ours: np.ndarray, idle: float) -> None:
    ratios = plain / ours
    low, high = np.percentile(ratios, [25, 75])
    print(f"plain forward pass  {n / plain.sum():8.0f} images/s")
    print(f"embed_images        {n / ours.sum():8.0f} images/s, of the plain pass {plain.sum() / ours.sum():.2f} (quartiles {low:.2f} to {high:.2f})")
    print(f"peak memory         {_peak_mb():8.0f} MB, {_peak_mb() - idle:.0f} MB more than with the model just loaded")


if __name__ == "__main__":
    main()

"""The preset lr-coco-captions on made-up captions, 20,000 by default: seconds and memory of each part, beside all pairs of distances.

python benchmarks/scale/coco_captions.py [--images 4000] [--captions 5]

The words, their vectors and the images (32 px, of a small network) are made up; the distances are those of the preset. An epoch has a batch for every
50 images here, and not for each one, so that it ends within minutes.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from measuring.record import record
from PIL import Image

from likeness.labels import LabelsConfig, label_distances, nearest_labels
from likeness.training import read_config, run_images, train, with_changes

WORDS, TOPICS, DIM = 8_000, 200, 300


def write_words(file: Path, rng: np.random.Generator) -> None:
    """Vectors of words around those of their topics, word2vec as text."""
    rows = rng.normal(size=(TOPICS, DIM))[np.arange(WORDS) % TOPICS] + 0.7 * rng.normal(size=(WORDS, DIM))
    file.write_text("".join(f"word{number} {' '.join(f'{value:.4f}' for value in row)}\n" for number, row in enumerate(rows)))


def write_coco(folder: Path, images: int, captions: int, rng: np.random.Generator) -> None:
    """COCO's layout: each image speaks of two topics, each caption in six to ten words of them, frequent ones first."""
    listed = []
    (folder / "train2014").mkdir(parents=True)
    for number in range(images):
        topics = rng.integers(0, TOPICS, 2)
        Image.fromarray(np.broadcast_to(rng.integers(0, 256, 3, dtype=np.uint8), (32, 32, 3))).save(folder / "train2014" / f"{number}.jpg")
        sentences = []
        for _ in range(captions):
            places = np.minimum(rng.zipf(1.5, rng.integers(6, 11)) - 1, WORDS // TOPICS - 1)
            sentences.append({"raw": " ".join(f"word{place * TOPICS + rng.choice(topics)}" for place in places)})
        split = ("val", "test")[number % 2] if number < images // 10 else "train"
        listed.append({"filepath": "train2014", "filename": f"{number}.jpg", "cocoid": number, "split": split, "sentences": sentences})
    (folder / "dataset_coco.json").write_text(json.dumps({"images": listed}))


def main() -> None:
    """Prints a line for each part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=4_000)
    parser.add_argument("--captions", type=int, default=5)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        folder, words = Path(place) / "coco", Path(place) / "words.txt"
        write_words(words, rng)
        write_coco(folder, options.images, options.captions, rng)
        changes = {"data.source": f"coco-captions:{folder}", "data.labels": {"kind": "captions", "language": f"vectors:{words}"}}
        changes |= {"data.queries": options.images // 100, "data.image_size": 32, "backbone": {"name": "test_resnet", "weights": "none", "dim": 64}}
        config = with_changes(read_config("lr-coco-captions"), changes | {"batch.anchors": "all", "epochs": 1, "optimizer.rate": 1e-4})
        images = run_images(config.data, 0)
        begin = time.perf_counter()
        labels = label_distances(images.table, LabelsConfig.model_validate(config.data.labels))
        print(f"{len(labels):,} images, {len(labels) * options.captions:,} captions, {WORDS:,} words", flush=True)
        some = rng.choice(images.train, 100, replace=False)
        clock = time.perf_counter()
        labels.between(some[:50], some[50:])
        pair = (time.perf_counter() - clock) / 2_500
        clock = time.perf_counter()
        nearest_labels(labels, images.train, config.batch.nearest)
        found = time.perf_counter() - clock
        pairs = len(images.train) * (len(images.train) - 1) / 2
        print(f"nearest {config.batch.nearest} of {len(images.train):,}: {found:.0f} s; all pairs would take {pairs * pair:.0f} s", flush=True)
        clock = time.perf_counter()
        run = train(config, Path(place) / "run")
        report = run.report() or {}
        print(f"{report['steps']} steps with neighbors and evaluation: {time.perf_counter() - clock:.0f} s", flush=True)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        seconds = time.perf_counter() - begin
        record("training", "nearest of all captioned images", options.images, round(found), "s", "all pairs", round(pairs * pair))
        record("training", "caption labels, an epoch and its evaluation", options.images, round(seconds), "s")
        record("training", "caption labels, memory", options.images, round(peak, 2), "GB")
        print(f"in all {seconds:.0f} s, at most {peak:.2f} GB; all pairs of 113,287 images would be {113_287**2 * 4 / 1e9:.0f} GB")


if __name__ == "__main__":
    main()

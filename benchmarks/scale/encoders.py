"""Images a second that encoders of several sizes embed on this machine's cores: what the cost of embedding is computed from.

python benchmarks/scale/encoders.py    # a minute; weights are random but for the shipped one's, which changes nothing in speed
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import torch
from measuring.record import record

BATCH = 32
NAMES = ("cars", "ViT-B-32")


def tower(name: str) -> tuple[Any, int]:
    """An image tower and the size of its images."""
    if name == "cars":
        from likeness.encoders import load_encoder

        encoder: Any = load_encoder("cars")
        return encoder.tower.embed, encoder.prepare(_blank()).shape[0]
    import open_clip

    model = open_clip.create_model(name, pretrained=None, load_weights=False)
    size = model.visual.image_size
    return model.visual.eval(), size[0] if isinstance(size, tuple) else size


def _blank() -> Any:
    from PIL import Image

    return Image.new("RGB", (128, 128))


def images_per_second(model: Any, size: int, seconds: float) -> float:
    """The best of several passes within this time."""
    images, best, end = torch.randn(BATCH, 3, size, size), 0.0, time.perf_counter() + seconds
    with torch.inference_mode():
        model(images[:2])
        while time.perf_counter() < end or not best:
            begin = time.perf_counter()
            model(images)
            best = max(best, BATCH / (time.perf_counter() - begin))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one pass each")
    seconds = 0.1 if parser.parse_args().quick else 8.0
    for name in NAMES:
        model, size = tower(name)
        rate = images_per_second(model, size, seconds)
        print(
            f"{name}: {rate:.1f} images/s of {size} x {size} on {torch.get_num_threads()} cores, {rate / torch.get_num_threads():.1f} a core",
            flush=True,
        )
        record("embedding", f"{name}, forward passes", torch.get_num_threads(), round(rate, 1), "images/s")


if __name__ == "__main__":
    main()

"""By which cosine one can tell that vectors are an encoder's: the measurements behind the threshold of `lk.Space(vectors, images, encoder=NAME)`."""

import io
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from PIL import Image, ImageOps

from likeness.arrays import as_unit_rows
from likeness.commands.inputs import source_table
from likeness.commands.options import Format, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.defaults import DATASET
from likeness.encoder_fingerprint import SAMPLE, THRESHOLD, fingerprint
from likeness.encoders import Encoder, load_encoder, native_size
from likeness.io import read_image
from likeness.studies import OnRun, collected

Vectors = NDArray[np.float32]
Images = list[Image.Image]
_DRAWS = 2000
# OpenAI's CLIP and ImageNet, by one of which nearly every encoder is normalized
_NORMS = (((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)), ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))


def fingerprints(paths: Sequence[Any], name: str, others: Sequence[str] = (), seed: int = 0, *, on_run: OnRun | None = None) -> pd.DataFrame:
    """Cosines of images embedded by an encoder with their vectors after a change.

    Args:
        paths: of the images, none of which occurs twice.
        name: of the encoder.
        others: encoders of the same width.
        seed: of the noise, and of the samples.

    Returns:
        Columns kind ("stored": the encoder's own vectors in another precision, "pictures": of the same images decoded or cut otherwise, "other":
        of another encoder, or of other images), change, median and quartile (the lower one) of the images' cosines, lowest and highest (.001 and .999
        quantiles of the lower quartile of a sample, over 2,000 samples) and fits (share of samples that are taken for the encoder's).
    """
    images = [read_image(path) for path in paths]
    exact = load_encoder(f"32:{name}").encode_images(images)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for kind, change, vectors in _changed(images, exact, name, others, rng):
        cosines = np.vecdot(exact, as_unit_rows(vectors, "The vectors"))
        drawn = np.array([fingerprint(cosines[rng.choice(len(images), SAMPLE, replace=False)]) for _ in range(_DRAWS)])
        low, high = np.quantile(drawn, (0.001, 0.999))
        found = {"median": np.median(cosines), "quartile": fingerprint(cosines), "lowest": low, "highest": high}
        told = {key: round(float(value), 5) for key, value in found.items()} | {"fits": round(float((drawn >= THRESHOLD).mean()), 4)}
        rows += collected([{"encoder": name, "kind": kind, "change": change} | told], on_run)
    return pd.DataFrame(rows)


def _changed(images: Images, exact: Vectors, name: str, others: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[str, str, NDArray[Any]]]:
    yield "stored", "bfloat16 network", load_encoder(f"bf16:{name}").encode_images(images)
    yield "stored", "float16", exact.astype(np.float16)
    yield "stored", "int8, one scale", np.round(exact / np.abs(exact).max() * 127)
    yield "stored", "int8, a scale per row", np.round(exact / np.abs(exact).max(axis=1, keepdims=True) * 127)
    yield "stored", "signs only", np.sign(exact)
    encoder, side = load_encoder(f"32:{name}"), native_size(name)
    assert side is not None
    for change, cut in _cuts(side).items():
        yield "pictures", change, encoder.encode_images([cut(image) for image in images])
    yield "pictures", "other normalization", _other_norm(encoder, images)
    yield "other", "next image", np.roll(exact, 1, axis=0)
    yield "other", "centered", exact - exact.mean(axis=0)
    yield "other", "random rotation", exact @ np.linalg.qr(rng.standard_normal((exact.shape[1],) * 2))[0]
    for other in others:
        yield "other", other, load_encoder(other).encode_images(images)
    for share in (0.01, 0.1):
        yield "other", f"weights changed by {share:.0%}", _disturbed(name, share, images)


def _cuts(side: int) -> dict[str, Callable[[Image.Image], Image.Image]]:
    def fit(image: Image.Image, method: Image.Resampling, size: int = side) -> Image.Image:
        return ImageOps.fit(image, (size, size), method)

    def saved(image: Image.Image, quality: int) -> Image.Image:
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=quality)
        return Image.open(buffer).convert("RGB")

    return {
        "bilinear": lambda image: fit(image, Image.Resampling.BILINEAR),
        "nearest": lambda image: fit(image, Image.Resampling.NEAREST),
        "JPEG, quality 90": lambda image: saved(image, 90),
        "JPEG, quality 50": lambda image: saved(image, 50),
        "squashed": lambda image: image.resize((side, side), Image.Resampling.BICUBIC),
        "padded": lambda image: ImageOps.pad(image, (side, side)),
        "center 7/8": lambda image: (large := fit(image, Image.Resampling.BICUBIC, side * 8 // 7)).crop(
            ((edge := (large.width - side) // 2), edge, edge + side, edge + side)
        ),
        "at half the size": lambda image: fit(image, Image.Resampling.BICUBIC, side // 2),
        "blue for red": lambda image: Image.merge("RGB", image.split()[::-1]),
    }


def _other_norm(encoder: Encoder, images: Images) -> Vectors:
    changed: Any = copy(encoder.tower)  # type: ignore[attr-defined]
    mean, std = max(_NORMS, key=lambda norm: abs(norm[0][0] - changed.mean[0]) + abs(norm[1][0] - changed.std[0]))
    import torch

    changed._mean, changed._std = (torch.tensor(value).view(1, 3, 1, 1) for value in (mean, std))
    with torch.inference_mode():
        return np.concatenate([changed.embed(changed.pixels([changed.prepare(image)])).numpy() for image in images])


def _disturbed(name: str, share: float, images: Images) -> Vectors:
    """By a network each of whose weights is changed at random by this share of itself, as another version of an encoder is."""
    import torch

    encoder: Any = load_encoder(f"32:{name}")
    network = getattr(encoder, "model", None) or encoder._network
    kept = deepcopy(network.state_dict())
    generator = torch.Generator().manual_seed(0)
    try:
        with torch.no_grad():
            for weight in network.parameters():
                weight.mul_(1 + torch.randn(weight.shape, generator=generator) * share)
        vars(encoder).pop("_folded", None)
        return np.asarray(encoder.encode_images(images))
    finally:
        network.load_state_dict(kept)
        vars(encoder).pop("_folded", None)


def main(
    source: Source = DATASET,
    encoder: Annotated[str, typer.Option(help="The encoder whose vectors are changed.")] = "cars",
    others: Annotated[list[str] | None, typer.Option(help="An encoder of the same width; repeat the option for several.")] = None,
    images: Annotated[int, typer.Option(min=SAMPLE, help="Images to embed.")] = 300,
    seed: Annotated[int, typer.Option(help="Of images, samples and noise.")] = 0,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """By which cosine can one tell that given vectors are an encoder's?

    Images are embedded again and compared with the encoder's vectors in other precisions, of the same images cut otherwise, and with those of other
    encoders. Controls: vectors of the next image, and the encoder's own after a random rotation.

    Examples: `python -m experiments.analyses encoder-fingerprints`, `python -m experiments.analyses encoder-fingerprints photos/ --encoder photos`
    """
    table = source_table(source, only)
    rows = np.sort(np.random.default_rng(seed).permutation(len(table))[:images])
    paths = [table.file(int(row)) for row in rows]
    runs = measured("Fingerprints", out, lambda on_run, **_: fingerprints(paths, encoder, others or (), seed, on_run=on_run))
    print_table(runs, format)

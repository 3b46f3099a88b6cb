"""Are similarities of images better in the directions that images and texts share? IsoCLIP, beside the raw encoder and notions."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from likeness.arrays import unit_rows
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.studies import OnRun, collected, no_runs

if TYPE_CHECKING:
    from likeness.encoders import EncoderLike
    from likeness.notions import Notion
    from likeness.progress import Progress
    from likeness.space import Space

Matrix = NDArray[np.float64]
# Of 512 directions of ViT-B/32 the authors' code takes away the 150 strongest and the 50 weakest; of other encoders as large a share.
TOP, BOTTOM = 150 / 512, 50 / 512
RAW, BAND, NOTION = "raw encoder", "IsoCLIP", "InDiReCT"


def isoclip_table(
    base: "Space", notions: Sequence["Notion"], seeds: Sequence[int] = range(5), *, progress: "Progress | None" = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """MAP@R of the raw encoder, of IsoCLIP and of a notion by the same labels, and of controls that have as many dimensions as IsoCLIP.

    Rows: "raw encoder"; "IsoCLIP", the middle band; "all shared directions", before a band is chosen; "strongest directions"; as controls, random
    for each seed, "random directions" of those shared and "random projection" of the encoder; "PCA of the images", which knows no text; "InDiReCT"
    and, as its control, "other words". If IsoCLIP is right (arXiv 2603.19862), the band beats the raw encoder and its controls, whatever the label.
    If arXiv 2603.16100 is right, that images lack no alignment but a task, naming the task does.

    Args:
        base: the images in the space of an open_clip model or of the encoder `photos`; their table has each notion's `attribute`.
        notions: as in `compare`.
        seeds: of the controls.
        progress, on_run: as in `compare`.

    Returns:
        Columns notion, row, seed, dim, map_at_r.

    Raises:
        InputError: as `compare` and `projections`.
    """
    no_runs(base.table, notions, ["exact"], ("suggested",), seeds)
    mapped = [(name, seed, int(np.linalg.matrix_rank(matrix)), base.vectors @ matrix) for name, seed, matrix in _maps(base, seeds)]
    rows: list[dict[str, Any]] = []
    for done, notion in enumerate(notions):
        if progress:
            progress(done, len(notions))
        rows += collected(_rows(base, notion, mapped, seeds), on_run)
    return pd.DataFrame(rows)


def isoclip_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images and row of `isoclip_table`: the mean over notions, each the mean of its seeds, the deviation of this mean over seeds, and how
    many notions are above the raw encoder. Five heads, "photos 0" to "photos 4", are one set of images.
    """
    head = pd.to_numeric(runs["images"].str.extract(r" (\d)$")[0]).fillna(0).astype(int)
    runs = runs.assign(images=runs["images"].str.replace(r" \d$", "", regex=True), seed=runs["seed"] + 100 * head)
    cases = runs.groupby(["images", "notion", "row"], sort=False)["map_at_r"].mean().unstack("row")
    spread = runs.groupby(["images", "row", "seed"])["map_at_r"].mean().groupby(["images", "row"]).std().to_dict()
    lines = []
    for images, own in cases.groupby("images", sort=False):
        for row, values in own.items():
            above = int((values > own[RAW]).sum())
            lines.append(
                {"images": images, "row": row, "map_at_r": values.mean(), "deviation": spread[images, row], "above raw": f"{above} of {len(own)}"}
            )
    return pd.DataFrame(lines)


def shared_directions(image: Matrix, text: Matrix) -> Matrix:
    """Left singular vectors (p, k) of the inter-modal operator image @ text.T, the strongest first; k is its rank.

    Args:
        image, text: matrices (p, d) and (q, d) that map features before the last layer to the space of both, as rows: v = f @ image.
    """
    directions, values, _ = np.linalg.svd(image @ text.T, full_matrices=False)
    return directions[:, values > np.finfo(np.float32).eps * values[0]]


def kept_directions(image: Matrix, directions: Matrix) -> Matrix:
    """The matrix (d, d) that keeps of vectors in the space of both what comes from some directions (p, k) of the features.

    The authors replace the projection W by W U U^T. Features f are not needed: U lies in the span of W, so that f U is known from f W.
    """
    return np.asarray(np.linalg.pinv(image) @ directions @ directions.T @ image)


def projections(encoder: "EncoderLike | None") -> tuple[Matrix, Matrix]:
    """The last matrices of an encoder's two sides, (p, d) and (q, d), with a row more for each bias.

    Raises:
        InputError: no encoder, or neither an open_clip model with a linear last layer on both sides, nor `photos`.
    """
    from likeness.encoders import load_encoder

    if encoder is None:
        raise InputError("The space has no encoder, so its projections are unknown; embed the images by an open_clip model, or photos.")
    loaded: Any = load_encoder(encoder)
    if head := getattr(loaded, "_head", None):
        found = {name: value.cpu().double().numpy() for name, value in head.items()}
        return np.vstack([found["names"], found["features"], found["bias"]]), np.vstack([found["text"], -found["center"] @ found["text"]])
    weights = loaded.model.state_dict() if hasattr(loaded, "model") else {}
    image = _first(weights, "visual.proj", "visual.head.proj.weight", "visual.head.mlp.fc2.weight")
    text = _first(weights, "text_projection", "text.text_projection", "text.text_projection.weight")
    if image is None or text is None:
        raise InputError(f"The encoder '{encoder}' has no linear projection on both sides; choose an open_clip model, or photos.")
    return image, text


def _first(weights: dict[str, Any], *names: str) -> Matrix | None:
    for name in names:
        if name in weights:
            matrix = weights[name].detach().cpu().double().numpy()
            return np.asarray(matrix.T if name.endswith(".weight") else matrix)
    return None


def _maps(base: "Space", seeds: Sequence[int]) -> Iterator[tuple[str, int, Matrix]]:
    """Row, seed and map (d, k or d) of what needs no notion."""
    image, text = projections(base.encoder)
    directions = shared_directions(image, text)
    rank, width = directions.shape[1], image.shape[1]
    top, bottom = round(TOP * rank), round(BOTTOM * rank)
    kept = rank - top - bottom
    yield BAND, 0, kept_directions(image, directions[:, top : rank - bottom])
    yield "all shared directions", 0, kept_directions(image, directions)
    yield "strongest directions", 0, kept_directions(image, directions[:, :kept])
    yield "PCA of the images", 0, np.linalg.svd(base.vectors - base.vectors.mean(axis=0), full_matrices=False)[2][:kept].T
    for seed in seeds:
        rng = np.random.default_rng(seed)
        yield "random directions", seed, kept_directions(image, directions @ np.linalg.qr(rng.normal(size=(rank, kept)))[0])
        yield "random projection", seed, np.linalg.qr(rng.normal(size=(width, kept)))[0]


def _rows(base: "Space", notion: "Notion", mapped: Sequence[tuple[str, int, int, Matrix]], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    from likeness.notions import with_other_words

    labels = base.table.frame[notion.attribute]
    known = has_label(labels)
    said = labels[known].astype(str).to_numpy()

    def row(name: str, seed: int, dim: int, vectors: Any) -> dict[str, Any]:
        rows = unit_rows(np.asarray(vectors[known], np.float32), "The images", zeros=True)
        found = retrieval_metrics(rows, said)["map_at_r"]
        return {"notion": notion.name, "row": name, "seed": seed, "dim": dim, "map_at_r": round(float(found), 6)}

    yield row(RAW, 0, base.vectors.shape[1], base.vectors)
    yield from (row(*each) for each in mapped)
    vectors = base.refit(notion, "exact", dim="suggested").vectors
    yield row(NOTION, 0, vectors.shape[1], vectors)
    for seed in seeds:
        with contextlib.suppress(InputError):  # an encoder with few words may read all of a draw alike
            others = base.refit(with_other_words(notion, seed), "exact", dim=vectors.shape[1]).vectors
            yield row("other words", seed, vectors.shape[1], others)


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Random repetitions of the controls.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Are similarities of images better in the directions that images and texts share (IsoCLIP), or where a notion names what counts?

    Controls: as many random directions of those shared, random projections, the images' principal components, and other words.

    Examples: `python -m experiments.analyses isoclip`, `python -m experiments.analyses isoclip --encoder cars-small --out isoclip.csv`
    """
    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("IsoCLIP", out, lambda **watch: isoclip_table(base, chosen, range(seeds), **watch))
    print_table(isoclip_summary(runs.assign(images=base.table.name)).round(3), format)

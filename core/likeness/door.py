"""Top-level functions of the package that combine several subpackages."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from likeness.data import read_dataset
from likeness.embedding import load_space, load_vectors, space_of
from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.exports import TARGETS
from likeness.io import check_output_file, runs_dir
from likeness.joined_spaces import concat as concat
from likeness.space import Space

if TYPE_CHECKING:
    from likeness.encoders import Encoder, EncoderLike
    from likeness.notions import Composition, Notion
    from likeness.training import RunConfig, RunFolder

read = read_dataset


@overload
def load(what: Literal["cars", "cars-small", "photos"], name: None = None, *, encoder: None = None) -> "Encoder": ...


@overload
def load(what: Path, name: str | None = None, *, encoder: "EncoderLike | None" = None) -> Space: ...


@overload
def load(what: str, name: str | None = None, *, encoder: "EncoderLike | None" = None) -> Any: ...


def load(what: str | Path, name: str | None = None, *, encoder: "EncoderLike | None" = None) -> "Space | Encoder":
    """Loads a saved space, or an encoder: a trained run ("run:FOLDER") or any other name that `embed` takes.

    Args:
        what: a `.parquet` file of `Space.save` or an export, or any with a column "vector"; vectors of another program (`.npy`, `.npz`, a projector's
            TSV, clip-retrieval's folder); an export as "lancedb:PLACE" or "faiss:FOLDER"; or an encoder's name.
        name: of the table in a LanceDB; None: the only one.
        encoder: that made the vectors of a file, which is checked on a sample of images; None: the one that the file names.

    Raises:
        InputError: an unknown file, store or encoder, a file without vectors, or vectors of another encoder.

    Example:
        >>> import likeness as lk
        >>> lk.load("cars").dim
        512
    """
    if str(what).endswith(".parquet"):
        return load_space(what, encoder)
    vectors = str(what).endswith((".npy", ".npz", ".tsv")) or isinstance(what, Path) or os.path.exists(what)
    space = load_vectors(what, encoder) if vectors else None
    if space is not None:
        return space
    if encoder is not None:
        raise InputError(f"'{what}' is no file of vectors, so it cannot be of the encoder {encoder!r}; pass a file.")
    target, _, place = str(what).partition(":")
    read = TARGETS[target].read if place and target in TARGETS else None
    if read is not None:
        return space_of(read(place, name), f"The index of {TARGETS[target].title}")
    return load_encoder(str(what))


def maps(a: Space, b: Space, **settings: Any) -> Any:
    """Two linked maps of the same images as a notebook widget, with common selection, query and colors; `.selected` has the rows.

    Args:
        a, b: two spaces of the same table.
        settings: as for `likeness.plots.linked_map.show_maps` (color, method ...).
    """
    from likeness.plots.linked_map import show_maps

    return show_maps(a, b, **settings)


def report(what: "Space | RunFolder | str | Path", path: str | Path, notion: "Notion | Composition | None" = None, **options: Any) -> Path:
    """Writes a shareable HTML report and returns its path: metrics compared with the raw encoder, two linked maps and all images, without a server.

    Args:
        what: embedded images, with a notion; or a run or its folder, without one.
        notion: notion of the report, or a composition.
        options: as for `likeness.reports.ReportOptions` (images, megabytes, color, layout ...).

    Raises:
        InputError: images without a notion, a run with one, or errors of `likeness.reports`.

    Example:
        >>> import tempfile, likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> color = lk.Notion("car color", "a {} car", ["red", "green", "blue"])
        >>> lk.report(space, tempfile.mkdtemp() + "/color.html", color, images=100, layout="pca").name
        'color.html'
    """
    from likeness.reports import ReportOptions, notion_report, run_report, write_report

    if isinstance(what, Space) != (notion is not None):
        raise InputError("A report needs either a space and a notion, or only a run.")
    chosen = ReportOptions(**options)
    check_output_file(Path(path))
    if isinstance(what, Space):
        assert notion is not None
        return write_report(notion_report(what, notion, chosen), path)
    return write_report(run_report(what, chosen), path)


def train(config: "RunConfig | dict[str, Any] | str | Path", folder: Path | str | None = None, **changes: Any) -> "RunFolder":
    """Trains or resumes a run, with `.metrics()` and `.report()`; `embed(images, "run:FOLDER")` returns its space.

    Args:
        config: a `RunConfig`, its content as a dict, a YAML file, or the name of a preset (`likeness train --list`).
        folder: of the run; by default named as the config, in the folder of runs.
        changes: custom objects that replace those of the config, as in `likeness.training.train`: `loss`, (embeddings (n, d), labels (n,)) -> scalar,
            `miner`, `language`, `backbone`, a module, `data`, what `read` gives, `sampler`, `transform`, and Lightning `callbacks`. Other keywords
            override config values; pass nested keys as **{"optimizer.rate": 0.001}.

    Raises:
        InputError: invalid config or data.

    Example:
        >>> import tempfile, likeness as lk
        >>> run = lk.train("shipped-cars-elg", tempfile.mkdtemp() + "/run", epochs=1)
        >>> run.status().state
        'finished'
    """
    from likeness.training import RunConfig, config_from, read_config, train as train_run, with_changes

    chosen = config if isinstance(config, RunConfig) else config_from(config) if isinstance(config, dict) else read_config(config)
    objects = ("loss", "miner", "language", "backbone", "callbacks", "data", "sampler", "transform")
    options = {name: changes.pop(name) for name in objects if name in changes}
    # where a dict is given, and the config has a key of the name, it is the config's
    changes |= {name: options.pop(name) for name in ("backbone", "data") if isinstance(options.get(name), dict)}
    chosen = with_changes(chosen, changes) if changes else chosen
    return train_run(chosen, folder or runs_dir() / chosen.name, **options)

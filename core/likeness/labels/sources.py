"""Registry of label kinds; label distances of a table by its columns."""

from pydantic import field_validator, model_validator

from likeness.data import ImageTable
from likeness.labels import captions, layouts, matrix, mpii, names, numbers, poses
from likeness.labels.kind import LabelKind, LabelOptions
from likeness.labels.protocol import LabelDistances
from likeness.progress import Progress

KINDS: tuple[LabelKind, ...] = (poses.KIND, layouts.KIND, numbers.ANGLES, captions.KIND, numbers.KIND, names.KIND, matrix.KIND, mpii.KIND)


def kind_names() -> list[str]:
    """The names of all kinds of labels.

    >>> "pose" in kind_names()
    True
    """
    return [kind.name for kind in KINDS]


def label_kind(name: str) -> LabelKind:
    """The kind of this name; KeyError if there is none."""
    return {kind.name: kind for kind in KINDS}[name]


class LabelsConfig(LabelOptions):
    """Validated `LabelOptions`.

    Raises:
        ValidationError: an unknown kind, or an option that it needs is missing.
    """

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind not in kind_names():
            raise ValueError(f"kind is '{kind}', and there is none of that name; choose from {', '.join(kind_names())}")
        return kind

    @model_validator(mode="after")
    def _complete(self) -> "LabelsConfig":
        needs = label_kind(self.kind).needs
        if needs == "columns" and not self.columns:
            raise ValueError(f"kind {self.kind} needs columns, the names of numeric ones")
        if (needs == "file") != (self.file is not None):
            raise ValueError("kind matrix needs file, a .npy file; the other kinds take none")
        return self


def label_distances(table: ImageTable, config: LabelsConfig, progress: Progress | None = None) -> LabelDistances:
    """The label distances of a table's images; those of captions are cached on disk. InputError: missing or invalid columns, or as its kind."""
    return label_kind(config.kind).read(table, config, progress)


def known_labels(table: ImageTable) -> dict[str, LabelsConfig]:
    """The continuous labels that a table offers by its columns, or by its folder (MPII), by display name."""
    return {title: LabelsConfig(kind=kind.name, **options) for kind in KINDS for title, options in kind.offered(table).items()}

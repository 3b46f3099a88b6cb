"""What a training run is asked to do: a typed config, read from and written as YAML."""

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from likeness.errors import InputError


class Part(BaseModel):
    """A part of a config: unknown keys are refused, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DataConfig(Part):
    """Which images, which labels, who trains and who tests.

    Attributes:
        source: what `likeness.data.read_dataset` takes.
        attribute: the class of an image; of several attributes the combination ("red pickup").
        split: "classes": the first classes in natural order train and the others test, so that no class is in both; "official": the parts of
            a paper's dataset, "cub200:FOLDER".
        train_classes: share of the classes that train, where the split is by classes.
        validation: share of the training images that is held out, for the schedule and the best checkpoint; the paper takes 0.15.
        image_size: side in pixels at which images are kept and shown to the network.
        per_class: at most so many images of each class; None: all.
    """

    source: str = "bundled"
    attribute: str | tuple[str, ...] = "class"
    split: Literal["classes", "official"] = "classes"
    train_classes: float = Field(default=0.5, gt=0, lt=1)
    validation: float = Field(default=0.0, ge=0, lt=1)
    image_size: int = Field(default=224, ge=16, le=1024)
    per_class: int | None = Field(default=None, ge=2)


class BackboneConfig(Part):
    """The network that is trained.

    Attributes:
        name: a timm name ("resnet50", "mobilenetv2_100"), or "clip:" and an open_clip encoder ("clip:bundled") whose image side is taken.
        weights: "pretrained" (timm's), "none", or a .safetensors file.
        options: further arguments of `timm.create_model`.
        dim: d, of the embedding.
        freeze_batch_norm: batch norm keeps its running statistics, as in the papers' protocols.
        head_only: only the embedding layer is trained, on features that are computed once, without augmentation.
    """

    name: str = "resnet50"
    weights: str = "pretrained"
    options: dict[str, Any] = {}
    dim: int = Field(default=512, ge=2, le=8192)
    freeze_batch_norm: bool = True
    head_only: bool = False


class ObjectiveConfig(Part):
    """The objective, by a name of `likeness.losses.OBJECTIVES`, and its options; `s2sd` wraps it in S2SD with these options."""

    name: str = "multisimilarity"
    options: dict[str, Any] = {}
    s2sd: dict[str, Any] | None = None
    proxy_rate: float = Field(default=1.0, gt=0, description="Learning rate of the objective's own parameters, times that of the network.")


class GuidanceConfig(Part):
    """Language guidance (Eq. 4): the objective plus omega times the distance to language similarities.

    Attributes:
        kind: "elg", class names; "plg", pseudolabels.
        way: how language enters (elg): "match", the paper's, or one it compares with (Table 4): "devise", "clip-style", "mining", "scaling";
            the last two take the objective's place.
        omega: its weight; the paper takes 1 to 10.
        gamma: shift of Eq. 2 and 3.
        direction, matching, temperature, mask_language, stop_gradient: of `likeness.losses.language_match`.
        language: language models of `likeness.language`; of several the mean similarity.
        primer: sentence around the name.
        k: pseudolabels per class (plg).
        level: "class" or "sample" (plg).
        variant: "mean", "multi", "dense", "dense+multi" of Table S3 (plg).
        average: "softmax" (paper) or "logits" (authors' code) of a class's outputs (plg).
        classifier: a timm classifier with ImageNet classes (plg); its weights as in `BackboneConfig`.
    """

    kind: Literal["elg", "plg"] = "elg"
    way: Literal["match", "devise", "clip-style", "mining", "scaling"] = "match"
    omega: float = Field(default=1.0, ge=0)
    gamma: float = 1.0
    direction: str = "image||language"
    matching: str = "rows"
    temperature: float = Field(default=1.0, gt=0)
    mask_language: bool = False
    stop_gradient: bool = True
    language: tuple[str, ...] = ("minilm",)
    primer: str = "A photo of a {}"
    k: int = Field(default=5, ge=1, le=100)
    level: Literal["class", "sample"] = "class"
    variant: Literal["mean", "multi", "dense", "dense+multi"] = "mean"
    average: Literal["softmax", "logits"] = "softmax"
    classifier: BackboneConfig | None = None

    @model_validator(mode="after")
    def _known(self) -> "GuidanceConfig":
        if self.kind == "plg" and self.way != "match":
            raise ValueError(f"way {self.way} needs class names, kind elg")
        if self.way in ("devise", "clip-style") and len(self.language) > 1:
            raise ValueError(f"way {self.way} takes one language model, not {len(self.language)}")
        return self

    @field_validator("language", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class BatchConfig(Part):
    """size: images in a batch; per_class: images of each class in it (M-per-class sampling)."""

    size: int = Field(default=112, ge=2)
    per_class: int = Field(default=2, ge=1)

    @model_validator(mode="after")
    def _fits(self) -> "BatchConfig":
        if self.size % self.per_class:
            raise ValueError(f"size {self.size} is no multiple of per_class {self.per_class}")
        return self


class OptimizerConfig(Part):
    """Adam. rate_head: learning rate of the embedding layer, times that of the rest.

    milestones: epochs after which the rate falls by `factor`; plateau: instead, it falls at most twice when R@1 on the validation split
    has not risen for so many evaluations.
    """

    rate: float = Field(default=1e-5, gt=0)
    rate_head: float = Field(default=1.0, gt=0)
    weight_decay: float = Field(default=3e-4, ge=0)
    milestones: tuple[int, ...] = ()
    plateau: int | None = Field(default=None, ge=1)
    factor: float = Field(default=0.3, gt=0, lt=1)


class RunConfig(Part):
    """A whole run.

    Attributes:
        name: shown to people; also of the run's folder.
        note: what it is, with paper and expected figures.
        epochs: passes over the training images; a pass is n / batch size steps.
        evaluate_every: epochs between evaluations.
        checkpoint_every: steps between checkpoints; the last one is kept, and the best one by R@1.
        seed: of everything that is drawn.
        device: "auto", "cpu", "cuda", "mps".
    """

    name: str = "run"
    note: str = ""
    data: DataConfig = DataConfig()
    backbone: BackboneConfig = BackboneConfig()
    objective: ObjectiveConfig = ObjectiveConfig()
    guidance: GuidanceConfig | None = None
    batch: BatchConfig = BatchConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    epochs: int = Field(default=150, ge=1)
    evaluate_every: int = Field(default=1, ge=1)
    checkpoint_every: int = Field(default=200, ge=1)
    seed: int = 0
    device: str = "auto"
    augment: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> "RunConfig":
        if self.optimizer.plateau and not self.data.validation:
            raise ValueError("optimizer.plateau needs data.validation above 0, the split whose R@1 it watches")
        if self.optimizer.plateau and self.optimizer.milestones:
            raise ValueError("optimizer.plateau and optimizer.milestones exclude each other")
        return self


def read_config(file: Path | str) -> RunConfig:
    """A config from a YAML file, or a shipped preset by its name.

    Raises:
        InputError: no such file or preset, no YAML, or a key or value that does not fit; the message names each.
    """
    path = Path(file)
    if not path.is_file():
        shipped = presets()
        if str(file) not in shipped:
            raise InputError(f"There is no config file or preset '{file}'; the presets are {', '.join(shipped)}.")
        path = shipped[str(file)]
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"'{path.name}' is no YAML: {str(error).splitlines()[0]}.") from error
    return config_from(content, path.name)


def config_from(content: Any, name: str = "the config") -> RunConfig:
    """A config from nested dicts.

    Raises:
        InputError: a key or value that does not fit; the message names each.
    """
    if not isinstance(content, dict):
        raise InputError(f"{name} holds {type(content).__name__}, but a config is a mapping of keys such as data, backbone, objective.")
    try:
        return RunConfig.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{name} does not fit: {'; '.join(_told(each) for each in error.errors())}.") from error


def with_changes(config: RunConfig, changes: dict[str, Any]) -> RunConfig:
    """The config with other values, by dotted keys: {"guidance.omega": 5, "seed": 1}.

    Raises:
        InputError: as `config_from`.
    """
    content = config.model_dump(mode="json")
    for key, value in changes.items():
        *way, last = key.split(".")
        place = content
        for step in way:
            if place.get(step) is None:
                place[step] = {}
            place = place[step]
            if not isinstance(place, dict):
                raise InputError(f"'{key}' goes through '{step}', which has no keys of its own.")
        place[last] = value
    return config_from(content)


def as_yaml(config: RunConfig) -> str:
    """The whole config, defaults included."""
    text: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    return text


def difference(a: RunConfig, b: RunConfig) -> dict[str, tuple[Any, Any]]:
    """Dotted keys with two values, of configs that differ there."""
    ours, theirs = (_flat(each.model_dump(mode="json")) for each in (a, b))
    keys = [*ours, *(key for key in theirs if key not in ours)]
    return {key: (ours.get(key), theirs.get(key)) for key in keys if ours.get(key) != theirs.get(key)}


def presets() -> dict[str, Path]:
    """Shipped configs by name, one for each protocol of the papers and for what ships."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "presets").glob("*.yaml"))}


def _flat(content: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, dict) and value else {f"{before}{key}": value}
    return found


def _told(error: Any) -> str:
    place = ".".join(str(step) for step in error["loc"]) or "it"
    if error["type"] == "extra_forbidden":
        return f"there is no key '{place}'"
    return (
        f"{place} is {error['input']!r}: {error['msg'].removeprefix('Value error, ')}" if error["loc"] else error["msg"].removeprefix("Value error, ")
    )

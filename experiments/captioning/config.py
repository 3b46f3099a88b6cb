"""The typed config of a captioning experiment, read from YAML."""

from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from likeness.defaults import DATASET, LARGEST_SEED
from likeness.errors import InputError
from likeness.io import FrozenConfig, config_file, with_keys, yaml_content
from likeness.training import BackboneConfig

LARGEST_BEAM = 100


class CaptionDataConfig(FrozenConfig):
    """Images with sentences.

    Attributes:
        source: what `read_captioned` takes: "coco-captions:FOLDER", a CSV file of path and caption, "cars" or other Synthetic Cars.
        path_column, caption_column: of a CSV or Parquet file, the columns of paths and of captions; None: they are found.
        each: sentences that are written about each of these cars.
        validation, test: shares of the images, where the source has no split of its own.
        split: which images these shares are: "random", drawn by the seed; "last", the last images test and those before them validate, so that
            a run with split images whose `data.test_images` is the sum of both shares trains on the same images as the captioning model.
        shuffled: the captions of the training images are dealt out to other training images, a control: what a model then scores, it has from
            the language alone.
        image_size: side in pixels of what the backbone is shown.
        grid: places per side at which its maps are taken; the paper's 14.
    """

    source: str = DATASET
    path_column: str | None = None
    caption_column: str | None = None
    each: int = Field(default=5, ge=1)
    validation: float = Field(default=0.15, gt=0, lt=0.5)
    test: float = Field(default=0.15, gt=0, lt=0.5)
    split: Literal["random", "last"] = "random"
    shuffled: bool = False
    image_size: int = Field(default=224, ge=16, le=1024)
    grid: int = Field(default=14, ge=1, le=32)


class DecoderConfig(FrozenConfig):
    """The captioning model, `experiments.captioning.decoder`: sizes of the papers by default (Att2all2: 512 for all)."""

    kind: Literal["att2all2", "topdown"] = "topdown"
    hidden: int = Field(default=1000, ge=1)
    embedding: int = Field(default=1000, ge=1)
    attention: int = Field(default=512, ge=1)
    dropout: float = Field(default=0.5, ge=0, lt=1)


class CrossEntropyConfig(FrozenConfig):
    """The first stage.

    Attributes:
        epochs: passes over the training images.
        batch: images in a step.
        per_image: sentences of each of them in it.
        rate: of Adam, which falls by `factor` after every `every` epochs.
        smoothing: label smoothing.
        sampling: largest chance of scheduled sampling, which grows by 0.05 after every `sampling_every` epochs; 0 turns it off.
    """

    epochs: int = Field(default=30, ge=1)
    batch: int = Field(default=10, ge=1)
    per_image: int = Field(default=5, ge=1)
    rate: float = Field(default=5e-4, gt=0)
    factor: float = Field(default=0.8, gt=0, le=1)
    every: int = Field(default=3, ge=1)
    smoothing: float = Field(default=0.0, ge=0, lt=1)
    sampling: float = Field(default=0.0, ge=0, le=1)
    sampling_every: int = Field(default=5, ge=1)


class ReinforcementConfig(FrozenConfig):
    """The second stage, self-critical training.

    Attributes:
        epochs: passes over the training images; 0 leaves the stage out.
        batch, rate, factor, every: as in the first stage.
        samples: sentences that are drawn for each image of a step.
        reward_end: the end counts as a word of the reward; otherwise unfinished sentences pay ("a man on a").
    """

    epochs: int = Field(default=30, ge=0)
    batch: int = Field(default=10, ge=1)
    samples: int = Field(default=5, ge=1)
    rate: float = Field(default=5e-5, gt=0)
    factor: float = Field(default=1.0, gt=0, le=1)
    every: int = Field(default=3, ge=1)
    reward_end: bool = True


class CaptioningConfig(FrozenConfig):
    """A whole experiment, except the features that it compares.

    Attributes:
        name: of the experiment's folder.
        note: what it is, with paper and expected figures.
        backbone: what the features "imagenet" are taken from.
        min_count: a word of the vocabulary occurs so often in the training captions.
        longest: most words of a sentence.
        clip: largest length of the gradient.
        beam: width of the search by which captions for scores are found.
        evaluate_every: epochs between evaluations on the validation images; the best weights by CIDEr-D are kept.
        checkpoint_every: steps between checkpoints.
        seed: of everything that is drawn.
        device: "auto", "cpu", "cuda", "mps".
        synonyms: the score like METEOR counts synonyms, for which nltk's WordNet must be here.
    """

    name: str = "captioning"
    note: str = ""
    data: CaptionDataConfig = CaptionDataConfig()
    backbone: BackboneConfig = BackboneConfig()
    decoder: DecoderConfig = DecoderConfig()
    min_count: int = Field(default=5, ge=1)
    longest: int = Field(default=16, ge=1, le=1000)
    xe: CrossEntropyConfig = CrossEntropyConfig()
    rl: ReinforcementConfig = ReinforcementConfig()
    clip: float = Field(default=5.0, gt=0)
    beam: int = Field(default=2, ge=1, le=LARGEST_BEAM)
    evaluate_every: int = Field(default=1, ge=1)
    checkpoint_every: int = Field(default=500, ge=1)
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    device: str = "auto"
    synonyms: bool = False


def captioning_configs() -> dict[str, Path]:
    """Shipped experiments by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "configs").glob("*.yaml"))}


def read_captioning_config(file: Path | str) -> CaptioningConfig:
    """Reads a config from a YAML file or by the name of a shipped one.

    Raises:
        InputError: no such file or name, no YAML, or a key or value that does not fit; the message names each.
    """
    shipped = captioning_configs()
    path = config_file(file, shipped, f"There is no captioning config '{file}'; shipped ones are {', '.join(shipped)}.")
    return captioning_config_from(yaml_content(path), path.name)


def captioning_config_from(content: Any, name: str = "The config") -> CaptioningConfig:
    """A config from nested dicts.

    Raises:
        InputError: a key or value that does not fit; the message names each.
    """
    if not isinstance(content, dict):
        raise InputError(f"{name} holds {type(content).__name__}, but a config is a mapping of keys such as data, decoder, xe, rl.")
    return CaptioningConfig.checked(content, name)


def with_captioning_changes(config: CaptioningConfig, changes: dict[str, Any]) -> CaptioningConfig:
    """The config with changed values, by dotted keys: {"decoder.hidden": 256}.

    Raises:
        InputError: as `captioning_config_from`.
    """
    return captioning_config_from(with_keys(config, changes))

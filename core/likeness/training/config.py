"""Typed config of a training run, read and written as YAML."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import AfterValidator, Field, PositiveInt, field_validator, model_validator

from likeness.defaults import LARGEST_SEED
from likeness.encoders import encoder_family
from likeness.errors import InputError
from likeness.io import FrozenConfig, config_file, with_keys, yaml_content
from likeness.language import check_language, gives_vectors
from likeness.losses import WRAPPERS, check_mines, check_objective, check_wrapper, find_objective
from likeness.samplers import check_miner
from likeness.training.data.transforms import build_transforms
from likeness.training.data_config import DataConfig as DataConfig

Value = TypeVar("Value")
# former keys of guidance in configs and runs, with their present names
FORMER_KEYS = {"way": "method", "shuffled": "control"}
OBJECTS = ("data", "sampler", "transform")
_READS = {"distances": "continuous labels", "captions": "captions"}


class LoraOptions(FrozenConfig):
    """Adapters: their rank, and alpha, by which their share is alpha / rank (LoRA: Hu et al., ICLR 2022)."""

    rank: int = Field(default=8, ge=1)
    alpha: int = Field(default=16, ge=1)


class BackboneConfig(FrozenConfig):
    """The network to train.

    Attributes:
        name: a timm name ("resnet50", "mobilenetv2_100"); "photos", the MobileNetV2 of ImageNet that ships; or "clip:" and an open_clip encoder
            ("clip:cars"), whose image tower is used.
        weights: "pretrained" (timm's, or shipped), "none", or a .safetensors file.
        options: further arguments of `timm.create_model`.
        dim: d, size of the embedding; None: the number of backbone features, with an embedding layer that starts as the identity, so that a run of 0
            epochs is the raw encoder.
        parts: number of parts of equal size, each scaled to the same length; 1: the embedding is scaled as a whole.
        freeze_batch_norm: batch norm keeps its running statistics, as in the papers' protocols.
        head_only: trains only the embedding layer, on features that are computed once, without augmentation.
        train_from: the first block that is trained ("blocks.6"), on maps that the blocks before it compute once, without augmentation; None: all are.
        lora: trains only low-rank adapters on the backbone's linear layers and 1 x 1 convolutions, and the embedding layer; needs peft.
        pool: of the last feature maps: "own", as the network was made, or "gem", the generalized mean (Radenovic et al. 2018) with a learned power
            that starts at 3.
        checkpointing: recomputes activations inside timm's stages in the backward pass, which takes less memory and more time.
        text: the text side of a CLIP: "keep" it, so that the run reads texts, or "train" it, too; None: without.
        unit: scales embeddings to unit length; None: except for the log-ratio loss, which does not need it (Kim et al., section 3.2). Otherwise
            images are retrieved by Euclidean distance.
        init: start of an embedding layer of `dim`: "torch", the uniform one of torch; "kaiming", normal with standard deviation sqrt(2 / dim) and
            without bias, as the code of the log-ratio loss has it for every loss; None: "kaiming" for embeddings without unit length.
    """

    name: str = "resnet50"
    weights: str = "pretrained"
    options: dict[str, Any] = Field(default_factory=dict)
    dim: int | None = Field(default=512, ge=2, le=8192)
    parts: int = Field(default=1, ge=1)
    freeze_batch_norm: bool = True
    head_only: bool = False
    train_from: str | None = None
    lora: LoraOptions | None = None
    pool: Literal["own", "gem"] = "own"
    checkpointing: bool = False
    text: Literal["keep", "train"] | None = None
    unit: bool | None = None
    init: Literal["torch", "kaiming"] | None = None

    @model_validator(mode="after")
    def _divides(self) -> "BackboneConfig":
        if self.dim is not None and self.dim % self.parts:
            raise ValueError(f"dim {self.dim} is not a multiple of parts {self.parts}")
        if self.head_only and self.train_from:
            raise ValueError(f"a head_only run trains no blocks, but train_from is {self.train_from}; remove one of both")
        if self.head_only and self.lora:
            raise ValueError("a head_only run trains no backbone, which lora adapts; remove one of both")
        if self.text and (not self.name.startswith("clip:") or self.dim is not None):
            raise ValueError("text needs the size of a CLIP's texts; set name to clip: and an open_clip encoder, and dim to null, or remove text")
        if self.pool != "own" and self.name.startswith("clip:"):
            raise ValueError(f"pool {self.pool} needs the feature maps of a timm CNN, not {self.name}")
        return self

    @property
    def inputs(self) -> str:
        """What a run computes once and trains on: "features", "maps", or "" for images."""
        return "features" if self.head_only else "maps" if self.train_from else ""


class ObjectiveConfig(FrozenConfig):
    """The objective, by a name of `likeness.losses.OBJECTIVES`, or of a loss of pytorch-metric-learning ("pml:CircleLoss"), its options, and its
    wrappers with their options ({} for the defaults).

    Attributes:
        miner, miner_options: of `likeness.samplers.MINERS`, or "pml:AngularMiner" and others of pytorch-metric-learning, instead of the
            objective's own.
        memory: the batch is compared with the last `size` embeddings, those of earlier batches (cross-batch memory).
        matryoshka: the first `dims` dimensions of the embedding, such as [64, 128], are embeddings, too.
        s2sd, uniform_prior: `likeness.losses.S2SD`, and `UniformPrior`, also around s2sd.
        diva: `likeness.losses.DiVA`: the objective, "margin" in the paper, applies to the first of four parts; needs backbone.parts 4 and three
            images of each class in a batch, or two with `random_labels`. The second view of an image is another random crop, or in a run without
            crops (head_only, train_from) its features or maps with `dropout`.
        proxy_rate: learning rate of the objective's own parameters, relative to the network's.
        wrapper_rate: learning rate of the wrappers' networks (branches, discriminator, separations), relative to the network's; None: as
            `proxy_rate`.
        weight_decay: of both; None: as for the network.
    """

    name: str = "multisimilarity"
    options: dict[str, Any] = Field(default_factory=dict)
    miner: str | None = None
    miner_options: dict[str, Any] = Field(default_factory=dict)
    memory: dict[str, Any] | None = None
    matryoshka: dict[str, Any] | None = None
    s2sd: dict[str, Any] | None = None
    uniform_prior: dict[str, Any] | None = None
    diva: dict[str, Any] | None = None
    proxy_rate: float = Field(default=1.0, gt=0)
    wrapper_rate: float | None = Field(default=None, gt=0)
    weight_decay: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _known(self) -> "ObjectiveConfig":
        wrong = check_objective(self.name, self.options) or self._check_miner()
        for name, options in self.wrappers.items():
            wrong = wrong or check_wrapper(name, options)
        if wrong:
            raise ValueError(wrong.removesuffix("."))
        for name in self.wrappers:
            if (labels := find_objective(self.name).labels) != "classes":
                raise ValueError(f"{name} needs an objective on classes, but {self.name} is on {_READS[labels]}")
            for other in WRAPPERS[name].excludes:
                if other in self.wrappers:
                    raise ValueError(f"{name} and {other} exclude each other")
        return self

    @property
    def wrappers(self) -> dict[str, dict[str, Any]]:
        """Options of the wrappers in use, by name."""
        return {name: getattr(self, name) for name in WRAPPERS if getattr(self, name) is not None}

    def _check_miner(self) -> str:
        if self.miner is None:
            return "miner_options need a miner." if self.miner_options else ""
        return check_mines(self.name) or check_miner(self.miner, self.miner_options)

    @property
    def continuous(self) -> bool:
        """Whether it reads label distances instead of class labels."""
        return find_objective(self.name).labels == "distances"

    @property
    def on_captions(self) -> bool:
        """Whether it reads captions instead of class labels."""
        return find_objective(self.name).labels == "captions"


class GuidanceConfig(FrozenConfig):
    """Language guidance (Eq. 4): the objective plus omega times the distance to language similarities.

    Attributes:
        kind: "elg", class names; "plg", pseudolabels.
        method: use of language (elg): "match", the paper's, or an alternative in its Table 4: "devise", "vit", "clip-style", "mining", "scaling"; the
            last two replace the objective, and "vit" reads the feature maps of a trainable timm network.
        nu: nu_1 and nu_2 of Eq. S2 for method mining, nu_3 and nu_4 of Eq. S3 for scaling. None: 0.5 and 1, or 0.75 and 0.75.
        omega: its weight; 1 to 10 in the paper.
        gamma: shift of Eq. 2 and 3. It affects "rows" and "full" only in the mask, but "row-l2" everywhere: use 0 there.
        direction, matching, temperature, stop_gradient: of `likeness.losses.language_match`.
        mask_language: for pseudolabels or captions of single images: mask both sides within classes, as the authors' code, or neither. For names and
            pseudolabels of classes, both are always masked.
        language: language models of `likeness.language`, "wordnet", "hierarchy:FILE" or "hierarchy:wordnet"; of several the mean similarity.
        primer: sentence around the name; "{}" for the name alone.
        names: attribute with class names, if the class's own value is not one: "product_kind" for Stanford Online Products, whose products are
            numbers (elg).
        text: input of the language model (elg): "names"; "captions" of single images; or "captions+names", where the class name replaces `keywords`
            (Table 5), words for the class such as "bird".
        captions: CSV file of path and caption, with the paths of the image table. None: the first caption of each image in the dataset.
        control: control that removes the meaning: remaining gains are not due to it. "shuffled" permutes names, or pseudolabels, among the classes at
            random; "flat" makes all classes equally similar, by the mean of the true similarities.
        k, level, variant: pseudolabels per class; "class" or "sample"; "mean", "multi", "dense", "dense+multi" of Table S3 (plg).
        average: "softmax" (paper) or "logits" (authors' code) of a class's outputs (plg).
        classifier: a timm classifier with ImageNet classes (plg); None: the run's backbone.
        pseudolabels: instead of a classifier, a CSV file of classes and their names, or "synthetic-cars", which ships (plg).
    """

    kind: Literal["elg", "plg"] = "elg"
    method: Literal["match", "devise", "vit", "clip-style", "mining", "scaling"] = "match"
    nu: tuple[float, float] | None = None
    omega: float = Field(default=1.0, ge=0)
    gamma: float = 1.0
    direction: str = "image||language"
    matching: str = "rows"
    temperature: float = Field(default=1.0, gt=0)
    mask_language: bool = False
    stop_gradient: bool = True
    language: tuple[str, ...] = ("minilm",)
    primer: str = "A photo of a {}"
    names: str | None = None
    text: Literal["names", "captions", "captions+names"] = "names"
    captions: str | None = None
    keywords: tuple[str, ...] = ()
    control: Literal["none", "shuffled", "flat"] = "none"
    k: int = Field(default=5, ge=1, le=100)
    level: Literal["class", "sample"] = "class"
    variant: Literal["mean", "multi", "dense", "dense+multi"] = "mean"
    average: Literal["softmax", "logits"] = "softmax"
    classifier: BackboneConfig | None = None
    pseudolabels: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _former_keys(cls, content: Any) -> Any:
        """Reads former keys of configs and runs: `way`, now `method`, and `shuffled: true`, now a `control`."""
        if not isinstance(content, dict):
            return content
        for former, key in FORMER_KEYS.items():
            if former in content and key in content:
                raise ValueError(f"{key} and {former} are the same key; set only {key}")
        return {FORMER_KEYS.get(key, key): value for key, value in content.items()}

    @field_validator("control", mode="before")
    @classmethod
    def _former_control(cls, value: Any) -> Any:
        return {True: "shuffled", False: "none"}[value] if isinstance(value, bool) else value

    @model_validator(mode="after")
    def _known(self) -> "GuidanceConfig":
        if self.kind == "plg" and self.method != "match":
            raise ValueError(f"method {self.method} needs class names, kind elg")
        if self.nu is not None:
            _check_nu(self.method, *self.nu)
        if self.method in ("devise", "vit", "clip-style") and len(self.language) > 1:
            raise ValueError(f"method {self.method} takes one language model, not {len(self.language)}")
        if self.control != "none" and (self.text != "names" or (self.kind == "plg" and self.level == "sample")):
            raise ValueError(f"control {self.control} needs names of classes: text names, and for kind plg level class")
        if self.control == "flat" and (self.method not in ("match", "mining", "scaling") or not self.stop_gradient):
            raise ValueError(
                "control flat needs similarities, which only the methods match, mining and scaling read; choose one of them, or shuffled"
            )
        if self.names is not None and self.kind == "plg":
            raise ValueError(f"names {self.names} needs class names, kind elg")
        if self.pseudolabels is not None and (self.kind, self.level, self.classifier) != ("plg", "class", None):
            raise ValueError("pseudolabels from a file need kind plg and level class, without a classifier")
        if not self.stop_gradient and (self.kind, self.method, self.text) != ("elg", "match", "names"):
            raise ValueError("stop_gradient false needs kind elg, method match and text names")
        return self

    @model_validator(mode="after")
    def _captions_fit(self) -> "GuidanceConfig":
        if self.text == "names":
            if self.captions is not None or self.keywords:
                raise ValueError("captions and keywords need text captions or captions+names")
            return self
        if (self.kind, self.method) != ("elg", "match"):
            raise ValueError(f"text {self.text} needs kind elg and method match")
        if (self.text == "captions+names") != bool(self.keywords):
            raise ValueError("text captions+names needs keywords that the class name replaces, such as bird; text captions takes none")
        return self

    @model_validator(mode="after")
    def _has_vectors(self) -> "GuidanceConfig":
        wrong = next(filter(None, map(check_language, self.language)), "")
        if wrong:
            raise ValueError(wrong.removesuffix("."))
        trees = [name for name in self.language if not gives_vectors(name)]
        wants = [
            *([f"method {self.method}"] if self.method in ("devise", "vit", "clip-style") else []),
            *([f"text {self.text}"] if self.text != "names" else []),
            *(["stop_gradient false"] if not self.stop_gradient else []),
        ]
        if trees and wants:
            raise ValueError(f"{wants[0]} needs a language model with vectors, but {trees[0]} only has similarities of names")
        return self

    @field_validator("language", "keywords", mode="before")
    @classmethod
    def _several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


def _check_nu(method: str, first: float, second: float) -> None:
    """ValueError: numbers of Eq. S2 or S3 that the method does not allow."""
    if method not in ("mining", "scaling"):
        raise ValueError(f"nu needs method mining or scaling, not {method}")
    if method == "mining" and not (0 <= first <= 1 and second > 0):
        raise ValueError(f"nu is {first:g} and {second:g}, but for mining the first must be from 0 to 1 and the second above 0")
    if min(first, second) < 0:
        raise ValueError(f"nu is {first:g} and {second:g}, but powers must be at least 0")


def _checked(check: Callable[[Value], object], value: Value) -> Value:
    """The value; ValueError: `check` raises an InputError for it, unless it is {}."""
    try:
        _ = value == {} or check(value)
    except InputError as error:
        raise ValueError(str(error).removesuffix(".")) from error
    return value


class BatchConfig(FrozenConfig):
    """Sampling of batches.

    Attributes:
        size, per_class: images in a batch, and of each class in it (M-per-class sampling).
        draw: "spread": distinct classes and images; "replacement": both can repeat, as in the code of language guidance; "hard-classes": `drawn`
            classes and those nearest to them, by the means of their embeddings at the beginning of each epoch (`likeness.samplers.HardClassBatches`).
        nearest, pool, drawn: for continuous labels, as in `likeness.samplers.NeighborBatches`: neighbors per drawn anchor, how many nearest images
            they are drawn from (None: `nearest`), and number of drawn anchors.
        anchors: "drawn": only drawn images are anchors of the loss, as in the paper; "all": every image of the batch.
        accumulate: batches per step. Images are only compared within a batch, so several small batches do not replace a large one.
        chunk: images that the network takes at once, twice, so that memory is that of so many and the loss still sees the whole batch: the gradients
            of GradCache (Gao et al. 2021), by recomputation. None: the whole batch.
    """

    size: int = Field(default=112, ge=2, le=65_536)
    per_class: int = Field(default=2, ge=1)
    draw: Literal["spread", "replacement", "hard-classes"] = "spread"
    nearest: int = Field(default=5, ge=1)
    pool: int | None = Field(default=None, ge=1)
    drawn: int = Field(default=1, ge=1)
    anchors: Literal["drawn", "all"] = "drawn"
    accumulate: int = Field(default=1, ge=1)
    chunk: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _fits(self) -> "BatchConfig":
        if self.pool is not None and self.pool < self.nearest:
            raise ValueError(f"pool {self.pool} is less than nearest {self.nearest}")
        return self


class OptimizerConfig(FrozenConfig):
    """How the network is trained.

    Attributes:
        kind: "adam"; "adamw", with decoupled weight decay; or "sgd", with `momentum`.
        rate, rate_head: learning rate, and that of the embedding layer relative to it.
        layer_decay: factor of the rate from each layer of the backbone to the one before it, layers being those of timm; 1: one rate for all.
        weight_decay: of all weights; see also `objective.weight_decay`.
        decay_norms: it applies to norms and biases, too.
        milestones: epochs after which the rate is multiplied by `factor`.
        plateau: instead, drops the rate, at most twice, when R@1 or the label distance on the validation split has not improved for so many
            evaluations.
        decay: factor of the rate per epoch, applied evenly at every step; 1: constant.
        inverse_decay: divides the rate by 1 + steps * this, as the code of the log-ratio loss.
        warmup: first epochs, in which the backbone is frozen.
        rate_warmup: first epochs, possibly fractional, in which the rate rises linearly from 0 to its value.
        cosine: after that, the rate decreases along half a cosine, to 0 at the end of the run.
        clip: maximum norm of all gradients together. None: no clipping.
        ema: evaluates and keeps a moving average of the weights, of which every step replaces 1 - ema; None: the weights of the last step.
    """

    kind: Literal["adam", "adamw", "sgd"] = "adam"
    rate: float = Field(default=1e-5, gt=0)
    rate_head: float = Field(default=1.0, gt=0)
    layer_decay: float = Field(default=1.0, gt=0, le=1)
    weight_decay: float = Field(default=3e-4, ge=0)
    decay_norms: bool = True
    milestones: tuple[int, ...] = ()
    plateau: int | None = Field(default=None, ge=1)
    factor: float = Field(default=0.3, gt=0, lt=1)
    momentum: float = Field(default=0.9, ge=0, lt=1)
    decay: float = Field(default=1.0, gt=0, le=1)
    inverse_decay: float = Field(default=0.0, ge=0)
    warmup: int = Field(default=0, ge=0)
    rate_warmup: float = Field(default=0.0, ge=0)
    cosine: bool = False
    clip: float | None = Field(default=None, gt=0)
    ema: float | None = Field(default=None, gt=0, lt=1)

    @model_validator(mode="after")
    def _one_schedule(self) -> "OptimizerConfig":
        others = [name for name in ("milestones", "plateau", "inverse_decay") if getattr(self, name)] + ["decay"] * (self.decay != 1)
        if self.cosine and others:
            raise ValueError(f"cosine and {others[0]} both decrease the rate; set only one")
        return self


class DistillConfig(FrozenConfig):
    """Distillation: the objective plus `weight` times the divergence of similarities in a batch from those of a teacher's stored embeddings.

    Attributes:
        teacher: an encoder, as `likeness embed --encoder` takes it; its embeddings may have any dimension, and are computed once.
        weight: of the divergence; 50 as for S2SD's, which is the same with a branch of the network as the teacher.
        temperature: T, by which similarities are divided; T squared multiplies the divergence. 1 for S2SD's, but then rows are nearly uniform.
    """

    teacher: Annotated[str, AfterValidator(partial(_checked, encoder_family))]
    weight: float = Field(default=50.0, ge=0)
    temperature: float = Field(default=0.1, gt=0)


class FewShotConfig(FrozenConfig):
    """Adaptation of the embedding layer to a few test images, measured when a run ends (ooDML, section 4.4).

    Attributes:
        shots: images of each test class; each number is measured separately.
        episodes: choices of these images to average over.
        support: "random": drawn by `seed`; "file": the episodes of the file of splits (data.split "file"), as published for Cars196 and CUB200.
        crops: of these images: "center", or "random", cut anew at each step, as in the authors' code.
        objective: "margin", or "margin-official", as in the authors' code.
        beta: of that margin loss; not learned.
        steps: of the adaptation: one number, or one for each of `shots`. The authors' scripts use 1,000 for 2 shots and 1,500 for 5.
        rate, weight_decay: of Adam; 1e-4 and 0 in the authors' scripts.
        batch_size, draw: images in a batch, two of each class, drawn as in `BatchConfig`; with "spread" at most two of each test class.
    """

    shots: tuple[int, ...] = Field(default=(2, 5), min_length=1)
    episodes: int = Field(default=10, ge=1)
    support: Literal["random", "file"] = "random"
    crops: Literal["center", "random"] = "center"
    objective: Literal["margin", "margin-official"] = "margin"
    beta: float = 1.2
    steps: PositiveInt | tuple[PositiveInt, ...] = 1000
    rate: float = Field(default=1e-4, gt=0)
    weight_decay: float = Field(default=3e-4, ge=0)
    batch_size: int = Field(default=112, ge=4, le=65_536)
    draw: Literal["spread", "replacement"] = "spread"
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)

    @field_validator("shots")
    @classmethod
    def _two_or_more(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if min(value) < 2:
            raise ValueError("the margin loss needs pairs, so at least 2 shots")
        return value

    @model_validator(mode="after")
    def _steps_for_each(self) -> "FewShotConfig":
        if isinstance(self.steps, tuple) and len(self.steps) != len(self.shots):
            raise ValueError(f"steps has {len(self.steps)} numbers and shots {len(self.shots)}; set one number, or one for each of shots")
        return self

    def steps_for(self, shots: int) -> int:
        """Steps of the adaptation to so many shots."""
        return self.steps[self.shots.index(shots)] if isinstance(self.steps, tuple) else self.steps


class RunConfig(FrozenConfig):
    """A whole run.

    Attributes:
        name, note: title, also of the run's folder; description, with paper and expected scores.
        epochs: passes over the training images, of n / batch size steps each; for continuous labels n / anchors per batch, so that each image is an
            anchor once. 0 evaluates the untrained network.
        epoch_steps: steps of an epoch instead, so that runs with more or fewer images train equally long.
        evaluate_every: epochs between evaluations.
        stop_early: evaluations without a new best on the validation images after which the run ends; None: it goes on to the end.
        checkpoint_every: steps between checkpoints; the last one and the best one by R@1 are kept.
        seed: of all random numbers.
        device: "auto", "cpu", "cuda", "mps".
        devices: processes on each machine, which share every batch: one per GPU, or any number on CPUs. Losses and miners still see the whole batch.
            A run can be resumed with another number of processes.
        nodes: machines; start several with torchrun or SLURM.
        augment: random crops and mirroring; "jitter": changes of size and position by a few percent, and mirroring of whole batches, which keep label
            distances of poses, layouts and viewpoints valid (as the code of the log-ratio loss); "mirror": the center, with whole batches mirrored;
            false: the center.
        transforms: torchvision's, by name with options, in this order after the crops: {ColorJitter: {brightness: 0.2}, RandomErasing: {p: 0.25}}.
            They see values from 0 to 1, before the network's normalization. Those of `likeness.training.data.transforms.TRANSFORMS`.
        precision: "32"; "bf16-mixed", the backbone in bfloat16; or "16-mixed", in float16 with scaled gradients, on GPUs. Embeddings, losses and
            evaluation are always float32.
        compile: applies torch.compile to the backbone, which needs a C++ compiler on CPUs, and some minutes before the first step.
        keep_on_device: keeps all images on the training device, as 8-bit pixels; None: on GPUs, if they take at most 40 % of the free memory.
        loggers: Lightning's loggers of metrics, besides the run's own file.
        workers: processes that prepare batches; None: two if a GPU trains and does not hold the images, otherwise none.
        matched_classes: also measures R@1 among so many test classes, averaged over ten random choices, since R@1 is higher on splits with fewer test
            classes.
        structure: also measures `likeness.evaluation.structure_metrics` of the training images at the end.
        objects: which objects the run was begun with; `likeness.training.train` sets it.
    """

    name: str = "run"
    note: str = ""
    data: DataConfig = DataConfig()
    backbone: BackboneConfig = BackboneConfig()
    objective: ObjectiveConfig = ObjectiveConfig()
    guidance: GuidanceConfig | None = None
    distill: DistillConfig | None = None
    batch: BatchConfig = BatchConfig()
    optimizer: OptimizerConfig = OptimizerConfig()
    epochs: int = Field(default=150, ge=0)
    epoch_steps: int | None = Field(default=None, ge=1)
    evaluate_every: int = Field(default=1, ge=1)
    stop_early: int | None = Field(default=None, ge=1)
    checkpoint_every: int = Field(default=200, ge=1)
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    device: str = "auto"
    devices: int = Field(default=1, ge=1)
    nodes: int = Field(default=1, ge=1)
    augment: bool | Literal["jitter", "mirror"] = True
    transforms: Annotated[dict[str, dict[str, Any]], AfterValidator(partial(_checked, build_transforms))] = Field(default_factory=dict)
    precision: Literal["32", "bf16-mixed", "16-mixed"] = "32"
    compile: bool = False
    loggers: tuple[Literal["tensorboard", "csv", "wandb", "mlflow"], ...] = ("tensorboard",)
    keep_on_device: bool | None = None
    workers: int | None = Field(default=None, ge=0, le=64)
    few_shot: FewShotConfig | None = None
    matched_classes: int | None = Field(default=None, ge=2)
    structure: bool = False
    objects: tuple[str, ...] = ()

    @property
    def unit_embeddings(self) -> bool:
        """Whether embeddings are scaled to unit length."""
        return self.backbone.unit if self.backbone.unit is not None else find_objective(self.objective.name).unit

    @property
    def kaiming(self) -> bool:
        """Whether the embedding layer starts as in the code of the log-ratio loss."""
        chosen = self.backbone.init == "kaiming" if self.backbone.init else not self.unit_embeddings
        return chosen and self.backbone.dim is not None

    @property
    def processes(self) -> int:
        """Number of processes that train together."""
        return self.devices * self.nodes

    def same_run(self, other: "RunConfig") -> bool:
        """Whether the two differ at most in processes, memory of images and loggers."""
        ours, theirs = (each.model_dump(exclude={"devices", "nodes", "workers", "keep_on_device", "loggers"}) for each in (self, other))
        return ours == theirs

    @property
    def selection_metric(self) -> str:
        """The metric that chooses the best weights: R@1; on captions that of images by texts; on continuous labels alone the mean label distance at
        10, where smaller is better.
        """
        if self.objective.on_captions:
            return "text_to_image_recall_at_1"
        return "mean_label_distance_at_10" if self.data.split == "images" else "recall_at_1"

    @model_validator(mode="after")
    def _batch_fits(self) -> "RunConfig":
        batch = self.batch
        if batch.size % self.processes:
            raise ValueError(
                f"batch: size {batch.size} can't be divided evenly among {self.processes} processes (devices {self.devices}, nodes {self.nodes}); "
                f"choose a multiple of {self.processes}"
            )
        if not (self.objective.continuous or self.objective.on_captions) and batch.size % batch.per_class:
            raise ValueError(f"batch: size {batch.size} is not a multiple of per_class {batch.per_class}")
        if (kept := (self.objective.memory or {}).get("size", batch.size)) < batch.size:
            raise ValueError(f"objective.memory keeps {kept} embeddings, fewer than the {batch.size} of a batch")
        if batch.chunk is not None and not self.backbone.freeze_batch_norm:
            raise ValueError("batch.chunk needs backbone.freeze_batch_norm: statistics of chunks are not those of the batch")
        if self.objective.continuous and batch.draw != "spread":
            raise ValueError(f"batch: draw {batch.draw} draws classes, but objective.name {self.objective.name} reads none; remove draw")
        if batch.draw == "hard-classes" and batch.drawn > batch.size // batch.per_class:
            raise ValueError(f"batch: drawn {batch.drawn} is more than the {batch.size // batch.per_class} classes of a batch; draw fewer")
        if batch.draw == "hard-classes" and self.workers:
            raise ValueError("batch.draw hard-classes follows the training, which other processes do not see; set workers to 0")
        if self.objective.continuous and batch.drawn * (batch.nearest + 1) > batch.size:
            raise ValueError(f"batch: size {batch.size} can't hold {batch.drawn} anchors with {batch.nearest} neighbors each")
        return self

    @model_validator(mode="after")
    def _device_fits(self) -> "RunConfig":
        if self.precision == "16-mixed" and self.device == "cpu":
            raise ValueError("precision 16-mixed is for GPUs; on processors choose bf16-mixed or 32")
        if self.compile and self.backbone.head_only:
            raise ValueError("compile needs a trainable backbone, but a head_only run has none; set compile to false")
        return self

    @model_validator(mode="after")
    def _continuous(self) -> "RunConfig":
        if self.data.split == "images" and self.data.labels is None and not self.objective.on_captions:
            raise ValueError("data.split images needs labels, which evaluate retrieval; without labels, split by classes")
        if self.objective.continuous and self.data.labels is None:
            raise ValueError(f"objective.name {self.objective.name} needs data.labels, continuous labels")
        if self.objective.on_captions and not self.backbone.text:
            raise ValueError(f"objective.name {self.objective.name} needs backbone.text, keep or train")
        if self.objective.on_captions and self.data.split == "images" and self.guidance is not None:
            raise ValueError("guidance needs classes, but data.split images has none")
        if self.data.split == "images" and not (self.objective.continuous or self.objective.on_captions) and self.epochs:
            raise ValueError(
                f"data.split images has no classes, which objective.name {self.objective.name} needs; choose log-ratio or another objective "
                "on continuous labels"
            )
        if self.objective.continuous and self.guidance is not None:
            raise ValueError(f"guidance needs class labels, but objective.name {self.objective.name} reads continuous ones")
        measured = [name for name in ("few_shot", "matched_classes") if getattr(self, name) is not None] + ["structure"] * self.structure
        if self.data.query_attribute and (own := [name for name in measured if name != "structure"]):
            raise ValueError(f"{own[0]} lets all test images search each other, but data.query_attribute chooses queries; remove one of both")
        if self.data.split == "images" and measured:
            raise ValueError(f"{measured[0]} needs classes, but data.split images has none")
        needing = {f"backbone.parts {self.backbone.parts}": self.backbone.parts != 1, "few_shot": self.few_shot, "distill": self.distill}
        if not self.unit_embeddings and any(needing.values()):
            what = next(key for key, given in needing.items() if given)
            raise ValueError(f"{what} needs embeddings of unit length; set backbone.unit to true")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> "RunConfig":
        if self.optimizer.plateau and not self.data.holds_out:
            raise ValueError("optimizer.plateau needs data.validation above 0, the split whose R@1 it monitors")
        if self.stop_early and not self.data.holds_out:
            raise ValueError("stop_early needs data.validation above 0, the split whose metrics it monitors")
        if self.optimizer.plateau and self.optimizer.milestones:
            raise ValueError("optimizer.plateau and optimizer.milestones exclude each other")
        for name, options in self.objective.wrappers.items():
            parts, per_class = WRAPPERS[name].parts, WRAPPERS[name].per_class(options)
            if parts not in (None, self.backbone.parts):
                raise ValueError(f"objective.{name} needs backbone.parts {parts}, not {self.backbone.parts}")
            if self.batch.per_class < per_class:
                raise ValueError(f"objective.{name} needs batch.per_class of at least {per_class}, not {self.batch.per_class}")
        if self.few_shot is not None and self.few_shot.crops == "random" and self.backbone.inputs:
            raise ValueError(f"few_shot.crops random needs a network that reads crops, but this run reads {self.backbone.inputs}; set it to center")
        if self.few_shot is not None and self.few_shot.support == "file" and self.data.split != "file":
            raise ValueError(f"few_shot.support file needs data.split file, not {self.data.split}")
        if self.data.crops == "whole" and (self.augment is not True or self.backbone.inputs):
            known = self.backbone.inputs
            what = f"a run on {known} that are computed once has none" if known else f"augment is {str(self.augment).lower()}, not true"
            raise ValueError(f"data.crops whole needs random crops, but {what}; set data.crops to square")
        if self.transforms and self.backbone.inputs:
            raise ValueError(f"transforms change images, but a run on {self.backbone.inputs} that are computed once reads none; remove transforms")
        reader = "guidance.method vit" if self.guidance and self.guidance.method == "vit" else ""
        if (self.objective.s2sd or {}).get("pooling") == "average+max":
            reader = "objective.s2sd.pooling average+max"
        if reader and self.backbone.head_only:
            raise ValueError(f"{reader} reads feature maps, which a head_only run does not compute; set backbone.head_only to false")
        if reader and self.compile:
            raise ValueError(f"{reader} reads feature maps, which a compiled network does not return; set compile to false")
        official = bool((self.objective.uniform_prior or {}).get("official"))
        if official and self.backbone.head_only:
            raise ValueError("objective.uniform_prior.official spreads the backbone's features, which a head_only run can't train; set it to false")
        counting = {
            "objective.diva": "diva" in self.objective.wrappers,
            "objective.s2sd.feature_delay": (self.objective.s2sd or {}).get("feature_delay"),
            "objective.uniform_prior.official": official,
        }
        if self.batch.accumulate > 1 and any(counting.values()):
            what = next(key for key, counts in counting.items() if counts)
            raise ValueError(f"{what} counts batches as steps, but batch.accumulate is {self.batch.accumulate}; set it to 1")
        if reader and self.backbone.name.startswith("clip:"):
            raise ValueError(f"{reader} reads feature maps, which {self.backbone.name} does not have; choose a timm CNN such as resnet50")
        return self


def read_config(file: Path | str) -> RunConfig:
    """Reads a config from a YAML file, or a shipped preset by name. InputError: neither exists, or as `config_from`."""
    shipped = presets()
    path = config_file(file, shipped, f"There is no config file or preset '{file}'; the presets are {', '.join(shipped)}.")
    return config_from(yaml_content(path), path.name)


def config_from(content: Any, name: str = "The config") -> RunConfig:
    """A config from nested dicts. InputError: invalid keys or values, with their names."""
    if not isinstance(content, dict):
        raise InputError(f"{name} holds {type(content).__name__}, but a config is a mapping of keys such as data, backbone, objective.")
    return RunConfig.checked(content, name)


def with_changes(config: RunConfig, changes: dict[str, Any]) -> RunConfig:
    """The config with changed values, by dotted keys: {"guidance.omega": 5, "seed": 1}; InputError as `config_from`."""
    former = {f"guidance.{key}": f"guidance.{now}" for key, now in FORMER_KEYS.items()}
    renamed = {former.get(key, key): value for key, value in changes.items()}
    return config_from(with_keys(config, renamed))


def as_yaml(config: RunConfig) -> str:
    """The whole config as YAML, including defaults."""
    text: str = yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    return text


def difference(a: RunConfig, b: RunConfig) -> dict[str, tuple[Any, Any]]:
    """Dotted keys of the values that differ, with both values."""
    ours, theirs = (_flat(each.model_dump(mode="json")) for each in (a, b))
    keys = [*ours, *(key for key in theirs if key not in ours)]
    return {key: (ours.get(key), theirs.get(key)) for key in keys if ours.get(key) != theirs.get(key)}


def presets() -> dict[str, Path]:
    """Shipped configs by name, for the protocols of the papers and for what ships."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "presets").glob("*.yaml"))}


def _flat(content: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, dict) and value else {f"{before}{key}": value}
    return found

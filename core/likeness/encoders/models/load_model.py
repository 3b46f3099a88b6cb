"""Loads all models, from clean copies of their folders, so that configurations cannot bring code or reach other files."""

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from fnmatch import fnmatch
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.encoders.family import EncoderName
from likeness.encoders.models.clean_copy import OPEN_CLIP_CONFIG, TOKENIZER_FILES, clean_copy, link
from likeness.encoders.models.config_keys import TIMM_RESERVED
from likeness.encoders.models.config_sizes import check_sizes
from likeness.encoders.models.hub import hub_offline
from likeness.encoders.models.hub_files import HubFiles, hub_folder
from likeness.errors import InputError
from likeness.io import as_path

if TYPE_CHECKING:
    import torch

# groups of files; the first one that a model has is used
_OPEN_CLIP_WEIGHTS = (("open_clip_model.safetensors",), ("open_clip_pytorch_model.safetensors",), ("open_clip_pytorch_model.bin",))
_WEIGHTS = (
    ("model.safetensors",),
    ("model-*.safetensors", "model.safetensors.index.json"),
    ("pytorch_model.bin",),
    ("pytorch_model-*.bin", "pytorch_model.bin.index.json"),
)
_importing = threading.Lock()
_TOKENIZERS = (("tokenizer.json",), ("vocab.json", "merges.txt"), ("vocab.txt",), ("*.model",))


def import_library(name: str) -> None:
    """Imports "timm", "open_clip" or a part of transformers under a lock, since concurrent imports of torchvision or transformers fail. Call it
    before using one, if other threads may do the same.
    """
    with _importing:
        import_module(name)


def open_clip_model(source: EncoderName, device: "torch.device") -> tuple[Any, Any, Any]:
    """An open_clip model on this machine, from a folder, the hub, or by names that open_clip knows: the model in evaluation mode, its image transform
    and its tokenizer. InputError: a configuration that requires its own code, or refers to other paths.
    """
    import open_clip

    with _open_clip_copy(source) as (clean, tokenizer), quiet():
        # a local folder, for which open_clip does not use the hub
        model, transform = open_clip.create_model_from_pretrained(f"local-dir:{clean}", device=device)
        return model.eval().requires_grad_(False), transform, _tokenizer(_text_config(clean), tokenizer)


def open_clip_saved(source: EncoderName) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Configuration and tokenizer files by name of a local open_clip model, as in a folder of open_clip."""
    with _open_clip_copy(source, weights=False) as (clean, tokenizer):
        name = _text_config(clean).get("hf_tokenizer_name")
        files = [file for file in sorted(tokenizer.iterdir()) if name and any(fnmatch(file.name, pattern) for pattern in TOKENIZER_FILES)]
        return json.loads((clean / OPEN_CLIP_CONFIG).read_text()), {file.name: file.read_bytes() for file in files}


def open_clip_files(source: EncoderName) -> tuple[HubFiles, ...]:
    """Hub files that a model needs, without weights that are elsewhere; its configuration, once downloaded, may refer to more."""
    if source.kind == "hf-hub" and _hub_model(source.target).folder() is None:
        return (_hub_model(source.target),)
    text = _open_clip_config(source)["text_cfg"]
    if source.kind == "local-dir":
        return _tower_files(text)
    own: tuple[HubFiles, ...] = (_hub_model(source.target),)
    if source.kind == "open_clip":
        repository, _, file = str(_published(source).get("hf_hub") or "").rpartition("/")
        groups = (_safe_twin(file), (file,)) if file else (_OPEN_CLIP_WEIGHTS[0], _OPEN_CLIP_WEIGHTS[2])
        own = (HubFiles(repository, groups),) if repository else ()
    return (*own, *_tokenizer_files(text), *_tower_files(text))


def open_clip_size(source: EncoderName) -> int | None:
    """Image size in pixels of a model; None before its download from the hub. InputError: as `open_clip_model`."""
    from open_clip.model import CLIPVisionCfg

    if source.kind == "hf-hub" and _hub_model(source.target).folder() is None:
        return None
    size = _open_clip_config(source)["vision_cfg"].get("image_size") or CLIPVisionCfg.image_size
    return int(size if isinstance(size, int) else size[0])


def _published(source: EncoderName) -> dict[str, Any]:
    import open_clip

    model, _, tag = source.target.partition("/")
    found: dict[str, Any] = open_clip.get_pretrained_cfg(model, tag)
    return found


def _open_clip_config(source: EncoderName) -> dict[str, Any]:
    """The part `model_cfg` of a model's configuration."""
    import open_clip

    if source.kind == "open_clip":
        config: dict[str, Any] = open_clip.get_model_config(source.target.partition("/")[0])
        # tags imply whether QuickGELU was used; open_clip only warns if the configuration differs (ViT-B-32/openai)
        config["quick_gelu"] = bool(config.get("quick_gelu") or _published(source).get("quick_gelu"))
        return config
    with clean_copy(_open_clip_folder(source)) as clean:
        found: dict[str, Any] = json.loads((clean / OPEN_CLIP_CONFIG).read_text())["model_cfg"]
        return found


def _open_clip_folder(source: EncoderName) -> Path:
    return as_path(source.target) if source.kind == "local-dir" else hub_folder(_hub_model(source.target))


@contextmanager
def _open_clip_copy(source: EncoderName, weights: bool = True) -> Iterator[tuple[Path, Path]]:
    """Clean copies of the folder of a model, and of that of its tokenizer on the hub; the same one if it has none there. With `weights`, a text tower
    that is a model of the hub is a clean copy of that model's configuration, too.
    """
    import open_clip

    with ExitStack() as stack:
        if source.kind == "open_clip":
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="likeness-model-")))
            config = {"model_cfg": _open_clip_config(source), "preprocess_cfg": _published(source)}
            (folder / OPEN_CLIP_CONFIG).write_text(json.dumps(config), encoding="utf-8")
            if weights:
                with hub_offline():
                    file = Path(open_clip.download_pretrained(_published(source)))
                link(file, folder / f"open_clip_pytorch_model{'.safetensors' if file.suffix == '.safetensors' else '.bin'}")
        else:
            folder = _open_clip_folder(source)
        clean = stack.enter_context(clean_copy(folder))
        if weights and (towers := _tower_files(_text_config(clean))):
            config = json.loads((clean / OPEN_CLIP_CONFIG).read_text())
            config["model_cfg"]["text_cfg"]["hf_model_name"] = str(stack.enter_context(clean_copy(hub_folder(towers[0]))))
            (clean / OPEN_CLIP_CONFIG).write_text(json.dumps(config))
        files = () if source.kind == "local-dir" else _tokenizer_files(_text_config(clean))
        yield clean, stack.enter_context(clean_copy(hub_folder(files[0]))) if files else clean


@lru_cache(maxsize=4)
def open_clip_published_tokenizer(model: str) -> Any:
    """The tokenizer of a published open_clip model whose vocabulary is part of the library."""
    import open_clip

    return open_clip.get_tokenizer(model)


def timm_folder(folder: Path, **options: Any) -> "torch.nn.Module":
    """A timm model that was saved in a folder, with its weights; options as for `timm.create_model`. InputError: as `open_clip_model`."""
    import timm

    with clean_copy(folder) as clean:
        model: torch.nn.Module = timm.create_model(f"local-dir:{clean}", pretrained=True, **options)
    return model


def timm_hub_files(hub_id: str) -> HubFiles:
    """Hub files of a timm model."""
    return HubFiles(hub_id, _WEIGHTS, ("config.json",))


def timm_named_files(name: str) -> tuple[HubFiles, ...]:
    """Hub files of a model that timm knows, without weights that are elsewhere."""
    import timm

    known = timm.get_pretrained_cfg(name, allow_unregistered=True)
    if known is None or not known.hf_hub_id:
        return ()
    file = known.hf_hub_filename or "pytorch_model.bin"
    return (HubFiles(known.hf_hub_id, (("model.safetensors",) if file == "pytorch_model.bin" else _safe_twin(file), (file,))),)


def timm_size(model: str | Path) -> int:
    """Image size in pixels of the published weights of a model that timm knows, or of one in a folder. InputError: as `timm_folder`."""
    import timm

    if isinstance(model, str):
        return int((timm.get_pretrained_cfg(model, allow_unregistered=True) or timm.models.PretrainedCfg()).input_size[-1])
    with clean_copy(model) as clean:
        known = json.loads((clean / "config.json").read_text())["pretrained_cfg"]
        return int((known.get("input_size") or timm.models.PretrainedCfg().input_size)[-1])


def timm_named(name: str, pretrained: bool, **options: Any) -> Any:
    """A model that timm knows by name, with or without its published weights. InputError: an option that reads other files, an unknown one, or an
    unrealistic size.
    """
    import timm

    if reserved := sorted(TIMM_RESERVED & set(options)):
        raise InputError(f"The option '{reserved[0]}' of the backbone '{name}' reads other files or changes how weights are read; remove it.")
    if odd := next((option for option in options if not option.isidentifier()), None):
        raise InputError(f"The backbone '{name}' has no option '{odd}'; change backbone.options.")
    check_sizes(options, f"The backbone '{name}'")
    with hub_offline():
        return timm.create_model(name, pretrained=pretrained, **options)


def architecture(name: str) -> "torch.nn.Module":
    """The network of an encoder that open_clip or timm knows by name (of timm the features), without weights, on torch's device "meta"."""
    import_library("open_clip")
    import open_clip
    import timm
    import torch

    kind, _, timm_name = name.partition(":")
    with hub_offline(), torch.device("meta"):
        made: torch.nn.Module
        if kind == "timm":
            made = timm.create_model(timm_name, num_classes=0)
        else:
            made = open_clip.create_model(name.partition("/")[0], load_weights=False, pretrained_text=False, device="meta")
    return made


def transformers_folder(folder: Path) -> tuple[Any, Any, list[str]]:
    """A text model that transformers saved in a folder: tokenizer, model, and names of parameters missing in the weights. InputError: as
    `open_clip_model`.
    """
    import_library("transformers.models.auto.modeling_auto")
    import_library("transformers.models.auto.tokenization_auto")
    from transformers import AutoModel, AutoTokenizer

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with clean_copy(folder) as clean, quiet():
        tokenizer = AutoTokenizer.from_pretrained(str(clean), **options)
        # older checkpoints (Reformer's) only exist as pickles; torch then reads tensors and nothing else
        safe = any(clean.glob("*.safetensors"))
        options |= {"use_safetensors": safe, "weights_only": True, "dtype": "float32", "output_loading_info": True}
        model, info = AutoModel.from_pretrained(str(clean), **options)
    return tokenizer, model, list(info["missing_keys"])


def transformers_hub(hub_id: str) -> tuple[Any, Any, list[str]]:
    """As `transformers_folder`, for the hub."""
    return transformers_folder(hub_folder(transformers_hub_files(hub_id)))


def transformers_hub_files(hub_id: str) -> HubFiles:
    """Hub files of a text model."""
    return HubFiles(hub_id, _WEIGHTS, TOKENIZER_FILES)


def _hub_model(hub_id: str) -> HubFiles:
    return HubFiles(hub_id, _OPEN_CLIP_WEIGHTS, (OPEN_CLIP_CONFIG,))


def _tokenizer_files(text: dict[str, Any]) -> tuple[HubFiles, ...]:
    """Hub files of the tokenizer of a text configuration; open_clip's own needs none."""
    name = text.get("hf_tokenizer_name")
    return (HubFiles(name, _TOKENIZERS, TOKENIZER_FILES),) if name else ()


def _tower_files(text: dict[str, Any]) -> tuple[HubFiles, ...]:
    """The configuration of its text tower, if that is a model of the hub."""
    name = text.get("hf_model_name")
    return (HubFiles(name, (("config.json",),)),) if name else ()


def _safe_twin(file: str) -> tuple[str, ...]:
    return (f"{file.rpartition('.')[0]}.safetensors",)


def _text_config(clean: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((clean / OPEN_CLIP_CONFIG).read_text())["model_cfg"]["text_cfg"]
    return found


def _tokenizer(text: dict[str, Any], folder: Path) -> Any:
    from open_clip.tokenizer import HFTokenizer, SimpleTokenizer

    options = text.get("tokenizer_kwargs") or {}
    length = text.get("context_length", 77)
    if not text.get("hf_tokenizer_name"):
        return SimpleTokenizer(context_length=length, **options)
    fixed = {"context_length": length, "tokenizer_mode": text.get("tokenizer_mode"), "local_files_only": True, "trust_remote_code": False}
    return HFTokenizer(str(folder), **fixed, **options)


@contextmanager
def quiet() -> Iterator[None]:
    """Silences progress bars and load reports of transformers, which has no argument for either."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()

"""Allowed keys of a foreign model's configuration; only these are passed to the libraries. Configurations that require their own code, or unrealistic
sizes (`config_sizes`), are rejected.
"""

import inspect
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

from likeness.encoders.models.config_sizes import check_sizes
from likeness.errors import InputError

_CODE = ("auto_map", "trust_remote_code", "custom_pipelines", "code_revision")
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPEN_CLIP = _words("""embed_dim vision_cfg text_cfg multimodal_cfg quick_gelu init_logit_scale init_logit_bias nonscalar_logit_scale custom_text""")
# of open_clip's own tokenizer, and of the one that reads a folder's files
_SIMPLE_TOKENIZER = _words("additional_special_tokens clean reduction_mask")
_FOLDER_TOKENIZER = _words("clean language strip_sep_token")

_TIMM = _words("architecture num_classes num_features global_pool label_names label_descriptions")
# fields of timm's `PretrainedCfg` for location and format of weights
_WEIGHTS_PLACE = _words("url file state_dict hf_hub_id hf_hub_filename source custom_load")
# arguments of `timm.create_model` that read other files or change how weights are read
TIMM_RESERVED = _words(
    """cache_dir checkpoint_path exportable feature_cfg feature_cls features_only kwargs_filter no_jit pretrained pretrained_cfg
    pretrained_cfg_overlay pretrained_custom_load pretrained_filter_fn pretrained_model_args pretrained_strict pruned scriptable"""
)

# of all configurations of transformers, besides the fields of their kind; with former names of fields
_TRANSFORMERS = _words("model_type tokenizer_class rope_theta rope_scaling partial_rotary_factor original_max_position_embeddings")
_TOKENIZER = _words(
    """bos_token eos_token unk_token sep_token pad_token cls_token mask_token add_bos_token add_eos_token add_prefix_space added_tokens_decoder
    additional_special_tokens backend clean_up_tokenization_spaces do_basic_tokenize do_lower_case errors extra_ids extra_special_tokens
    keep_accents legacy legacy_behaviour model_input_names model_max_length never_split offset pad_token_type_id padding_side remove_space
    spaces_between_special_tokens split_special_tokens src_lang strip_accents tgt_lang tokenize_chinese_chars tokenizer_class trim_offsets
    truncation_side"""
)
_ANY_TOKENIZER = _words("PreTrainedTokenizer PreTrainedTokenizerFast PythonBackend TokenizersBackend")


def open_clip_keys(content: Any, name: str) -> dict[str, Any]:
    """Filters open_clip_config.json: architecture and preprocessing.

    InputError: it requires its own code, refers to a folder or file, describes a model that is too large, or is not such a configuration; `name` is
    for the message.
    """
    from open_clip.coca_model import MultimodalCfg
    from open_clip.model import CLIPTextCfg, CLIPVisionCfg
    from open_clip.transform import PreprocessCfg

    _refuse_code(content, name)
    model = _kept(_mapping(content, "model_cfg", name), _OPEN_CLIP)
    for part, kind in (("vision_cfg", CLIPVisionCfg), ("text_cfg", CLIPTextCfg), ("multimodal_cfg", MultimodalCfg)):
        if part in model or part != "multimodal_cfg":
            model[part] = _kept(_mapping(model, part, name), _field_names(kind))
    text = model["text_cfg"]
    if text.get("tokenizer_kwargs"):
        allowed = _FOLDER_TOKENIZER if text.get("hf_tokenizer_name") else _SIMPLE_TOKENIZER
        text["tokenizer_kwargs"] = _kept(_mapping(text, "tokenizer_kwargs", name), allowed)
    for key in ("hf_model_name", "hf_tokenizer_name"):
        if text.get(key):
            check_hub_id(text[key], f"{key} in {name}")
    tower = model["vision_cfg"].get("timm_model_name")
    if tower and (not isinstance(tower, str) or ":" in tower or "/" in tower):
        raise InputError(f"{name} requires the image tower '{tower}', which timm does not have; choose another model.")
    found = {"model_cfg": model, "preprocess_cfg": _kept(content.get("preprocess_cfg") or {}, _field_names(PreprocessCfg))}
    check_sizes(found, name)
    return found


def timm_keys(content: Any, name: str) -> dict[str, Any]:
    """Filters the config.json of a timm model: architecture, its arguments, and preprocessing. InputError: as `open_clip_keys`."""
    import timm
    from timm.models import PretrainedCfg, model_entrypoint

    _refuse_code(content, name)
    architecture = content.get("architecture")
    if not isinstance(architecture, str) or not timm.is_model(architecture):
        raise InputError(f"{name} requires the architecture '{architecture}', which timm does not have; choose another model.")
    data = _field_names(PretrainedCfg) - _WEIGHTS_PLACE
    found = _kept(content, _TIMM)
    # older files have a single list of keys
    found["pretrained_cfg"] = _kept(_mapping(content, "pretrained_cfg", name) if "pretrained_cfg" in content else content, data - _TIMM)
    if "model_args" in content:
        arguments = _arguments(model_entrypoint(architecture)) - TIMM_RESERVED
        found["model_args"] = _kept(_mapping(content, "model_args", name), arguments)
    check_sizes(found, name)
    return found


def transformers_keys(content: Any, name: str) -> dict[str, Any]:
    """Filters a config.json by the fields that transformers declares for this kind of model. InputError: as `open_clip_keys`."""
    from transformers import CONFIG_MAPPING

    _refuse_code(content, name)
    kind = content.get("model_type")
    if kind is None:
        return _kept(content, {"tokenizer_class"})  # the folder of a tokenizer only
    if not isinstance(kind, str) or kind not in CONFIG_MAPPING:
        raise InputError(f"{name} is of the kind '{kind}', which transformers does not have, and its own code is never run; choose another model.")
    found = _config_fields(CONFIG_MAPPING[kind], content) | {"model_type": kind}
    check_sizes(found, name)
    return found


def tokenizer_keys(content: Any, name: str) -> dict[str, Any]:
    """Filters tokenizer_config.json and special_tokens_map.json: special tokens and splitting of text. InputError: as `open_clip_keys`."""
    from transformers.models.auto.tokenization_auto import TOKENIZER_MAPPING_NAMES

    _refuse_code(content, name)
    found = _kept(content, _TOKENIZER)
    known = {str(each).removesuffix("Fast") for each in TOKENIZER_MAPPING_NAMES.values()} | _ANY_TOKENIZER
    if "tokenizer_class" in found and str(found["tokenizer_class"]).removesuffix("Fast") not in known:
        del found["tokenizer_class"]  # the tokenizer's own file has its class
    return found


def token_numbers(content: Any, name: str) -> dict[str, int]:
    """Filters added_tokens.json: tokens and their numbers. InputError: as `open_clip_keys`."""
    _refuse_code(content, name)
    return {token: number for token, number in content.items() if isinstance(number, int)}


def shard_names(content: Any, name: str) -> dict[str, Any]:
    """Filters the index of weights in several files: the file, in the same folder, of each weight. InputError: as `open_clip_keys`."""
    _refuse_code(content, name)
    files = _mapping(content, "weight_map", name)
    for file in files.values():
        if not isinstance(file, str) or re.search(r"[/\\]", file) or file in ("", ".", ".."):
            raise InputError(f"{name} refers to '{file}', which is not a file of the same folder; choose another model.")
    return {"metadata": {}, "weight_map": dict(files)}


def check_hub_id(given: Any, what: str) -> str:
    """Returns a hub id unchanged. InputError: anything else, such as a path."""
    if not isinstance(given, str) or not _HUB_ID.fullmatch(given) or ".." in given:
        raise InputError(f"{what} is '{given}', which is not an id of the hub such as 'ORG/NAME'; choose another model.")
    return given


def _refuse_code(content: Any, name: str) -> None:
    if not isinstance(content, Mapping):
        raise InputError(f"{name} holds {type(content).__name__}, expected keys and values; save it again or choose another.")
    for key, value in content.items():
        if key in _CODE and value:
            raise InputError(f"{name} requires its own code, which is never run; choose a model without code.")
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping):
                _refuse_code(part, name)


def _mapping(content: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    found = content.get(key)
    if not isinstance(found, Mapping):
        raise InputError(f"{name} has no keys and values under '{key}'; save it again or choose another.")
    return found


def _kept(content: Any, allowed: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if key in allowed} if isinstance(content, Mapping) else {}


def _field_names(kind: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(kind))


def _config_fields(kind: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    """Allowed fields of a configuration and of those nested in it."""
    from transformers import CONFIG_MAPPING

    found = _kept(content, _field_names(kind) | set(kind.attribute_map) | _TRANSFORMERS)
    for key, inner in kind.sub_configs.items():
        if isinstance(found.get(key), Mapping):
            declared = CONFIG_MAPPING.get(found[key].get("model_type")) if inner.__name__ == "AutoConfig" else inner
            found[key] = _config_fields(declared, found[key]) if declared is not None else {}
    return found


def _arguments(entrypoint: Callable[..., Any]) -> frozenset[str]:
    """Arguments of the modules in the file of an architecture."""
    from torch import nn

    modules = [each for each in vars(sys.modules[entrypoint.__module__]).values() if inspect.isclass(each) and issubclass(each, nn.Module)]
    return frozenset(name for module in modules for name in inspect.signature(module.__init__).parameters)

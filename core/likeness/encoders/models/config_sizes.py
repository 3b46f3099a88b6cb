"""Limits on the size of a model that a foreign configuration describes, checked before it is built, which could exhaust memory."""

from collections.abc import Mapping
from typing import Any

from likeness.errors import InputError


def _sizes(least: int, most: int, names: str) -> dict[str, tuple[float, int]]:
    return dict.fromkeys(names.split(), (least, most))


# names in open_clip, timm and transformers, with a multiple of the largest published values
_LAYERS = "layers depth depths num_layers n_layers n_layer num_hidden_layers encoder_layers decoder_layers num_hidden_groups inner_group_num"
_WIDTHS = "width embed_dim embed_dims dim dims hidden_size hidden_sizes d_model n_embd head_width"
_RATIOS = ("mlp_ratio", "mlp_ratios", "crop_pct", "test_crop_pct")
_BOUNDS: dict[str, tuple[float, int]] = {
    **_sizes(0, 200, _LAYERS),
    **_sizes(1, 32_768, _WIDTHS),
    **_sizes(0, 1_024, "heads num_heads n_heads n_head num_attention_heads num_key_value_heads"),
    **_sizes(1, 4_096, "image_size img_size input_size test_input_size size patch_size"),
    **_sizes(1, 8_192, "context_length"),
    **_sizes(1, 262_144, "intermediate_size hidden_dim d_ff ffn_dim n_inner feed_forward_size"),
    **dict.fromkeys(_RATIOS, (0.1, 64)),
}
_MOST = 2_000_000  # of all other integers, such as vocabulary sizes
_MOST_PARAMETERS = 20_000_000_000


def check_sizes(content: Mapping[str, Any], name: str) -> None:
    """InputError, beginning with `name`: a configuration, or a part of it, with an unrealistic size, or with more than 20 billion parameters by a
    rough count: 12 width² per layer, and a row per word, position and patch.
    """
    for key, value in content.items():
        if isinstance(value, Mapping) and key not in _BOUNDS:
            check_sizes(value, name)
        else:
            _check_size(key, value, name)
    layers, width, image, patch = (_largest(content, names) for names in (_LAYERS, _WIDTHS, "image_size img_size", "patch_size"))
    rows = sum(_largest(content, each) for each in ("vocab_size", "type_vocab_size", "max_position_embeddings", "context_length"))
    parameters = (12 * layers * width + rows + (image / (patch or 1)) ** 2) * width
    if parameters > _MOST_PARAMETERS:
        raise InputError(
            f"{name} describes a model of about {parameters / 1e9:,.0f} billion parameters (width {width:,}, {layers:,} layers), but the "
            f"limit is {_MOST_PARAMETERS // 10**9} billion; choose a smaller model."
        )


def _check_size(key: str, value: Any, name: str) -> None:
    known = _BOUNDS.get(key)
    numbers = _numbers(value)
    if known is None:
        if "theta" not in str(key) and any(isinstance(each, int) and not -_MOST <= each <= _MOST for each in numbers):  # of angles, not a size
            raise InputError(f"{name} has the {key} {_shown(value)}, but the limit is {_MOST:,}; choose another model.")
    elif value is not None:
        least, most = known
        whole = key in _RATIOS or not any(isinstance(each, float) for each in numbers)
        if not numbers or None in numbers or not whole or not all(least <= each <= most for each in numbers):
            raise InputError(f"{name} has the {key} {_shown(value)}; expected {least} to {most:,}; save it again or choose another model.")


def _numbers(value: Any) -> list[Any]:
    """The numbers in a value, a list or a mapping; None for other values."""
    listed = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else [value]
    return [each if isinstance(each, int | float) and not isinstance(each, bool) else None for each in listed]


def _largest(content: Mapping[str, Any], names: str) -> Any:
    return max((each for key in names.split() for each in _numbers(content.get(key)) if each is not None), default=0)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"

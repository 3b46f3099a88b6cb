"""Names of encoders, and their families. Needs no torch."""

from functools import lru_cache

from likeness.encoders.family import EncoderFamily, EncoderName, PathChange, looks_like_folder
from likeness.encoders.models.clip import HF_HUB, LOCAL_DIR, OPEN_CLIP
from likeness.encoders.models.photos import PHOTOS
from likeness.encoders.models.timm_tower import TIMM
from likeness.encoders.objects import EncoderLike, has_text, object_identity
from likeness.encoders.precision import family_in_precision, split_precision
from likeness.errors import InputError
from likeness.io import entry_points

ENCODER_FAMILIES: dict[str, EncoderFamily] = {family.name: family for family in (PHOTOS, LOCAL_DIR, OPEN_CLIP, HF_HUB, TIMM)}
# entry point for other packages and for higher layers of this one
_ENTRY_POINTS = "likeness.encoders"


def encoder_family(name: str) -> tuple[EncoderFamily, str]:
    """The family of an encoder's name, and the target within it; for "bf16:NAME", the family of NAME in this precision. InputError: a name of unknown
    form.
    """
    precision, bare = split_precision(name)
    family, target = _family(bare)
    return (family_in_precision(family, precision) if precision else family), target


def _family(name: str) -> tuple[EncoderFamily, str]:
    family, target = _by_prefix(name)
    if family:
        return family, target
    for family in ENCODER_FAMILIES.values():
        if claimed := family.claims(name):
            return family, claimed
    if looks_like_folder(name):
        raise InputError(f"The encoder '{name}' looks like a folder; write 'local-dir:{name}'.")
    raise InputError(f"The encoder '{name}' has no known form; write {known_forms()}.")


def map_path(name: str, change: PathChange) -> str:
    """An encoder's name with `change` applied to its path, and normalized prefixes; names without prefix are unchanged. InputError: a timm model of
    unknown form, or an error of `change`.
    """
    precision, bare = split_precision(name)
    family, target = _by_prefix(bare)
    mapped = f"{family.name}:{family.map_path(target, change)}" if family else bare
    return f"{precision}:{mapped}" if precision else mapped


def parse_name(name: str) -> EncoderName:
    """Family and target of an encoder's name. InputError: a name of unknown form."""
    family, target = encoder_family(name)
    return EncoderName(family.name, target)


def is_encoder_name(name: str) -> bool:
    """Whether a name has one of the known forms."""
    try:
        encoder_family(name)
    except InputError:
        return False
    return True


def reads_text(encoder: EncoderLike) -> bool:
    """Whether an encoder also embeds texts, without loading it. InputError: a name of unknown form."""
    if not isinstance(encoder, str):
        return has_text(encoder)
    family, target = encoder_family(encoder)
    return family.has_text or family.reads_text(target)


def native_size(name: str) -> int:
    """Image size in pixels from the configuration of an encoder, without loading or downloading it. InputError: a name of unknown form or model, or a
    hub model that is not on this machine.
    """
    family, target = encoder_family(name)
    size = family.native_size(target)
    if size is None:
        raise InputError(f"'{name}' is not on this machine, but its files contain its image size; download it first: likeness encoders get {name}")
    return size


def encoder_identity(encoder: EncoderLike) -> str:
    """16 hex digits that change with the encoder's vectors.

    For a folder (and "cars"): a digest of its configuration, weights and tokenizer files, independent of its path. For a run: a digest of its config
    and best weights. For a hub model: its name and, once downloaded, the revision. For an open_clip tag or a timm model: its name, since published
    weights do not change. For "bf16:NAME": a digest of the precision and of NAME's identity. For an object: see
    `likeness.encoders.objects.object_identity`; empty if it has none.

    InputError: a name of unknown form, or a missing folder.
    """
    if not isinstance(encoder, str):
        return object_identity(encoder)
    family, target = encoder_family(encoder)
    return family.identity(encoder, target)


def _by_prefix(name: str) -> tuple[EncoderFamily | None, str]:
    """Prefixes are case-insensitive, so that no name has another meaning here than in a library."""
    prefix, _, target = name.partition(":")
    prefix = prefix.strip().lower()
    return (ENCODER_FAMILIES.get(prefix) or _installed(prefix)) if target else None, target


@lru_cache
def _installed(prefix: str) -> EncoderFamily | None:
    """A family that an installed package declares as an entry point."""
    found = next(iter(entry_points(group=_ENTRY_POINTS, name=prefix)), None)
    if found is None:
        return None
    family = found.load()
    assert isinstance(family, EncoderFamily), f"the entry point {found.value} is not an EncoderFamily"
    return family


def encoder_families() -> dict[str, EncoderFamily]:
    """All families by name, including loaded ones of other packages."""
    others = (_installed(point.name) for point in entry_points(group=_ENTRY_POINTS))
    return ENCODER_FAMILIES | {family.name: family for family in others if family}


def known_forms() -> str:
    """The forms of encoder names, for help and errors; lists families of other packages without loading them."""
    own = [family.form for family in ENCODER_FAMILIES.values()]
    others = [f"'{point.name}:TARGET'" for point in entry_points(group=_ENTRY_POINTS)]
    *first, last = own + others
    return f"{', '.join(first)} or {last}"

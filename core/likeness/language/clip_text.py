"""The text side of a CLIP as a language model."""

from likeness.encoders import encoder_identity, encoder_is_here, is_encoder_name, load_encoder, map_path, reads_text
from likeness.errors import InputError
from likeness.language.family import LanguageFamily, Vectors


class ClipText:
    """Unit text embeddings of an encoder of `likeness.encoders`, the paper's choice ("CLIP-L", ViT-B/32). Raises InputError for an invalid encoder
    name, or an encoder without text side.
    """

    reads_sentences = has_text = True

    def __init__(self, name: str, encoder: str, device: str = "auto") -> None:
        if not reads_text(encoder):
            raise InputError(f"The encoder '{encoder}' has no text side; choose one with a text side from `likeness encoders list`.")
        self.name = name
        self._encoder, self._device = encoder, device

    @property
    def identity(self) -> str:
        """Identity of the encoder, so that prompts of notions and class names share a cache."""
        return encoder_identity(self._encoder)

    def encode_texts(self, texts: list[str]) -> Vectors:
        """Unit rows (n, d), float32."""
        return load_encoder(self._encoder, self._device).encode_texts(texts)


CLIP_TEXT = LanguageFamily(
    "clip",
    "CLIP",
    'The text side of an encoder; "clip" is ViT-B/32, the paper\'s "CLIP-L" (Tables 3 and S2).',
    ClipText,
    form="'clip:ENCODER' (as in 'clip:ViT-B-32/openai')",
    short_names={"clip:cars": "clip:cars", "clip": "clip:ViT-B-32/openai"},
    claims=lambda name: is_encoder_name(name) and reads_text(name),
    map_path=map_path,
    is_here=encoder_is_here,
)

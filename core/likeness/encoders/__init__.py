"""Pretrained towers, the cache of text embeddings and the store of image embeddings. Importing this needs no torch."""

from likeness.encoders.embeddings import Embeddings
from likeness.encoders.encoder import Encoder, StagedEncoder, Tower, TowerEncoder
from likeness.encoders.family import EncoderFamily, EncoderName
from likeness.encoders.load import load_encoder
from likeness.encoders.names import (
    ENCODER_FAMILIES,
    encoder_families,
    encoder_family,
    encoder_identity,
    is_encoder_name,
    known_forms,
    parse_name,
    reads_text,
)
from likeness.encoders.objects import EncoderLike, ImageEncoder, TextEncoder
from likeness.encoders.store.images import check_engine, embed_images, index_folder, ship_embeddings, store_folder
from likeness.encoders.store.texts import TextEmbeddings, embed_texts, ship_texts
from likeness.encoders.vocabulary import unknown_words
from likeness.io import UnreadableImageError, decode_image, read_image, to_rgb

__all__ = [
    "ENCODER_FAMILIES",
    "Embeddings",
    "Encoder",
    "EncoderFamily",
    "EncoderLike",
    "EncoderName",
    "ImageEncoder",
    "StagedEncoder",
    "TextEmbeddings",
    "TextEncoder",
    "Tower",
    "TowerEncoder",
    "UnreadableImageError",
    "check_engine",
    "decode_image",
    "embed_images",
    "embed_texts",
    "encoder_families",
    "encoder_family",
    "encoder_identity",
    "index_folder",
    "is_encoder_name",
    "known_forms",
    "load_encoder",
    "parse_name",
    "read_image",
    "reads_text",
    "ship_embeddings",
    "ship_texts",
    "store_folder",
    "to_rgb",
    "unknown_words",
]

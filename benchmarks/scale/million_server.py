"""The app on as many images as LIKENESS_POINTS says: `streamlit run benchmarks/scale/million_server.py`.

The vectors are those of `vectors.like_encoder`, the pictures the shipped ones over and over; everything else is the app itself.
"""

# ruff: noqa: E402  (the app's modules are found only then)
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "app"), str(ROOT / "benchmarks"), str(Path(__file__).parent)]

import numpy as np
import streamlit as st
from vectors import like_encoder

from likeness.data import CONTENT_COLUMN, SHIPPED_CARS, ImageTable, read_dataset
from likeness.embedding import embed
from likeness.space import Space
from parts import cached

N = int(os.environ.get("LIKENESS_POINTS", "1000000"))


def many_images(n: int) -> Space:
    """n rows in the space of the shipped encoder, each with the picture and the attributes of the shipped image nearest to it in kind."""
    shipped = embed(read_dataset("cars"))
    frame = shipped.table.frame.drop(columns=CONTENT_COLUMN)
    of = np.random.default_rng([0, 1]).integers(0, len(frame), n)  # as in `like_encoder`
    table = ImageTable("Many cars", shipped.table.root, frame.iloc[of])
    space = Space(
        like_encoder(n)[0],
        table,
        name="Raw encoder",
        embed_texts=shipped.embed_texts,
        embed_images=shipped.embed_images,
        provenance=f"like-encoder {n} 0",
    )
    return space.replace(encoder=shipped.encoder)


_MANY = many_images(N)
_base = cached.base


def base(dataset_id: str) -> Space:
    """Takes the place of `cached.base`."""
    return _MANY if dataset_id == SHIPPED_CARS.id else _base(dataset_id)


cached.base = base  # type: ignore[assignment]

from api import picture_routes
from server import asgi  # the app's, once the images are those

app = st.App(str(asgi.HERE / "main.py"), routes=picture_routes.ROUTES)

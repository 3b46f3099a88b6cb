"""Two-dimensional maps of a space."""

from likeness.projection.align import align
from likeness.projection.layout_job import LayoutFailed, LayoutJob
from likeness.projection.layout_worker import warm_up
from likeness.projection.map_store import load_map, map_key, save_map, write_map
from likeness.projection.methods import METHODS, Method, Parameter, differing
from likeness.projection.pacmap_map import pacmap_map
from likeness.projection.pca_map import pca_map
from likeness.projection.sampled_map import SAMPLE, is_sampled, placed, sampled_map
from likeness.projection.trimap_map import trimap_map
from likeness.projection.tsne_map import tsne_map
from likeness.projection.umap_map import umap_map
from likeness.projection.umap_points import umap_points

__all__ = [
    "METHODS",
    "SAMPLE",
    "LayoutFailed",
    "LayoutJob",
    "Method",
    "Parameter",
    "align",
    "differing",
    "is_sampled",
    "load_map",
    "map_key",
    "pacmap_map",
    "pca_map",
    "placed",
    "sampled_map",
    "save_map",
    "trimap_map",
    "tsne_map",
    "umap_map",
    "umap_points",
    "warm_up",
    "write_map",
]

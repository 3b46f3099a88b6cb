"""Two-dimensional maps of a space."""

from likeness.projection.align import align as align
from likeness.projection.layout_job import LayoutFailed as LayoutFailed, LayoutJob as LayoutJob, warm_up as warm_up
from likeness.projection.map_store import load_map as load_map, map_key as map_key, save_map as save_map, write_map as write_map
from likeness.projection.methods import METHODS as METHODS, LayoutMethod as LayoutMethod, differing as differing, method_named as method_named
from likeness.projection.pacmap_map import pacmap_map as pacmap_map
from likeness.projection.pca_map import pca_map as pca_map
from likeness.projection.sampled_map import SAMPLE as SAMPLE, is_sampled as is_sampled, placed as placed, sampled_map as sampled_map
from likeness.projection.trimap_map import trimap_map as trimap_map
from likeness.projection.tsne_map import tsne_map as tsne_map
from likeness.projection.umap_map import umap_map as umap_map, umap_points as umap_points

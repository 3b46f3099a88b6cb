"""What a space looks at: gradient saliency of images, differences between spaces. Importing this needs no torch."""

from likeness.saliency.difference import Masks, difference, difference_shares, mass_share
from likeness.saliency.explain import BATCH, BLACK, SAMPLES, Saliency, SaliencySettings, saliency_maps, saliency_of_spaces
from likeness.saliency.image_model import Head, ImageModel
from likeness.saliency.pictures import blurred, difference_picture, enlarged, figure, map_picture, overlay
from likeness.saliency.smoothgrad import NOISE, PERCENTILE, gradients, saliency_map, scaled

__all__ = [
    "BATCH",
    "BLACK",
    "NOISE",
    "PERCENTILE",
    "SAMPLES",
    "Head",
    "ImageModel",
    "Masks",
    "Saliency",
    "SaliencySettings",
    "blurred",
    "difference",
    "difference_picture",
    "difference_shares",
    "enlarged",
    "figure",
    "gradients",
    "map_picture",
    "mass_share",
    "overlay",
    "saliency_map",
    "saliency_maps",
    "saliency_of_spaces",
    "scaled",
]

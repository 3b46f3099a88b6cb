"""What a space looks at: gradient saliency of images, differences between spaces. Importing this needs no torch."""

from likeness.saliency.difference import Masks, difference, difference_shares, mass_share
from likeness.saliency.explain import BATCH, BLACK, SAMPLES, Saliency, SaliencySettings, saliency_maps, saliency_of_spaces
from likeness.saliency.image_model import Head, ImageModel
from likeness.saliency.object_masks import CONTROL, CONTROLS, control_spaces, object_masks, write_masks
from likeness.saliency.pictures import blurred, difference_picture, enlarged, figure, map_picture, overlay
from likeness.saliency.smoothgrad import NOISE, PERCENTILE, gradients, saliency_map, scaled

__all__ = [
    "BATCH",
    "BLACK",
    "CONTROL",
    "CONTROLS",
    "NOISE",
    "PERCENTILE",
    "SAMPLES",
    "Head",
    "ImageModel",
    "Masks",
    "Saliency",
    "SaliencySettings",
    "blurred",
    "control_spaces",
    "difference",
    "difference_picture",
    "difference_shares",
    "enlarged",
    "figure",
    "gradients",
    "map_picture",
    "mass_share",
    "object_masks",
    "overlay",
    "saliency_map",
    "saliency_maps",
    "saliency_of_spaces",
    "scaled",
    "write_masks",
]

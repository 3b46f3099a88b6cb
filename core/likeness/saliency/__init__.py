"""Gradient saliency: which pixels a space depends on, and differences between spaces. Importing this needs no torch."""

from likeness.saliency.difference import Masks as Masks, difference as difference, difference_shares as difference_shares, mass_share as mass_share
from likeness.saliency.explain import (
    BATCH as BATCH,
    BLACK as BLACK,
    SAMPLES as SAMPLES,
    Saliency as Saliency,
    SaliencySettings as SaliencySettings,
    saliency_maps as saliency_maps,
    saliency_of_spaces as saliency_of_spaces,
)
from likeness.saliency.image_model import Head as Head, ImageModel as ImageModel
from likeness.saliency.object_masks import (
    CONTROL as CONTROL,
    CONTROLS as CONTROLS,
    MASKS_FILE as MASKS_FILE,
    control_spaces as control_spaces,
    object_masks as object_masks,
)
from likeness.saliency.pictures import (
    blurred as blurred,
    difference_picture as difference_picture,
    enlarged as enlarged,
    figure as figure,
    map_picture as map_picture,
    overlay as overlay,
)
from likeness.saliency.smoothgrad import (
    NOISE as NOISE,
    PERCENTILE as PERCENTILE,
    check_percentile as check_percentile,
    scaled as scaled,
)

"""Losses of pytorch-metric-learning by name, with options and paper. Needs no torch.

Not included: losses without class labels (instance, manifold, VICReg, self-supervised), without negatives (intra-pair variance), and those that fail
with recent torch versions (dynamic soft margin, histogram). Margin and multisimilarity have their own files.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from likeness.losses.objective import Objective
from likeness.options import Option
from likeness.samplers import make_miner, pml_class

if TYPE_CHECKING:
    from torch import nn

Values = Mapping[str, Any]
_SCALE = "Factor on the similarities before the softmax."
_TEMPERATURE = "Divisor of the similarities before the softmax."


def _made(
    loss: str, arguments: Callable[[Values], Mapping[str, Any]], miner: str | None, pairs: bool, classes: int, dim: int, **options: Any
) -> "nn.Module":
    from pytorch_metric_learning import losses

    from likeness.losses.mined import Mined

    made_by, sizes = getattr(losses, loss), {"num_classes": classes, "embedding_size": dim, "descriptors_dim": dim}
    taken = {name for each in made_by.__mro__[:-1] for name in signature(each.__init__).parameters}
    with warnings.catch_warnings():  # NumPy deprecates a call in the constructor of SphereFace
        warnings.simplefilter("ignore", DeprecationWarning)
        made = made_by(**arguments(options), **{name: size for name, size in sizes.items() if name in taken})
    return Mined(made, None if miner is None else make_miner(miner), pairs=pairs)


def _angular(options: Values) -> Values:
    """pytorch-metric-learning takes the margin in degrees."""
    return {**options, "margin": math.degrees(options["margin"])}


def _of_pairs(
    name: str,
    title: str,
    help: str,
    loss: str,
    options: Mapping[str, Option] | None = None,
    arguments: Any = dict,
    miner: str | None = None,
    paper: str = "",
) -> Objective:
    """A loss of pairs or triplets: those of a miner, or all of the batch."""
    return Objective(name, title, help, partial(_made, loss, arguments, miner, True), options or {}, mines=True, paper=paper)


def _whole(name: str, title: str, help: str, loss: str, options: Mapping[str, Option], arguments: Any = dict, paper: str = "") -> Objective:
    """A loss of the whole batch, without a miner: of rankings, or with learned proxies for each class."""
    return Objective(name, title, help, partial(_made, loss, arguments, None, False), options, paper=paper)


def _squared_triplets(options: Values) -> Values:
    """Squared distances and a mean over all triplets, as in the papers' code; pytorch-metric-learning's defaults differ in both."""
    from pytorch_metric_learning import distances, reducers

    return {**options, "distance": distances.LpDistance(power=2), "reducer": reducers.MeanReducer()}


def pml_objective(name: str) -> Objective:
    """The objective "pml:CircleLoss": on pairs or triplets of a miner or all of the batch, or with proxies. InputError: none."""
    found = pml_class("losses", name)
    loss, own = found.made.__name__, not found.sizes
    make = partial(_made, loss, dict, None, own)
    return Objective(name, name, f"{loss} of pytorch-metric-learning.", make, found.options, mines=own)


def _official(name: str, classes: int, dim: int, **options: Any) -> "nn.Module":
    from likeness.losses import official_proxies

    found: nn.Module = getattr(official_proxies, name)(classes, dim, **options)
    return found


_ANGLE = {"margin": Option(0.5, "Angle of the margin, in radians."), "scale": Option(16.0, "Factor on the cosines before the softmax.", 0)}

_ANCHOR = {"alpha": Option(32.0, "Factor on the similarities.", 0), "delta": Option(0.1, "Margin of similarity.")}

COMMODITY: tuple[Objective, ...] = (
    _of_pairs(
        "contrastive",
        "Contrastive",
        "Pulls images of a class together and pushes those of different classes to a distance.",
        "ContrastiveLoss",
        {
            "pos_margin": Option(0.0, "Distance below which a pair of one class has no loss."),
            "neg_margin": Option(1.0, "Distance above which a pair of different classes has no loss."),
        },
        miner="distance-weighted",
        paper="Hadsell et al., CVPR 2006",
    ),
    _of_pairs(
        "triplet",
        "Triplet",
        "An image must be nearer to one of its class than to one of another, by a margin.",
        "TripletMarginLoss",
        {"margin": Option(0.2, "Margin, in squared distances.")},
        _squared_triplets,
        "distance-weighted",
        paper="Schroff et al., CVPR 2015",
    ),
    _whole(
        "arcface", "ArcFace", "Classifier with an angular margin between classes.", "ArcFaceLoss", _ANGLE, _angular, paper="Deng et al., CVPR 2019"
    ),
    Objective(
        "arcface-official",
        "ArcFace (official)",
        "ArcFace as in the code of ooDML.",
        partial(_official, "OfficialArcFaceLoss"),
        _ANGLE,
        paper="Deng et al., CVPR 2019",
    ),
    _whole(
        "proxyanchor",
        "ProxyAnchor",
        "Pulls images to a learned proxy for each class.",
        "ProxyAnchorLoss",
        _ANCHOR,
        lambda options: {"alpha": options["alpha"], "margin": options["delta"]},
        paper="Kim et al., CVPR 2020",
    ),
    Objective(
        "proxyanchor-official",
        "ProxyAnchor (official)",
        "ProxyAnchor as in the code of language guidance and ooDML.",
        partial(_official, "OfficialProxyAnchorLoss"),
        _ANCHOR,
        paper="Kim et al., CVPR 2020",
    ),
    _whole(
        "softmax",
        "Softmax",
        "Classifier on cosines to a learned direction for each class.",
        "NormalizedSoftmaxLoss",
        {"temperature": Option(0.05, "Divisor of the cosines before the softmax.", 1e-6)},
        paper="Zhai and Wu, BMVC 2019",
    ),
    _of_pairs(
        "supcon",
        "SupCon",
        "Each image must pick those of its class out of the batch, by a softmax.",
        "SupConLoss",
        {"temperature": Option(0.1, _TEMPERATURE, 1e-6)},
        paper="Khosla et al., NeurIPS 2020",
    ),
    _of_pairs(
        "ntxent",
        "NT-Xent",
        "InfoNCE: contrasts each pair of a class with all images of other classes, by a softmax.",
        "NTXentLoss",
        {"temperature": Option(0.07, _TEMPERATURE, 1e-6)},
        paper="Sohn, NeurIPS 2016; Oord et al. 2018",
    ),
    _of_pairs(
        "circle",
        "Circle",
        "Weighs each pair by how far its similarity is from the optimum.",
        "CircleLoss",
        {"m": Option(0.4, "Margin of similarity.", 0, 1), "gamma": Option(80.0, "Factor on the similarities.", 1e-6)},
        paper="Sun et al., CVPR 2020",
    ),
    _of_pairs(
        "lifted-structure",
        "Lifted structure",
        "Contrasts each pair of a class with all images that are too near to either of the two.",
        "LiftedStructureLoss",
        {"neg_margin": Option(1.0, "Margin to other classes."), "pos_margin": Option(0.0, "Margin within a class.")},
        paper="Song et al., CVPR 2016",
    ),
    _of_pairs(
        "generalized-lifted-structure",
        "Generalized lifted structure",
        "Contrasts all images of a class with all others, for each image.",
        "GeneralizedLiftedStructureLoss",
        {"neg_margin": Option(1.0, "Margin to other classes."), "pos_margin": Option(0.0, "Margin within a class.")},
        paper="Hermans et al. 2017",
    ),
    _of_pairs("npairs", "N-pairs", "Contrasts a pair of each class with one image of every other class.", "NPairsLoss", paper="Sohn, NeurIPS 2016"),
    _of_pairs(
        "nca",
        "NCA",
        "Probability that a neighbor, drawn by distance, is of the same class.",
        "NCALoss",
        {"softmax_scale": Option(1.0, "Factor on the distances before the softmax.", 1e-6)},
        paper="Goldberger et al., NeurIPS 2004",
    ),
    _of_pairs(
        "angular",
        "Angular",
        "Limits the angle at the negative in each triangle of anchor, positive and negative.",
        "AngularLoss",
        {"alpha": Option(40.0, "The angle, in degrees.", 1e-3, 89)},
        paper="Wang et al., ICCV 2017",
    ),
    _of_pairs(
        "tuplet-margin",
        "Tuplet margin",
        "Contrasts a pair of a class with all other classes, with an angular slack for hard pairs.",
        "TupletMarginLoss",
        {"margin": Option(5.73, "The slack, in degrees."), "scale": Option(64.0, _SCALE, 1e-6)},
        paper="Yu and Tao, ICCV 2019",
    ),
    _of_pairs(
        "snr-contrastive",
        "SNR contrastive",
        "Contrastive loss on noise-to-signal ratios instead of distances.",
        "SignalToNoiseRatioContrastiveLoss",
        paper="Yuan et al., CVPR 2019",
    ),
    _of_pairs(
        "threshold-consistent-margin",
        "Threshold-consistent margin",
        "Keeps the hardest pairs on their side of two similarities, so that one threshold fits all classes; add it to another loss.",
        "ThresholdConsistentMarginLoss",
        {
            "lambda_plus": Option(1.0, "Weight of pairs of one class.", 0),
            "lambda_minus": Option(1.0, "Weight of pairs of different classes.", 0),
            "margin_plus": Option(0.9, "Similarity that pairs of one class should reach.", -1, 1),
            "margin_minus": Option(0.5, "Similarity that pairs of different classes should not reach.", -1, 1),
        },
        paper="Zhang et al., ICLR 2024",
    ),
    _whole(
        "fastap",
        "FastAP",
        "Average precision of each image's ranking, approximated by histograms.",
        "FastAPLoss",
        {"num_bins": Option(10, "Number of bins.", 1)},
        paper="Cakir et al., CVPR 2019",
    ),
    _whole(
        "smooth-ap",
        "Smooth-AP",
        "Average precision of each image's ranking, approximated by sigmoids; needs the same number of images of every class.",
        "SmoothAPLoss",
        {"temperature": Option(0.01, "Width of the sigmoids.", 1e-6)},
        paper="Brown et al., ECCV 2020",
    ),
    _whole(
        "pnp",
        "PNP",
        "Reduces the images of other classes that are ranked before those of the own class, and ignores those behind.",
        "PNPLoss",
        {"anneal": Option(0.01, "Width of the sigmoids.", 1e-6)},
        paper="Li et al., AAAI 2022",
    ),
    _whole(
        "ranked-list",
        "Ranked list",
        "Images of other classes must lie beyond a distance, those of the own class within it by a margin.",
        "RankedListLoss",
        {
            "margin": Option(0.4, "Distance between the two bounds.", 0),
            "Tn": Option(1.0, "Factor in the exponent of the weights of near images of other classes.", 0, 5),
            "Tp": Option(0.0, "Factor in the exponent of the weights of far images of the own class.", 0, 5),
            "imbalance": Option(0.5, "Weight of other classes.", 0, 1),
            "alpha": Option(1.2, "Outer bound.", 0),
        },
        paper="Wang et al., CVPR 2019",
    ),
    _whole(
        "cosface",
        "CosFace",
        "Classifier with a cosine margin between classes.",
        "CosFaceLoss",
        {"margin": Option(0.35, "Cosine margin."), "scale": Option(64.0, _SCALE, 1e-6)},
        paper="Wang et al., CVPR 2018",
    ),
    _whole(
        "sphereface",
        "SphereFace",
        "Classifier that multiplies the angle to the own class.",
        "SphereFaceLoss",
        {"margin": Option(4, "Factor on the angle.", 1), "scale": Option(1.0, _SCALE, 1e-6)},
        paper="Liu et al., CVPR 2017",
    ),
    _whole(
        "large-margin-softmax",
        "Large-margin softmax",
        "SphereFace with class directions that are not normalized.",
        "LargeMarginSoftmaxLoss",
        {"margin": Option(4, "Factor on the angle to the own class.", 1), "scale": Option(1.0, _SCALE, 1e-6)},
        paper="Liu et al., ICML 2016",
    ),
    _whole(
        "subcenter-arcface",
        "Sub-center ArcFace",
        "ArcFace with several directions per class; the nearest counts.",
        "SubCenterArcFaceLoss",
        _ANGLE | {"sub_centers": Option(3, "Directions per class.", 1)},
        _angular,
        paper="Deng et al., ECCV 2020",
    ),
    _whole(
        "softtriple",
        "SoftTriple",
        "Classifier with several learned centers per class.",
        "SoftTripleLoss",
        {
            "centers_per_class": Option(10, "Centers per class.", 2),
            "la": Option(20.0, "Factor on the similarities.", 1e-6),
            "gamma": Option(0.1, "Temperature of the choice of a center.", 1e-6),
            "margin": Option(0.01, "Margin of similarity."),
        },
        paper="Qian et al., ICCV 2019",
    ),
    _whole(
        "proxynca",
        "ProxyNCA",
        "NCA with a learned proxy for each class instead of images.",
        "ProxyNCALoss",
        {"softmax_scale": Option(1.0, _SCALE, 1e-6)},
        paper="Movshovitz-Attias et al., ICCV 2017",
    ),
    _whole(
        "p2sgrad",
        "P2SGrad",
        "Pulls the cosine to the own class's learned direction to 1 and the others to 0, without scale or margin.",
        "P2SGradLoss",
        {},
        paper="Zhang et al., CVPR 2019",
    ),
)

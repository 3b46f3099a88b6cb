"""Settings of a run that do not fit, one by one or together: each is refused in a sentence that names it."""

from typing import Any

import pytest

from likeness.errors import InputError
from likeness.training.config import config_from, with_changes

CLASSES: dict[str, Any] = {"device": "cpu"}
DISTANCES: dict[str, Any] = {
    "data": {"split": "images", "labels": {"kind": "pose"}},
    "objective": {"name": "log-ratio"},
    "batch": {"size": 20, "nearest": 3, "drawn": 4, "anchors": "all"},
}
CAPTIONS = {"text": "captions", "captions": "c.csv"}
MAPS = {"target_dims": [5], "pooling": "average+max"}
BAD = [
    ({"epoch": 3}, "there is no key 'epoch'"),
    ({"epochs": -1}, "epochs is -1: Input should be greater than or equal to 0"),
    ({"loggers": ["aim"]}, "loggers"),
    ({"precision": "64"}, "precision"),
    ({"precision": "16-mixed"}, "precision 16-mixed is for GPUs; on processors choose bf16-mixed or 32"),
    ({"stop_early": 3}, "stop_early needs data.validation above 0"),
    ({"compile": True, "backbone.head_only": True}, "compile is for a backbone that trains"),
    ({"compile": True, "objective.s2sd": MAPS}, "pooling average.max reads feature maps, which a compiled network does not give out"),
    ({"few_shot": {"shots": [2, 5], "steps": [1000]}}, "steps has 1 numbers and shots 2; give one number, or one for each of shots"),
    ({"devices": 2, "nodes": 2, "batch.size": 6}, r"6 can't be divided evenly among 4 processes \(devices 2, nodes 2\); choose a multiple of 4"),
    ({"batch": {"size": 10, "per_class": 4}}, "size 10 is no multiple of per_class 4"),
    ({"batch.accumulate": 2, "objective.s2sd": {"target_dims": [5], "feature_delay": 9}}, "feature_delay counts batches as steps, .* set it to 1"),
    ({"backbone": {"dim": 10, "parts": 4}}, "dim 10 is no multiple of parts 4"),
    ({"optimizer.plateau": 2}, "plateau needs data.validation above 0"),
    ({"optimizer": {"plateau": 2, "milestones": [1]}, "data.validation": 0.1}, "exclude each other"),
    ({"optimizer.cosine": True, "optimizer.milestones": [1]}, "cosine and milestones both say how the rate falls"),
    ({"optimizer.cosine": True, "optimizer.decay": 0.9}, "cosine and decay both say how the rate falls"),
    ({"optimizer.ema": 1.0}, "optimizer.ema"),
    ({"data.shuffled": True}, "shuffled deals out continuous labels, and there are none"),
    ({"data": {"split": "official", "subset": 30}}, "split official takes the parts of a paper as they are"),
    ({"data": {"split": "file", "splits": "x.json"}}, "split file needs splits, the file, and shift"),
    ({"data": {"splits": "x.json", "shift": "start"}}, "go with split file, not with classes"),
    ({"data.tuning": True}, "go with split file"),
    ({"data.crops": "whole", "augment": False}, "augment is false, not true; set data.crops to square"),
    ({"data.crops": "whole", "augment": "jitter"}, "augment is jitter, not true"),
    ({"data.crops": "whole", "backbone.head_only": True}, "a head_only run has none"),
    ({"objective.name": "margins"}, "There is no objective 'margins'; near it are margin"),
    ({"objective.options": {"gamma": 1}}, "has no option 'gamma'; it has"),
    ({"objective": {"name": "softmax", "miner": "hard-pairs"}}, "'softmax' takes no miner; choose one of multisimilarity, margin"),
    ({"objective": {"name": "margin", "miner_options": {"rho": 0.1}}}, "miner_options go with a miner"),
    ({"objective": {"name": "margin", "miner": "hard-pairs", "miner_options": {"rho": 0.1}}}, "'hard-pairs' has no option 'rho'; it has epsilon"),
    ({"objective.uniform_prior": {"wieght": 1}}, "uniform_prior has no option 'wieght'; it has weight, hidden"),
    ({"objective.uniform_prior": {"weight": "much"}}, r"uniform_prior\.weight is 'much'; choose a number of at least 0"),
    ({"objective.uniform_prior": {}, "backbone.parts": 4}, r"objective\.uniform_prior needs backbone\.parts 1, not 4"),
    ({"objective.diva": {"momentum": 2}}, r"diva\.momentum is 2; choose a number from 0 to 1"),
    ({"objective.diva": {"hidden": True}}, r"diva\.hidden is True; choose a whole number of at least 1"),
    ({"objective.diva": {"rho": 0.2}}, "diva has no option 'rho'"),
    ({"objective.diva": {}, "objective.s2sd": {}}, "diva and s2sd exclude each other"),
    ({"objective.diva": {}, "objective.uniform_prior": {}}, "diva and uniform_prior exclude each other"),
    ({"objective.diva": {}, "batch": {"size": 12, "per_class": 3}}, r"objective\.diva needs backbone\.parts 4, not 1"),
    ({"objective.diva": {}, "backbone.parts": 4}, r"objective\.diva needs batch\.per_class of at least 3, not 2"),
    ({"objective.s2sd": MAPS, "backbone.head_only": True}, r"objective\.s2sd\.pooling average\+max reads feature maps"),
    ({"objective.s2sd": MAPS, "backbone.name": "clip:cars"}, r"objective\.s2sd\.pooling average\+max reads feature maps"),
    ({"guidance": {"omge": 1}}, "there is no key 'guidance.omge'"),
    ({"guidance": {"kind": "glg"}}, "guidance.kind is 'glg': Input should be 'elg' or 'plg'"),
    ({"guidance": {"way": "devise", "method": "devise"}}, "method and way are the same key"),
    ({"guidance": {"method": "mlp"}}, "guidance.method is 'mlp'"),
    ({"guidance": {"method": "mining", "kind": "plg"}}, "method mining needs class names, kind elg"),
    ({"guidance": {"method": "devise", "language": ["minilm", "clip:cars"]}}, "method devise takes one language model, not 2"),
    ({"guidance": {"method": "vit", "language": ["minilm", "clip:cars"]}}, "method vit takes one language model, not 2"),
    ({"guidance": {"method": "devise", "language": "wordnet"}}, "method devise needs a language model that gives vectors, and wordnet"),
    ({"guidance": {"method": "vit"}, "backbone.head_only": True}, "method vit reads feature maps, which a head_only run does not compute"),
    ({"guidance": {"method": "vit"}, "backbone.name": "clip:cars"}, "method vit reads feature maps, which clip:cars does not give; choose a timm"),
    ({"guidance": {"nu": [0.5, 1]}}, "nu goes with method mining and scaling, not match"),
    ({"guidance": {"nu": [1.5, 1], "method": "mining"}}, "nu is 1.5 and 1, but for mining the first must be from 0 to 1 and the second above 0"),
    ({"guidance": {"nu": [0.5, 0], "method": "mining"}}, "nu is 0.5 and 0, but for mining"),
    ({"guidance": {"nu": [0.5, -1], "method": "scaling"}}, "nu is 0.5 and -1, but powers must not be below 0"),
    ({"guidance": {"text": "captions"}}, "text captions needs captions, a CSV file of path and caption"),
    ({"guidance": {"captions": "c.csv"}}, "captions and keywords are read where text is captions"),
    ({"guidance": CAPTIONS | {"text": "captions+names"}}, "needs keywords that the class name replaces, such as bird"),
    ({"guidance": CAPTIONS | {"keywords": "bird"}}, "text captions takes none"),
    ({"guidance": CAPTIONS | {"kind": "plg"}}, "text captions goes with kind elg and method match"),
    ({"guidance": CAPTIONS | {"method": "devise"}}, "text captions goes with kind elg and method match"),
    ({"guidance": CAPTIONS | {"language": "wordnet"}}, "text captions needs a language model that gives vectors, and wordnet"),
    ({"guidance": {"stop_gradient": False, "language": "hierarchy:a.csv"}}, "stop_gradient false needs a language model that gives vectors"),
    ({"guidance": {"stop_gradient": False, "kind": "plg"}}, "stop_gradient false goes with kind elg, method match and text names"),
    ({"guidance": {"names": "kind", "kind": "plg"}}, "names kind needs class names, kind elg"),
]
BAD_DISTANCES = [
    ({"data.labels": None}, "split images needs labels"),
    ({"data.per_class": 3}, "per_class goes with classes, and split images has none"),
    ({"data.labels.kind": "angles"}, "kind angles needs columns"),
    ({"objective.name": "margin"}, "data.split images has no classes, which objective.name margin needs"),
    ({"objective.s2sd": {}}, "s2sd goes around an objective on classes, and log-ratio is one on continuous labels"),
    ({"guidance": {}}, "guidance goes with class labels, and objective.name log-ratio with continuous ones"),
    ({"matched_classes": 3}, "matched_classes needs classes, and data.split images has none"),
    ({"backbone.parts": 2}, "backbone.parts 2 needs embeddings of unit length; set backbone.unit to true"),
    ({"batch.drawn": 6}, "size 20 can't hold 6 anchors with 3 neighbors each"),
    ({"batch.pool": 2}, "pool 2 is less than nearest 3"),
    ({"augment": "rotate"}, "augment"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=lambda each: str(each)[:60])
def test_settings_that_do_not_fit_are_named(changes: dict[str, Any], message: str) -> None:
    config = config_from(CLASSES)
    with pytest.raises(InputError, match=message):
        with_changes(config, changes)


@pytest.mark.parametrize(("changes", "message"), BAD_DISTANCES, ids=lambda each: str(each)[:60])
def test_settings_that_do_not_fit_continuous_labels_are_named(changes: dict[str, Any], message: str) -> None:
    config = config_from(DISTANCES)
    with pytest.raises(InputError, match=message):
        with_changes(config, changes)

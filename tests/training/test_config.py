from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.training.config import GuidanceConfig, RunConfig, as_yaml, config_from, difference, presets, read_config, with_changes
from likeness.training.loop.given_objects import build_objective

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
    ({"precision": "16-mixed"}, "precision 16-mixed is for GPUs; on processors choose bf16-mixed or 32"),
    ({"stop_early": 3}, "stop_early needs data.validation above 0"),
    ({"compile": True, "backbone.head_only": True}, "compile needs a trainable backbone"),
    ({"compile": True, "objective.s2sd": MAPS}, "pooling average.max reads feature maps, which a compiled network does not return"),
    ({"few_shot": {"shots": [2, 5], "steps": [1000]}}, "steps has 1 numbers and shots 2; set one number, or one for each of shots"),
    ({"devices": 2, "nodes": 2, "batch.size": 6}, r"6 can't be divided evenly among 4 processes \(devices 2, nodes 2\); choose a multiple of 4"),
    ({"batch": {"size": 10, "per_class": 4}}, "size 10 is not a multiple of per_class 4"),
    ({"batch.accumulate": 2, "objective.uniform_prior": {"official": True}}, "uniform_prior.official counts batches as steps, .* set it to 1"),
    (
        {"backbone.head_only": True, "objective.uniform_prior": {"official": True}},
        "official spreads the backbone's features, which a head_only run can't",
    ),
    ({"backbone.head_only": True, "few_shot": {"crops": "random"}}, "few_shot.crops random needs a network that reads crops"),
    ({"few_shot": {"support": "file"}}, "few_shot.support file needs data.split file, not"),
    ({"batch.accumulate": 2, "objective.s2sd": {"target_dims": [5], "feature_delay": 9}}, "feature_delay counts batches as steps, .* set it to 1"),
    ({"backbone": {"dim": 10, "parts": 4}}, "dim 10 is not a multiple of parts 4"),
    ({"optimizer.plateau": 2}, "plateau needs data.validation above 0"),
    ({"optimizer": {"plateau": 2, "milestones": [1]}, "data.validation": 0.1}, "exclude each other"),
    ({"optimizer.cosine": True, "optimizer.milestones": [1]}, "cosine and milestones both decrease the rate"),
    ({"optimizer.cosine": True, "optimizer.decay": 0.9}, "cosine and decay both decrease the rate"),
    ({"data.shuffled": True}, "shuffled permutes continuous labels, but there are none"),
    ({"data": {"split": "official", "subset": 30}}, "split official uses the split of a paper unchanged"),
    ({"data": {"split": "file", "splits": "x.json"}}, "split file needs splits .the file. and shift"),
    ({"data": {"splits": "x.json", "shift": "start"}}, "need split file, not classes"),
    ({"data.tuning": True}, "need split file"),
    (
        {"data.split": "file", "data.splits": "x", "data.shift": "start", "data.tuning": "validation", "data.select_on_test": True},
        "tuning validation chooses the best weights; set validation to 0 and select_on_test to false",
    ),
    ({"transforms": {"ColourJitter": {}}}, "transforms.*There is no transform 'ColourJitter'; choose from AugMix, AutoAugment, ColorJitter"),
    (
        {"transforms.ColorJitter": {"bright": 0.2}},
        "transforms: The transform 'ColorJitter' has no option 'bright'; it has brightness, contrast, saturation, hue",
    ),
    ({"transforms": {"RandomErasing": {"p": 2}}}, r"'RandomErasing' does not take these options: `p` should be a .* \[0.0, 1.0\]\.$"),
    ({"transforms": {"GaussianBlur": {}}}, "The transform 'GaussianBlur' does not take these options: .* argument: 'kernel_size'"),
    ({"transforms": {"RandAugment": None}}, "transforms.RandAugment is None: Input should be a valid dictionary"),
    ({"transforms.RandAugment": {}, "backbone.head_only": True}, "a run on features that are computed once reads none; remove transforms"),
    ({"distill": {}}, "distill.teacher: Field required"),
    ({"distill": {"teacher": "big"}}, "distill.teacher is 'big': The encoder 'big' has no known form; write "),
    ({"distill": {"teacher": "cars", "weight": -1}}, "distill.weight is -1: Input should be greater than or equal to 0"),
    ({"distill": {"teacher": "cars", "temperature": 0}}, "distill.temperature is 0: Input should be greater than 0"),
    ({"distill": {"teacher": "cars"}, "backbone.unit": False}, "distill needs embeddings of unit length; set backbone.unit to true"),
    ({"batch.draw": "hard"}, "batch.draw is 'hard': Input should be 'spread', 'replacement' or 'hard-classes'"),
    ({"batch": {"draw": "hard-classes", "size": 8, "drawn": 5}}, "drawn 5 is more than the 4 classes of a batch; draw fewer"),
    ({"batch.draw": "hard-classes", "workers": 2}, "batch.draw hard-classes follows the training, .* set workers to 0"),
    ({"data": {"query_attribute": "split", "queries": 5}}, "query_attribute names the queries, but queries spreads them evenly; remove query_attr"),
    ({"data.query_attribute": "split", "matched_classes": 3}, "matched_classes lets all test images search each other, but data.query_attribute"),
    ({"data.query_attribute": "split", "few_shot": {}}, "few_shot lets all test images search each other, but data.query_attribute"),
    ({"data.crops": "whole", "augment": False}, "augment is false, not true; set data.crops to square"),
    ({"data.crops": "whole", "backbone.head_only": True}, "a run on features that are computed once has none"),
    ({"objective.name": "margins"}, "There is no objective 'margins'; near it are margin"),
    ({"objective.options": {"gamma": 1}}, "has no option 'gamma'; it has"),
    ({"objective": {"name": "softmax", "miner": "hard-pairs"}}, "'softmax' takes no miner; choose one of multisimilarity, margin"),
    ({"objective": {"name": "margin", "miner_options": {"rho": 0.1}}}, "miner_options need a miner"),
    ({"objective": {"name": "margin", "miner": "hard-pairs", "miner_options": {"rho": 0.1}}}, "'hard-pairs' has no option 'rho'; it has epsilon"),
    ({"objective.uniform_prior": {"wieght": 1}}, "uniform_prior has no option 'wieght'; it has weight, hidden"),
    ({"objective.uniform_prior": {}, "backbone.parts": 4}, r"objective\.uniform_prior needs backbone\.parts 1, not 4"),
    ({"objective.diva": {"momentum": 2}}, r"diva\.momentum is 2; choose a number from 0 to 1"),
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
    ({"guidance": {"method": "devise", "language": "wordnet"}}, "method devise needs a language model with vectors, but wordnet"),
    ({"guidance": {"method": "vit"}, "backbone.head_only": True}, "method vit reads feature maps, which a head_only run does not compute"),
    ({"guidance": {"method": "vit"}, "backbone.name": "clip:cars"}, "method vit reads feature maps, which clip:cars does not have; choose a timm"),
    ({"guidance": {"nu": [0.5, 1]}}, "nu needs method mining or scaling, not match"),
    ({"guidance": {"nu": [1.5, 1], "method": "mining"}}, "nu is 1.5 and 1, but for mining the first must be from 0 to 1 and the second above 0"),
    ({"guidance": {"nu": [0.5, 0], "method": "mining"}}, "nu is 0.5 and 0, but for mining"),
    ({"guidance": {"nu": [0.5, -1], "method": "scaling"}}, "nu is 0.5 and -1, but powers must be at least 0"),
    ({"guidance": {"captions": "c.csv"}}, "captions and keywords need text captions"),
    ({"guidance": CAPTIONS | {"text": "captions+names"}}, "needs keywords that the class name replaces, such as bird"),
    ({"guidance": CAPTIONS | {"keywords": "bird"}}, "text captions takes none"),
    ({"guidance": CAPTIONS | {"kind": "plg"}}, "text captions needs kind elg and method match"),
    ({"guidance": CAPTIONS | {"method": "devise"}}, "text captions needs kind elg and method match"),
    ({"guidance": CAPTIONS | {"language": "wordnet"}}, "text captions needs a language model with vectors, but wordnet"),
    ({"guidance": {"stop_gradient": False, "language": "hierarchy:a.csv"}}, "stop_gradient false needs a language model with vectors"),
    ({"guidance": {"stop_gradient": False, "kind": "plg"}}, "stop_gradient false needs kind elg, method match and text names"),
    ({"guidance": {"names": "kind", "kind": "plg"}}, "names kind needs class names, kind elg"),
]
BAD_DISTANCES = [
    ({"data.labels": None}, "split images needs labels"),
    ({"data.per_class": 3}, "per_class needs classes, but split images has none"),
    ({"data.labels.kind": "angles"}, "kind angles needs columns"),
    ({"objective.name": "margin"}, "data.split images has no classes, which objective.name margin needs"),
    ({"objective.s2sd": {}}, "s2sd needs an objective on classes, but log-ratio is on continuous labels"),
    ({"guidance": {}}, "guidance needs class labels, but objective.name log-ratio reads continuous ones"),
    ({"matched_classes": 3}, "matched_classes needs classes, but data.split images has none"),
    ({"backbone.parts": 2}, "backbone.parts 2 needs embeddings of unit length; set backbone.unit to true"),
    ({"data.query_attribute": "split"}, "query_attribute names the queries, but split images takes them from the column split"),
    ({"distill": {"teacher": "cars"}}, "distill needs embeddings of unit length; set backbone.unit to true"),
    ({"batch.draw": "hard-classes"}, "draw hard-classes draws classes, but objective.name log-ratio reads none; remove draw"),
    ({"batch.drawn": 6}, "size 20 can't hold 6 anchors with 3 neighbors each"),
    ({"batch.pool": 2}, "pool 2 is less than nearest 3"),
]


EVERY_BAD = [*((CLASSES, *row) for row in BAD), *((DISTANCES, *row) for row in BAD_DISTANCES)]


@pytest.mark.parametrize(("base", "changes", "message"), EVERY_BAD, ids=lambda each: str(each)[:60])
def test_settings_that_do_not_fit_are_named(base: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    config = config_from(base)
    with pytest.raises(InputError, match=message):
        with_changes(config, changes)


def test_what_is_written_is_read_again_and_files_that_are_no_config_are_named(tmp_path: Path) -> None:
    wide = {"backbone": {"parts": 4}, "batch": {"size": 108, "per_class": 3}}
    for content in (
        {"guidance": {"kind": "plg", "language": "bert"}, "data": {"attribute": ["a", "b"]}, "optimizer": {"milestones": [3, 5]}},
        {"objective": {"name": "r-margin", "options": {"rho": 0.4}, "uniform_prior": {"weight": 0.2}, "s2sd": {}}},
        {"objective": {"name": "margin", "diva": {"random_labels": True}}} | wide | {"batch": {"size": 108, "per_class": 2}},
        {"few_shot": {"shots": [2, 5], "steps": [1000, 1500]}},
        {"few_shot": {"steps": 7}},
        {
            "transforms": {"RandomErasing": {"p": 0.25}, "ColorJitter": {"hue": 0.1}},
            "distill": {"teacher": "cars", "temperature": 0.5},
            "batch": {"draw": "hard-classes"},
        },
        {"objective": {"name": "margin", "diva": {"queue_batches": 70}}} | wide,
    ):
        config = config_from(content)
        (tmp_path / "a.yaml").write_text(as_yaml(config), encoding="utf-8")
        assert read_config(tmp_path / "a.yaml") == config
    assert config_from({"guidance": {"kind": "plg", "language": "bert"}}).guidance.language == ("bert",)
    (tmp_path / "a.yaml").write_text("data: [", encoding="utf-8")
    for file, message in ((tmp_path / "a.yaml", r"'a.yaml' is not valid YAML"), ("b.yaml", "'b.yaml'; the presets are lg-cars196-margin")):
        with pytest.raises(InputError, match=message):
            read_config(file)


def test_changes_by_dotted_keys_former_ones_and_what_they_change() -> None:
    a, b = RunConfig(), with_changes(RunConfig(), {"guidance.omega": 5, "seed": 2, "objective.options.beta": 1.0})
    assert (b.guidance.omega, b.seed, b.objective.options) == (5.0, 2, {"beta": 1.0})
    with pytest.raises(InputError, match="'seed' has no keys"):
        with_changes(a, {"seed.a": 1})
    found = difference(a, b)
    assert (found["seed"], found["guidance.omega"]) == ((0, 2), (None, 5.0))
    assert difference(a, a) == {}
    config = config_from({"guidance": {"method": "devise"}})
    assert config_from({"guidance": {"way": "devise"}}) == config
    assert with_changes(config, {"guidance.way": "mining"}) == with_changes(config, {"guidance.method": "mining"})
    assert with_changes(config, {"guidance": {"way": "mining"}}).guidance == GuidanceConfig(method="mining")
    assert config_from({"guidance": {"shuffled": True}}).guidance == GuidanceConfig(control="shuffled")


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_read_and_its_objective_made(name: str) -> None:
    config = read_config(name)
    assert config.name == name
    assert len(config.note) > 40
    build_objective(config.objective, 10, config.backbone.dim or 8, 128)


def test_only_how_a_run_is_carried_out_may_change_while_it_goes_on() -> None:
    config, elsewhere = RunConfig(), {"devices": 2, "nodes": 2, "workers": 1, "keep_on_device": True, "loggers": ("csv",)}
    assert config.same_run(config.model_copy(update=elsewhere))
    others = {"seed": 1, "epochs": 3, "augment": False, "precision": "bf16-mixed", "compile": True, "evaluate_every": 2, "checkpoint_every": 9}
    assert [name for name, value in others.items() if config.same_run(config.model_copy(update={name: value}))] == []

import os
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import likeness as lk
from likeness.errors import InputError
from likeness.notions import (
    Notion,
    delete_notion,
    fitting_notions,
    get_notion,
    is_own,
    list_notions,
    notion_problems,
    read_notion,
    save_notion,
    write_notion,
)
from likeness.notions.notion import name_key

OWN = Notion("Wheel count", ["a car with {} wheels", "{} wheels"], ["three", "300", "no", "ümlaut: #1"], "How many wheels?", "wheels", "ours", "Cars")


def test_the_papers_notions_ship() -> None:
    counts = {"car-model-names": 569, "car-color": 17, "background-color": 17, "cars196-car-model": 569, "cars196-manufacturer": 46}
    counts |= {"cars196-car-type": 7, "cub200-bird-species": 100, "deepfashion-clothing-category": 50, "deepfashion-texture": 7}
    counts |= {"deepfashion-fabric": 6, "deepfashion-fit": 3, "movie-posters-genre": 24, "movie-posters-production-country": 69}
    for name, count in counts.items():  # of the paper's Table 1; two counts differ, as the sources say
        notion = get_notion(name)
        assert len(notion.aspects) == len(set(notion.aspects)) == count
        assert "InDiReCT (WACV 2023), Table 1" in notion.source


def test_every_notion_that_ships_can_be_read_and_is_named_like_its_file() -> None:
    assert notion_problems() == []
    assert len(list_notions()) >= 19
    assert all(get_notion(notion.slug) == notion for notion in list_notions())
    attributes = {"body_type", "car_color", "background_color", "viewpoint", "camera_height", "distance_name", "sun_side", "sun_height"}
    assert attributes <= {notion.attribute for notion in list_notions() if notion.dataset == "Synthetic Cars"}


def test_saved_and_read_again_it_is_the_same_with_or_without_dimensions_and_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    for notion in (OWN, replace(OWN, dim=5), replace(OWN, aspects=("a", "b"))):
        write_notion(path, notion)
        assert read_notion(path) == list_notions(tmp_path)[0] == notion
        assert ("dim: 5" in path.read_text()) == ("dim" in path.read_text()) == (notion.dim == 5)
    path.write_text("name: x\ntemplate: a {}\naspects: [a, b]\ndim:\n")
    assert read_notion(path).dim is None


def test_own_notions_stand_first_and_in_for_those_that_ship_until_they_are_deleted() -> None:
    save_notion(OWN)
    assert list_notions()[0] == get_notion("wheel count") == OWN
    assert is_own("Wheel count")
    delete_notion("wheel-count")
    assert not is_own("Wheel count")
    with pytest.raises(InputError, match=r"no notion 'wheel count'; choose from .*car-color"):
        get_notion("wheel count")
    shipped, own = get_notion("car-color"), Notion("Car color", "a {} car", ["red", "blue"])
    save_notion(own)
    assert get_notion("car color") == own
    assert sum(notion.slug == "car-color" for notion in list_notions()) == 1
    delete_notion("car color")
    assert get_notion("car color") == shipped


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name: [", r"broken.yaml' is not valid YAML near line"),
        ("- 1\n- 2", "broken.yaml' lacks a key"),
        ("name: x\ntemplate: a {}", "broken.yaml' lacks a key; name, template and aspects are required"),
        ("name: x\ntemplate: a {}\naspects: [a, b]\ncolour: 1", "broken.yaml' has the unknown key 'colour'"),
        ("name: x\ntemplate: a\naspects: [a, b]", r"broken.yaml' is not valid: The template 'a' has no \{\}"),
        ("name: x\ntemplate: a {}\naspects: [[a], b]", r"is not valid: The aspects of the notion 'x' hold \['a'\]"),
        ("name: x\ntemplate: a {}\naspects_from: {table: none.csv, columns: [a]}", "aspects_from cannot read .* of the table 'none.csv'"),
        ("name: x\ntemplate: a {}\naspects_from: {table: car_models.csv, columns: [maker]}", "of the table 'car_models.csv'"),
        ("name: x\ntemplate: a {}\naspects_from: 3", "aspects_from needs the keys table and columns"),
        ("name: x\ntemplate: a {}\naspects: [a, b]\ndim: many", "The notion 'x' has the dim 'many'; expected a whole number of at least 1"),
        ("name: x\ntemplate: a {}\naspects: [a, b]\ndim: 0", "The notion 'x' has the dim 0; expected a whole number"),
        ("name: x\ntemplate: a {}\naspects: [a, b]\ndim: [5]", r"The notion 'x' has the dim \['5'\]; expected a whole number"),
        ("a: !!python/object/apply:os.system ['true']", "lacks a key"),
    ],
)
def test_a_broken_file_is_one_clear_problem_and_the_others_still_load(cache: Path, content: str, message: str) -> None:
    path = cache / "notions" / "broken.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_notion(path)
    (problem,) = notion_problems()
    assert "broken.yaml" in problem
    assert "\n" not in problem
    assert any(notion.slug == "car-color" for notion in list_notions())


KINDS = ("[]", "{}", "{a: b}", "[[[a]]]", "[null]", "[a, {b: c}]", "3", "null", "~", "''", "2024-01-01", "!!binary aGk=", "!!set {a}")


TEXTS = ("question", "attribute", "source", "dataset")


@pytest.mark.parametrize("key", ["name", "template", "aspects", "aspects_from", "dim", "joined", "clicks", *TEXTS])
def test_a_key_of_another_kind_is_refused_in_a_sentence_or_read_as_a_text(tmp_path: Path, key: str) -> None:
    own, table = {"name": "x", "template": "a {}", "aspects": "[a, b]"}, lk.read("cars")
    for kind in KINDS:
        fields = {name: value for name, value in own.items() if (name, key) != ("aspects", "aspects_from")} | {key: kind}
        (tmp_path / "n.yaml").write_text("\n".join(f"{name}: {value}" for name, value in fields.items()))
        fitting_notions(table, folder=tmp_path)
        problems = notion_problems(tmp_path)
        assert all("n.yaml" in problem for problem in problems)
        if problems:
            assert key not in TEXTS or kind not in ("null", "~", "''", "3", "2024-01-01")
            continue
        notion = read_notion(tmp_path / "n.yaml")
        assert all(isinstance(text, str) for text in (notion.name, *notion.prompts, notion.question, notion.source, notion.dataset))
        assert notion.attribute is None or notion.attribute not in ("", "null", "~")
        assert key in ("name", "dim", *TEXTS) or (key in ("joined", "clicks") and kind == "[]")
        write_notion(tmp_path / "again.yaml", notion)
        assert read_notion(tmp_path / "again.yaml") == notion
        (tmp_path / "again.yaml").unlink()


SCRIPTS = ["车的颜色", "цвет машины", "χρώμα", "اللون", "색상", "Façade", "🚗", "🚙", "C++", "C#", "m²", "m2"]
SCRIPTS += ["facade", "con", "車的顏色", "色 color", "color"]


def test_names_in_any_script_are_saved_and_found_again(tmp_path: Path) -> None:
    notions = [Notion(name, "a {} car", ["red", f"blue {number}"]) for number, name in enumerate(SCRIPTS)]
    paths = [save_notion(notion, overwrite=False, folder=tmp_path) for notion in notions]
    assert len({path.name.lower() for path in paths}) == len(SCRIPTS)
    assert all(path.stem.lower() != "con" for path in paths)
    for notion, path in zip(notions, paths, strict=True):
        assert get_notion(notion.name, tmp_path) == get_notion(path.stem, tmp_path) == notion
        assert save_notion(notion, folder=tmp_path) == path
        with pytest.raises(InputError, match="already; choose another"):
            save_notion(notion, overwrite=False, folder=tmp_path)
    for notion in notions:
        delete_notion(notion.name, tmp_path)
        assert not is_own(notion.name, tmp_path)
    # the form of accents and capitals make no other name
    first, second = (Notion(unicodedata.normalize(form, "Façade"), "a {}", ["x", form]) for form in ("NFC", "NFD"))
    assert save_notion(first, folder=tmp_path) == save_notion(second, folder=tmp_path)
    assert get_notion("FAÇADE", tmp_path) == second


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12) | st.text("aAäß -_+.²", min_size=1, max_size=4)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_no_notion_takes_the_place_of_one_of_another_name(names: list[str]) -> None:
    saved: dict[str, Notion] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names):
            try:
                notion = Notion(name, "a {} car", ["red", f"blue {number}"])
                path = save_notion(notion, folder=Path(folder))
            except InputError:  # no letter
                continue
            assert path.name.isascii()
            saved[name_key(name)] = notion
        assert len(os.listdir(folder)) == len(saved)
        for notion in saved.values():
            assert get_notion(notion.name, Path(folder)) == notion


def test_a_notion_in_a_file_of_another_name_keeps_it(tmp_path: Path) -> None:
    old, plain = tmp_path / "facade.yaml", Notion("Facade", "a {}", ["x", "w"])
    write_notion(old, Notion("Façade", "a {}", ["x", "y"]))
    assert is_own("Façade", tmp_path)
    assert save_notion(Notion("Façade", "a {}", ["x", "z"]), folder=tmp_path) == old
    assert save_notion(plain, overwrite=False, folder=tmp_path) != old
    assert (get_notion("Façade", tmp_path).aspects, get_notion("facade", tmp_path)) == (("x", "z"), plain)
    delete_notion("Façade", tmp_path)
    assert not old.exists()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: delete_notion("car color"), "'car color' ships with Likeness"),
        (lambda folder: save_notion(get_notion("car color"), overwrite=False), "There is a notion 'car color' already"),
        (lambda folder: read_notion(folder / "nothing.yaml"), "no notion file '.*nothing.yaml'"),
        (lambda folder: ((folder / "x.yaml").write_bytes(b"\xff\xfe\x00"), read_notion(folder / "x.yaml")), "is not text in UTF-8"),
        (lambda folder: save_notion(Notion("x" * 5000, "a {}", ["x", "y"]), folder=folder), "too long for a file name"),
        (lambda folder: save_notion(Notion("???", "a {}", ["x", "y"]), folder=folder), "has no letter or digit"),
        (lambda folder: is_own("x" * 300, folder), "too long for a file name"),
        # a table that lies outside the assets
        (lambda folder: read_notion(folder / "y.yaml"), r"of the table 'secret\.csv'"),
    ],
)
def test_bad_input_is_refused(call: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n2\n")
    (tmp_path / "y.yaml").write_text(f"name: x\ntemplate: a {{}}\naspects_from: {{table: {tmp_path}/secret.csv, columns: [a]}}")
    with pytest.raises(InputError, match=message):
        call(tmp_path)
    assert save_notion(Notion("x" * 200, "a {}", ["x", "y"]), folder=tmp_path).is_file()

"""Images without labels: colored by aspects, labeled by them, and what each page says of it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import added_labels
from background import jobs
from likeness.data import SHIPPED_CARS, ImageTable, add_dataset, new_entry, read_cars, remove_dataset
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir
from likeness.notion_trust import Trust
from likeness.notions import Notion, get_notion
from likeness.samplers import MPerClassBatches
from likeness.training import RunConfig, config_from, run_images
from shared import cached, maps
from shared.sidebar import ASPECTS

COLORS = Notion("two colors", "a {} car", ("red", "blue"))


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def photos(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A dataset of 40 images and no label."""
    (tmp_path / "photos").mkdir()
    for number, path in enumerate(read_cars().paths()[:40]):
        (tmp_path / "photos" / f"{number:02}.webp").write_bytes(path.read_bytes())
    entry = new_entry("Photos", str(tmp_path / "photos"), "cars")
    add_dataset(entry)
    return entry


def _noise(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Forty images of noise for the encoder of photos."""
    (tmp_path / "noise").mkdir()
    rng = np.random.default_rng(0)
    for number in range(40):
        Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)).save(tmp_path / "noise" / f"{number:02}.png")
    entry = new_entry("Noise", str(tmp_path / "noise"), "photos")
    add_dataset(entry)
    return entry


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _open(app: AppTest, entry) -> AppTest:  # type: ignore[no-untyped-def]
    app.query_params["dataset"] = entry.name
    app.run()
    assert not app.exception
    assert app.session_state["view"].entry.id == entry.id
    return app


class TestColoring:
    def test_a_notion_colors_photos_without_labels_by_its_aspects(self, app: AppTest, photos) -> None:
        _open(app, photos)
        assert app.session_state["view"].color is None  # the starters are not for an encoder of cars
        app.selectbox(key="a").select("car color").run()
        view = app.session_state["view"]
        assert view.color == f"{ASPECTS}car color"
        assert view.frame[view.color].tolist() == view.base.best_aspects(get_notion("car color")).tolist()
        assert set(view.base.table.attributes) == set()
        assert "a guess, not a label. An image that shows none of them gets one, too." in _texts(app)
        assert "The encoder reads this notion in these images." in _texts(app)
        assert not re.search("green|check", _texts(app))  # marks of what is right are for labels

    def test_a_notion_for_images_of_any_kind_colors_them_at_once(self, app: AppTest, photos, cache: Path) -> None:
        from likeness.notions import save_notion

        save_notion(COLORS, folder=cache / "notions")
        _open(app, photos)
        assert app.session_state["view"].color == f"{ASPECTS}two colors"

    def test_photos_are_colored_by_the_starter_that_divides_them_and_by_another_at_a_click(self, app: AppTest, tmp_path: Path) -> None:
        _open(app, _noise(tmp_path))
        assert app.session_state["view"].color is None  # nothing is in them that words could tell apart
        assert "car color" not in app.selectbox(key="a").options
        app.selectbox(key="color").select(f"{ASPECTS}setting").run()
        assert "Two photos are similar if they show the same setting" in _texts(app)
        app.button(key="color_by_activity").click().run()
        assert not app.exception
        assert app.session_state["view"].color == f"{ASPECTS}activity"
        verdict = cached.trust(app.session_state["view"].base, get_notion("activity"))
        assert not verdict.reads
        assert verdict.sentence in _texts(app)
        assert "Not to be relied on with these images: " in _texts(app)

    def test_the_maps_do_not_wait_for_what_can_be_relied_on_and_then_it_stands_there_at_once(
        self, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        events: list[str] = []
        trust, draw = cached.trust, maps.draw
        monkeypatch.setattr(cached, "trust", lambda *given: (events.append("trust"), trust(*given))[1])
        monkeypatch.setattr(maps, "draw", lambda *given, **options: (events.append("map"), draw(*given, **options))[1])
        app.session_state["color"] = f"{ASPECTS}setting"
        _open(app, _noise(tmp_path))
        starters = [button.key for button in app.button if str(button.key).startswith("color_by_")]
        assert events == ["map", *["trust"] * (len(starters) + 1)]
        events.clear()
        app.run()
        assert events == [*["trust"] * len(starters), "map", "trust"]  # the last one, of what is shown, stands below the map
        assert "Looking whether" not in _texts(app)

    def test_where_all_can_be_relied_on_a_line_says_so_and_what_that_means(
        self, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cached, "notion_trust", lambda space, notion: Trust(0.9, 0.99, 0.9, True))
        app.session_state["color"] = f"{ASPECTS}setting"
        _open(app, _noise(tmp_path))
        assert "The encoder reads all of these in these images. What it guesses can still be wrong." in _texts(app)

    @pytest.mark.parametrize(("warning", "color"), [("", f"{ASPECTS}indoors or outdoors"), ("It hardly tells them apart.", None)])
    def test_what_divides_the_photos_is_chosen_unless_the_encoder_hardly_sees_them(
        self, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warning: str, color: str | None
    ) -> None:
        monkeypatch.setattr("shared.cached.most_dividing", lambda space, notions: notions[1])
        cached._first_starter.clear()
        entry = _noise(tmp_path)
        add_dataset(replace(entry, warning=warning))
        _open(app, entry)
        assert app.session_state["view"].color == color
        cached._first_starter.clear()

    def test_labeled_images_keep_their_labels_as_colors(self, app: AppTest) -> None:
        app.run()
        assert app.session_state["view"].color == "body_type"


class TestLabels:
    def test_they_are_an_attribute_on_every_page(self, app: AppTest, photos) -> None:
        _open(app, photos)
        app.switch_page("pages/semantics/page.py").run()
        assert "these images have no labels that would be classes" in _texts(app)
        app.selectbox(key="label_by").select("car color").run()
        app.button(key="label_images").click().run()
        assert not app.exception
        table = app.session_state["view"].base.table
        assert table.attributes == ["car_color_by_encoder"]
        expected = app.session_state["view"].base.best_aspects(get_notion("car color"))
        assert table.frame["car_color_by_encoder"].tolist() == expected.tolist()
        assert "They cannot judge that encoder" in _texts(app)
        app.switch_page("pages/shifts/page.py").run()
        assert app.multiselect(key="shift_classes").value == ["car_color_by_encoder"]
        assert "They cannot judge that encoder" in _texts(app)
        app.switch_page("pages/compare/page.py").run()
        assert "the encoder would judge itself" in _texts(app)
        app.switch_page("pages/explore/page.py").run()
        assert app.session_state["view"].color == "car_color_by_encoder"
        assert "They cannot judge that encoder" in _texts(app)
        app.button(key="remove_labels").click().run()
        assert not app.exception
        assert app.session_state["view"].base.table.attributes == []

    def test_what_was_added_is_found_by_its_path(self, photos, tmp_path: Path) -> None:
        table = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ["a.png", 'b,"c.png']}))
        assert added_labels.add(photos, table, COLORS, ["red", "NA"]) == "two_colors_by_encoder"
        later = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ['b,"c.png', "new.png", "a.png"]}))
        found = added_labels.attach(photos, later).frame["two_colors_by_encoder"]
        assert found.iloc[[0, 2]].tolist() == ["NA", "red"]
        assert pd.isna(found.iloc[1])

    def test_a_name_is_never_given_twice(self, photos, tmp_path: Path) -> None:
        table = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ["a.png"]}))
        first = added_labels.add(photos, table, COLORS, ["red"])
        added_labels.remove(photos, first)
        assert added_labels.names(photos) == []
        assert added_labels.add(photos, table, COLORS, ["blue"]) == "two_colors_by_encoder_2"

    def test_those_of_an_encoder_are_told_from_others(self) -> None:
        assert added_labels.made_by_encoder(["a_by_encoder", "a_by_encoder_12", "by_encoder_a", "color"]) == ["a_by_encoder", "a_by_encoder_12"]

    def test_those_of_an_upload_go_with_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import visitor_data
        from access import owner_of, resolve_entry, shared_name, upload_limits
        from likeness.data import absolute_source, read_dataset, save_uploads
        from server_settings import ServerSettings
        from visitors import own_dir, own_uploads_dir

        monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True).as_text())
        monkeypatch.setattr("visitors._browser", lambda: "a" * 32)
        root = save_uploads([("a.webp", read_cars().paths()[0].read_bytes())], "mine", own_uploads_dir(), upload_limits()).root
        source = shared_name(absolute_source(str(root)))
        entry = new_entry("mine", source, "cars", owner=owner_of(source))
        add_dataset(entry)
        added_labels.add(entry, read_dataset(resolve_entry(entry)), COLORS, ["red"])
        assert len(list((own_dir() / "labels").rglob("*.csv"))) == 1
        monkeypatch.setattr("visitors._browser", lambda: "b" * 32)
        with pytest.raises(InputError, match="These images are someone else's"):
            added_labels.remove(entry, "two_colors_by_encoder")
        visitor_data.remove_upload(entry, "a test")
        assert not list((own_dir().parent / ("a" * 32) / "labels").rglob("*.csv"))

    def test_nobody_labels_what_is_everyones(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from server_settings import ServerSettings

        monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True).as_text())
        monkeypatch.setattr("visitors._browser", lambda: "a" * 32)
        with pytest.raises(InputError, match="Everyone on this server sees these images"):
            added_labels.add(SHIPPED_CARS, read_cars(), COLORS, ["red"] * 2000)


class TestFirstChoice:
    def test_a_notion_for_images_of_any_kind_comes_before_those_for_others(self, app: AppTest, photos, cache: Path) -> None:
        from likeness.notions import save_notion

        save_notion(COLORS, folder=cache / "notions")
        _open(app, photos)
        app.switch_page("pages/train/page.py").run()
        assert app.selectbox(key="label_by").value == "two colors"
        app.session_state["saliency_samples"] = 2
        app.session_state["rows"] = np.array([3])
        app.switch_page("pages/saliency/page.py").run()
        assert app.multiselect(key="looked_at").value[0] == "two colors"
        assert all(job.wait(600) for job in jobs().all("saliency"))


class TestTrain:
    def test_it_opens_on_the_chosen_images(self, app: AppTest, photos) -> None:
        _open(app, photos)
        app.switch_page("pages/train/page.py").run()
        assert not app.exception
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert config.data.source == photos.source
        assert config.name == "photos"
        assert "Training learns from labels which images belong together, and these images have none yet." in _texts(app)
        assert "has no attribute" not in _texts(app)
        classes = app.multiselect(key="train_field_data.attribute")
        assert (classes.value, classes.disabled, classes.placeholder) == ([], True, "No labels yet")
        assert app.button(key="train_start").disabled

    def test_it_learns_from_the_labels_that_the_images_have(self, app: AppTest, tmp_path: Path) -> None:
        for number, path in enumerate(read_cars().paths()[:20]):
            folder = tmp_path / "birds" / ("crow" if number % 2 else "owl")
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{number:02}.webp").write_bytes(path.read_bytes())
        entry = new_entry("Birds", str(tmp_path / "birds"), "cars")
        add_dataset(entry)
        _open(app, entry).switch_page("pages/train/page.py").run()
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert (config.data.source, config.data.attribute, config.data.split) == (entry.source, "class", "classes")
        assert "Training learns from labels" not in _texts(app)

    def test_labels_by_aspects_are_given_here_and_the_run_that_begins_learns_from_them(
        self, app: AppTest, photos, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun: list[RunConfig] = []
        monkeypatch.setattr("likeness.training.start_run", lambda run, config=None: begun.append(config))
        _open(app, photos).switch_page("pages/train/page.py").run()
        app.selectbox(key="label_by").select("car color").run()
        app.button(key="label_images").click().run()
        assert not app.exception
        assert "They cannot judge that encoder" in _texts(app)
        app.button(key="train_start").click().run()
        assert not app.exception
        (config,) = begun
        assert config.data.attribute == "car_color_by_encoder"
        images = run_images(config.data, config.seed)  # as the run's process reads them, without the app
        assert set(images.names) == set(app.session_state["view"].base.table.frame["car_color_by_encoder"])
        MPerClassBatches(images.labels[images.train], config.batch.size, config.batch.per_class)  # its batches can be filled

    def test_photos_begin_from_the_network_that_ships_for_them(self, app: AppTest, photos, tmp_path: Path) -> None:
        entry = new_entry("Photos two", photos.source, "photos")
        remove_dataset(photos.id)
        add_dataset(entry)
        _open(app, entry).switch_page("pages/train/page.py").run()
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert (config.backbone.name, config.backbone.weights, config.data.image_size) == ("photos", "pretrained", 224)

    def test_a_run_begins_under_a_name_that_is_free(self, app: AppTest, photos, tmp_path: Path) -> None:
        (runs_dir() / "photos").mkdir(parents=True)
        _open(app, photos).switch_page("pages/train/page.py").run()
        assert config_from(parse_yaml(app.text_area(key="train_typed").value, "It")).name == "photos-2"

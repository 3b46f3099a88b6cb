"""Images without a browser: a dataset of the paper."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from app_page import Page
from fake_hub import FakeHub
from foreign_files import exif, jpeg, write_video
from likeness.data import DatasetEntry, list_datasets
from likeness.encoders import PUBLISHED, speed
from parts import cached
from server.jobs import jobs
from small_caltech101 import serve_caltech101
from worlds import copy_cars, dataset, draw, draw_noise


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """Four images in the layout of CUB-200-2011."""
    root = tmp_path / "CUB 200"
    paths = [f"{folder}/{number}.jpg" for folder in ("001.Laysan_Albatross", "002.Shiny_Cowbird") for number in (1, 2)]
    for shade, path in enumerate(paths):
        (root / "images" / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (60 * shade, 90, 200)).save(root / "images" / path)
    numbered = {"images": paths, "image_class_labels": [1, 1, 2, 2], "classes": ["001.Laysan_Albatross", "002.Shiny_Cowbird"]}
    for name, values in numbered.items():
        (root / f"{name}.txt").write_text("".join(f"{number} {value}\n" for number, value in enumerate(values, start=1)))
    return root


def _page(app: Page, source: object) -> Page:
    return app.open("images").set("folder", str(source))


def _begin(app: Page, key: str = "begin_folder") -> DatasetEntry:
    """Clicks, waits until the images are embedded, and returns what was added."""
    before = {entry.id for entry in list_datasets()}
    app.click(key).wait("embedding")
    assert not app.error
    (entry,) = (entry for entry in list_datasets() if entry.id not in before)
    return entry


def test_a_known_layout_is_told_how_to_get_its_labels_and_what_is_missing(app: Page, birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"Enter cub200:{birds} to read it with its labels" in _page(app, birds).infos[0]
    for source in (str(birds / "images"), f"cub200:{birds}"):
        assert not app.set("folder", source).info
    monkeypatch.chdir(birds.parent)
    entry = _begin(app.set("folder", "cub200/all:CUB 200"))
    assert (entry.name, entry.source) == ("CUB200 (all)", f"cub200/all:{birds}")
    (birds / "classes.txt").unlink()
    (error,) = app.set("folder", f"cub200:{birds}").click("begin_folder").errors
    assert "lacks 'classes.txt'" in error
    assert "https://www.vision.caltech.edu" in error


def test_a_table_of_paths_is_added_by_the_field_of_folders_which_then_asks_for_their_column(app: Page, birds: Path) -> None:
    assert (_page(app, birds).has("path_column"), app.has("gps")) == (False, True)
    (birds / "labels.csv").write_text("picture,kind\n" + "".join(f"images/{file.parent.name}/{file.name},bird\n" for file in birds.rglob("*.jpg")))
    assert (app.set("folder", str(birds / "labels.csv")).has("path_column"), app.has("gps")) == (True, False)
    entry = _begin(app.set("path_column", "picture"))
    assert (entry.path_column, len(cached.table(entry.id)), cached.table(entry.id).attributes) == ("picture", 4, ["kind"])


def test_photos_to_try_are_fetched_and_embedded_by_one_click_and_failures_say_what_to_do(
    app: Page, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = serve_caltech101(hub, tmp_path, monkeypatch)
    hub.statuses["content"] = [404] * 20
    _page(app, "caltech101").click("begin_folder")
    (job,) = jobs().all("embedding")
    assert job.wait(600)
    assert "answered with status 404" in str(job.error)
    assert f"Or put caltech-101.zip (0.0 MB, CC BY 4.0) from {source.page} into" in str(job.error)
    hub.statuses["content"].clear()
    jobs().forget(job)
    entry = _begin(_page(app, "").says("**Caltech-101** has 8,677"), "example_photos")
    assert (entry.name, entry.source, entry.encoder) == ("Caltech-101", "caltech101", "photos")
    assert source.is_here
    assert sorted(cached.table(entry.id).frame["class"].unique()) == ["ant", "sunflower"]
    assert not app.run().has("example_photos")  # it is listed now


def test_places_of_photos_and_seconds_of_videos_are_attributes_where_the_form_says_so(app: Page, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for number in range(3):
        (tmp_path / "photos" / f"{number}.jpg").write_bytes(jpeg(exif=exif(f"2024:05:0{number + 1} 10:00:00", place=True)))
    for gps, columns in ((False, []), (True, ["latitude", "longitude"])):
        assert _page(app, tmp_path / "photos").at("gps").value is False
        entry = _begin(app.set("gps", gps))
        assert entry.gps == gps
        assert cached.table(entry.id).attributes == ["taken", "year", "camera", *columns]
    write_video(draw(tmp_path / "videos", 3) / "clip.mp4", shades=(0, 120, 240))
    app = app.fresh("layout").visit(dataset=dataset(tmp_path / "videos", "cars-small").id)
    assert app.at("filter_second").options == ["0.0 (1)", "1.0 (1)", "2.0 (1)"]  # none of which is missing
    assert app.at("filter_file").options == ["(none) (3)", "clip.mp4 (3)"]


@pytest.mark.parametrize("sees", [True, False])
def test_an_encoder_that_sees_nothing_in_the_images_is_said_so(app: Page, tmp_path: Path, sees: bool) -> None:
    folder = copy_cars(tmp_path / "photos", range(0, 1600, 40)) if sees else draw_noise(tmp_path / "photos", 40, 40)
    entry = _begin(_page(app, folder).set("encoder_folder", "cars"))
    assert ("hardly tells these images apart" in entry.warning) != sees
    for page in ("images", "explore"):
        app.open(page).set("dataset", entry.id)
        assert app.warnings == ([] if sees else [entry.warning])


def test_an_upload_says_which_of_its_images_are_left_out(app: Page, tmp_path: Path, progressive_jpeg: Callable[..., bytes]) -> None:
    def upload(page: Page, *files: tuple[str, bytes, str]) -> Page:
        page.open("images").get("file_uploader")[0].set_value(list(files)).run()
        return page

    hostile = ("scans.jpg", progressive_jpeg(8_000, 8_000, 256), "image/jpeg")
    (error,) = upload(app, hostile).click("begin_upload").errors
    assert "'scans.jpg' is a JPEG of more than 31 scans" in error
    images = [(file.name, file.read_bytes(), "image/png") for file in draw(tmp_path / "drawn", 3).iterdir()]
    app = upload(app.fresh(), *images, hostile)
    _begin(app, "begin_upload")
    assert "3 images are ready" in app.success[0].value
    assert [expander.label for expander in app.expander if "left out" in expander.label] == ["1 could not be read and were left out"]
    assert "is a JPEG of more than 31 scans" in app.dataframe[0].value["reason"].iloc[0]


_ENCODER, _REPOSITORY = "timm:vit_small_patch16_dinov3.lvd1689m", "timm/vit_small_patch16_dinov3.lvd1689m"


@pytest.fixture
def served(hub: FakeHub, tmp_path: Path) -> FakeHub:
    """A hub that has one of the published encoders."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights!" * 10_000)
    hub.repositories[_REPOSITORY] = folder
    return hub


def test_a_published_encoder_is_downloaded_with_the_images_and_tried_again_where_that_fails(
    app: Page, birds: Path, served: FakeHub, tmp_path: Path
) -> None:
    served.statuses["api"] = [401]
    speed._remember(_ENCODER, 12.0)
    _page(app, birds).set("encoder_folder", _ENCODER)
    app.says(f"86 MB are downloaded first, from {_REPOSITORY}", f"into {tmp_path / 'hub'};")
    app.says("License: DINOv3", "256 x 256 pixels", "12.0 images a second")
    assert "refuses it (401)" in app.click("begin_folder").wait("embedding").errors[0]
    app.press("Try again").wait("embedding")
    assert PUBLISHED[_ENCODER].is_here
    app.run().hides("Not on this machine yet")


def test_an_encoder_by_its_name_is_downloaded_with_the_images(app: Page, birds: Path, hub: FakeHub, tiny_timm: Path) -> None:
    hub.repositories["someone/named"] = tiny_timm
    entry = _begin(_page(app, birds).type_option("encoder_folder", "timm:hf-hub:someone/named"))
    assert jobs().all("embedding")[0].result.vectors.shape[0] == 4
    assert entry.encoder == "timm:hf-hub:someone/named"


def test_a_dataset_has_a_place_a_count_and_a_name_that_stays(app: Page, tmp_path: Path) -> None:
    entry = _begin(_page(app, draw(tmp_path / "photos", 3)))
    app.says("**Synthetic Cars**  \n:small[:gray[shipped · 2,000 images · encoder cars]]", f"{tmp_path}/photos · 3 images · encoder photos")
    assert not [button for button in app.button if str(button.key).endswith("_cars")]
    name = "Summer *2024*"
    app.set(f"name_{entry.id}", name).click(f"rename_{entry.id}")
    assert name in app.at("dataset").options
    assert app.set("dataset", entry.id).session_state["view"].base.table.name == name
    assert app.query_params["dataset"] == entry.id
    app.click("begin_folder").wait("embedding")  # embedded again, it keeps the name
    assert list_datasets()[1].name == name
    app.set(f"name_{entry.id}", " ").click(f"rename_{entry.id}")
    assert list_datasets()[1].name == name
    assert "1 to 120 characters" in app.toasts[0]
    assert any("Remove **Summer" in each.value and "The image files are kept" in each.value for each in app.markdown)
    app.click(f"remove_{entry.id}")
    assert not any("stopped after" in info for info in app.infos)
    assert len(list_datasets()) == 1
    assert len(list((tmp_path / "photos").iterdir())) == 3

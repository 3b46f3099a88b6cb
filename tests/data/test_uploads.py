"""Uploads: limits, collisions, hostile names and archives."""

import io
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from likeness.data import read_dataset, save_uploads, uploads
from likeness.errors import InputError


def image(color: int = 0, kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (color, 0, 0)).save(buffer, kind)
    return buffer.getvalue()


def archive(*members: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def test_images_are_saved_as_they_came(cache: Path) -> None:
    table = save_uploads([("a.png", image(1)), ("b.jpg", image(2, "JPEG"))], "My pictures")
    assert [path.read_bytes() for path in table.paths()] == [image(1), image(2, "JPEG")]
    assert table.name == "My pictures"
    assert table.root.parent == cache / "uploads"
    assert list(read_dataset(table.root).frame["path"]) == ["a.png", "b.jpg"]


def test_the_same_files_give_the_same_folder_and_others_another() -> None:
    first = save_uploads([("a.png", image(1)), ("b.png", image(2))])
    assert save_uploads([("b.png", image(2)), ("a.png", image(1))]).root == first.root
    assert save_uploads([("a.png", image(3)), ("b.png", image(2))]).root != first.root


def test_names_that_collide_are_numbered() -> None:
    table = save_uploads([("a.png", image(1)), ("A.png", image(2)), ("a.png", image(3))])
    assert set(table.frame["path"]) == {"a.png", "A (2).png", "a (3).png"}
    assert {path.read_bytes() for path in table.paths()} == {image(1), image(2), image(3)}


def test_a_zip_keeps_its_folders_as_classes() -> None:
    content = archive(("cat/1.png", image(1)), ("dog/1.png", image(2)), ("notes.txt", b"x"), ("__MACOSX/cat/._1.png", b"x"), ("cat/.2.png", b"x"))
    table = save_uploads([("pets.zip", content), ("more.png", image(3))])
    assert dict(zip(table.frame["path"], table.frame["class"], strict=True)) == {"cat/1.png": "cat", "dog/1.png": "dog", "more.png": "(none)"}


@pytest.mark.parametrize("name", ["../../evil.png", "/etc/evil.png", "..\\..\\evil.png", "C:\\evil.png", "a/../../evil.png", "./evil.png"])
@pytest.mark.parametrize("zipped", [False, True])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str, zipped: bool) -> None:
    files = [("x.zip", archive((name, image())))] if zipped else [(name, image())]
    table = save_uploads(files, folder=tmp_path / "deep" / "uploads")
    assert all(path.resolve().is_relative_to(table.root.resolve()) for path in table.paths())
    assert len(list(tmp_path.rglob("*.png"))) == 1
    assert table.root.is_relative_to(tmp_path / "deep" / "uploads")


@pytest.mark.parametrize("zipped", [False, True])
def test_names_that_a_file_system_would_refuse(zipped: bool) -> None:
    names = ["ü" * 300 + ".png", "a\0b\n<>:?*.png"]
    if zipped:
        names = ["/".join(["deep" * 50] * 40) + "/1.png", *names[:1]]
    files = [(name, image(i)) for i, name in enumerate(names)]
    table = save_uploads([("x.zip", archive(*files))] if zipped else files)
    assert sorted(path.read_bytes() for path in table.paths()) == sorted(content for _, content in files)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uploads, "write_atomic", refuse)
    with pytest.raises(InputError, match=r"The upload cannot be saved \(no space left on device\); make room"):
        save_uploads([("a.png", image())])


class TestRefused:
    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ([], "no images among the uploaded files"),
            ([("a.png", b"no image")], r"'a\.png' is not an image that can be read"),
            ([("a.png", b"")], r"'a\.png' is not an image that can be read"),
            ([("a.pdf", b"%PDF")], r"'a\.pdf' is not an image by its name"),
            ([("a.zip", b"no archive")], r"ZIP file 'a\.zip' is damaged"),
            ([("a.zip", archive(("notes.txt", b"x")))], r"ZIP file 'a\.zip' holds no images"),
            ([("a.zip", archive(("1.png", b"x")))], r"'1\.png' is not an image that can be read"),
            ([("a.zip", archive(("1.png", image()))[:-40])], r"ZIP file 'a\.zip' is damaged"),
        ],
    )
    def test_content(self, files: list[tuple[str, bytes]], message: str, cache: Path) -> None:
        with pytest.raises(InputError, match=message):
            save_uploads(files)
        assert not (cache / "uploads").exists()

    def test_too_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(uploads, "MAX_FILES", 2)
        with pytest.raises(InputError, match="more than 2 images"):
            save_uploads([(f"{i}.png", image(i)) for i in range(3)])
        with pytest.raises(InputError, match="holds 3 images, more than 2; unpack it"):
            save_uploads([("a.zip", archive(*((f"{i}.png", image(i)) for i in range(3))))])

    def test_too_large_together(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(uploads, "MAX_BYTES", 2 * len(image()))
        with pytest.raises(InputError, match=r"more than .* images or .* MB; put them in a folder"):
            save_uploads([(f"{i}.png", image(i)) for i in range(3)])

    def test_one_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(uploads, "MAX_IMAGE_BYTES", 10)
        with pytest.raises(InputError, match="the limit for one image"):
            save_uploads([("a.png", image())])

    def test_a_zip_that_unpacks_to_too_much(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bomb = archive(("1.png", image() + bytes(5_000_000)))
        assert len(bomb) < 10_000
        monkeypatch.setattr(uploads, "MAX_BYTES", 1_000_000)
        with pytest.raises(InputError, match=r"unpacks to .* MB, more than"):
            save_uploads([("a.zip", bomb)])

    def test_a_zip_that_lies_about_its_size(self, monkeypatch: pytest.MonkeyPatch) -> None:
        content = bytearray(archive(("1.png", image() + bytes(5_000_000))))
        directory = content.rindex(b"PK\x01\x02")
        content[directory + 24 : directory + 28] = (100).to_bytes(4, "little")  # the size it says it unpacks to
        monkeypatch.setattr(uploads, "MAX_BYTES", 1_000_000)
        with pytest.raises(InputError, match=r"damaged|not an image"):
            save_uploads([("a.zip", bytes(content))])

    def test_an_encrypted_zip(self) -> None:
        content = bytearray(archive(("1.png", image())))
        for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(signature) + offset] |= 1
        with pytest.raises(InputError, match="damaged, encrypted or packed in an unknown way"):
            save_uploads([("a.zip", bytes(content))])

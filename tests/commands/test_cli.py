"""The command line as a person meets it: what it prints, one line for bad input, exit codes."""

import contextlib
import errno
import io
import os
import re
import signal
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from commands.test_column_options import COMMANDS
from likeness.commands import cli
from likeness.commands.options import known_notions
from likeness.errors import InputError
from likeness.io import lacks_memory, reason_of
from likeness.notions import get_notion, write_notion
from worlds import Run, cars, draw


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Six plain images in two classes, and one file that is none."""
    draw(tmp_path / "photos", 6, ("warm", "cold"))
    (tmp_path / "photos" / "warm" / "broken.jpg").write_bytes(b"no picture")
    return tmp_path / "photos"


def test_numbers_out_of_bounds_are_answered_with_the_bound(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.execve", lambda *_: pytest.fail("the server starts"))
    for line in ("fit car-color --seed -1", f"fit car-color --seed {2**32}", "index cars --seed -1", "app --port 99999999", "app --port -1"):
        status, _, err = run(*line.split())
        assert (status, "Invalid value for" in err) == (2, True), line
    assert list(tmp_path.iterdir()) == []


_FILES = ["fit car-color --out", "embed cars --out", "evaluate --out", "analyze encoder-size --plot", "splits import x.pkl --dataset cars --out"]
_FILES += ["train shipped-cars-elg --pseudolabels", "study shipped-cars --save", "tags export cars"]
_FOLDERS = ["train shipped-cars-elg --out", "study shipped-cars --out"]


@pytest.mark.parametrize("line", [*_FILES, *_FOLDERS])
def test_where_nothing_can_be_written_no_work_begins(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr("likeness.data.read_dataset", lambda *_: pytest.fail("images are read"))
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.html").mkdir()
    folder = [str(tmp_path / "folder.html")] if line in _FILES else []
    for place in (str(tmp_path / "file" / "x.html"), "/proc/x.html", *folder):
        status, _, err = run(*line.split(), place)
        assert (status, "cannot be written" in err, err.startswith(f"Error: '{place}'"), err.count("\n")) == (2, True, True, 1), err


def test_every_place_to_write_and_format_is_tried_before_the_work() -> None:
    """An option or argument that names a place to write is declared with its check."""
    for name, command in COMMANDS.items():
        for option in command.params:
            checked = option.name in ("out", "save", "plot", "format")
            assert not checked or option.callback is not None, f"{name} --{option.name}: give it a callback that checks it, as output_file does"


def test_a_full_disk_is_answered_in_one_line(run: Run, tmp_path: Path) -> None:
    """The check of the place finds room for a byte, the file does not fit."""
    import resource

    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    assert run("fit", "car-color", "--out", str(tmp_path / "U.npy"))[0] == 0  # what it caches is there
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        status, _, err = run("fit", "car-color", "--out", str(tmp_path / "V.npy"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (status, err.startswith("Error: "), "file too large" in err) == (2, True, True)
    assert sorted(file.name for file in tmp_path.glob("*.npy")) == ["U.npy"]
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.timeout(120)
def test_pipes_for_files_are_refused(run: Run, tmp_path: Path) -> None:
    for name in ("p.csv", "p.yaml", "p.png", "p.npy", "p.pkl"):
        os.mkfifo(tmp_path / name)
    lines = ["embed p.csv", "fit p.yaml", "search --image p.png", "continuous --kind matrix --file p.npy", "train p.yaml"]
    for line in (*lines, f"splits import p.pkl --dataset cars -o {tmp_path / 'new.json'}"):
        status, _, err = run(*(str(tmp_path / each) if each.startswith("p.") else each for each in line.split()))
        assert (status, err.count("Error: ")) == (2, 1), (line, err)


def test_what_the_system_refuses_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for error, said in (
        (OSError(errno.EIO, "Input/output error", "/a/b"), "'/a/b' cannot be read or written (input/output error)"),
        (MemoryError(), "memory"),
    ):

        def refuse(error: BaseException = error) -> None:
            """Refuse."""
            raise error

        monkeypatch.setattr(cli, "COMMANDS", cli.COMMANDS | {"Mine": (refuse,)})
        status, _, err = run("refuse")
        assert (status, said in err, err.count("\n")) == (2, True, 1)

    def fail() -> None:
        """Fail."""
        raise OSError("of a library, with no number")

    monkeypatch.setattr(cli, "COMMANDS", cli.COMMANDS | {"Mine": (fail,)})
    with pytest.raises(OSError, match="of a library"):
        run("fail")


def test_names_that_are_no_text_are_printed(run: Run, tmp_path: Path) -> None:
    status, _, err = run("fit", "\udcff", "--out", str(tmp_path / "U.npy"))
    assert (status, "\N{REPLACEMENT CHARACTER}" in err, err.count("\n")) == (2, True, 1)


def test_an_output_without_a_reader_or_room_is_no_traceback() -> None:
    call = [sys.executable, "-m", "likeness", "info"]
    with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait(600)) == ("", 1)
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(call, stdout=full, stderr=subprocess.PIPE, text=True, timeout=600, check=False)
    said = ended.stderr
    assert (ended.returncode, said.startswith("Error: "), "no space left" in said, said.count("\n")) == (2, True, True, 1)


def test_embed_skips_what_is_no_image_and_writes_vectors(ok: Any, photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.parquet"
    printed, err = ok("embed", photos, "--out", out)
    assert "6 images, 384 dimensions, 1 skipped" in printed
    assert "broken.jpg" in err
    frame = pd.read_parquet(out)
    assert list(frame["class"]) == ["cold"] * 3 + ["warm"] * 3
    np.testing.assert_allclose(np.linalg.norm(np.stack(frame["vector"]), axis=1), 1, atol=1e-5)


def test_fit_tells_what_it_did_and_writes_the_projection(ok: Any, tmp_path: Path) -> None:
    printed, _ = ok("fit", "car-color", "--dim", "8", "--out", tmp_path / "U.npy")
    assert printed.startswith("car color: 17 prompts, ")
    assert printed.rstrip().endswith(" degrees")
    assert np.load(tmp_path / "U.npy").shape == (512, 8)
    # what the last step gained where steps ended by their bound
    printed, _ = ok("fit", "car-model-names", "--encoder", "photos", "--dim", "128")
    assert re.search(r"mean angle 10\.\d+ degrees after \d+ steps, the last of which lowered it by 0\.000\d\b", printed)
    # without dimensions, its own or those that its prompts suggest
    printed, _ = ok("fit", "car-color")
    assert " 6 dimensions, " in printed
    write_notion(tmp_path / "own.yaml", replace(get_notion("car-color"), dim=9))
    printed, _ = ok("fit", tmp_path / "own.yaml", "--out", tmp_path / "U.npy", "--force")
    assert np.load(tmp_path / "U.npy").shape == (512, 9)


def test_search_prints_the_nearest_and_leaves_the_query_out_and_takes_composed_ones(ok: Any) -> None:
    printed, _ = ok("search", "cars", "--row", "7", "--notion", "car-color", "-k", "5", "--csv")
    lines = printed.strip().splitlines()
    assert lines[0].startswith("row,similarity,path,")
    assert len(lines) == 6
    assert all(not line.startswith("7,") for line in lines[1:])
    printed, _ = ok("search", "cars", "--query", 'row:7 + 2 "a red car" - 0.5 "a van"', "-k", "5", "--csv")
    found = pd.read_csv(io.StringIO(printed))
    hits = cars().nearest(lk.Query([(1, 7), (2, "a red car"), (-0.5, "a van")]), k=5)
    assert found["row"].tolist() == hits.rows.tolist()
    np.testing.assert_allclose(found["similarity"], hits.similarities, rtol=1e-4)


def test_evaluate_prints_a_row_per_notion_method_and_dimension(ok: Any, tmp_path: Path) -> None:
    out = tmp_path / "runs.csv"
    printed, _ = ok(*f"evaluate --notions car-color,viewpoint --methods random,raw,exact --dims 4,16 --seeds 2 --format csv --out {out}".split())
    assert len(printed.strip().splitlines()) == 1 + 2 * (1 + 2 + 2)
    runs = pd.read_csv(out)
    assert len(runs) == 2 * (1 + 4 + 4)
    random = runs[runs["method"] == "random"].groupby("notion")["map_at_r"].mean()
    exact = runs[runs["method"] == "exact"].groupby("notion")["map_at_r"].mean()
    assert (exact > 2 * random).all()


def test_evaluate_in_the_papers_form(ok: Any) -> None:
    few = ("--notions", "car-color", "--methods", "raw,pca,exact", "--metrics", "map_at_r,nmi", "--seeds", "2")
    printed, err = ok("evaluate", *few, "--paper", "--format", "latex")
    lines = printed.splitlines()
    assert lines[2] == r"notion & metric & Raw encoder & PCA & InDiReCT (exact) \\"
    assert [line.split(" & ")[:2] for line in lines[4:6]] == [["car color", "MAP@R"], ["car color", "NMI"]]
    assert [line.split(" & ")[3] for line in lines[4:6]] == ["--", "--"]
    assert all(r"\textbf{" in line and r"$\pm$" in line for line in lines[4:6])
    assert "car color, PCA at 128 dimensions: PCA to 128 dimensions needs more than 128 prompts, but there are 17" in err.replace("\n", " ")


def test_evaluate_measures_all_methods_and_metrics_by_default(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import likeness.evaluation
    import likeness.notions.methods
    import likeness.studies

    asked: dict[str, Any] = {}

    def compare(base: object, notions: list[Any], **options: Any) -> pd.DataFrame:
        asked.update(options, notions=[notion.slug for notion in notions])
        row = {"notion": "car color", "method": "raw", "dim": 512, "seed": 0, "fit_seconds": 0.0, "refused": "", "map_at_r": 0.5}
        options["on_run"](row)
        raise KeyboardInterrupt

    monkeypatch.setattr(likeness.studies, "compare", compare)
    status, _, _ = run("evaluate", "--out", str(tmp_path / "runs.csv"))
    assert status == 130
    assert asked["notions"] == ["background-color", "car-color", "car-model"]
    assert (tuple(asked["methods"]), asked["metrics"]) == (tuple(likeness.notions.methods.METHODS), list(likeness.evaluation.METRICS))
    assert (asked["dims"], list(asked["seeds"]), asked["ranking"]) == (["suggested"], [0, 1, 2, 3, 4], "cosine")
    run("evaluate", "--paper")
    assert asked["dims"] == [128]
    # what was finished before the interruption is kept
    assert pd.read_csv(tmp_path / "runs.csv")["map_at_r"].tolist() == [0.5]


def test_a_notions_file_may_lie_in_a_folder_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "a + b").mkdir()
    file = tmp_path / "a + b" / "mine.yaml"
    write_notion(file, get_notion("car-color"))
    assert known_notions(str(file)) == str(file)
    with pytest.raises(InputError, match="There is no notion"):
        known_notions(str(file.with_name("none.yaml")))


def test_an_error_that_a_library_makes_of_an_interruption_is_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import likeness.notions

    def interrupted(*_: object) -> None:
        if heard:
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        raise ImportError("numba._devicearray failed to import")

    before, heard = signal.getsignal(signal.SIGINT), True
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever began the tests may have it ignored
    try:
        monkeypatch.setattr(likeness.notions, "list_notions", interrupted)
        assert run("info")[0] == 130
        heard = False
        with pytest.raises(ImportError):
            run("info")
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:115] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 400 bytes."),
        RuntimeError("can't start new thread"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        SystemError("std::bad_alloc"),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    ],
)
def test_too_little_memory_is_told_in_whatever_words_a_library_says_so(run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    import likeness.notions

    def fail(*_: object) -> None:
        try:
            raise error
        except Exception as cause:
            raise ValueError("something else failed then") from cause

    monkeypatch.setattr(likeness.notions, "list_notions", fail)
    status, _, err = run("info")
    assert (status, err) == (2, "Error: Out of memory; request less at once, or allow more memory.\n")


def test_an_error_that_a_library_raises_from_itself_ends_in_one_look() -> None:
    error = ValueError("a")
    error.__cause__ = RuntimeError("b")
    error.__cause__.__cause__ = error
    assert not lacks_memory(error)
    assert reason_of(error) == "a"


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space")
@pytest.mark.parametrize("kilobytes", [800_000, 1_500_000, 2_500_000, 4_000_000])
def test_with_little_address_space_images_are_embedded_or_a_sentence_says_why_not(photos: Path, kilobytes: int) -> None:
    command = f"ulimit -v {kilobytes}; exec {sys.executable} -m likeness embed {photos} --encoder cars-small"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=600, check=False)
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 0 or (ended.returncode, ended.stderr.splitlines()[-1][:7]) == (2, "Error: "), ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_names_and_labels_where_the_system_speaks_ascii(tmp_path: Path) -> None:
    (tmp_path / "写真").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "写真" / "é.png")
    (tmp_path / "写真" / "список.csv").write_text("path,größe\né.png,naïve 日本\n", encoding="utf-8")
    surroundings = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for words in (("info", "写真"), ("info", "写真/список.csv"), ("tags", "import", "写真", "写真/список.csv"), ("tags", "log", "写真")):
        call = [sys.executable, "-m", "likeness", *words]
        ended = subprocess.run(call, env=surroundings, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False), ended.stderr


def test_a_search_says_where_a_notion_cannot_be_relied_on(run: Run) -> None:
    small = ("search", "cars", "--row", "3", "-k", "1", "--csv", "--encoder", "cars-small", "--notion")
    status, printed, err = run(*small, "sun-side")
    assert (status, len(printed.splitlines())) == (0, 2)
    assert "Note: sun side: " in err
    assert "do not rely on this notion" in err
    assert "Note" not in run(*small, "car-color")[2]


def test_a_text_in_bytes_that_are_none_is_searched_with(run: Run) -> None:
    status, printed, err = run("search", "cars", "--text", "a red car \udcc3\udcbc", "-k", "1", "--csv", "--encoder", "cars-small")
    assert (status, len(printed.splitlines())) == (0, 2), err


def test_the_notions_of_images_are_listed(run: Run) -> None:
    status, printed, _ = run("notions", "cars", "--encoder", "cars-small", "--format", "csv")
    lines = printed.splitlines()
    assert status == 0
    assert lines[0] == "notion,score,stability,alignment,share,verdict"
    assert [line.rsplit(",", 1)[1] for line in lines[1:10]] == ["read"] * 7 + ["unreliable"] * 2
    assert lines[-3].startswith("1,0.0")


def test_a_notion_as_one_file_and_one_that_is_there_is_kept(run: Run, ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "color.html"
    _, err = ok("report", "cars", "--notion", "car-color", "--out", out, "--images", "40", "--layout", "pca", "--color", "body_type")
    assert f"{out}: 40 images" in err
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    monkeypatch.chdir(tmp_path)
    Path("report.html").write_text("mine")
    status, _, err = run("report", "cars", "-n", "car-color")
    assert status == 2
    assert "'report.html' exists; name another file, or add --force to replace it." in err
    assert Path("report.html").read_text() == "mine"


_METHODS = ["--methods", "raw,exact,other-words", "--metrics", "map_at_r,zero_shot", "--seeds", "2", "--format", "csv"]


def test_captioned_photos_that_are_listed(shared: Path, tmp_path: Path, ok: Any) -> None:
    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        frame = pd.read_csv(archive.open("flickr8k_700/captions.csv"))
        paths = list(frame["path"].unique()[:60])
        for path in paths:
            archive.extract(f"flickr8k_700/{path}", tmp_path)
    folder = tmp_path / "flickr8k_700"
    frame[frame["path"].isin(paths)].to_csv(folder / "captions.csv", index=False)
    (tmp_path / "some.txt").write_text("\n".join(paths[:40]))
    arguments = ["evaluate", f"flickr:{folder}", "--only", str(tmp_path / "some.txt"), "--notions", "flickr-number-of-people", *_METHODS]
    printed, _ = ok(*arguments, "--out", tmp_path / "runs.csv")
    table = pd.read_csv(io.StringIO(printed)).set_index("method")
    assert list(table.index) == ["raw", "exact", "other-words"]
    assert list(table["runs"]) == [1, 2, 2]
    runs = pd.read_csv(tmp_path / "runs.csv")
    assert runs[["map_at_r", "zero_shot"]].stack().between(0, 1).all()
    controls = runs[runs["method"] == "other-words"]["map_at_r"]
    assert controls.nunique() == 2  # other words for each seed


def test_birds_in_folders_of_species(shared: Path, tmp_path: Path, ok: Any) -> None:
    with zipfile.ZipFile(shared / "data" / "cub100_160.zip") as archive:
        for species in ("Indigo_Bunting", "White_Pelican"):
            for name in [each for each in archive.namelist() if f"/{species}/" in each and each.endswith(".jpg")][:8]:
                archive.extract(name, tmp_path)
    arguments = ["evaluate", f"cub200/all:{tmp_path / 'cub100'}", "--notions", "cub200-species-names", *_METHODS]
    printed, _ = ok(*arguments)
    table = pd.read_csv(io.StringIO(printed)).set_index("method")
    # two birds that the network knows, among a hundred names
    assert float(table.loc["raw", "Zero-shot"]) > 0.5
    assert float(table.loc["raw", "MAP@R"]) > 0.5

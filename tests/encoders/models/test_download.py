"""Downloads from a hub that breaks off, is slow, refuses and lies: what arrived is kept, what is wrong is not used, and each is one sentence."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_hub import FakeHub
from likeness.encoders import EncoderName, encoder_identity, load_encoder, open_clip_saved
from likeness.encoders.models import download as module
from likeness.encoders.models.download import download, free_space
from likeness.encoders.models.hub_files import HubFiles
from likeness.errors import InputError
from likeness.io import downloads, size_text

_REPOSITORY = "someone/model"
_WEIGHTS = 100_000


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "_WAITS", (0.0, 0.0, 0.0))


@pytest.fixture
def content() -> bytes:
    return np.random.default_rng(0).bytes(_WEIGHTS)


@pytest.fixture
def wanted(hub: FakeHub, tmp_path: Path, content: bytes) -> Callable[[], list[HubFiles]]:
    """Weights and a small configuration, of a repository that has more."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(content)
    (folder / "config.json").write_text("{}")
    (folder / "pytorch_model.bin").write_bytes(b"not asked for" * 100)
    hub.repositories[_REPOSITORY] = folder
    return lambda: [HubFiles(_REPOSITORY, (("model.safetensors",), ("pytorch_model.bin",)), ("config.json",))]


def _folder(wanted: Callable[[], list[HubFiles]]) -> Path | None:
    return wanted()[0].folder()


def _part(tmp_path: Path) -> Path:
    (part,) = (tmp_path / "hub" / "models--someone--model" / "blobs").glob("*.incomplete")
    return part


def test_files_lie_as_the_hubs_own_library_lays_them(hub: FakeHub, wanted, content: bytes) -> None:
    from huggingface_hub import hf_hub_download, scan_cache_dir

    told: list[tuple[int, int]] = []
    assert download("m", wanted, lambda done, total, stage="": told.append((done, total)))
    assert {total for _, total in told} == {_WEIGHTS + 2}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert (told[0][0], told[-1][0], len(told) > 2) == (0, _WEIGHTS + 2, True)
    folder = _folder(wanted)
    assert folder is not None
    assert sorted(file.name for file in folder.iterdir()) == ["config.json", "model.safetensors"]
    assert (folder / "model.safetensors").read_bytes() == content
    assert hf_hub_download(_REPOSITORY, "model.safetensors", local_files_only=True) == str(folder / "model.safetensors")
    (repository,) = scan_cache_dir(folder.parents[2]).repos
    assert (repository.repo_id, repository.nb_files, not scan_cache_dir(folder.parents[2]).warnings) == (_REPOSITORY, 2, True)
    requests = len(hub.ranges)
    assert download("m", wanted)  # nothing is missing
    assert len(hub.ranges) == requests


@pytest.mark.parametrize("ignores_ranges", [False, True])
def test_a_connection_that_breaks_off_is_taken_up_where_it_broke(hub: FakeHub, wanted, content: bytes, ignores_ranges: bool) -> None:
    """A hub that knows no ranges sends all of it again."""
    hub.break_after, hub.ignores_ranges = [40_000] if ignores_ranges else [40_000, 30_000], ignores_ranges
    assert download("m", wanted)
    begun = [int(each.removeprefix("bytes=").rstrip("-")) for each in hub.ranges if each]
    assert ignores_ranges or (len(begun) == 2 and 0 < begun[0] < begun[1])
    assert (_folder(wanted) / "model.safetensors").read_bytes() == content


def test_what_arrived_before_an_error_is_kept_for_the_next_download(hub: FakeHub, wanted, tmp_path: Path, content: bytes) -> None:
    hub.break_after = [60_000]
    real = downloads._receive

    def receive(file: Any, report: Any) -> None:
        if downloads.file_size(file.part):  # the second try
            hub.statuses["content"] = [503]
        real(file, report)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(downloads, "_receive", receive)
        failure = r"^The download of 'm' failed: the hub http://127\S+ failed \(503\)\. Try again later\."
        message = failure + r" 0\.1 MB of 0\.1 MB were downloaded and are kept\.$"
        with pytest.raises(InputError, match=message):
            download("m", wanted)
    kept = _part(tmp_path).stat().st_size
    assert 0 < kept < _WEIGHTS
    assert _folder(wanted) is None
    told: list[int] = []
    assert download("m", wanted, lambda done, total, stage="": told.append(done))
    assert told[0] >= kept
    assert hub.ranges[-1] == f"bytes={kept}-"
    assert (_folder(wanted) / "model.safetensors").read_bytes() == content


def test_a_stop_keeps_what_arrived(hub: FakeHub, wanted, tmp_path: Path, content: bytes) -> None:
    """The hub is slow: it waits in the middle until the stop was asked for."""
    stop = threading.Event()
    hub.hold_after = 50_000

    def stop_then_send_more() -> None:
        hub.holds.wait(60)
        stop.set()
        hub.go_on.set()

    thread = threading.Thread(target=stop_then_send_more)
    thread.start()
    assert not download("m", wanted, should_stop=stop.is_set)
    thread.join()
    kept = _part(tmp_path).stat().st_size
    assert 0 < kept < _WEIGHTS
    assert _folder(wanted) is None
    assert download("m", wanted)
    assert f"bytes={kept}-" in hub.ranges
    assert (_folder(wanted) / "model.safetensors").read_bytes() == content


@pytest.mark.parametrize(
    ("file", "hashed", "said"),
    [
        ("model.safetensors", "0" * 64, "'model.safetensors' of 'someone/model' has a wrong hash and was deleted; try again"),
        ("config.json", "0" * 40, "'config.json' of 'someone/model' has a wrong hash and was deleted; try again"),
        *[("model.safetensors", hashed, "has no hash of 'model.safetensors'") for hashed in ("nothing", "../../../evil", "0" * 63)],
    ],
)
def test_content_of_another_hash_or_none_is_never_used(hub: FakeHub, wanted, tmp_path: Path, file: str, hashed: str, said: str) -> None:
    hub.announced[file] = hashed.replace("nothing", "")
    with pytest.raises(InputError, match=said):
        download("m", wanted)
    assert _folder(wanted) is None
    files = [each.name for each in tmp_path.rglob("*") if each.is_file() and tmp_path / "cache" not in each.parents]  # where locks are
    assert hashed.rpartition("/")[2] not in " ".join(files)
    hub.announced.clear()
    assert download("m", wanted)


@pytest.mark.parametrize("what", ["api", "content"])
@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (401, {}, r"refuses it \(401\)\. Either there is no such model, or .*accept the license.*hf auth login"),
        (403, {"X-Error-Code": "GatedRepo"}, r"refuses it \(403\)\. .*accept the license"),
        (404, {}, r"does not have it \(404\)\. Check the name"),
        (429, {}, r"has had too many requests from here \(429\)\. Try again in some minutes, or sign in with `hf auth login`"),
        (429, {"Retry-After": "0"}, r"has had too many requests from here \(429\)\. Try again in 0 s, or sign in"),
        (500, {}, r"failed \(500\)\. Try again later"),
        (418, {}, r"answered with status 418\. Try again later"),
    ],
)
def test_what_the_hub_refuses_is_one_sentence_with_its_remedy(
    hub: FakeHub, wanted, what: str, status: int, headers: dict[str, str], said: str
) -> None:
    hub.statuses[what], hub.headers = [status] * 20, headers
    with pytest.raises(InputError, match=rf"^The download of 'm' failed: the hub {hub.address} {said}") as caught:
        download("m", wanted)
    assert "\n" not in str(caught.value)
    hub.statuses[what] = []
    assert download("m", wanted)  # "try again" is true


def test_a_fault_that_passes_is_not_told_and_a_repository_without_such_files_is(hub: FakeHub, wanted) -> None:
    hub.statuses["content"] = [503, 429]
    assert download("m", wanted)
    with pytest.raises(InputError, match=r"has a repository 'someone/model' for 'm', but without open_clip_model.safetensors; check the name"):
        download("m", lambda: [HubFiles(_REPOSITORY, (("open_clip_model.safetensors",),))])


def test_a_hub_that_is_gone_in_the_middle(hub: FakeHub, wanted, monkeypatch: pytest.MonkeyPatch) -> None:
    real = module._listed

    def list_and_leave(*given: Any) -> Any:
        found = real(*given)
        from huggingface_hub import constants

        for name in ("ENDPOINT", "HUGGINGFACE_CO_URL_TEMPLATE"):
            monkeypatch.setattr(constants, name, getattr(constants, name).replace(hub.address, "http://127.0.0.1:9"))
        return found

    monkeypatch.setattr(module, "_listed", list_and_leave)
    with pytest.raises(InputError, match=r"the connection to the hub http://127\.0\.0\.1:9 was lost or timed out\. Check the network, and try again"):
        download("m", wanted)


def test_the_disk_is_asked_first_and_may_fill_up_meanwhile(hub: FakeHub, wanted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(downloads, "_receive", full)
        with pytest.raises(InputError, match=r"the disk of \S+ is full\. Free space there, and try again"):
            download("m", wanted)
    monkeypatch.setattr(downloads, "_RESERVE", 10**18)
    with pytest.raises(InputError, match=rf"'m' needs 0\.1 MB on the disk of {tmp_path / 'hub'}, which has .* available; free space, or set HF_HOME"):
        download("m", wanted)
    assert not hub.ranges  # nothing was fetched


def test_free_space_is_that_of_the_caches_disk_before_the_cache_is_there(hub: FakeHub, tmp_path: Path) -> None:
    folder, free = free_space()
    assert (folder, folder.exists()) == (tmp_path / "hub", False)
    assert abs(free - shutil.disk_usage(tmp_path).free) < 10**9
    sizes = (605_000_000, 1_500_000_000, 34_000, -5, 499_999)
    assert [size_text(size) for size in sizes] == ["605 MB", "1.5 GB", "0.0 MB", "0.0 MB", "0.5 MB"]


def test_a_model_of_the_hub_loads_after_one_download_and_then_without_network(
    hub: FakeHub, tiny_clip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its configuration, once here, names the repository of the tokenizer. What a folder of open_clip needs is had of it as of every other source."""
    import json

    model, tokenizer = tmp_path / "model", tmp_path / "tokenizer"
    shutil.copytree(tiny_clip, model)
    tokenizer.mkdir()
    for file in model.glob("*token*"):
        file.rename(tokenizer / file.name)
    config = json.loads((model / "open_clip_config.json").read_text())
    config["model_cfg"]["text_cfg"]["hf_tokenizer_name"] = "someone/words"
    (model / "open_clip_config.json").write_text(json.dumps(config))
    hub.repositories |= {"someone/clip": model, "someone/words": tokenizer}
    before = encoder_identity("hf-hub:someone/clip")
    encoder = load_encoder("hf-hub:someone/clip", "cpu")
    assert encoder.identity == encoder_identity("hf-hub:someone/clip") != before
    expected = load_encoder(f"local-dir:{tiny_clip}", "cpu").encode_texts(["a red car"])
    np.testing.assert_allclose(encoder.encode_texts(["a red car"]), expected, atol=1e-6)
    load_encoder(f"local-dir:{tiny_clip}", "cpu")
    load_encoder("cars", "cpu")  # the last two are kept
    monkeypatch.setattr("socket.socket.connect", None)
    np.testing.assert_allclose(load_encoder("hf-hub:someone/clip", "cpu").encode_texts(["a red car"]), expected, atol=1e-6)
    (config, files), (here, own) = (open_clip_saved(EncoderName(*source)) for source in (("hf-hub", "someone/clip"), ("local-dir", str(tiny_clip))))
    assert config["model_cfg"]["vision_cfg"] == here["model_cfg"]["vision_cfg"]
    assert files == own
    assert "tokenizer.json" in files
    config, files = open_clip_saved(EncoderName("open_clip", "ViT-B-32/openai"))  # of open_clip's own tokenizer, which needs no files
    assert (config["model_cfg"]["embed_dim"], config["model_cfg"]["quick_gelu"], files) == (512, True, {})


def test_a_timm_model_of_the_hub_whose_damaged_weights_are_not_called_missing(hub: FakeHub, tiny_timm: Path, photo, tmp_path: Path) -> None:
    hub.repositories["someone/timm"] = tiny_timm
    rows = load_encoder("timm:hf-hub:someone/timm", "cpu").encode_images([photo(50, 50)])
    np.testing.assert_allclose(rows, load_encoder(f"timm:local-dir:{tiny_timm}", "cpu").encode_images([photo(50, 50)]), atol=1e-6)
    served = Path(shutil.copytree(tiny_timm, tmp_path / "served"))
    (served / "model.safetensors").write_bytes(b"garbage" * 1000)
    hub.repositories["someone/damaged"] = served
    for _ in range(2):  # on arrival, and from the cache
        with pytest.raises(InputError, match=r"weights of 'timm:hf-hub:someone/damaged' cannot be loaded: .*remove them from the cache"):
            load_encoder("timm:hf-hub:someone/damaged", "cpu")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *[(name, "which is not an id of the hub") for name in ("../evil", "a/../../b", "/etc", "a b", "")],
        *[(f"{_REPOSITORY}@{told}", "is not a revision of the model 'someone/model'") for told in ("../../../etc", "/etc", "a/../b")],
    ],
)
def test_a_repository_is_named_by_an_id_and_by_no_path(hub: FakeHub, name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        HubFiles(name, (("model.safetensors",),)).folder()


def test_files_missing_of_one_repository_are_named_together(hub: FakeHub, tmp_path: Path) -> None:
    from likeness.encoders.models.hub_files import missing_text

    wanted = [HubFiles("a/b", (("x.bin",),)), HubFiles("a/b", (("y.json",),)), HubFiles("c", (("z.txt",),))]
    place = tmp_path / "hub"
    assert missing_text(wanted) == f"x.bin and y.json of 'a/b' are missing in {place}/models--a--b, and z.txt of 'c' is missing in {place}/models--c"
    towers = [HubFiles("a/b", (("x.bin",),), ("config.json",)), HubFiles("c", (("z.bin",),), ("config.json", "vocab.txt"))]
    assert missing_text(towers[:1]).startswith("x.bin and config.json of 'a/b' are missing")
    assert missing_text(towers[1:]).startswith("z.bin and its configuration and tokenizer of 'c' are missing")


def test_a_reference_in_the_cache_leads_nowhere_else(hub: FakeHub, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "model.safetensors").write_bytes(b"x")
    references = tmp_path / "hub" / "models--someone--model" / "refs"
    references.mkdir(parents=True)
    for told in (str(elsewhere), "../../../elsewhere"):
        (references / "main").write_text(told)
        assert HubFiles(_REPOSITORY, (("model.safetensors",),)).folder() is None

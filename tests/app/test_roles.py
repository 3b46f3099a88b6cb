"""What an account may do: view looks, edit also uploads, saves and removes, train also trains; on every page, and around it."""

import ast
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import worlds
from app_page import Page
from fake_hub import FakeHub
from likeness.data import add_dataset, list_datasets, new_entry
from likeness.errors import InputError
from likeness.io import cache_dir
from likeness.training.runs.run_folder import RunFolder, Status
from parts import downloads
from server import accounts, trainings, visitors
from server.access import check_may, refusal
from server.jobs import jobs
from worlds import draw, kept_files, make_run, serve

APP = Path(__file__).resolve().parents[2] / "app"
LOOKS = "Your account can only view; ask the server's administrator for the role edit."
TRAINS_NOT = "Your account cannot start or stop trainings; ask the server's administrator for the role train."
PROXY: dict[str, Any] = {"shared": True, "auth_header": "X-User", "trusted_proxies": ["127.0.0.1"], "roles": {"ben": "edit", "cleo": "train"}}
As = Callable[[str], None]


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch, app: Page) -> As:
    """On a shared server behind a proxy: who asks from now on; ada views, ben edits, cleo trains."""
    serve(monkeypatch, **PROXY, training=True)
    monkeypatch.setattr("parts.permissions.reset_for_another_account", lambda: None)
    worlds.sign_in(monkeypatch, "ada", "parts.permissions")
    return lambda name: worlds.sign_in(monkeypatch, name, "parts.permissions")


def test_roles_include_each_other_and_without_accounts_all_is_as_the_server_says(sign_in: As, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, allowed in (("ada", []), ("ben", ["edit"]), ("cleo", ["edit", "train"]), ("", [])):
        sign_in(name)
        assert [act for act in ("edit", "train", "download") if not refusal(act)] == allowed
    with pytest.raises(InputError, match="Downloads are turned off on this server"):
        check_may("download")
    serve(monkeypatch, **PROXY, downloads=True, training=True)
    for name, role in (("ada", "edit"), ("ben", "train"), ("ben", "download")):
        sign_in(name)
        with pytest.raises(InputError, match=r"Your account can.* ask the server's administrator for the role"):
            check_may(role)
    sign_in("cleo")
    check_may("download")
    serve(monkeypatch, **PROXY)
    assert refusal("train").startswith("Training is turned off on this server")  # no role turns it on
    worlds.sign_in(monkeypatch, None)
    serve(monkeypatch, shared=True)
    assert refusal("edit") == ""
    assert refusal("train").startswith("Training is turned off on this server")
    serve(monkeypatch)
    assert refusal("edit") == refusal("train") == ""


def test_who_may_not_download_is_offered_only_what_is_here(
    sign_in: As, app: Page, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from likeness.encoders import PUBLISHED, download_encoder

    here = PUBLISHED["timm:vit_small_patch16_dinov3.lvd1689m"]
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "model.safetensors").write_bytes(b"weights")
    hub.repositories[here.repository] = tmp_path / "served"
    download_encoder(here.name)
    serve(monkeypatch, **PROXY, downloads=True)
    for name, offered in (("cleo", len(PUBLISHED)), ("ben", 1)):
        sign_in(name)
        options = app.open("images").at("encoder_upload").options
        assert sum(each.title in " ".join(options) for each in PUBLISHED.values()) == offered
    picture = (draw(tmp_path, 1) / "0.png").read_bytes()
    app.open("images").get("file_uploader")[0].set_value([("a.png", picture, "image/png")]).run()
    app.type_option("encoder_upload", "ViT-B-32/openai")
    assert "Your account cannot download encoders" in app.click("begin_upload").errors[0]
    assert not jobs().all("embedding")


def test_compare_and_semantics_bring_no_model_for_whom_the_owner_trusts_less(
    sign_in: As, app: Page, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch, **PROXY, downloads=True)
    sign_in("ben")
    assert list(downloads.refused_encoders(["cars", "ViT-B-32/openai", "no/such model"])) == ["ViT-B-32/openai"]
    app.open("semantics").set("semantic_language", ["bert"]).says("'bert' is not on this machine. Your account cannot download encoders")
    assert not any("bert" in str(job.key) for job in jobs().all("semantics"))
    app.open("methods", compare="Encoders").enter(encoders=["cars", "ViT-B-32/openai"], encoders_notions=["car color"], encoders_runs=1)
    app.wait("comparisons")
    assert "'ViT-B-32/openai' is not on this machine. Your account cannot download encoders" in str(jobs().all("comparisons")[0].found)
    sign_in("cleo")
    assert downloads.refused_encoders(["ViT-B-32/openai"]) == downloads.refused_languages(["bert"]) == {}


def test_pages_say_why_controls_are_not_there_and_what_a_viewer_edits_and_takes_along_stays_theirs(app: Page, sign_in: As, cache: Path) -> None:
    assert not app.open("images").says(LOOKS).get("file_uploader")
    app.open("train").says(TRAINS_NOT).open("runs").says(TRAINS_NOT).open("notions")
    writing = [button for button in app.button if button.label.split()[0] in ("Save", "Delete")]
    assert [(button.disabled, button.help) for button in writing] == [(True, LOOKS)] * 3  # a notion, as a copy too, and a view
    app.fill("text_area", "templates", "a {} car in the rain")
    assert app.control("text_area", "templates").value == "a {} car in the rain"
    assert "draft" not in app.query_params
    assert kept_files(cache) == []
    app.session_state["export_is_open"] = True
    app.open("explore").click("make_export").wait("export")
    (job,) = jobs().all("export")
    assert job.error is None
    assert [path for path in kept_files(cache) if not path.endswith("/seen")] == [str(job.result.file.relative_to(cache))]
    assert job.result.file.relative_to(cache).parts[1].startswith("ada-")
    sign_in("ben")
    assert app.run().has("make_export")  # ada's file is not offered to others
    app.open("notions").fill("text_area", "templates", "a {} car in the sun")
    assert {path.split("/")[2] for path in kept_files(cache) if not path.endswith("/seen")} == {"exports", "drafts"}


def test_a_click_on_a_page_that_was_drawn_before_changes_nothing(app: Page, sign_in: As, cache: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """As a message that goes around the page: the button is known to the session, and its role has gone since."""
    sign_in("ben")
    save = app.open("notions").fill("text_input", "name", "car color copy").button_of("Save")
    sign_in("ada")
    save.click().run()
    app.says(LOOKS)
    assert not list(cache.rglob("notions/*.yaml"))
    sign_in("ben")
    app.run().press("Save")
    assert [file.name for file in visitors.visitors_dir().rglob("*.yaml")] == ["car-color-copy.yaml"]

    add_dataset(new_entry("Mine", "cars", "cars", owner=visitors.account_token("ben")))
    remove, before = app.open("images").button_of("Remove"), list_datasets()
    sign_in("ada")
    remove.click().run()
    assert list_datasets() == before
    assert "Remove" not in app.labels

    (tmp_path / "photos").mkdir()
    serve(monkeypatch, **PROXY, roots=[str(tmp_path / "photos")])
    sign_in("ben")
    app.open("images").set("folder", "photos")
    sign_in("ada")
    app.click("begin_folder").says(LOOKS)
    assert list_datasets() == before
    assert not (cache_dir() / "uploads").exists()


@pytest.fixture
def stopped(tmp_path: Path) -> RunFolder:
    """A run that was stopped."""
    return make_run(tmp_path / "runs" / "mine", Status("stopped", 2, 10))


def test_only_the_role_train_starts_resumes_and_stops(app: Page, sign_in: As, stopped: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr("likeness.training.start_run", lambda run, config=None: begun.append(run.name))
    for page, key, status in (("runs", "act_mine", "stopped"), ("train", "train_start", "stopped"), ("runs", "act_mine", "running")):
        stopped.report_status(Status(status, 2, 10, "", os.getpid()))  # type: ignore[arg-type]
        sign_in("cleo")
        button = app.open(page).at(key)
        sign_in("ben")
        button.click().run()
        app.says(TRAINS_NOT)
        assert page == "train" or not app.has(key)
    assert (begun, stopped.stop_requested()) == ([], False)
    sign_in("cleo")
    app.run().click("act_mine")
    assert stopped.stop_requested()
    app.open("train").click("train_start")
    assert begun == ["shipped-cars-elg"]
    own = stopped.path.with_name("own")
    trainings.begin_training(own, lambda: make_run(own, Status("stopped", 2, 10)))  # a run is deleted by whoever began it
    assert trainings.refusal_to_change(own) == ""
    sign_in("ben")
    assert "Only the person who started this run" in trainings.refusal_to_change(own)
    sign_in("cleo")
    serve(monkeypatch, **PROXY | {"roles": {"cleo": "edit"}}, training=True)  # and may still train
    assert trainings.refusal_to_change(own) == TRAINS_NOT


def test_what_is_an_accounts_own_goes_with_its_name(sign_in: As, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {}
    for name in ("ben", "Ben@x.org".casefold(), "../cleo", "é", "x" * 64):
        sign_in(name)
        folders[name] = visitors.notions_dir()
        assert folders[name].parent.parent == visitors.visitors_dir()
        assert not visitors.is_token(folders[name].parent.name)  # so no browser's cookie names it
    assert len(set(folders.values())) == len(folders)
    assert folders["ben"].parent.name.startswith("ben-")
    sign_in("ben")
    assert visitors.notions_dir() == folders["ben"]
    sign_in("")
    assert visitors.visitor() == ""
    assert (cache / "accounts.key").stat().st_mode & 0o777 == 0o600
    visitors._secret.cache_clear()
    sign_in("ben")
    assert visitors.notions_dir() == folders["ben"]  # also after a new start
    monkeypatch.setenv("LIKENESS_CACHE", str(cache / "other"))
    assert visitors.account_token("ben") != folders["ben"].parent.name  # and cannot be computed from the name


def test_a_header_of_the_browser_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, **PROXY)
    for headers, context, name in (
        ({"X-User": "cleo", "x-likeness-account": "cleo"}, object(), ""),
        ({accounts._ACCOUNT: "ada%40x.org"}, object(), "ada@x.org"),
        ({accounts._ACCOUNT: "ada%40x.org"}, None, ""),
    ):
        monkeypatch.setattr(accounts, "get_script_run_ctx", lambda suppress_warning, context=context: context)
        monkeypatch.setattr(accounts.st, "context", SimpleNamespace(headers=headers))
        assert accounts.account() == name


def test_a_session_that_another_account_takes_over_begins_anew(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when a browser keeps a page open while someone else signs in: Streamlit takes it back to the session that it had."""
    serve(monkeypatch, **PROXY, default_role="edit")
    monkeypatch.setattr("parts.permissions.account", lambda: "ben")
    app.run()
    app.session_state["text"] = "a secret of ben's"
    assert app.run().session_state["text"] == "a secret of ben's"
    monkeypatch.setattr("parts.permissions.account", lambda: "cleo")
    assert app.run().session_state["text"] != "a secret of ben's"


# What writes for people or starts work that they own, by the name under which it is called.
_WRITES = {
    *("save_notion", "delete_notion", "write_splits", "save_uploads", "add_dataset", "rename_dataset", "remove_dataset", "start_run", "request_stop"),
    *("write_atomic", "open_atomic", "file_uploader", "create", "pseudolabels", "write_draft", "remove_upload", "remove_visitor"),
    *("add_tag", "remove_tag", "set_value", "clear_value", "set_note", "set_columns", "write_download"),
}
_ASKS = {"begin_training", "check_may", "check_may_edit", "edit_and_report", "edit_labels", "try_edit", "refusal", "refused"}
_ELSEWHERE = {
    "exporting._file": "a file to download, which is gone within the hour: who may look may take along what they see",
    "accounts.write_private": "passwords and tokens, of the command `likeness admin`",
    "admin.main": "of the command `likeness admin`",
    "library._keep": "its caller asks",
    "interrupted.noted": "of the server itself: which dataset is being embedded; who may begin that was asked before",
    "hand_labels.frozen": "what follows from labels, for a run that asks before it begins",
    "quotas.write_draft": "its callers ask",
    "visitor_data.remove_old": "of the server itself",
    "visitor_data.remove_upload": "its callers ask",
    "visitor_data.remove_visitor": "its callers ask",
    "page._upload": "drawn for who may edit alone; `_take_upload`, which takes what was sent, asks again",
    "config_access.resolve_run": "called where a run is resumed, after the check",
}


def _called(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            yield each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")


def test_whatever_writes_asks_first() -> None:
    """Each function of the app that writes or starts asks who may, itself or by a function of its file that it goes through."""
    found = 0
    for file in sorted(APP.rglob("*.py")):
        functions: dict[str, Any] = {node.name: set(_called(node)) for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}
        for name, calls in functions.items():
            if not calls & _WRITES or f"{file.stem}.{name}" in _ELSEWHERE:
                continue
            found += 1
            through = calls | {further for call in calls for further in functions.get(call, ())}
            assert through & _ASKS, f"{file.relative_to(APP)}: {name} calls {sorted(calls & _WRITES)} and asks nobody"
    assert found >= 14

"""Settings of a server: from a file, the environment and the command line; addresses beyond this machine."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.io.paths import app_dir
from server import serve
from server.serve import check_port
from server.settings import ServerSettings, check_address, read_settings, server, settings_from


def _may(settings: ServerSettings) -> tuple[bool, bool, bool]:
    return settings.shared, settings.allows_training, settings.allows_downloads


def test_settings_go_through_the_environment_and_a_shared_server_lets_do_little_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _may(server()) == (False, True, True)
    shared = settings_from({"shared": True, "roots": [str(tmp_path)]})
    assert shared.roots == {tmp_path.name: tmp_path.resolve()}
    assert _may(shared) == (True, False, False)
    assert _may(settings_from({"shared": True, "training": True, "downloads": True})) == (True, True, True)
    chosen = settings_from({"shared": True, "roots": {"photos": str(tmp_path)}, "max_upload_mb": 7})
    monkeypatch.setenv("LIKENESS_SERVER", chosen.as_text())
    assert server() == chosen
    (tmp_path / "server.yaml").write_text("shared: true\nmax_upload_mb: 9\n")
    monkeypatch.setenv("LIKENESS_SERVER", str(tmp_path / "server.yaml"))
    assert server().max_upload_mb == 9


def test_what_does_not_fit_is_named_and_so_is_a_file_that_can_be_none(tmp_path: Path) -> None:
    twice = [tmp_path / folder / "photos" for folder in "ab"]
    for folder in twice:
        folder.mkdir(parents=True)
    for content, message in (
        ({"shraed": True}, "there is no key 'shraed'"),
        ({"shared": True, "roots": ["/nowhere/at/all"]}, "there is no folder '/nowhere/at/all'"),
        ({"roots": ["/"]}, "roots"),
        ({"shared": True, "roots": {"uploads": "/tmp"}}, "is reserved"),
        ({"shared": True, "roots": {"a/b": "/tmp"}}, "is reserved or looks like a path"),
        ({"shared": True, "roots": list(map(str, twice))}, "two folders are called 'photos'; name them"),
        ({"shared": True, "max_pixels": 1}, "max_pixels"),
        ({"allowed_hosts": ["a\udcff"]}, "a value is not text; write it in UTF-8"),
        (None, "dict"),
    ):
        with pytest.raises(InputError, match=message):
            settings_from(content)
    os.mkfifo(tmp_path / "pipe.yaml")
    for file in (Path("none.yaml"), Path("x" * 5000), tmp_path, tmp_path / "pipe.yaml"):
        with pytest.raises(InputError, match=r"Invalid path|cannot be read"):
            read_settings(file)


def _refused(**options: object) -> str:
    """The one line that ends a server which is not to start with these options."""
    command = [sys.executable, str(app_dir()), "serve", json.dumps({"settings": None} | options)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    return ended.stderr


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        with pytest.raises(InputError, match=rf"The port {port} of 127\.0\.0\.1 is in use"):
            check_port("127.0.0.1", port)
        assert f"The port {port}" in _refused(address="127.0.0.1", port=port)
    with pytest.raises(InputError, match="Can't serve on 203"):
        check_port("203.0.113.1", port)


def test_an_address_for_others_is_refused_unless_it_is_meant() -> None:
    for address in ("0.0.0.0", "::", "192.168.0.7", "example.org", ""):
        with pytest.raises(InputError, match=r"lets everyone .*; add --shared .*, or --trust-network"):
            check_address(address, ServerSettings())
        check_address(address, ServerSettings(shared=True))
        check_address(address, ServerSettings(trust_network=True))
    for address in ("127.0.0.1", "localhost", "::1", "[::1]", "127.1.2.3"):
        check_address(address, ServerSettings())
    assert _refused(address="0.0.0.0", port=None).startswith("Error: Serving on 0.0.0.0 lets everyone")


def test_the_command_hands_its_options_to_the_app_and_the_server_starts_with_them(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("os.execve", lambda program, arguments, environment: started.append(arguments))
    monkeypatch.setattr(serve, "_run_streamlit", started.append)
    monkeypatch.setenv("LIKENESS_SERVER", "{max_upload_mb: 7}")  # put back afterwards; `serve` sets it for the process that it becomes
    assert run("app", "--address", "0.0.0.0", "--shared", "--root", str(tmp_path), "--training", "--port", "8600")[0] == 0
    _, folder, command, options = started.pop()
    assert (folder, command) == (str(app_dir()), "serve")
    given = json.loads(options)
    wanted = {"address": "0.0.0.0", "port": 8600, "shared": True, "roots": [str(tmp_path)], "training": True}
    assert {name: value for name, value in given.items() if value is not None} == wanted
    with pytest.raises(InputError, match=r"Serving on 0\.0\.0\.0 lets everyone"):
        serve.serve(given | {"shared": None, "roots": None, "training": None})
    assert not started
    serve.serve(given)
    chosen = [started[0][started[0].index(f"--server.{name}") + 1] for name in ("address", "port", "maxUploadSize")]
    assert chosen == ["0.0.0.0", "8600", "7"]
    assert _may(server())[:2] == (True, True)
    assert list(server().roots) == [tmp_path.name]


# Streamlit's own files in the current folder, which are a stranger's
_FOLDER = Path(serve.__file__).parents[1]
_CONFIG = """
[global]
e2eTest = true
[server]
enableXsrfProtection = false
enableCORS = false
enableStaticServing = true
address = "0.0.0.0"
[client]
showErrorDetails = "full"
[theme]
primaryColor = "#ff0000"
"""
_OPTIONS = ("global.e2eTest", "server.enableXsrfProtection", "server.enableCORS", "server.enableStaticServing", "client.showErrorDetails")
_SCRIPT = f"""
import os, sys
sys.path.insert(0, {str(_FOLDER)!r})
from server import serve
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web import bootstrap, cli

def main(arguments, prog_name):
    config._main_script_path = arguments[1]
    bootstrap.load_config_options({{}})
    secrets_singleton.load_if_toml_exists()
    print(*[config.get_option(name) for name in {_OPTIONS}], config.get_option("theme.primaryColor"), os.environ.get("STOLEN"))

cli.main = main
serve._run_streamlit(["run", {str(_FOLDER / "server" / "asgi.py")!r}])
"""


def test_no_option_and_no_secret_of_the_current_folder_counts(tmp_path: Path) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(_CONFIG)
    (tmp_path / ".streamlit" / "secrets.toml").write_text('STOLEN = "yes"\n')
    done = subprocess.run([sys.executable, "-c", _SCRIPT], cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", "True", "False", "none", "None", "None"], done.stderr

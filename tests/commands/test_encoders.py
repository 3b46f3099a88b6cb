"""`likeness encoders`: the list, and downloads."""

from pathlib import Path

import pytest

from fake_hub import FakeHub
from likeness.encoders import PUBLISHED, speed
from worlds import Run


def test_the_list_names_each_with_size_and_license(run: Run, hub: FakeHub) -> None:
    status, out, err = run("encoders", "list", "--format", "csv")
    assert status == 0
    for encoder in PUBLISHED.values():
        (line,) = [line for line in out.splitlines() if line.startswith(f"{encoder.name},")]
        assert encoder.license in line
        assert "?" in line
    assert "605 MB" in out
    assert "likeness encoders list --measure" in err


def test_measured_speeds_stand_in_the_list(run: Run, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(encoder, *_: object) -> None:
        speed._remember(encoder.name, 12.345)

    monkeypatch.setattr("likeness.encoders.measure_speed", measure)
    assert run("encoders", "list", "--measure", "--format", "csv")[1].count("12.3") == len(PUBLISHED)
    assert run("encoders", "list", "--format", "csv")[1].count("12.3") == len(PUBLISHED)


def test_get_downloads_and_the_list_says_so(run: Run, hub: FakeHub, tmp_path: Path) -> None:
    name, repository = "MobileCLIP2-S0/dfndr2b", "timm/MobileCLIP2-S0-OpenCLIP"
    hub.repositories[repository] = tmp_path / "served"
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "open_clip_model.safetensors").write_bytes(b"weights" * 1000)
    status, out, _ = run("encoders", "get", name)
    assert (status, out) == (0, f"{name} is on this machine\n")
    assert "is here" in run("encoders", "list", "--format", "csv")[1]


def test_get_says_what_is_wrong(run: Run, hub: FakeHub) -> None:
    status, _, err = run("encoders", "get", "MobileCLIP2-S0/dfndr2b")
    assert status == 2
    assert "does not have it (404)" in err
    assert run("encoders", "get", "nonsense")[0] == 2

"""Manufacturers and types from the class names of Cars196."""

import json
from pathlib import Path

import numpy as np
import pytest

from likeness.data.protocols import zero_shot_half
from likeness.data.readers.cars196 import NO_TYPE, car_type, manufacturer
from likeness.notions import get_notion


@pytest.fixture(scope="module")
def classes(shared: Path) -> list[str]:
    """The 196 names in alphabetical order; the official order is another, but its halves hold the same names."""
    names = json.loads((shared / "data" / "oodml_cars196_splits.json").read_text())["classes"]
    assert len(names) == 196
    return names


def test_the_test_half_has_the_papers_98_models_35_manufacturers_and_7_types_and_its_r_precision_by_chance(classes: list[str]) -> None:
    """The counts of Table 1 and of appendix 2.2."""
    test_half = [name for name, second in zip(classes, zero_shot_half(classes, classes, "test"), strict=True) if second]
    assert len(set(test_half)) == 98
    assert test_half[0] == "FIAT 500 Abarth 2012"  # as in the authors' notebook
    assert test_half[-1] == "smart fortwo Convertible 2012"
    assert len({manufacturer(name) for name in test_half}) == 35
    assert {car_type(name) for name in test_half} == set(get_notion("cars196-car-type").aspects)
    assert len({car_type(name) for name in test_half}) == 7

    # 0.171 for types and 0.054 for manufacturers in the appendix's Table 1: the chance that two images are alike, here for equal classes
    def chance(labels: list[str]) -> float:
        shares = np.unique(labels, return_counts=True)[1] / len(labels)
        return float((shares**2).sum())

    assert chance([car_type(name) for name in test_half]) == pytest.approx(0.171, abs=0.0005)
    assert chance([manufacturer(name) for name in test_half]) == pytest.approx(0.054, abs=0.001)


def test_every_official_class_has_a_type_and_a_whole_manufacturer(classes: list[str]) -> None:
    assert {car_type(name) for name in classes} == {"convertible", "coupe", "hatchback", "pickup", "sedan", "SUV", "van", "wagon"}
    makes = {manufacturer(name) for name in classes}
    assert {"AM General", "Aston Martin", "Land Rover", "Rolls-Royce", "Mercedes-Benz"} <= makes
    assert not {"AM", "Aston", "Land"} & makes
    assert len(makes) == 49


@pytest.mark.parametrize(
    ("name", "make", "kind"),
    [
        *(("Ford E-Series Wagon Van 2012", "Ford", "van"), ("Ram C/V Cargo Van Minivan 2012", "Ram", "van")),
        *(("Rolls-Royce Phantom Drophead Coupe Convertible 2012", "Rolls-Royce", "convertible"), ("Infiniti G Coupe IPL 2012", "Infiniti", "coupe")),
        *(("Dodge Ram Pickup 3500 Quad Cab 2009", "Dodge", "pickup"), ("Ford Ranger SuperCab 2011", "Ford", "pickup")),
        *(("Acura Integra Type R 2001", "Acura", "coupe"), ("Chevrolet HHR SS 2010", "Chevrolet", "wagon")),
        *(("smart fortwo Convertible 2012", "smart", "convertible"), ("Land Rover LR2 SUV 2012", "Land Rover", "SUV")),
        *(("Landau 7", "Landau", NO_TYPE), ("Škoda", "Škoda", NO_TYPE), ("", "", NO_TYPE)),
    ],
)
def test_names(name: str, make: str, kind: str) -> None:
    assert (manufacturer(name), car_type(name)) == (make, kind)

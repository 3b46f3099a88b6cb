"""Config of a sweep: the config of a run, its varying settings, and how their values are chosen."""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, PositiveInt, ValidationError, model_validator

from likeness.defaults import LARGEST_SEED
from likeness.errors import InputError
from likeness.io import FrozenConfig, config_file, yaml_content
from likeness.training import RunConfig, config_from, read_config, with_changes

_USUAL_TRIALS = 20
_MOST_COMBINATIONS = 10_000  # of a grid
# settings of images that do not change the split, so that metrics of trials stay comparable
_HOW_IMAGES_LOOK = ("data.image_size", "data.crops", "data.frame", "data.kept")


class Domain(FrozenConfig):
    """Values that a setting may take: a range, `{low: 1.0e-6, high: 1.0e-3, log: true}`, or choices, `[2, 4]`.

    Attributes:
        low, high: the ends, included. Two integers make a range of integers.
        log: uniform in the logarithm.
        step: only low, low + step, ... up to high; None: all integers, or continuous.
        choices: instead of a range.
    """

    low: int | float | None = None
    high: int | float | None = None
    log: bool = False
    step: int | float | None = Field(default=None, gt=0)
    choices: tuple[Any, ...] | None = None

    @model_validator(mode="before")
    @classmethod
    def _list(cls, content: Any) -> Any:
        if isinstance(content, Domain | dict):
            return content
        if isinstance(content, list | tuple):
            return {"choices": content}
        raise ValueError("write a range, {low: 1.0e-6, high: 1.0e-3, log: true}, or a list of choices, [2, 4]")

    @model_validator(mode="after")
    def _fits(self) -> "Domain":
        if self.choices is not None:
            self._check_choices(self.choices)
            return self
        if self.low is None or self.high is None:
            raise ValueError("a range needs low and high; a list of values is written as [2, 4]")
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"low {self.low} and high {self.high} must be finite numbers")
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}; swap them, or put a single value into changes")
        if self.log and self.low <= 0:
            raise ValueError(f"log needs a low above 0, but low is {self.low}; raise it, or remove log")
        if self.log and self.step is not None:
            raise ValueError(f"log and step {self.step} exclude each other; remove one, or list the values")
        if self.step is not None and (self.step > self.high - self.low or (self.is_integer and not isinstance(self.step, int))):
            raise ValueError(f"step {self.step} does not fit between low {self.low} and high {self.high}; choose a smaller one, or a whole one")
        return self

    def _check_choices(self, choices: tuple[Any, ...]) -> None:
        if (self.low, self.high, self.log, self.step) != (None, None, False, None):
            raise ValueError("choices and a range exclude each other; use one of them")
        if len(choices) < 2:
            raise ValueError("a list needs at least two values; put a single value into changes")
        texts = [choice_text(value) for value in choices]
        if len(set(texts)) < len(texts):
            raise ValueError(f"{next(each for each in texts if texts.count(each) > 1)} is listed twice; remove one")

    @property
    def is_integer(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int)

    @property
    def count(self) -> int | None:
        """Number of values; None: infinite, a continuous range."""
        if self.choices is not None:
            return len(self.choices)
        if self.step is None and not self.is_integer:
            return None
        return int((Decimal(str(self.high)) - Decimal(str(self.low))) / Decimal(str(self.step or 1))) + 1

    def value(self, place: int) -> Any:
        """The value at an index, from 0, of a countable domain."""
        if self.choices is not None:
            return self.choices[place]
        exact = Decimal(str(self.low)) + place * Decimal(str(self.step or 1))  # rounds to 0.3 instead of 0.30000000000000004
        return int(exact) if self.is_integer else float(exact)

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest value of a range; the largest is high, or the last step below it."""
        assert self.low is not None
        assert self.high is not None
        return self.low, self.high if self.step is None or self.count is None else self.value(self.count - 1)

    def ends(self) -> tuple[Any, ...]:
        """The extreme values of a range; all values of a list."""
        return self.choices if self.choices is not None else (self.low, self.high)


class SweepConfig(FrozenConfig):
    """A hyperparameter search.

    Attributes:
        name, note: title, also of the folder; description.
        base: a preset's name, a config file, or a config. It needs `data.validation`, since trials are evaluated only on validation images.
        changes: of the base, by dotted keys.
        space: values of the varying settings, by dotted keys.
        trials: number of trials; None: 20, or all of a grid.
        sampler: "tpe", Optuna's tree-structured Parzen estimator; "random"; or "grid", all combinations in random order.
        startup: first trials, drawn at random and not pruned, before sampler and pruner use earlier trials.
        pruner: "median" ends a trial whose best metric so far is below the median of finished trials after as many epochs; or "none". Uses only
            validation images.
        seed: of the sampler.
        seeds: seeds of the final runs with test metrics, of the best trial and of the base; empty: the base's own seed.
    """

    name: str = "sweep"
    note: str = ""
    base: str | dict[str, Any]
    changes: dict[str, Any] = Field(default_factory=dict)
    space: dict[str, Domain] = Field(min_length=1)
    trials: PositiveInt | None = None
    sampler: Literal["tpe", "random", "grid"] = "tpe"
    startup: PositiveInt = 10
    pruner: Literal["median", "none"] = "median"
    seed: int = Field(default=0, ge=0, le=LARGEST_SEED)
    seeds: tuple[int, ...] = ()

    @model_validator(mode="after")
    def _grid_is_finite(self) -> "SweepConfig":
        endless = next((key for key, domain in self.space.items() if domain.count is None), None)
        if self.sampler == "grid" and endless:
            raise ValueError(f"sampler grid tries all values, but {endless} has infinitely many; add a step, list its values, or choose tpe")
        if self.sampler == "grid" and self._combinations > _MOST_COMBINATIONS:
            raise ValueError(
                f"the grid has {self._combinations:,} combinations, but at most {_MOST_COMBINATIONS:,} are allowed; choose tpe or random"
            )
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError(f"seeds {list(self.seeds)} has a repeated one; remove it")
        return self

    @property
    def trial_count(self) -> int:
        if self.sampler != "grid":
            return self.trials or _USUAL_TRIALS
        return min(self.trials or self._combinations, self._combinations)

    @property
    def _combinations(self) -> int:
        return math.prod(domain.count or 0 for domain in self.space.values())

    def run_config(self) -> RunConfig:
        """The base with its changes, checked together with the space.

        InputError: no such base, one without validation images, or an invalid key or value of the space.
        """
        base = read_config(self.base) if isinstance(self.base, str) else config_from(self.base, f"The base of {self.name}")
        base = with_changes(base, self.changes)
        if not base.data.validation:
            raise InputError(
                f"{self.name} needs validation images, since test images must not be used for tuning; set data.validation under changes, for "
                "example to 0.15, a share of the training classes."
            )
        for key, domain in self.space.items():
            _check_tunable(key)
            for value in domain.ends():
                _check_value(base, key, value, [other for other in self.space if other != key])
        return base


def read_sweep(file: Path | str) -> SweepConfig:
    """Reads a sweep from a YAML file. InputError: there is none, or invalid keys or values."""
    path = config_file(file, {}, f"There is no sweep file '{file}'; write one with base, space and trials.")
    content = yaml_content(path)
    if isinstance(content, Mapping):
        content = {"name": path.stem} | dict(content)
    return SweepConfig.checked(content, path.name)


def choice_text(value: Any) -> str:
    """A choice as text for Optuna, since choices can be lists, mappings and null."""
    return json.dumps(value, sort_keys=True, default=str)


def _check_tunable(key: str) -> None:
    if key in ("name", "seed"):
        raise InputError(f"'{key}' cannot be tuned; remove it from the space (the best trial is run again with each of `seeds`).")
    if key.split(".")[0] == "data" and key not in _HOW_IMAGES_LOOK:
        raise InputError(f"'{key}' changes the training or evaluation images, so metrics would not be comparable; set it under changes.")


def _check_value(base: RunConfig, key: str, value: Any, others: list[str]) -> None:
    """InputError: a value that is invalid by itself, or with the settings that do not vary."""
    try:
        with_changes(base, {key: value})
    except InputError as error:
        cause = error.__cause__
        if not isinstance(cause, ValidationError) or any(_fits_never(each, key, others) for each in cause.errors()):
            raise InputError(f"The space has {key} = {value!r}: {error}") from error


def _fits_never(error: Any, key: str, others: list[str]) -> bool:
    place, path = tuple(map(str, error["loc"])), tuple(key.split("."))
    varies = any(tuple(other.split("."))[: len(place)] == place for other in others)
    return error["type"] == "extra_forbidden" or place[: len(path)] == path or not varies


class Trial(NamedTuple):
    """A trial with its settings by dotted keys. Numbers are from 0, in order of start; the reason says why it failed.

    Attributes:
        state: "running", also after a kill, to be resumed by the next call; "finished"; "pruned", ended early; "failed".
        value: selection metric on the validation images: of the best weights of a finished trial, at the end of a pruned one; else None.
    """

    number: int
    params: Mapping[str, Any]
    state: str
    value: float | None = None
    reason: str = ""

    @property
    def folder(self) -> str:
        return f"trial-{self.number:04d}"


def settings_text(params: Mapping[str, Any]) -> str:
    """Text such as "optimizer.rate 0.00012, batch.per_class 4"."""
    return ", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in params.items())

import pytest

from shared.progress import duration, rate


@pytest.mark.parametrize(
    ("per_second", "said"),
    [(0, ""), (1 / 120, ""), (0.2, ", 12 a minute"), (3.21, ", 3.2 a second"), (12.3, ", 12 a second"), (4321, ", 4,321 a second")],
)
def test_a_rate_is_said_in_a_unit_that_gives_a_number_above_one(per_second: float, said: str) -> None:
    assert rate(per_second) == said


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (91, "2 min"), (600, "10 min")])
def test_a_duration_is_said_in_seconds_or_minutes(seconds: float, said: str) -> None:
    assert duration(seconds) == said

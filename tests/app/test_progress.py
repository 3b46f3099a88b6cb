from types import SimpleNamespace

import pytest

from shared.progress import _standing, duration, rate


@pytest.mark.parametrize(
    ("per_second", "said"),
    [(0, ""), (1 / 120, ""), (0.2, ", 12 a minute"), (3.21, ", 3.2 a second"), (12.3, ", 12 a second"), (4321, ", 4,321 a second")],
)
def test_a_rate_is_said_in_a_unit_that_gives_a_number_above_one(per_second: float, said: str) -> None:
    assert rate(per_second) == said


def test_the_rate_of_a_download_names_its_unit_and_what_is_complete_says_no_time() -> None:
    assert (rate(3.21, "MB"), rate(0.2, "MB")) == (", 3.2 MB a second", ", 12 MB a minute")
    job = SimpleNamespace(done=3, total=86, unit="MB", rate=1.5, seconds_left=55.0)
    assert _standing(job) == "3 of 86 MB, 1.5 MB a second, 55 s left"  # type: ignore[arg-type]
    images = SimpleNamespace(done=150, total=150, unit="images", rate=12.0, seconds_left=0.0)
    assert _standing(images) == "150 images, finishing"  # type: ignore[arg-type]


@pytest.mark.parametrize(("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (91, "2 min"), (600, "10 min"), (18_000, "5 h"), (250_000, "3 days")])
def test_a_duration_is_said_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert duration(seconds) == said

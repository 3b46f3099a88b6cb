"""The list of faults by which the tests are judged fits the code as it stands."""

from mutations import problem, read_mutations


def test_each_fault_can_be_put_in_and_has_tests() -> None:
    """Where it cannot: change `old` or `tests` in `mutations.tsv`; where the code is gone for good, take the line out."""
    assert {f"{each.file}: {each.breaks}": wrong for each in read_mutations() if (wrong := problem(each))} == {}


def test_each_fault_is_another_one() -> None:
    mutations = read_mutations()
    assert len({(each.file, each.old) for each in mutations}) == len(mutations) >= 75
    assert all(each.new != each.old and each.breaks.endswith(".") for each in mutations)

import inspect
from collections.abc import Callable

import pytest
import torch
from torch.nn.functional import normalize
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.losses import make_objective
from likeness.options import Option
from likeness.samplers import MINERS, distance_weighted_triplets, intra_triplets, make_miner, rho_triplets, shared_triplets
from likeness.samplers.miner import Miner
from likeness.training.config import config_from

NAMED = [miner for miner in MINERS.values() if miner.name != "custom"]


@pytest.mark.parametrize("miner", MINERS.values(), ids=MINERS)
def test_a_miner_declares_all_about_itself(miner: Miner) -> None:
    assert MINERS[miner.name] is miner
    assert miner.title[0].isupper()
    assert miner.help[0].isupper()
    assert miner.help.endswith(".")
    assert ". " not in miner.help
    assert list(inspect.signature(miner.make).parameters) in (list(miner.options), ["options"])
    assert not any(option.problem(option.default) for option in miner.options.values())


@pytest.mark.parametrize("miner", NAMED, ids=lambda each: each.name)
@pytest.mark.parametrize("loss", ["margin", "contrastive", "triplet", "multisimilarity"])
def test_any_miner_serves_any_loss_that_mines(miner: Miner, loss: str) -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(12, 8), dim=1), torch.arange(12) // 3
    tuples = make_miner(miner.name)(rows, labels)
    assert len(tuples) in (3, 4)
    for column in tuples:
        assert column.min() >= 0
        assert column.max() < 12
    assert make_objective(loss, 4, 8, miner=miner.name)(rows, labels) > 0


def test_a_miner_in_place_of_the_objectives_own_decides_the_tuples() -> None:
    rows, labels = normalize(torch.randn(6, 8), dim=1), torch.tensor([0, 0, 0, 1, 1, 1])
    triplets = tuple(torch.tensor(column) for column in ([0, 3], [1, 4], [3, 0]))
    loss = make_objective("triplet", 2, 8, miner=lambda embeddings, labels: triplets)
    gaps = [(rows[a] - rows[p]).square().sum() - (rows[a] - rows[n]).square().sum() + 0.2 for a, p, n in ((0, 1, 3), (3, 4, 0))]
    assert float(loss(rows, labels)) == pytest.approx(sum(max(0.0, float(gap)) for gap in gaps) / 2, rel=1e-5)


def test_one_line_makes_a_miner_known_to_configs_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(share: float) -> object:
        return lambda embeddings, labels: tuple(column[: int(len(column) * share)] for column in distance_weighted_triplets(embeddings, labels))

    monkeypatch.setitem(MINERS, "some", Miner("some", "Some", "Takes some of the triplets.", make, {"share": Option(0.5, "How many.", 0, 1)}))
    objective = {"name": "margin", "miner": "some", "miner_options": {"share": 0.25}}
    assert config_from({"objective": objective}).objective.miner == "some"
    with pytest.raises(InputError, match=r"objective\.miner_options\.share is 2; choose a number from 0 to 1"):
        config_from({"objective": objective | {"miner_options": {"share": 2}}})
    with pytest.raises(InputError, match=r"no miner 'sum'; choose from distance-weighted, .*some"):
        config_from({"objective": objective | {"miner": "sum"}})
    assert "Takes some of the triplets." in CliRunner().invoke(command_line(), ["kinds", "miners"]).stdout


def test_neither_a_name_nor_a_callable_and_no_share() -> None:
    with pytest.raises(InputError, match="The miner 3 is neither a name nor a callable"):
        make_miner(3)  # type: ignore[arg-type]
    for rho in (-0.1, 1.5):
        with pytest.raises(InputError, match=f"rho is {rho}, but it must be a share of the triplets; choose 0 to 1"):
            rho_triplets(torch.eye(3), torch.zeros(3), rho)
        with pytest.raises(InputError, match=f"rho is {rho}"):
            make_objective("r-margin", 3, 4, rho=rho)


TRIPLETS = [distance_weighted_triplets, rho_triplets, shared_triplets, intra_triplets]


@pytest.mark.parametrize("draw", TRIPLETS)
def test_what_draws_triplets_needs_partners_and_other_classes_and_follows_its_generator(draw: Callable[..., tuple[torch.Tensor, ...]]) -> None:
    rows, labels = normalize(torch.randn(12, 4), dim=1), torch.arange(3).repeat(4)
    first, again = (draw(rows, labels, generator=torch.Generator().manual_seed(3)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert len(first[0]) > 0
    lone = torch.tensor([0, 0, 1, 1]) if draw in (shared_triplets, intra_triplets) else torch.zeros(4, dtype=torch.int64)
    for few in (lone, torch.arange(4)):
        if draw is not shared_triplets or len(few.unique()) < 3:
            assert [len(each) for each in draw(rows[:4], few)] == [0, 0, 0]
    with pytest.raises(InputError, match=r"got labels of shape \(2,\)"):
        draw(torch.eye(3), torch.zeros(2))

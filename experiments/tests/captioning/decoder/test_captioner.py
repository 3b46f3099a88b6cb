"""Both models: their equations in plain steps, probabilities, gradients, masks, padding."""

from collections.abc import Callable

import pytest
import torch

from experiments.captioning.decoder import Att2all2, Captioner, TopDown
from experiments.captioning.losses import cross_entropy
from experiments.captioning.vocabulary import BEGIN, END, PAD
from likeness.errors import InputError

Maker = Callable[..., Captioner]
TARGETS = torch.tensor([[4, 5, 6, END], [5, END, PAD, PAD]])


def test_words_are_a_distribution_without_padding_and_beginning(make: Maker) -> None:
    captioner = make()
    log_probs, attention = captioner(captioner.memory(torch.randn(2, 9, 5)), TARGETS)
    assert log_probs.shape == (2, 4, 7)
    torch.testing.assert_close(log_probs.exp().sum(2), torch.ones(2, 4))
    assert torch.isinf(log_probs[:, :, [PAD, BEGIN]]).all()
    torch.testing.assert_close(attention.sum(2), torch.ones(2, 4))


def test_the_gradient_reaches_every_weight(make: Maker) -> None:
    captioner = make(scale=1.0)
    cross_entropy(captioner(captioner.memory(torch.randn(2, 3, 5)), TARGETS)[0], TARGETS).backward()
    for name, value in captioner.named_parameters():
        assert value.grad is not None, name
        # a bias of the attention's score moves all places alike
        assert bool(value.grad.abs().sum() > 1e-7) != (name == "attention.score.bias"), name


def test_what_is_masked_changes_nothing_and_other_features_are_told(make: Maker) -> None:
    captioner, grid = make(), torch.randn(2, 6, 5)
    mask = torch.tensor([[True] * 4 + [False] * 2] * 2)
    seen, attention = captioner(captioner.memory(grid, mask), TARGETS)
    other = torch.where(mask[:, :, None], grid, torch.full_like(grid, 1e3))
    torch.testing.assert_close(captioner(captioner.memory(other, mask), TARGETS)[0], seen)
    torch.testing.assert_close(captioner(captioner.memory(grid[:, :4]), TARGETS)[0], seen)
    assert attention[:, :, 4:].abs().sum() == 0
    with pytest.raises(InputError, match="The mask hides an image completely"):
        captioner.memory(grid, torch.zeros(2, 6, dtype=torch.bool))
    with pytest.raises(InputError, match=r"Expected features \(images, places, 5\), got \(2, 6, 4\)"):
        make().memory(torch.randn(2, 6, 4))


def test_padding_changes_neither_loss_nor_gradient(make: Maker) -> None:
    captioner, grid = make(), torch.randn(2, 6, 5)

    def gradient(targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        captioner.zero_grad()
        loss = cross_entropy(captioner(captioner.memory(grid), targets)[0], targets, 0.1)
        loss.backward()
        return loss.detach(), torch.cat([value.grad.flatten() for value in captioner.parameters() if value.grad is not None])

    more = torch.cat([TARGETS, torch.full((2, 3), PAD)], 1)
    for plain, padded in zip(gradient(TARGETS), gradient(more), strict=True):
        torch.testing.assert_close(padded, plain)


def test_images_of_a_batch_do_not_see_each_other(make: Maker) -> None:
    captioner, grid = make(), torch.randn(2, 6, 5)
    both = captioner(captioner.memory(grid), TARGETS)[0]
    for n in range(2):
        alone = captioner(captioner.memory(grid[[n]]), TARGETS[[n]])[0]
        torch.testing.assert_close(alone[0], both[n])
    swapped = captioner(captioner.memory(grid).rows(torch.tensor([1, 0])), TARGETS.flip(0))[0]
    torch.testing.assert_close(swapped.flip(0), both)


def test_topdown_step_by_step() -> None:
    """Eq. 2 to 7 of Anderson et al., with torch's cells as the LSTMs."""
    torch.manual_seed(0)
    model = TopDown(7, 5, hidden=6, embedding=4, attention=3, dropout=0.0)
    grid, word = torch.randn(1, 2, 5), torch.tensor([BEGIN])
    v = torch.relu(grid[0] @ model.feature[0].weight.T + model.feature[0].bias)
    h1, c1 = model.look(torch.cat([torch.zeros(6), v.mean(0), torch.relu(model.word[0].weight[BEGIN])])[None], None)
    a = torch.stack([model.attention.score(torch.tanh(model.attention.key(each) + model.attention.query(h1[0]))) for each in v]).softmax(0)
    h2, c2 = model.speak(torch.cat([(a * v).sum(0), h1[0]])[None], None)
    logits = model.output[1](h2)[0]
    step = model.step(word, model.start(1), model.memory(grid))
    torch.testing.assert_close(step.log_probs[0, END:], logits[END:].log_softmax(0))
    for found, expected in zip(step.state, (h1, c1, h2, c2), strict=True):
        torch.testing.assert_close(found, expected)


def test_att2all2_step_by_step() -> None:
    """One step from a state that is not zero, gate by gate."""
    torch.manual_seed(0)
    model = Att2all2(7, 5, hidden=6, embedding=4, attention=3, dropout=0.0)
    grid, h, c = torch.randn(1, 2, 5), torch.randn(1, 6), torch.randn(1, 6)
    v = torch.relu(model.feature[0](grid[0]))
    a = torch.stack([model.attention.score(torch.tanh(model.attention.key(each) + model.attention.query(h[0]))) for each in v]).softmax(0)
    seen = torch.cat([torch.relu(model.word[0].weight[5]), (a * v).sum(0), h[0]])
    gates = [seen @ model.gates.weight[6 * k : 6 * k + 6].T + model.gates.bias[6 * k : 6 * k + 6] for k in range(5)]
    cell = torch.sigmoid(gates[1]) * c[0] + torch.sigmoid(gates[0]) * torch.stack(gates[3:]).amax(0)
    hidden = torch.sigmoid(gates[2]) * torch.tanh(cell)
    step = model.step(torch.tensor([5]), (h, c), model.memory(grid))
    torch.testing.assert_close(step.state[0][0], hidden)
    torch.testing.assert_close(step.state[1][0], cell)
    torch.testing.assert_close(step.log_probs[0, END:], model.output[1](hidden)[END:].log_softmax(0))


def test_scheduled_sampling_goes_on_from_its_own_words(make: Maker) -> None:
    """At chance 1 the given words play no part but for their padding; at 0 nothing is drawn."""
    captioner, other = make(), torch.tensor([[6, 4, 4, END], [4, END, PAD, PAD]])
    memory = captioner.memory(torch.randn(2, 6, 5))
    torch.manual_seed(1)
    own = captioner(memory, TARGETS, sampling=1.0)[0]
    torch.manual_seed(1)
    torch.testing.assert_close(captioner(memory, other, sampling=1.0)[0], own)
    before = torch.random.get_rng_state()
    captioner(memory, TARGETS)
    assert torch.equal(torch.random.get_rng_state(), before)

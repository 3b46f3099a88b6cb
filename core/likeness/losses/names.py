"""The objectives by name, with their options and the papers' values. Needs no torch."""

from typing import Any

_MULTISIMILARITY = {"alpha": 2.0, "beta": 40.0, "base": 0.5, "epsilon": 0.1}
OBJECTIVES: dict[str, dict[str, Any]] = {
    "multisimilarity": _MULTISIMILARITY,
    "multisimilarity-official": _MULTISIMILARITY,
    "margin": {"beta": 1.2, "margin": 0.2, "learn_beta": False},
    "contrastive": {"pos_margin": 0.0, "neg_margin": 1.0},
    "triplet": {"margin": 0.2},
    "arcface": {"margin": 0.5, "scale": 16.0},
    "proxyanchor": {"alpha": 32.0, "delta": 0.1},
    "softmax": {"temperature": 0.05},
}


def check_objective(name: str, options: dict[str, Any]) -> str:
    """What is wrong with an objective's name or options, in one sentence; empty where nothing is."""
    if name not in OBJECTIVES:
        return f"There is no objective '{name}'; choose from {', '.join(OBJECTIVES)}."
    unknown = sorted(set(options) - set(OBJECTIVES[name]))
    return f"The objective '{name}' has no option '{unknown[0]}'; it has {', '.join(OBJECTIVES[name]) or 'none'}." if unknown else ""

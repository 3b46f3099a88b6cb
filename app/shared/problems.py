"""Each cause once: what the sidebar has said in a run of the page, the page does not say again."""

import streamlit as st


def begin() -> None:
    """Nothing has been said yet; called first in each run."""
    st.session_state["problems_said"] = set()


def is_new(problem: str) -> bool:
    """Whether this sentence stands nowhere on the page yet; from now on it does."""
    said: set[str] = st.session_state["problems_said"]
    new = problem not in said
    said.add(problem)
    return new

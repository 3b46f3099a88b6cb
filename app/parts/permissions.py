"""What stands in place of controls that the visitor may not use: trainings, changes, runs."""

import streamlit as st

from server.access import Act, refusal
from server.settings import server


def refused(what: Act = "train") -> bool:
    """Says why the visitor may not do this, and returns True, where that is so."""
    reason = refusal(what)
    if reason:
        st.info(reason, icon=":material/block:")
    return bool(reason)


def permitted(what: Act) -> bool:
    """For what a click does: whether the visitor may; where not, a toast says why."""
    reason = refusal(what)
    if reason:
        st.toast(reason, icon=":material/block:", duration="long")
    return not reason


def runs_hidden() -> bool:
    """Says so, and returns True, where trained runs are not looked at."""
    if server().runs:
        return False
    st.info("Trained runs are not shown on this server.", icon=":material/visibility_off:")
    return True

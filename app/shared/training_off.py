"""What stands in place of whatever would start, stop or resume a training where the server allows none."""

import streamlit as st

from server_settings import server

MESSAGE = "Training is turned off on this server; run `likeness train` on your own machine instead."


def tell() -> bool:
    """Says so, and returns True, where training is off."""
    if server().allows_training:
        return False
    st.info(MESSAGE, icon=":material/block:")
    return True


def runs_hidden() -> bool:
    """Says so, and returns True, where trained runs are not looked at."""
    if server().runs:
        return False
    st.info("Trained runs are not shown on this server.", icon=":material/visibility_off:")
    return True

"""Whether the package for the MCP tools is here; nothing is loaded."""

from importlib.util import find_spec

from likeness.errors import InputError


def check_installed() -> None:
    """Raises InputError where the package is missing."""
    if find_spec("mcp") is None:
        raise InputError("The MCP tools need the package mcp, which is not installed; install it: pip install 'likeness[mcp]'.")

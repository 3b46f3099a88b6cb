"""The command line's larger commands, one a file, and what they share."""

from likeness.commands.terminal import fail, leave_output, refused

__all__ = ["fail", "leave_output", "refused"]

"""What the server is, and what who asks may do there."""

from collections.abc import Callable
from importlib.metadata import version

from access import refusal
from api.schemas import Nothing, Status
from likeness.data import list_datasets
from server_settings import server
from signed_in import account
from visitors import visitor

_computing: list[Callable[[], int]] = []


def status(arguments: Nothing) -> Status:
    """Shows the server's version, who you are to it, what you may do, and how much it computes now."""
    settings = server()
    return Status(
        version=version("likeness"),
        shared=settings.shared,
        account=account(),
        may_edit=not refusal("edit"),
        datasets=len(list_datasets(visitor())),
        requests_per_second=settings.requests_per_second,
        computing=sum(count() for count in _computing),
        most_computing=settings.max_jobs,
    )


def count_by(computing: Callable[[], int]) -> None:
    """Where `status` learns how many operations are computed now."""
    _computing[:] = [computing]

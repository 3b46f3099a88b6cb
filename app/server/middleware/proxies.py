"""Where a request comes from: the machine that is connected, or, where that is a trusted proxy, the one before it."""

import logging
from contextlib import suppress
from functools import cache
from ipaddress import IPv6Address, IPv6Network, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope

from server.settings import server

_LOG = logging.getLogger(__name__)
_LONGEST = 64  # letters of an address that is none


def peer(scope: Scope) -> str:
    """The address of the machine that is connected."""
    client = scope.get("client")
    return _plain(client[0]) if client else ""


def is_trusted(address: str) -> bool:
    """Whether this is one of the `trusted_proxies`."""
    try:
        return any(ip_address(address) in network for network in server().trusted_proxies)
    except ValueError:
        return False


def client_address(scope: Scope) -> str:
    """The address of whoever asks: of X-Forwarded-For the last that no trusted proxy wrote about another one."""
    address, hops = peer(scope), ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    if hops != [""] and not is_trusted(address):
        _tell_of_proxy()
    while is_trusted(address) and hops:
        address = _plain(hops.pop().strip()) or address
    return address


@cache
def _tell_of_proxy() -> None:
    """Once: behind a proxy that is not named all visitors are one client."""
    _LOG.warning("X-Forwarded-For of a proxy that was not named is not believed; name yours: --trusted-proxy ADDRESS.")


def is_https(scope: Scope) -> bool:
    """Whether the browser's connection is encrypted, by this server or by a proxy. A false claim only yields cookies that the browser drops."""
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "").partition(",")[0].strip()
    return scope.get("scheme") in ("https", "wss") or forwarded == "https"


def network_of(address: str) -> str:
    """An address by which guesses are counted; of IPv6 the network of 64 bits, all of whose addresses are usually one customer's."""
    with suppress(ValueError):
        return str(IPv6Network((address, 64), strict=False))
    return address


def _plain(address: str) -> str:
    """IPv4 in an IPv6 socket as IPv4."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:_LONGEST]
    return str(found.ipv4_mapped) if isinstance(found, IPv6Address) and found.ipv4_mapped else str(found)

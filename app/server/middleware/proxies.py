"""The client's address: of the connection, or behind a trusted proxy, of the machine before it."""

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
    """Address of the connected machine."""
    client = scope.get("client")
    return _plain(client[0]) if client else ""


def is_trusted(address: str) -> bool:
    """Whether an address is one of `trusted_proxies`."""
    try:
        return any(ip_address(address) in network for network in server().trusted_proxies)
    except ValueError:
        return False


def client_address(scope: Scope) -> str:
    """The client's address: the last entry of X-Forwarded-For that is not a trusted proxy's."""
    address, hops = peer(scope), ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    if hops != [""] and not is_trusted(address):
        _tell_of_proxy()
    while is_trusted(address) and hops:
        address = _plain(hops.pop().strip()) or address
    return address


@cache
def _tell_of_proxy() -> None:
    """Logged once: behind a proxy that is not trusted, all visitors count as one client."""
    _LOG.warning("X-Forwarded-For is ignored, since its proxy is not trusted; add --trusted-proxy ADDRESS.")


def is_https(scope: Scope) -> bool:
    """Whether the browser's connection is encrypted. A false claim does no harm: the browser drops the cookies."""
    forwarded = Headers(scope=scope).get("x-forwarded-proto", "").partition(",")[0].strip()
    return scope.get("scheme") in ("https", "wss") or forwarded == "https"


def network_of(address: str) -> str:
    """The address that failed attempts count for; of IPv6 the /64 network, which usually belongs to one customer."""
    with suppress(ValueError):
        return str(IPv6Network((address, 64), strict=False))
    return address


def _plain(address: str) -> str:
    """Converts an IPv4-mapped IPv6 address to IPv4."""
    try:
        found = ip_address(address)
    except ValueError:
        return address[:_LONGEST]
    return str(found.ipv4_mapped) if isinstance(found, IPv6Address) and found.ipv4_mapped else str(found)

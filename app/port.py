"""Whether the port that was named can be served on."""

import errno
import socket

from likeness.errors import InputError


def check_port(address: str, port: int) -> None:
    """Raises InputError where another program listens there, or the address is none of this machine."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(address.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one whose server has just ended is free
            probe.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"The port {port} of {address} is taken; end what serves there, or name another one with --port.") from error
        raise InputError(
            f"Can't serve on {address}, port {port} ({(error.strerror or str(error)).lower()}); name others with --address and --port."
        ) from error

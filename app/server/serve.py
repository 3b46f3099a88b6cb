"""Starts the app's server: checks its settings, then runs Streamlit in this process. `likeness app` passes its options as JSON."""

import errno
import json
import logging
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.io import cache_dir, keep_folder_out, runs_dir
from server.accounts import read_accounts, read_tokens
from server.middleware.connections import use_own_connections
from server.settings import FORWARDED, VARIABLE, check_address, read_settings, server, settings_from


def serve(options: dict[str, Any]) -> None:
    """Serves the app until it is stopped.

    Args:
        options: address; port, None for the first free one; settings, a YAML file or None; and single settings, None if unset.

    Raises:
        InputError: invalid settings or password file, or an address that others can reach without `shared` or `trust_network`.
    """
    address, port, file = options.pop("address"), options.pop("port"), options.pop("settings")
    base = server() if file is None else read_settings(Path(file))  # overridden by options of the command line
    settings = settings_from(base.model_dump() | {name: value for name, value in options.items() if value is not None})
    check_address(address, settings)
    check_port(address, port or 0)
    if settings.auth is not None:
        read_accounts(settings.auth)
    if settings.program_tokens is not None:
        read_tokens(settings.program_tokens)
    os.environ[VARIABLE] = settings.as_text()
    arguments = ["run", str(Path(__file__).parent / "asgi.py"), "--server.address", address]
    arguments += ["--server.maxUploadSize", str(settings.max_upload_mb), "--logger.hideWelcomeMessage", "true"]
    os.environ[FORWARDED] = ""
    if settings.shared:
        os.umask(0o077)  # what is kept of visitors, and what it is computed from, only this server's user reads
        for folder in (cache_dir(), runs_dir()):
            with suppress(OSError):  # there is none yet, or it is another user's
                folder.chmod(0o700)
        # one computation takes half of the processors, and waits for its threads without turning in circles: several go on at once here
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 2) // 2)))
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    use_own_connections()
    if port:
        arguments += ["--server.port", str(port)]
    keep_folder_out()
    _run_streamlit(arguments)


def check_port(address: str, port: int) -> None:
    """Raises InputError if another program uses the port, or the address is not this machine's."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(address.strip("[]"), port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one whose server has just ended is free
            probe.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise InputError(f"The port {port} of {address} is in use; stop that program or choose another port with --port.") from error
        raise InputError(
            f"Can't serve on {address}, port {port} ({(error.strerror or str(error)).lower()}); choose others with --address and --port."
        ) from error


def _run_streamlit(arguments: list[str]) -> None:
    from streamlit import config
    from streamlit.web.cli import main

    # Streamlit obeys files of the current folder, too, whose options turn protections off and whose secrets become environment variables
    config.get_config_files = lambda name: [str(Path(__file__).parents[1] / ".streamlit" / name)]
    # once for each cached function that is imported before the server runs
    logging.getLogger("streamlit.runtime.caching.cache_data_api").addFilter(lambda record: not record.getMessage().startswith("No runtime found"))
    main(arguments, prog_name="streamlit")


if __name__ == "__main__":
    try:
        serve(json.loads(sys.argv[1]))
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2)

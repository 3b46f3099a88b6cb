"""The attack on a served app: messages over its WebSocket and addresses of its routes, drawn from seeds, and what was wrong with the answers."""

import random
import re
import time
from pathlib import Path
from urllib.parse import quote, urlencode

from app_server import AppServer
from fuzzing import Found
from messages import address, any_bytes, route, widget_states
from websocket_session import Session

_ROOT = f"{Path(__file__).resolve().parents[2]}/"
_HOME = "layout=PCA"  # the one that needs no waiting


def attack_pages(server: AppServer, seeds: range, until: float = float("inf")) -> tuple[int, list[Found]]:
    """Sends, for each page and seed, values for its widgets or an address with parameters; how many there were, and the tracebacks shown."""
    found: list[Found] = []
    sent = 0
    with Session(server.url) as visitor:
        visitor.rerun(query_string=_HOME)
        pages = dict(visitor.pages)
    for name, page in pages.items():
        with Session(server.url) as visitor:
            found += _shown(name, -1, visitor.rerun(query_string=_HOME, page_script_hash=page))
            for seed in seeds:
                if time.monotonic() > until:
                    return sent, found
                draw = random.Random(f"{name} {seed}")
                query = _HOME if draw.random() < 0.7 else urlencode(address(draw), doseq=True)
                states = widget_states(dict(visitor.widgets), draw)
                chosen = page if draw.random() < 0.95 else "no such page"
                try:
                    found += _shown(name, seed, visitor.rerun(query_string=query, page_script_hash=chosen, widget_states=states))
                except TimeoutError:
                    found.append(Found(f"page {name}", seed, f"no answer: {query!r}"))
                    break
                sent += 1
    return sent, found


def _shown(page: str, seed: int, errors: list[str]) -> list[Found]:
    return [Found(f"page {page or 'explore'}", seed, error) for error in errors]


def attack_socket(server: AppServer, seeds: range) -> None:
    """Sends what is no message at all; the server may close the connection, and must go on serving others."""
    for seed in seeds:
        draw = random.Random(f"socket {seed}")
        try:
            with Session(server.url) as visitor:
                for _ in range(draw.choice((1, 3))):
                    visitor.send(any_bytes(draw))
                visitor.rerun(query_string=_HOME)
        except Exception:  # closed, or no answer to what was no question
            continue


def attack_routes(server: AppServer, seeds: range) -> list[Found]:
    """Asks for addresses; an answer with status 500 or none is a defect."""
    found = []
    for seed in seeds:
        place = route(random.Random(f"route {seed}"))
        status = server.status(quote(place, safe="/?=&%"))
        if not 200 <= status < 500:
            found.append(Found("route", seed, f"status {status}: {place[:200]!r}"))
    return found


def aftermath(server: AppServer) -> list[Found]:
    """What is wrong with the server after an attack: it has ended, does not serve a new visitor, or has logged a traceback."""
    found = []
    if not server.is_up:
        return [Found("server", 0, f"it has ended: {server.log()[-2000:]}")]
    with Session(server.url) as visitor:
        found += _shown("explore, after all", 0, visitor.rerun(query_string=_HOME))
        if not visitor.widgets:
            found.append(Found("server", 0, "a new visitor sees no widget"))
    return found + [Found("log", 0, each) for each in own_tracebacks(server.log())]


def own_tracebacks(log: str) -> list[str]:
    """Tracebacks in a log whose error arose in this project's code, or in what that called, and not in Streamlit's own answer to nonsense."""
    blocks = [f"Traceback{block}" for block in log.split("Traceback")[1:]]
    return [block[:4000] for block in blocks if _is_own(re.findall(r'File "([^"]+)"', block))]


def _is_own(files: list[str]) -> bool:
    deciding = [file for file in files if "/streamlit/" in file or (file.startswith(_ROOT) and "/site-packages/" not in file)]
    return bool(deciding) and "/site-packages/" not in deciding[-1]

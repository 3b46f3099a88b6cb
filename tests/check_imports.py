"""Which package of the library takes names from which: `python tests/check_imports.py` prints the edges, and fails where one runs upward.

Every import counts: at the top of a file, inside a function, for types alone. The packages stand in ORDER, the ground first; each may import only
those before it, and only what their `__init__` names. Modules may not import each other in a circle either.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

CORE = Path(__file__).resolve().parents[1] / "core"
APP = CORE.parent / "app"

# The packages and modules of core by layer, the ground first, in the order in which they may import each other; docs/architecture.svg draws them.
LAYERS: dict[str, tuple[str, ...]] = {
    "base": ("errors", "defaults", "options", "progress", "registry", "threads", "io", "compiled", "arrays"),
    "images and models": ("words", "data", "encoders", "language", "labels"),
    "the papers' mathematics, and search": ("notions", "presence", "search", "evaluation", "samplers", "losses", "shifts"),
    "views of a space": ("projection", "saliency", "plots"),
    "the space": ("encoder_fingerprint", "encoder_functions", "notion_trust", "reasons", "space", "joined_spaces", "joined_texts", "embedding"),
    "notions, checked and found": ("encoder_check", "found_notions", "changed_place", "sentences", "clicked_notion"),
    "work on a whole collection": ("tagging", "duplicates", "spreading", "cutoffs", "clusters", "slices", "comparisons"),
    "training, exports, studies, reports": ("training", "exports", "studies", "reports"),
    "entry points": ("door", "commands"),
}
ORDER = tuple(name for layer in LAYERS.values() for name in layer)
Edge = tuple[str, str]


def modules(root: Path, pattern: str = "likeness/**/*.py") -> dict[str, Path]:
    """Dotted name -> file of every module of the library, or of another folder from which modules are imported."""
    return {".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): file for file in sorted(root.glob(pattern))}


def imports(name: str, file: Path, known: dict[str, Path]) -> set[str]:
    """The library's modules that a module imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in known}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module in known:
            found |= {f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in known else node.module for alias in node.names}
    return found - {name}


def deep(name: str, file: Path, known: dict[str, Path]) -> list[str]:
    """What a module, or a file of the app, takes from inside of another package instead of from its `__init__`, a sentence each."""
    taken = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom) and not node.level]
    inside = {node.module for node in taken if node.module in known and known[node.module].name != "__init__.py"}
    return [f"{name} imports {module}, which is inside of {package(module)}" for module in sorted(inside) if _is_deep(name, module)]


def _is_deep(name: str, module: str) -> bool:
    return package(module) != package(name) and module.count(".") > 1 and name != "likeness.__main__"


def package(module: str) -> str:
    """The package, or the module that stands beside packages, below `likeness`."""
    return module.split(".")[1] if "." in module else ""


def package_edges(graph: dict[str, set[str]]) -> Counter[Edge]:
    """How many imports lead from a package to another; the door's own file and `__main__` stand above all."""
    pairs = ((package(module), package(target)) for module, targets in graph.items() for target in targets)
    return Counter((here, there) for here, there in pairs if here != there and here not in ("", "__main__"))


def upward(edges: Counter[Edge]) -> list[str]:
    """What is wrong with edges between packages, a sentence each."""
    level = {name: place for place, name in enumerate(ORDER)}
    unknown = sorted({name for edge in edges for name in edge} - set(ORDER))
    wrong = [f"{name} stands nowhere in ORDER" for name in unknown]
    return wrong + [f"{here} imports {there}, which stands above it" for here, there in sorted(edges) if level.get(here, 99) <= level.get(there, 0)]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other in a circle: strongly connected components of more than one (Tarjan, SIAM J. Comput. 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            ring = [stack.pop()]
            while ring[-1] != node:
                ring.append(stack.pop())
            if len(ring) > 1:
                found.append(sorted(ring))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def beyond(name: str, file: Path, forbidden: str) -> list[str]:
    """A sentence where a module imports something of what stands above it."""
    taken = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Import | ast.ImportFrom)]
    named = {(node.module or "") * (not node.level) if isinstance(node, ast.ImportFrom) else alias.name for node in taken for alias in node.names}
    return [f"{name} imports {forbidden}, which stands above it"] if any(each.split(".")[0] == forbidden for each in named) else []


def core_graph() -> dict[str, set[str]]:
    """What each module of the library imports of it. The door names everything, and nothing imports it for its names, so it is left out."""
    known = modules(CORE)
    return {name: imports(name, file, known) - {"likeness"} for name, file in known.items() if name != "likeness"}


def main() -> int:
    """Prints the edges between packages and what is wrong; 1 where something is."""
    known, app, graph = modules(CORE), modules(APP, "**/*.py"), core_graph()
    edges = package_edges(graph)
    for here in reversed(ORDER):
        targets = [f"{there} {edges[here, there]}" for there in reversed(ORDER) if edges[here, there]]
        print(f"{here:10} -> {', '.join(targets)}")
    rings = circles(graph) + circles({name: imports(name, file, app) for name, file in app.items()})
    wrong = upward(edges) + [f"these import each other in a circle: {', '.join(ring)}" for ring in rings]
    wrong += [each for name, file in (known | app).items() for each in beyond(name, file, "experiments")]
    inside = [each for name, file in (known | app).items() for each in deep(name, file, known)]
    print(
        f"{len(edges)} edges between {len(ORDER)} packages; {len(wrong)} upward or in a circle; {len(inside)} past an __init__",
        *wrong,
        *inside,
        sep="\n",
    )
    wrong += inside
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

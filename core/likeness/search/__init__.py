"""Finding what is nearest in a space, exactly or through an index, and how far two spaces agree on it."""

from likeness.search.agreement import expected_overlap, overlap, overlap_per_row
from likeness.search.calibration import Calibration, calibrate_nprobe
from likeness.search.composed_query import Query, parse_query
from likeness.search.composed_search import FindCandidates, LookAround, reference_rows, search_composed
from likeness.search.engine import Index, IndexEngine, IndexSearch, LocalSearch
from likeness.search.engines import ENGINES, build_index, find_engine, open_index
from likeness.search.hits import Hits
from likeness.search.indexed_search import IndexedSearch
from likeness.search.ivf_index import IVFIndex
from likeness.search.lance_index import LanceIndex, write_lance
from likeness.search.neighbors import Neighbors, nearest, scan
from likeness.search.notion_search import NotionSearch
from likeness.search.reach import checked_exclude
from likeness.search.search_plan import Plan, plan
from likeness.search.term_fusion import TermStatistics, all_hold, term_statistics

__all__ = [
    "ENGINES",
    "Calibration",
    "FindCandidates",
    "Hits",
    "IVFIndex",
    "Index",
    "IndexEngine",
    "IndexSearch",
    "IndexedSearch",
    "LanceIndex",
    "LocalSearch",
    "LookAround",
    "Neighbors",
    "NotionSearch",
    "Plan",
    "Query",
    "TermStatistics",
    "all_hold",
    "build_index",
    "calibrate_nprobe",
    "checked_exclude",
    "expected_overlap",
    "find_engine",
    "nearest",
    "open_index",
    "overlap",
    "overlap_per_row",
    "parse_query",
    "plan",
    "reference_rows",
    "scan",
    "search_composed",
    "term_statistics",
    "write_lance",
]

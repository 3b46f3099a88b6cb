"""Finding what is nearest in a space, exactly or through an index, and how far two spaces agree on it."""

from likeness.search.agreement import expected_overlap, overlap, overlap_per_row
from likeness.search.cell_survey import Survey, survey
from likeness.search.hits import Hits
from likeness.search.indexed_search import IndexedSearch
from likeness.search.lance_index import LanceIndex, write_lance
from likeness.search.neighbours import Neighbours, nearest, scan
from likeness.search.notion_search import NotionSearch
from likeness.search.raw_index import RawIndex, build_index, open_index
from likeness.search.search_plan import Plan, plan

__all__ = [
    "Hits",
    "IndexedSearch",
    "LanceIndex",
    "Neighbours",
    "NotionSearch",
    "Plan",
    "RawIndex",
    "Survey",
    "build_index",
    "expected_overlap",
    "nearest",
    "open_index",
    "overlap",
    "overlap_per_row",
    "plan",
    "scan",
    "survey",
    "write_lance",
]

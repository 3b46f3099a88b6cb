"""Nearest-neighbor search in spaces, exact or through an index, and agreement of spaces."""

from likeness.search.agreement import expected_overlap as expected_overlap, overlap as overlap
from likeness.search.composed_query import Query as Query, parse_query as parse_query
from likeness.search.composed_search import reference_rows as reference_rows, search_composed as search_composed
from likeness.search.hits import Hits as Hits
from likeness.search.indexed_search import IndexedSearch as IndexedSearch
from likeness.search.ivf_index import IVFIndex as IVFIndex, build_index as build_index, open_index as open_index
from likeness.search.neighbors import Neighbors as Neighbors, checked_exclude as checked_exclude, nearest as nearest, scan as scan
from likeness.search.notion_search import NotionSearch as NotionSearch
from likeness.search.rankings import (
    PRECISIONS as PRECISIONS,
    RANKINGS as RANKINGS,
    code_index as code_index,
    find_ranking as find_ranking,
    rank as rank,
)
from likeness.search.search_plan import calibrate_nprobe as calibrate_nprobe, plan as plan
from likeness.search.term_fusion import TermStatistics as TermStatistics, all_hold as all_hold, term_statistics as term_statistics

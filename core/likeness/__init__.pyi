__version__: str

from .data import ImageTable as ImageTable
from .door import concat as concat, load as load, maps as maps, read as read, report as report, train as train
from .embedding import embed as embed
from .errors import InputError as InputError
from .evaluation import metrics as metrics
from .exports import export as export
from .notions import Notion as Notion
from .search import Hits as Hits, Query as Query
from .space import Space as Space
from .studies import compare as compare

"""The tables and figures of the four papers on their own data, which need CLIP's weights and the datasets."""

from experiments.papers.session import CLIP as CLIP, Found as Found, Session as Session, Task as Task
from experiments.papers.tasks import HERE as HERE, TASKS as TASKS, tasks_of as tasks_of

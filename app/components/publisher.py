"""Arrays of a map on Streamlit's media route."""

from itertools import count

from addresses import address
from likeness.plots.linked_map import Publish


def streamlit_publisher(key: str) -> Publish:
    """Publishes through Streamlit's media route. The i-th array of a map replaces the i-th of the run before, which is then forgotten."""
    from streamlit.runtime import exists, get_instance

    places = count()

    def publish(content: bytes, name: str) -> str:
        if not exists():
            return ""
        url = get_instance().media_file_mgr.add(content, "application/octet-stream", f"{key}.{next(places)}", file_name=name)
        return address(url)

    return publish

"""Arrays of a map on Streamlit's media route."""

from itertools import count

from likeness.plots.linked_map import Publish


def streamlit_publisher(key: str) -> Publish:
    """Publishes through Streamlit's media route. The i-th array of a map replaces the i-th of the run before, which is then forgotten."""
    from streamlit import config
    from streamlit.runtime import exists, get_instance

    places = count()
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")

    def publish(content: bytes, name: str) -> str:
        if not exists():
            return ""
        url = get_instance().media_file_mgr.add(content, "application/octet-stream", f"{key}.{next(places)}", file_name=name)
        return f"/{base}{url}" if base else url

    return publish

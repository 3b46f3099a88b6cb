"""Who comes in at all: ASGI middleware that stands before Streamlit. `build_middleware` says which of it a server has."""

"""Who comes in at all: ASGI middleware that stands before Streamlit. `entrance` says which of it a server has."""

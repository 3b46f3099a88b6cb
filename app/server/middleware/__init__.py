"""ASGI middleware in front of Streamlit that decides who may use the app; `build_middleware` chooses it."""

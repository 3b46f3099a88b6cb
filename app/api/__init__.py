"""The app for programs: an HTTP API with an OpenAPI document, and MCP tools on top of the same operations. Off unless asked for."""

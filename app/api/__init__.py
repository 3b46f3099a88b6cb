"""The app for programs: an HTTP API with an OpenAPI document, and MCP tools for the same operations. Off by default."""

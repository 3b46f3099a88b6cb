"""The OpenAPI document (3.1) of all operations, made from their schemas."""

from functools import cache
from importlib.metadata import version
from typing import Any

from pydantic.json_schema import models_json_schema

from api.operation import PREFIX, Operation
from api.operations import OPERATIONS
from api.schemas import OfImage, ProblemDetails

REF = "#/components/schemas/{model}"
_ABOUT = (
    "Search images by text, by image or by both, in an encoder's space or in that of a notion; read and write labels. "
    "Show your token as `Authorization: Bearer TOKEN`. What is wrong is answered in one sentence, as application/problem+json."
)
_ERRORS = {
    "400": "What was asked does not fit the images.",
    "401": "No token, or a wrong one.",
    "403": "You may not do this.",
    "404": "No such address, dataset, image or notion.",
    "413": "The body is too large.",
    "415": "The body has another type.",
    "422": "An argument does not fit its schema.",
    "429": "Too much at once; `Retry-After` says when to ask again.",
}


@cache
def document() -> dict[str, Any]:
    """The document; a new one only with a new version."""
    models = {each.gives for each in OPERATIONS} | {ProblemDetails}
    _, schemas = models_json_schema([(model, "serialization") for model in sorted(models, key=lambda each: each.__name__)], ref_template=REF)
    components = dict(schemas["$defs"])
    paths: dict[str, Any] = {}
    for operation in OPERATIONS:
        paths.setdefault(f"/api{operation.path}", {})[operation.method.lower()] = _described(operation, components)
    paths[f"/api{PREFIX}/datasets/{{dataset}}/images/{{row}}/thumbnail"] = {"get": _thumbnail()}
    security = {"token": {"type": "http", "scheme": "bearer", "description": "A token that `likeness admin token` has drawn."}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Likeness", "version": version("likeness"), "description": _ABOUT},
        "servers": [{"url": ".."}],
        "tags": [{"name": name} for name in dict.fromkeys(each.topic for each in OPERATIONS)],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": security},
        "security": [{"token": []}],
    }


def input_schema(operation: Operation) -> dict[str, Any]:
    """The JSON schema of all arguments of an operation."""
    return operation.takes.model_json_schema()


def _described(operation: Operation, components: dict[str, Any]) -> dict[str, Any]:
    schema = operation.takes.model_json_schema(ref_template=REF)
    components |= schema.pop("$defs", {})
    fields = schema["properties"]
    required = set(schema.get("required", ()))
    found: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.topic],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [_parameter(name, fields[name], "path") for name in operation.in_path]
        + [_parameter(name, fields[name], "query", name in required) for name in operation.in_query],
        "responses": _responses({"application/json": {"schema": {"$ref": REF.format(model=operation.gives.__name__)}}}),
    }
    if operation.content:
        found["requestBody"] = {"required": True, "content": {"image/*": {}}}
    elif operation.method == "POST" and operation.elsewhere:
        body = {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: fields[name] for name in operation.elsewhere},
            "required": sorted(required & set(operation.elsewhere)),
        }
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return found


def _parameter(name: str, schema: dict[str, Any], place: str, required: bool = True) -> dict[str, Any]:
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {"name": name, "in": place, "required": required, "description": schema.get("description", ""), "schema": rest}


def _responses(content: dict[str, Any]) -> dict[str, Any]:
    wrong = {"application/problem+json": {"schema": {"$ref": REF.format(model=ProblemDetails.__name__)}}}
    return {"200": {"description": "The answer.", "content": content}} | {
        status: {"description": sentence, "content": wrong} for status, sentence in _ERRORS.items()
    }


def _thumbnail() -> dict[str, Any]:
    fields = OfImage.model_json_schema()["properties"]
    return {
        "operationId": "thumbnail",
        "tags": ["Images"],
        "summary": "A small picture of an image",
        "description": "A small picture of an image of a dataset, as WebP.",
        "parameters": [_parameter(name, fields[name], "path") for name in ("dataset", "row")],
        "responses": _responses({"image/webp": {}}),
    }

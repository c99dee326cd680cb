"""Writes `python/kohort/_generated.py` from the registries of the library: `python generate.py`.

`tests/test_generated.py` fails where the file is not what this would write.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import textwrap
from pathlib import Path
from typing import Any



def native() -> Any:
    """The native half alone: the package may not import before its generated module is there."""
    if "kohort._kohort" in sys.modules:
        return sys.modules["kohort._kohort"]
    package = importlib.util.find_spec("kohort")
    assert package is not None and package.submodule_search_locations is not None
    path = next(Path(package.submodule_search_locations[0]).glob("_kohort*.so"))
    spec = importlib.util.spec_from_file_location("_kohort", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILE = Path(__file__).parent / "python" / "kohort" / "_generated.py"
HEAD = '''"""Goals, ids and settings. Made from the registries of the library by `generate.py`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._goals import Goal

'''


def snake(name: str) -> str:
    return name.replace("-", "_")


def type_of(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    """The Python type of a field."""
    if "$ref" in schema:
        return type_of(defs[schema["$ref"].rpartition("/")[2]], defs)
    options = schema.get("anyOf", schema.get("oneOf"))
    if options:
        kinds = [type_of(option, defs) for option in options if option.get("type") != "null"]
        words = [kind[8:-1] for kind in kinds if kind.startswith("Literal[")]
        others = [kind for kind in kinds if not kind.startswith("Literal[")]
        literal = [f"Literal[{', '.join(words)}]"] if words else []
        return " | ".join(dict.fromkeys(literal + others)) or "Any"
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    kind = schema.get("type")
    kind = [one for one in kind if one != "null"][0] if isinstance(kind, list) else kind
    if kind == "array":
        return f"Sequence[{type_of(schema.get('items', {}), defs)}]"
    names = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "object": "Mapping[str, Any]"}
    return names.get(kind or "", "Any")


def item(schema: dict[str, Any], defs: dict[str, Any]) -> dict[str, Any]:
    """What one promise of a goal is made of: an object or a number."""
    while True:
        if "$ref" in schema:
            schema = defs[schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            resolved = [o for o in schema["anyOf"] if o.get("type") not in ("null", "array")]
            objects = [o for o in resolved if o.get("type") == "object"]
            schema = (objects or resolved)[0]
        else:
            return schema


def wrapped(text: str, indent: int) -> str:
    return textwrap.fill(" ".join(text.split()), 110, initial_indent=" " * indent, subsequent_indent=" " * (indent + 4))


def goal(model: dict[str, Any], schema: dict[str, Any], defs: dict[str, Any]) -> str:
    """A constructor."""
    found = item(schema, defs)
    docs = {parameter["name"]: parameter for parameter in model["parameters"]}
    if "properties" in found:
        properties, required = found["properties"], set(found.get("required", []))
        is_plain = False
    else:
        properties, required = {model["parameters"][0]["name"]: found}, {model["parameters"][0]["name"]}
        is_plain = True
    order = [p["name"] for p in model["parameters"] if p["name"] in properties]
    order += [name for name in properties if name not in order]
    first = [name for name in order if name in required and name != "attribute"]
    later = [name for name in order if name not in required and name != "attribute"]
    arguments = [f"{snake(n)}: {type_of(properties[n], defs)}" for n in first]
    keywords = []
    if "attribute" in properties:
        keywords.append("of: str" if "attribute" in required else "of: str | None = None")
    keywords += [f"{snake(n)}: {type_of(properties[n], defs)} | None = None" for n in later]
    if keywords:
        arguments += ["*", *keywords]
    lines = [f"def {snake(model['id'])}({', '.join(arguments)}) -> Goal:"]
    lines.append(f'    """{model["title"]}: {model["promise"]}')
    lines.append("")
    for name in [*first, *later]:
        doc = docs.get(name, {}).get("doc") or properties[name].get("description", "")
        limits = docs.get(name, {}).get("range")
        lines.append(wrapped(f"{snake(name)}: {doc}" + (f" ({limits})" if limits else ""), 4))
    if "attribute" in properties:
        lines.append(wrapped("of: " + properties["attribute"].get("description", "The sensitive attribute."), 4))
    lines += ["", wrapped(model["paper"], 4), '    """']
    if is_plain:
        lines.append(f'    return Goal("{model["id"]}", {snake(first[0])})')
    else:
        pairs = [f'"{n}": {snake(n)}' for n in [*first, *later]]
        if "attribute" in properties:
            pairs.append('"attribute": of')
        lines.append(f'    return Goal("{model["id"]}", {{{", ".join(pairs)}}})')
    return "\n".join(lines) + "\n"


def ids(name: str, title: str, items: list[dict[str, Any]]) -> str:
    words = ", ".join(json.dumps(one["id"]) for one in items)
    about = "\n".join(f"    {json.dumps(one['id'])}: {json.dumps(one['promise'], ensure_ascii=False)}," for one in items)
    return f"#: {title}\n{name} = Literal[{words}]\n#: What each of them promises.\n{name.upper()}S: dict[str, str] = {{\n{about}\n}}\n"


def text() -> str:
    found = native()
    registry, schema = json.loads(found.registry()), json.loads(found.schema())
    defs = schema["$defs"]
    goals = defs["Goal"]["properties"]
    parts = [HEAD]
    parts.append(ids("Algorithm", "Algorithms that make a release.", registry["algorithms"]))
    parts.append(ids("NestedAlgorithm", "Algorithms for nested records.", registry["nested_algorithms"]))
    parts.append(ids("Method", "Methods for series.", registry["methods"]))
    parts.append(ids("Metric", "Measures of loss and utility.", registry["metrics"]))
    parts.append(ids("Attack", "Attacks on a release.", registry["attacks"]))
    parts.append("\n")
    models = [model for model in registry["models"] if model["id"] in goals]
    parts += [goal(model, goals[model["id"]], defs) + "\n\n" for model in models]
    lines = ['class MethodFields(TypedDict, total=False):', '    """How a release is made: the `[method]` of a plan."""', ""]
    for name, field in sorted(defs["Method"]["properties"].items()):
        kind = "Algorithm" if name == "algorithm" else type_of(field, defs)
        lines += [f"    {snake(name)}: {kind}", f'    """{" ".join(field["description"].split())}"""']
    lines += ["", "", "class OutputFields(TypedDict, total=False):", '    """What a release looks like: the `[output]` of a plan."""', ""]
    for name in ("anatomy", "suppressed"):
        field = defs["Output"]["properties"][name]
        lines += [f"    {name}: {type_of(field, defs)}", f'    """{" ".join(field["description"].split())}"""']
    lines += ["", "", "class SeriesFields(TypedDict, total=False):", '    """How a series goes on: the `[series]` of a plan."""', ""]
    for name, field in defs["SeriesPlan"]["properties"].items():
        kind = 'Method | Literal["auto"]' if name == "method" else type_of(field, defs)
        lines += [f"    {snake(name)}: {kind}", f'    """{" ".join(field["description"].split())}"""']
    names = ", ".join(f'"{snake(model["id"])}"' for model in models)
    lines += ["", "", f"GOALS = ({names})", 'METHOD = frozenset(MethodFields.__annotations__)', 'OUTPUT = frozenset(OutputFields.__annotations__)']
    kinds = ["Algorithm", "Attack", "Method", "Metric", "NestedAlgorithm"]
    public = sorted([*kinds, *(f"{kind.upper()}S" for kind in kinds), *(snake(m["id"]) for m in models)])
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in public), "]"]
    parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")

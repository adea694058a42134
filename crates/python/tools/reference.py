"""Write the reference of the Python package from its docstrings.

    python reference.py PAGE [--check]
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import granum

HEAD = """# Reference of the Python package

This page is written by `cargo xtask python --docs` from the docstrings. Names that begin with an
underscore are not part of the interface. All quantities are in SI units, and quaternions are
[w, x, y, z].
"""


def main() -> int:
    path, text = Path(sys.argv[1]), page()
    if "--check" in sys.argv:
        if path.read_text(encoding="utf-8") == text:
            return 0
        print(f"{path} is outdated; run cargo xtask python --docs", file=sys.stderr)
        return 1
    path.write_text(text, encoding="utf-8")
    return 0


def page() -> str:
    parts = [HEAD]
    names = [name for name in granum.__all__ if name not in ("__version__", "examples")]
    functions = [name for name in names if not inspect.isclass(getattr(granum, name))]
    classes = [name for name in names if inspect.isclass(getattr(granum, name))]
    parts.append("## Functions\n")
    parts += [entry(3, f"granum.{name}", getattr(granum, name)) for name in functions]
    parts.append("## Classes\n")
    for name in classes:
        kind = getattr(granum, name)
        if not issubclass(kind, BaseException):
            parts.append(of_class(name, kind))
    parts.append("## Exceptions\n")
    for name in classes:
        kind = getattr(granum, name)
        if issubclass(kind, BaseException):
            bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
            parts.append(f"### {name}\n\nA subclass of {bases}.\n\n{doc(kind)}\n")
    return "\n".join(parts)


def of_class(name: str, kind: type) -> str:
    # Objects that only granum makes have no constructor to show.
    lines = [entry(3, f"granum.{name}", kind) if is_made_by_users(kind) else f"### granum.{name}\n\n{doc(kind)}\n"]
    fields = fields_of(kind)
    own = [member for base in kind.__mro__ if base.__module__.startswith("granum") for member in vars(base)]
    members = sorted({member for member in own if not member.startswith("_") and member not in fields})
    values = [member for member in members if not callable(getattr(kind, member))]
    listed = [f"- `{field}`: {text}" for field, text in fields.items()]
    listed += [f"- `{member}`: {doc(getattr(kind, member))}" for member in values]
    lines += ["\n".join(listed) + "\n"] if listed else []
    lines += [entry(4, f"{name}.{member}", getattr(kind, member)) for member in members if member not in values]
    return "\n".join(lines)


def is_made_by_users(kind: type) -> bool:
    return "__init__" in vars(kind) or any(base.__new__ is not object.__new__ for base in kind.__mro__[:-1])


def fields_of(kind: type) -> dict[str, str]:
    """Return the fields of a dataclass with the comments above them."""
    if not hasattr(kind, "__dataclass_fields__"):
        return {}
    found = re.findall(r"((?:^ +#: .*\n)+) +(\w+):", inspect.getsource(kind), re.MULTILINE)
    return {name: " ".join(line.strip()[3:] for line in comment.splitlines()) for comment, name in found}


def entry(level: int, name: str, item: object) -> str:
    return f"{'#' * level} {name}\n\n```python\n{name}{signature(item)}\n```\n\n{doc(item)}\n"


def signature(item: object) -> str:
    try:
        text = str(inspect.signature(item))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return "(...)"
    text = re.sub(r"\(self(, /)?(, )?", "(", text).replace("(/, ", "(").replace("(/)", "()")
    # Hidden arguments are not part of the interface.
    for hidden in ("*, _text=None, _file=None, ", ", *, _saved=None"):
        text = text.replace(hidden, "")
    # Types are in the stubs; defaults say enough here.
    text = re.sub(r": '[^']*'", "", text)
    text = re.sub(r"\) -> .*", ")", text)
    return re.sub(r"(\w+) = ", r"\1=", text)


def doc(item: object) -> str:
    text = inspect.getdoc(item) or ""
    return re.sub(r"((?:^>>> .*\n(?:^(?!>>>).+\n?)*)+)", fenced, text + "\n", flags=re.MULTILINE).strip()


def fenced(match: re.Match[str]) -> str:
    return f"```python\n{match.group(1).rstrip()}\n```\n"


if __name__ == "__main__":
    sys.exit(main())

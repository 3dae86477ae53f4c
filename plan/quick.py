"""A quicker constructor for the frozen dataclasses that are made by the thousand."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick(cls: type[T]) -> type[T]:
    """Give a frozen, slotted dataclass a constructor that stores into its slots directly.

    The generated one has ``object.__setattr__`` find each slot by its name again, which is
    most of what it costs to make one. What the constructor takes and does is the same.

    Raises:
        TypeError: the class asks for more than storing: a factory or ``__post_init__``.
    """
    given: list[str] = []
    stored: list[str] = []
    known: dict[str, Any] = {}
    for field in fields(cls):  # type: ignore[arg-type]  # any dataclass, which no bound can say
        name = field.name
        if field.default_factory is not MISSING or hasattr(cls, "__post_init__"):
            raise TypeError(f"{cls.__name__}: more than plain fields")
        known[f"put_{name}"] = vars(cls)[name].__set__
        value = name
        if field.default is not MISSING:
            known[f"default_{name}"] = field.default
            value = f"default_{name}"
        if field.init:
            given.append(name if value == name else f"{name}={value}")
            value = name
        stored.append(f"    put_{name}(self, {value})")
    made: dict[str, Any] = {}
    # As `dataclasses` does it: only source text gives a function arguments with these names.
    exec("\n".join([f"def __init__(self, {', '.join(given)}):", *stored]), known, made)
    init = made["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = cls.__init__.__annotations__
    cls.__init__ = init  # type: ignore[method-assign]  # that is the whole purpose
    return cls

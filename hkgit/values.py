"""What `dataclasses` and `typing` do for values, at a fraction of their cost at start-up.

`import dataclasses` loads `inspect` and all behind it, and each class compiles its methods when it
is defined; `typing` takes half a start, for names that mean nothing once a program runs. Here a
class compiles its `__init__` only when it makes more than a few values: most of what a command
loads it makes once or never. `dataclasses.replace`, `fields` and `asdict` know these
values.

In starts of the interpreter, with `dataclasses` in its place: an agent's hook takes 11.8 instead of
5.5, the gate's at a commit 12.8 instead of 6.6, `hkgit apply --dry-run` 17.5 instead of 9.4.
"""

from __future__ import annotations

from operator import attrgetter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from dataclasses import asdict, dataclass, field, replace
    from functools import cached_property
    from typing import Any, Generic, Protocol, TypeVar, cast

__all__ = [
    "Any",
    "Generic",
    "Protocol",
    "TypeVar",
    "asdict",
    "cached_property",
    "cast",
    "dataclass",
    "defaults_of",
    "field",
    "fields_of",
    "replace",
]

_SPECS = "__value_fields__"

_MOST_UNCOMPILED = 16
"""Values of a class that are made before its `__init__` is compiled, which takes as long."""


class _Absent:
    """No default."""


class Default:
    """What `field` says of one field, by name; the rest is as here."""

    default: Any = _Absent
    default_factory: Any = _Absent
    repr = compare = True

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


def fields_of(cls: type) -> tuple[str, ...]:
    """List the names of the fields of a class of values."""
    return tuple(getattr(cls, _SPECS))


def defaults_of(cls: type) -> dict[str, Any]:
    """Map the fields that may be left out to what they are then; none has a factory."""
    specs = getattr(cls, _SPECS).items()
    return {name: spec.default for name, spec in specs if spec.default is not _Absent}


def _decorate(
    cls: type | None = None, *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> Any:
    """Do what `dataclasses.dataclass` does, as far as hkgit needs it."""
    if cls is None:
        return lambda found: _decorate(found, frozen=frozen, slots=slots, eq=eq)
    own = dict(_own_specs(cls))
    specs = {**_inherit(cls), **own}
    for name, spec in own.items():  # the class keeps the defaults, and nothing in their place
        if spec.default is not _Absent:
            setattr(cls, name, spec.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    if slots:
        cls = _with_slots(cls, specs)
    setattr(cls, _SPECS, specs)
    methods = _methods(cls, specs, frozen=frozen, eq=eq)
    for name, method in methods.items():
        if name not in cls.__dict__ or (name == "__hash__" and cls.__dict__[name] is None):
            setattr(cls, name, method)
    return cls


def _own_specs(cls: type) -> Iterator[tuple[str, Default]]:
    for name, kind in cls.__annotations__.items():
        if not str(kind).startswith(("ClassVar", "typing.ClassVar")):
            given = cls.__dict__.get(name, _Absent)
            yield name, given if isinstance(given, Default) else Default(default=given)


def _inherit(cls: type) -> dict[str, Default]:
    specs: dict[str, Default] = {}
    for base in reversed(cls.__mro__[1:]):
        specs.update(base.__dict__.get(_SPECS, {}))
    return specs


def _with_slots(cls: type, specs: Mapping[str, Default]) -> type:
    """The class made again with a slot for each field, which no class can get later."""
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    dropped = {*specs, "__dict__", "__weakref__"}
    left = {name: each for name, each in cls.__dict__.items() if name not in dropped}
    left["__slots__"] = tuple(name for name in specs if name not in taken)
    slotted = type(cls)(cls.__name__, cls.__bases__, left)
    slotted.__qualname__ = cls.__qualname__
    return slotted


def _methods(cls: type, specs: Mapping[str, Default], *, frozen: bool, eq: bool) -> dict[str, Any]:
    names = tuple(specs)
    compared = tuple(name for name in names if specs[name].compare)
    get = attrgetter(*compared) if compared else lambda self: ()
    methods: dict[str, Any] = {
        "__init__": _init_of(cls, specs, frozen=frozen),
        "__repr__": _repr,
        "__match_args__": names,
        "__dataclass_fields__": _Fields(),
        "__dataclass_params__": _Params(frozen=frozen),
    }
    if hasattr(cls, "__slots__"):  # else what is cached beside the fields goes along
        methods["__getstate__"] = lambda self: [getattr(self, name) for name in names]
        methods["__setstate__"] = lambda self, state: _restore(self, names, state)
    if eq:
        methods["__eq__"] = lambda self, other: (
            get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented
        )
        methods["__hash__"] = (lambda self: hash(get(self))) if frozen else None
    if frozen:
        methods |= dict.fromkeys(("__setattr__", "__delattr__"), _refuse)
    return methods


def _init_of(cls: type, specs: Mapping[str, Default], *, frozen: bool) -> Callable[..., None]:
    """An `__init__` that reads its arguments by itself, and compiles another after a few values."""
    names = tuple(specs)
    count = 0

    def make_one(self: object, *args: object, **named: object) -> None:
        nonlocal count
        count += 1
        given = dict(zip(names, args)) | named  # noqa: B905 - what is too much is seen below
        is_known = len(given) == len(args) + len(named) and named.keys() <= specs.keys()
        if count == _MOST_UNCOMPILED or not is_known or not _fill(self, specs, given):
            compiled = _compile_init(cls, specs, frozen=frozen)
            cls.__init__ = compiled  # type: ignore[misc]  # a class may replace its own
            compiled(self, *args, **named)  # says what is wrong with the arguments, too

    return make_one


def _fill(self: object, specs: Mapping[str, Default], given: Mapping[str, object]) -> bool:
    """Set every field of a new value; False, with none set, where one has no value."""
    values = [
        given[name]
        if name in given
        else spec.default
        if spec.default_factory is _Absent
        else spec.default_factory()
        for name, spec in specs.items()
    ]
    if any(value is _Absent for value in values):
        return False
    for name, value in zip(specs, values, strict=True):
        object.__setattr__(self, name, value)
    if hasattr(self, "__post_init__"):
        self.__post_init__()
    return True


def _compile_init(cls: type, specs: Mapping[str, Default], *, frozen: bool) -> Callable[..., None]:
    """The method as one would write it by hand."""
    known: dict[str, object] = {"_set": object.__setattr__, "_absent": _Absent}
    parameters, lines = ["self"], []
    for name, spec in specs.items():
        value, default = name, ""
        if spec.default is not _Absent:
            default, known[f"_of_{name}"] = f"=_of_{name}", spec.default
        elif spec.default_factory is not _Absent:
            default, known[f"_of_{name}"] = "=_absent", spec.default_factory
            value = f"_of_{name}() if {name} is _absent else {name}"
        parameters.append(f"{name}{default}")
        if not frozen:
            lines.append(f"self.{name} = {value}")
        elif hasattr(cls.__dict__.get(name), "__set__"):  # a slot, which is quicker to set so
            known[f"_set_{name}"] = cls.__dict__[name].__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)
    init: Any = known["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init  # type: ignore[no-any-return]  # what `exec` defined has no type


def _repr(self: Any) -> str:
    specs = getattr(self, _SPECS)
    shown = (f"{name}={getattr(self, name)!r}" for name, each in specs.items() if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _restore(self: object, names: tuple[str, ...], state: list[object]) -> None:
    for name, value in zip(names, state, strict=True):
        object.__setattr__(self, name, value)


def _refuse(self: object, name: str, *value: object) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


class _Fields:
    """Gives `dataclasses` its own description of the fields, made when it asks."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        from hkgit.fields import describe_fields

        return describe_fields(owner, getattr(owner, _SPECS), _Absent)


class _Params:
    """What `dataclasses` asks of a class that another one of its own builds on."""

    def __init__(self, *, frozen: bool) -> None:
        self.frozen = frozen


def _replace(value: Any, /, **changes: object) -> Any:
    """The value with other fields, as `dataclasses.replace` gives it."""
    for name in getattr(value, _SPECS):
        if name not in changes:
            changes[name] = getattr(value, name)
    return value.__class__(**changes)


def _asdict(value: Any) -> Any:
    """The fields of a value by name, as of `dataclasses.asdict`; what has no fields is shared."""
    if hasattr(value, _SPECS):
        return {name: _asdict(getattr(value, name)) for name in getattr(value, _SPECS)}
    if isinstance(value, list | tuple):
        return type(value)(map(_asdict, value))
    if isinstance(value, dict):
        return {_asdict(key): _asdict(each) for key, each in value.items()}
    return value


class _Cached:
    """A property that is computed once, without the lock that Python had before 3.12."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        found = instance.__dict__[self._name] = self._compute(instance)
        return found


class _Generic:
    """What types say of each other is for their checker: at run time it means nothing."""

    def __class_getitem__(cls, kind: object) -> type:
        return cls


def _ignore(*said: object, **more: object) -> object:
    return said[-1]


if not TYPE_CHECKING:
    Any, Protocol, Generic, TypeVar, cast = object, object, _Generic, _ignore, _ignore
    asdict, dataclass, field, replace = _asdict, _decorate, Default, _replace
    cached_property = _Cached

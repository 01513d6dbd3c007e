"""values.py: what `dataclasses` does for values, at a fraction of its cost at start-up.

`import dataclasses` loads `inspect` and all behind it, and each class compiles its methods when it
is defined. Here a class compiles its `__init__` only when it makes more than a few values: most of
what a command loads it makes once or never. `dataclasses.replace`, `fields` and `asdict` know these
values.
"""

from __future__ import annotations

from operator import attrgetter, ge, gt, le, lt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from dataclasses import asdict, dataclass, field, replace
    from re import compile as late_pattern
    from typing import Any

__all__ = ["asdict", "dataclass", "field", "late_pattern", "replace"]

_SPECS = "__value_fields__"

_MOST_UNCOMPILED = 16
"""Values of a class that are made before its `__init__` is compiled, which takes as long."""


class _Absent:
    """No default."""


class Default:
    """What `field` says of one field."""

    __slots__ = ("compare", "default", "default_factory", "repr")

    def __init__(
        self,
        *,
        default: object = _Absent,
        default_factory: object = _Absent,
        repr: bool = True,
        compare: bool = True,
    ) -> None:
        self.default = default
        self.default_factory = default_factory
        self.repr = repr
        self.compare = compare


def _decorate(
    cls: type | None = None,
    *,
    frozen: bool = False,
    slots: bool = False,
    order: bool = False,
    eq: bool = True,
) -> Any:
    """Do what `dataclasses.dataclass` does, as far as hkgit needs it."""
    if cls is None:
        return lambda found: _decorate(found, frozen=frozen, slots=slots, order=order, eq=eq)
    own = dict(_own_specs(cls))
    specs = {**_inherit(cls), **own}
    for name in own:
        _take_default(cls, name, own[name])
    if slots:
        cls = _with_slots(cls, specs)
    setattr(cls, _SPECS, specs)
    methods = _methods(cls, specs, frozen=frozen, order=order, eq=eq)
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


def _take_default(cls: type, name: str, spec: Default) -> None:
    """Leave on the class what a default is, and nothing where there is none."""
    if spec.default is not _Absent:
        setattr(cls, name, spec.default)
    elif name in cls.__dict__:
        delattr(cls, name)


def _with_slots(cls: type, specs: Mapping[str, Default]) -> type:
    """The class made again with a slot for each field, which no class can get later."""
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    left = {name: each for name, each in cls.__dict__.items() if name not in specs}
    for name in ("__dict__", "__weakref__"):
        left.pop(name, None)
    left["__slots__"] = tuple(name for name in specs if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, left)
    made.__qualname__ = cls.__qualname__
    return made


def _methods(
    cls: type, specs: Mapping[str, Default], *, frozen: bool, order: bool, eq: bool
) -> dict[str, object]:
    names = tuple(specs)
    compared = tuple(name for name in names if specs[name].compare)
    get = attrgetter(*compared) if compared else lambda self: ()
    methods: dict[str, object] = {
        "__init__": _init_of(cls, specs, frozen=frozen),
        "__repr__": _repr,
        "__match_args__": names,
        "__dataclass_fields__": _Fields(),
        "__dataclass_params__": _Params(frozen=frozen, order=order, eq=eq),
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": lambda self, state: _restore(self, names, state),
    }
    if not hasattr(cls, "__slots__"):  # what is cached beside the fields goes along
        del methods["__getstate__"], methods["__setstate__"]
    if eq:
        methods["__eq__"] = lambda self, other: (
            get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented
        )
        methods["__hash__"] = (lambda self: hash(get(self))) if frozen else None
    if order:
        methods |= {f"__{each.__name__}__": _ordering(each, get) for each in (lt, le, gt, ge)}
    if frozen:
        methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    return methods


def _init_of(cls: type, specs: Mapping[str, Default], *, frozen: bool) -> Callable[..., None]:
    """An `__init__` that reads its arguments by itself, and compiles another after a few values."""
    names = tuple(specs)
    made = 0

    def make_one(self: object, *args: object, **named: object) -> None:
        nonlocal made
        made += 1
        given = dict(zip(names, args)) | named  # noqa: B905 - what is too much is seen below
        is_known = len(given) == len(args) + len(named) and named.keys() <= specs.keys()
        if made == _MOST_UNCOMPILED or not is_known or not _fill(self, specs, given):
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
        else spec.default_factory()  # type: ignore[operator]  # it makes the value
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
        parameters.append(name)
        value = name
        if spec.default is not _Absent:
            known[f"_of_{name}"] = spec.default
            parameters[-1] += f"=_of_{name}"
        elif spec.default_factory is not _Absent:
            known[f"_of_{name}"] = spec.default_factory
            parameters[-1] += "=_absent"
            value = f"_of_{name}() if {name} is _absent else {name}"
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {body}", known)
    made: Any = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made  # type: ignore[no-any-return]  # what `exec` defined has no type


def _repr(self: Any) -> str:
    specs = getattr(self, _SPECS)
    told = (f"{name}={getattr(self, name)!r}" for name, each in specs.items() if each.repr)
    return f"{self.__class__.__qualname__}({', '.join(told)})"


def _ordering(than: Callable[[Any, Any], bool], get: Callable[[Any], Any]) -> object:
    return lambda self, other: (
        than(get(self), get(other)) if other.__class__ is self.__class__ else NotImplemented
    )


def _restore(self: object, names: tuple[str, ...], state: list[object]) -> None:
    for name, value in zip(names, state, strict=True):
        object.__setattr__(self, name, value)


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise _frozen(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise _frozen(f"cannot delete field {name!r}")


def _frozen(words: str) -> Exception:
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(words)


class _Fields:
    """Gives `dataclasses` its own description of the fields, made when it asks."""

    def __get__(self, instance: object, owner: type) -> dict[str, Any]:
        import dataclasses

        absent = dataclasses.MISSING
        found = {}
        for name, spec in getattr(owner, _SPECS).items():
            factory: Any = absent if spec.default_factory is _Absent else spec.default_factory
            made: Any = dataclasses.field(
                default=absent if spec.default is _Absent else spec.default,
                default_factory=factory,
                repr=spec.repr,
                compare=spec.compare,
            )
            # What `dataclasses` keeps in a field is not in its stubs.
            made.name, made._field_type = name, dataclasses._FIELD  # type: ignore[attr-defined]
            made.type = _annotation(owner, name)
            found[name] = made
        return found


def _annotation(owner: type, name: str) -> object:
    from inspect import get_annotations

    found = map(get_annotations, owner.__mro__)
    return next((each[name] for each in found if name in each), None)


class _Params:
    """What `dataclasses` wants to know of a class that another one of its own builds on."""

    def __init__(self, **given: bool) -> None:
        self.__dict__.update(given)


def _replace(value: Any, /, **changes: object) -> Any:
    """The value with other fields, as `dataclasses.replace` gives it."""
    for name in getattr(value, _SPECS):
        if name not in changes:
            changes[name] = getattr(value, name)
    return value.__class__(**changes)


def _asdict(value: Any) -> Any:
    """The fields of a value by name, as `dataclasses.asdict` gives them; other values as they are.

    Tuples and lists stay so, and dictionaries; everything else is shared, not copied.
    """
    if hasattr(value, _SPECS):
        return {name: _asdict(getattr(value, name)) for name in getattr(value, _SPECS)}
    if isinstance(value, list | tuple):
        return type(value)(map(_asdict, value))
    if isinstance(value, dict):
        return {_asdict(key): _asdict(each) for key, each in value.items()}
    return value


def _late_pattern(source: str | bytes, flags: int = 0) -> Any:
    """A regular expression of a module, which few of those that load the module ever use.

    To compile all of them takes a hook more than two starts of the interpreter.
    """
    return _Late(source, int(flags))


class _Late:
    """A regular expression that is compiled when it is first asked for anything."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self._given = (source, flags)

    def __getattr__(self, name: str) -> Any:
        source, flags = self._given
        if name == "pattern":
            return source
        import re

        compiled: Any = re.compile(source, flags)
        found = getattr(compiled, name)
        setattr(self, name, found)
        return found


if not TYPE_CHECKING:
    late_pattern = _late_pattern
    asdict, dataclass, field, replace = _asdict, _decorate, Default, _replace

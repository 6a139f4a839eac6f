"""Whether parsed JSON is what a TypedDict says."""

from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


class Mismatch(Exception):
    """Where in the JSON, and what should be there."""


def check(value: object, expected: object, where: str = "") -> None:
    """Raises Mismatch unless value is of the type expected: a TypedDict, list, dict, Literal, union
    with None, plain type, or number Annotated "above 0". Unknown keys are let through."""
    if is_typeddict(expected):
        _check_record(value, expected, where)
    elif get_origin(expected) in _CHECKS:
        _CHECKS[get_origin(expected)](value, get_args(expected), where)
    else:
        _check_plain(value, expected, where)


def _check_record(value: object, expected: type, where: str) -> None:
    _check_plain(value, dict, where)
    for key, hint in get_type_hints(expected, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        if key in value:
            check(value[key], get_args(hint)[0] if optional else hint, _inside(where, key))
        elif not optional:
            raise Mismatch(f"{_inside(where, key)} is missing")


def _check_list(value: object, arguments: tuple[Any, ...], where: str) -> None:
    _check_plain(value, list, where)
    for index, item in enumerate(value):
        check(item, arguments[0], f"{where}[{index}]")


def _check_dict(value: object, arguments: tuple[Any, ...], where: str) -> None:
    _check_plain(value, dict, where)
    for key, item in value.items():
        check(item, arguments[1], _inside(where, key))


def _check_literal(value: object, arguments: tuple[Any, ...], where: str) -> None:
    if value not in arguments:
        raise Mismatch(f"{where} is {value!r}, not one of {', '.join(map(str, arguments))}")


def _check_optional(value: object, arguments: tuple[Any, ...], where: str) -> None:
    """Unions here are of one type and None."""
    if value is not None:
        check(value, next(kind for kind in arguments if kind is not NoneType), where)


def _check_positive(value: object, arguments: tuple[Any, ...], where: str) -> None:
    kind, limit = arguments
    _check_plain(value, kind, where)
    if value <= 0:
        raise Mismatch(f"{where} is not {limit}")


def _check_plain(value: object, expected: type, where: str) -> None:
    accepted = (int, float) if expected is float else expected
    if not isinstance(value, accepted) or (isinstance(value, bool) and expected is not bool):
        raise Mismatch(f"{where or 'the whole'} is not {_WORDS[expected]}")


def _inside(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


_CHECKS = {
    list: _check_list,
    dict: _check_dict,
    Literal: _check_literal,
    Union: _check_optional,
    UnionType: _check_optional,
    Annotated: _check_positive,
}
_WORDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}

"""The data of flexible bodies in the parameters: numbers, or symbols where these are asked for.

    m_<body>, s_<body>_x, J_<body>_xx   mass, mass moment, inertia less that of rotors: about the joint, undeformed
    k_<body>_1, d_<body>_1_1            modal stiffness and damping, 1/s^2 and 1/s
    root_<body>_x                       its root from the joint
    T_<body>_x1                         mean rotation by modal coordinates
    c_<body>_0x                         places of the points, undeformed; the first is the mass centre times sqrt m
    c1_<body>_0x1, c2_<body>_0x1_1      the same by modal coordinates, first and second derivatives
    E_<body>_1_1                        modal mass of the residual modes and of points along axes without a c2
    D2_<body>_x1_1, J2_<body>_xx1_1     residual angular momentum and inertia by modal coordinates, second derivatives
    p_<body>_<node>_x                   place of a node, undeformed, from the root
    Phi_<body>_<node>_x1, G_..._x1_1    its displacement in the mean axes by modal coordinates, first and second derivatives
    Psi_<body>_<node>_x1, H_..._x1_1    its rotation in the body likewise

in the notation of `kernels.bodies.modal` and `kernels.node`; with constant-mass speeds in axes of the root, J2 being that of
`kernels.constant_mass`.

The tables come out of eigenvectors and sums over elements, so that zeros of theirs hold rounding: an entry below 1e-13 of
the largest of its table, or of what the table is made of, is zero here: H is measured by products of two rotations, G by
those of a displacement and a rotation, c1, E, D2 and J2 by the modes' unit mass.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels.tables import Tables
from kaneflex.plan.plan import Plan
from kaneflex.structures.modes.mean_axes import COLUMNS, OF_POINTS, in_tiles
from kaneflex.symbolic.translate import ZERO

Expr = Any
ROUNDING = 1e-13
UNIT_SIZES = ({"c1"}, {"E"}, {"c2", "D2", "J2"})  # tables that mass-orthonormal modes are made of
AXES: tuple[str, ...] = ("x", "y", "z")
PAIRS: tuple[str, ...] = ("xx", "xy", "xz", "yy", "yz", "zz")
POINTS = tuple(f"{k}{a}" for k in range(4) for a in AXES)
FORMS = [("D2", a) for a in AXES] + [("c2", k) for k in POINTS] + [("J2", a) for a in PAIRS]


def put_modal_data(plan: Plan, tables: Tables, symbol: Callable[..., Expr] | None) -> None:
    """Fill the tables of all flexible bodies.

    Args:
        plan: whose numbers they are.
        tables: of the parameters, to be filled.
        symbol: what makes a symbol of a name, a value, and the names of the body and the node; None for numbers.
    """
    for body in plan.index.modes:
        for owner, of, number, fields in _groups(plan, body):
            row, target = getattr(plan.tables, of)[number], getattr(tables, of)[number]
            values = {field: np.ravel(getattr(row, field)).tolist() for field in fields}
            size = _sizes([pair for field, names in fields.items() for pair in zip(names, values[field], strict=True)])
            for field, names in fields.items():
                found = np.full(len(names), ZERO, object)
                for n, (name, value) in enumerate(zip(names, values[field], strict=True)):
                    if abs(value) > ROUNDING * size[_table(name)]:
                        found[n] = symbol(name, value, *owner) if symbol else _number(value)
                setattr(target, field, found.reshape(np.shape(getattr(row, field))))
        _share_inertia(plan, tables, body, symbol is not None)


def _table(name: str) -> str:
    """What stands before the body in the name of an entry."""
    return name.partition("_")[0]


def _sizes(entries: list[tuple[str, float]]) -> dict[str, float]:
    """What the entries of each table are measured by."""
    size: dict[str, float] = {}
    for name, value in entries:
        size[_table(name)] = max(size.get(_table(name), 0.0), abs(value))
    for group in UNIT_SIZES:
        size |= dict.fromkeys(group & size.keys(), max(1.0, *(size.get(name, 0.0) for name in group)))
    if "H" in size:
        size["H"] = max(size["H"], size["Psi"] ** 2)
    if "G" in size:
        size["G"] = max(size["G"], size["Phi"] * size["Psi"])
    return size


def _share_inertia(plan: Plan, tables: Tables, body: str, symbols: bool) -> None:
    """Square root of the mass, and the inertia before rotors were taken out, by what there is already."""
    row = plan.index.joints[body].row
    number = plan.tables.body[row].flexible
    own, target, values = tables.body[row], tables.modal[number], plan.tables.modal[number]
    root = symengine.sqrt(own.mass) if symbols else _number(float(values.root_mass))
    target.root_mass = root
    rotors = values.inertia - plan.tables.body[row].inertia
    target.inertia = [a + _number(float(b)) for a, b in zip(own.inertia, rotors, strict=True)]


def _number(x: float) -> Expr:
    return symengine.Integer(int(x)) if x.is_integer() else symengine.RealDouble(x)


def _groups(plan: Plan, body: str) -> Iterator[tuple[tuple[str, ...], str, int, dict[str, list[str]]]]:
    """Rows of a flexible body, then of its nodes: whose they are, table, number, names for the entries of their fields."""
    row, m, tables = plan.index.joints[body].row, plan.index.modes[body].modes, plan.tables
    flexible = tables.flexible[tables.body[row].flexible]
    yield (body,), "body", row, {"mass": [f"m_{body}"]}
    yield (body,), "body", row, {"mass_moment": [f"s_{body}_{a}" for a in AXES]}
    yield (body,), "body", row, {"inertia": [f"J_{body}_{a}" for a in PAIRS]}
    fields = {"k": [f"k_{body}_{i}" for i in range(1, m + 1)], "C": _pairs(f"d_{body}_", ("",), m)}
    fields |= _shape(body, m, flexible)
    yield (body,), "modal", tables.body[row].flexible, fields
    for (owner, node), at in plan.index.nodes.items():
        if owner == body and at < plan.header.bodies:  # those after are there for channels only
            fields = {"p": [f"p_{body}_{node}_{a}" for a in AXES]}
            fields |= _bent(f"{body}_{node}_", m, tables.node[tables.body[at].flexible])
            yield (body, node), "node_data", tables.body[at].flexible, fields


def _bent(of: str, m: int, node: Any) -> dict[str, list[str]]:
    """Names for the tables of a node, in the order of its slots."""
    parts = [("Psi", "H", a) for a in AXES] + [("Phi", "G", a) for a in AXES]
    order = [parts[n] for n in np.argsort(node.slot)]
    first = [name for letter, _, a in order for name in _singles(f"{letter}_{of}", (a,), m)]
    return {"first": first, "forms": _in_tiles(of, m, [(letter, a) for _, letter, a in order[6 - int(node.forms) :]])}


def _shape(body: str, m: int, flexible: Any) -> dict[str, list[str]]:
    """Names for the tables of a body as it deforms, columns and forms in the order of its slots."""
    there = [n for n in np.argsort(flexible.slot, kind="stable") if not int(flexible.zero) >> n & 1]
    points = sorted(range(len(POINTS)), key=lambda k: flexible.slot[OF_POINTS[k]])
    return {
        "root": [f"root_{body}_{a}" for a in AXES],
        "places": [f"c_{body}_{k}" for k in POINTS],
        "T": _singles(f"T_{body}_", AXES, m),
        "c1": _singles(f"c1_{body}_", (*(POINTS[k] for k in points), *[""] * (COLUMNS - len(points))), m),
        "E": _pairs(f"E_{body}_", ("",), m),
        "forms": _in_tiles(f"{body}_", m, [FORMS[n] for n in there if n < OF_POINTS.stop]),
        "residual": _in_tiles(f"{body}_", m, [FORMS[n] for n in there if n >= OF_POINTS.stop]),
    }


def _in_tiles(of: str, m: int, forms: list[tuple[str, str]]) -> list[str]:
    """Names of the entries of forms as the kernels have these, none for what is behind them."""
    names = [_pairs(f"{letter}_{of}", (axis,), m, letter != "D2") for letter, axis in forms]
    return list(in_tiles(np.array(names, object).reshape(len(forms), m, m)).astype(str).ravel())


def _singles(start: str, axes: tuple[str, ...], m: int) -> list[str]:
    return [f"{start}{a}{i}" for a in axes for i in range(1, m + 1)]


def _pairs(start: str, axes: tuple[str, ...], m: int, symmetric: bool = True) -> list[str]:
    """Names of entries by rows; the same for both halves of a symmetric table."""
    pairs = [(i, j) for i in range(1, m + 1) for j in range(1, m + 1)]
    return [f"{start}{a}{min(p) if symmetric else p[0]}_{max(p) if symmetric else p[1]}" for a in axes for p in pairs]


__all__ = ["put_modal_data"]

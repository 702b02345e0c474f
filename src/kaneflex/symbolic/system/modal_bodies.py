"""The data of flexible bodies in the parameters: numbers, or symbols where these are asked for.

    m_<body>, s_<body>_x, J_<body>_xx   mass, mass moment, inertia less that of rotors: about the joint, undeformed
    k_<body>_1, d_<body>_1_1            modal stiffness and damping, 1/s^2 and 1/s
    root_<body>_x                       its root from the joint
    T_<body>_x1                         mean rotation by modal coordinates
    c_<body>_0x                         places of the points, undeformed; the first is the mass centre times sqrt m
    c1_<body>_0x1, c2_<body>_0x1_1      the same by modal coordinates, first and second derivatives
    E_<body>_1_1                        residual modal mass
    D2_<body>_x1_1, J2_<body>_xx1_1     residual angular momentum and inertia by modal coordinates, second derivatives
    p_<body>_<node>_x                   place of a node, undeformed, from the root
    Phi_<body>_<node>_x1, G_..._x1_1    its displacement in the mean axes by modal coordinates, first and second derivatives
    Psi_<body>_<node>_x1, H_..._x1_1    its rotation in the body likewise

in the notation of `kernels.bodies.modal` and `kernels.node`; with constant-mass speeds, in that of
`kernels.constant_mass`,

    D_<body>_x1, B_<body>_x1            angular and linear momentum by modal speeds
    J1_<body>_xx1, D2_..., J2_...       inertia by modal coordinates, first derivative; d, and what stiffens

The tables come out of eigenvectors and sums over elements, so that zeros of theirs hold rounding: an entry below 1e-13 of
the largest of its table, or of what the table is made of, is zero here: H is measured by products of two rotations, G by
those of a displacement and a rotation, c1, E, D2 and J2 by the modes' unit mass.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels.layout import RATES
from kaneflex.kernels.tables import Tables
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.translate import ZERO

Expr = Any
ROUNDING = 1e-13
UNIT_SIZES = ("c1", "E", "d", "forms")  # fields that mass-orthonormal modes are made of
AXES: tuple[str, ...] = ("x", "y", "z")
PAIRS: tuple[str, ...] = ("xx", "xy", "xz", "yy", "yz", "zz")


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
            size = {field: float(np.abs(getattr(row, field)).max(initial=0.0)) for field in fields}
            size |= {field: max(size[field], 1.0) for field in UNIT_SIZES if field in size}
            if "Psi" in size:
                size["H"] = max(size["H"], size["Psi"] ** 2)
                size["G"] = max(size["G"], size["Phi"] * size["Psi"])
            for field, names in fields.items():
                values = np.ravel(getattr(row, field)).tolist()
                found = np.full(len(values), ZERO, object)
                for n, (name, value) in enumerate(zip(names, values, strict=True)):
                    if abs(value) > ROUNDING * size[field]:
                        found[n] = symbol(name, value, *owner) if symbol else _number(value)
                setattr(target, field, found.reshape(np.shape(getattr(row, field))))
        _share_inertia(plan, tables, body, symbol is not None)


def _share_inertia(plan: Plan, tables: Tables, body: str, symbols: bool) -> None:
    """Square root of the mass, and the inertia before rotors were taken out, by what there is already."""
    row = plan.index.joints[body].row
    number = plan.tables.body[row].flexible
    if plan.tables.flexible[number].speeds != RATES:
        return
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
    if flexible.speeds == RATES:
        fields |= _shape(body, m, int(flexible.zero))
    else:
        fields |= {x: _singles(f"{x}_{body}_", axes, m) for x, axes in (("D", AXES), ("B", AXES), ("J1", PAIRS))}
        fields |= {"d": _pairs(f"D2_{body}_", AXES, m, False), "J2": _pairs(f"J2_{body}_", PAIRS, m)}
    yield (body,), "modal", tables.body[row].flexible, fields
    for (owner, node), at in plan.index.nodes.items():
        if owner == body and at < plan.header.bodies:  # those after are there for channels only
            fields = {"p": [f"p_{body}_{node}_{a}" for a in AXES]}
            fields |= {x: _singles(f"{x}_{body}_{node}_", AXES, m) for x in ("Psi", "Phi")}
            fields |= {x: _pairs(f"{x}_{body}_{node}_", AXES, m) for x in ("H", "G")}
            yield (body, node), "node_data", tables.body[at].flexible, fields


def _shape(body: str, m: int, zero: int) -> dict[str, list[str]]:
    """Names for the tables of a body as it deforms in its mean axes."""
    points = tuple(f"{k}{a}" for k in range(4) for a in AXES)
    letters = [("D2", a) for a in AXES] + [("c2", k) for k in points] + [("J2", a) for a in PAIRS]
    there = [form for n, form in enumerate(letters) if not zero >> n & 1]
    forms = [_pairs(f"{letter}_{body}_", (axis,), m, letter != "D2") for letter, axis in there]
    return {
        "root": [f"root_{body}_{a}" for a in AXES],
        "places": [f"c_{body}_{k}" for k in points],
        "T": _singles(f"T_{body}_", AXES, m),
        "c1": _singles(f"c1_{body}_", points, m),
        "E": _pairs(f"E_{body}_", ("",), m),
        "forms": [name for i in range(m) for names in forms for name in names[i * m : (i + 1) * m]],
    }


def _singles(start: str, axes: tuple[str, ...], m: int) -> list[str]:
    return [f"{start}{a}{i}" for a in axes for i in range(1, m + 1)]


def _pairs(start: str, axes: tuple[str, ...], m: int, symmetric: bool = True) -> list[str]:
    """Names of entries by rows; the same for both halves of a symmetric table."""
    pairs = [(i, j) for i in range(1, m + 1) for j in range(1, m + 1)]
    return [f"{start}{a}{min(p) if symmetric else p[0]}_{max(p) if symmetric else p[1]}" for a in axes for p in pairs]


__all__ = ["put_modal_data"]

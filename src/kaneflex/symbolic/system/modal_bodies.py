"""The data of flexible bodies in the parameters: numbers, or symbols where these are asked for.

    m_<body>, s_<body>_x, J_<body>_xx   mass, mass moment, inertia less that of rotors: about the joint, undeformed
    k_<body>_1, d_<body>_1_1            modal stiffness and damping, 1/s^2 and 1/s
    B_<body>_x1, b2_<body>_x1_1         mass moment by modal coordinates, first and second derivatives
    D_<body>_x1, D2_<body>_x1_1         angular coupling likewise (D2 is not symmetric)
    J1_<body>_xx1, J2_<body>_xx1_1      inertia likewise
    p_<body>_<node>_x                   place of a node, undeformed
    Phi_<body>_<node>_x1, G_..._x1_1    its displacement by modal coordinates, first and second derivatives
    Psi_<body>_<node>_x1, H_..._x1_1    its rotation likewise

in the notation of `kernels.bodies.modal` and `kernels.node`. The tables come out of eigenvectors and sums over elements, so
that zeros of theirs hold rounding: an entry below 1e-13 of the largest of its table, the bound by which the kernels skip
whole tables, is zero here. Where a table may be nothing but rounding, it is measured by what it is made of: D2 by J2, both
being integrals of products of two modes, H by products of two rotations, G by those of a displacement and a rotation.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import symengine

from kaneflex.kernels.tables import Tables
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.translate import ZERO

Expr = Any
ROUNDING = 1e-13
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
            size = {field: float(np.abs(getattr(row, field)).max()) for field in fields}
            if "J2" in size:
                size["D2"] = max(size["D2"], size["J2"])
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


def _number(x: float) -> Expr:
    return symengine.Integer(int(x)) if x.is_integer() else symengine.RealDouble(x)


def _groups(plan: Plan, body: str) -> Iterator[tuple[tuple[str, ...], str, int, dict[str, list[str]]]]:
    """Rows of a flexible body, then of its nodes: whose they are, table, number, names for the entries of their fields."""
    row, m, tables = plan.index.joints[body].row, plan.index.modes[body].modes, plan.tables
    yield (body,), "body", row, {"mass": [f"m_{body}"]}
    yield (body,), "body", row, {"mass_moment": [f"s_{body}_{a}" for a in AXES]}
    yield (body,), "body", row, {"inertia": [f"J_{body}_{a}" for a in PAIRS]}
    fields = {"k": [f"k_{body}_{i}" for i in range(1, m + 1)], "C": _pairs(f"d_{body}_", ("",), m)}
    fields |= {x: _singles(f"{x}_{body}_", axes, m) for x, axes in (("D", AXES), ("B", AXES), ("J1", PAIRS))}
    fields |= {x: _pairs(f"{x}_{body}_", axes, m, x != "D2") for x, axes in (("D2", AXES), ("b2", AXES), ("J2", PAIRS))}
    yield (body,), "modal", tables.body[row].flexible, fields
    for (owner, node), at in plan.index.nodes.items():
        if owner == body and at < plan.header.bodies:  # those after are there for channels only
            fields = {"p": [f"p_{body}_{node}_{a}" for a in AXES]}
            fields |= {x: _singles(f"{x}_{body}_{node}_", AXES, m) for x in ("Psi", "Phi")}
            fields |= {x: _pairs(f"{x}_{body}_{node}_", AXES, m) for x in ("H", "G")}
            yield (body, node), "node_data", tables.body[at].flexible, fields


def _singles(start: str, axes: tuple[str, ...], m: int) -> list[str]:
    return [f"{start}{a}{i}" for a in axes for i in range(1, m + 1)]


def _pairs(start: str, axes: tuple[str, ...], m: int, symmetric: bool = True) -> list[str]:
    """Names of entries by rows; the same for both halves of a symmetric table."""
    pairs = [(i, j) for i in range(1, m + 1) for j in range(1, m + 1)]
    return [f"{start}{a}{min(p) if symmetric else p[0]}_{max(p) if symmetric else p[1]}" for a in axes for p in pairs]


__all__ = ["put_modal_data"]

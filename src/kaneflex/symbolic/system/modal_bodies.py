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

from kaneflex.kernels import layout as L
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.translate import ZERO

Expr = Any
ROUNDING = 1e-13
UNIT_SIZES = dict.fromkeys(("c1", "E", "D2", "J2"), 1.0)  # of tables that mass-orthonormal modes are made of
AXES: tuple[str, ...] = ("x", "y", "z")
PAIRS: tuple[str, ...] = ("xx", "xy", "xz", "yy", "yz", "zz")
Table = tuple[str, int, list[str]]  # letter, where it begins in P, and a name for each entry


def put_modal_data(plan: Plan, P: list[Expr], symbol: Callable[..., Expr] | None) -> None:
    """Fill the tables of all flexible bodies.

    Args:
        plan: whose numbers they are.
        P: parameters, to be filled.
        symbol: what makes a symbol of a name, a value, and the names of the body and the node; None for numbers.
    """
    for body in plan.index.modes:
        for owner, tables in _groups(plan, body):
            size = dict.fromkeys((letter for letter, _, _ in tables), 0.0) | UNIT_SIZES
            for letter, at, names in tables:
                size[letter] = max(size[letter], float(np.abs(plan.P[at : at + len(names)]).max(initial=0.0)))
            if "Psi" in size:
                size["H"] = max(size["H"], size["Psi"] ** 2)
                size["G"] = max(size["G"], size["Phi"] * size["Psi"])
            for letter, at, names in tables:
                for n, name in enumerate(names):
                    value = float(plan.P[at + n])
                    if abs(value) <= ROUNDING * size[letter]:
                        P[at + n] = ZERO
                    else:
                        P[at + n] = symbol(name, value, *owner) if symbol else _number(value)
        _share_inertia(plan, body, P, symbol is not None)


def _share_inertia(plan: Plan, body: str, P: list[Expr], symbols: bool) -> None:
    """Square root of the mass, and the inertia before rotors were taken out, by what there is already."""
    row = plan.index.joints[body].row
    if plan.I[L.flexible_row(plan.I, row) + L.FLEXIBLE_SPEEDS] != L.RATES:
        return
    shape, own = L.shape_par(plan.I, row), L.body_par(row)
    P[shape + L.SHAPE_MASS] = symengine.sqrt(P[own + L.MASS]) if symbols else _number(float(plan.P[shape + L.SHAPE_MASS]))
    for n in range(6):
        rotors = float(plan.P[shape + L.SHAPE_INERTIA + n] - plan.P[own + L.INERTIA + n])
        P[shape + L.SHAPE_INERTIA + n] = P[own + L.INERTIA + n] + _number(rotors)


def _number(x: float) -> Expr:
    return symengine.Integer(int(x)) if x.is_integer() else symengine.RealDouble(x)


def _groups(plan: Plan, body: str) -> Iterator[tuple[tuple[str, ...], list[Table]]]:
    """Every table of a flexible body, then of its nodes; with whose they are."""
    I, row, m = plan.I, plan.index.joints[body].row, plan.index.modes[body].modes
    first, f = L.body_par(row), L.flexible_row(I, row)
    yield (body,), [("m", first + L.MASS, [f"m_{body}"])]
    yield (body,), [("s", first + L.MASS_MOMENT, [f"s_{body}_{a}" for a in AXES])]
    yield (body,), [("J", first + L.INERTIA, [f"J_{body}_{a}" for a in PAIRS])]
    tables = {"k": [f"k_{body}_{i}" for i in range(1, m + 1)], "d": _pairs(f"d_{body}_", ("",), m)}
    if I[f + L.FLEXIBLE_SPEEDS] == L.RATES:
        yield (body,), _in_a_row(int(I[f + L.FLEXIBLE_P]), tables)
        yield (body,), _shape(plan, body, row, m)
    else:
        tables |= {x: _singles(f"{x}_{body}_", axes, m) for x, axes in (("D", AXES), ("B", AXES), ("J1", PAIRS))}
        tables |= {x: _pairs(f"{x}_{body}_", axes, m, x != "D2") for x, axes in (("D2", AXES), ("J2", PAIRS))}
        yield (body,), _in_a_row(int(I[f + L.FLEXIBLE_P]), tables)
    for (owner, node), at in plan.index.nodes.items():
        if owner == body and at < I[L.BODIES]:  # those after are there for channels only
            tables = {"p": [f"p_{body}_{node}_{a}" for a in AXES]}
            tables |= {x: _singles(f"{x}_{body}_{node}_", AXES, m) for x in ("Psi", "Phi")}
            tables |= {x: _pairs(f"{x}_{body}_{node}_", AXES, m) for x in ("H", "G")}
            yield (body, node), _in_a_row(int(I[L.node_row(I, at) + L.NODE_P]), tables)


def _shape(plan: Plan, body: str, row: int, m: int) -> list[Table]:
    """Tables of a body as it deforms in its mean axes."""
    I, shape = plan.I, L.shape_par(plan.I, row)
    points = tuple(f"{k}{a}" for k in range(4) for a in AXES)
    found: list[Table] = [
        ("root", shape + L.SHAPE_ROOT, [f"root_{body}_{a}" for a in AXES]),
        ("c", shape + L.SHAPE_PLACES, [f"c_{body}_{k}" for k in points]),
    ]
    tables = {"T": _singles(f"T_{body}_", AXES, m), "c1": _singles(f"c1_{body}_", points, m)}
    found += _in_a_row(shape + L.SHAPE_TABLES, tables | {"E": _pairs(f"E_{body}_", ("",), m)})
    letters = [("D2", a) for a in AXES] + [("c2", k) for k in points] + [("J2", a) for a in PAIRS]
    there = [form for n, form in enumerate(letters) if not L.is_zero(I[L.flexible_row(I, row) + L.FLEXIBLE_ZERO], n)]
    at = shape + L.SHAPE_TABLES + 15 * m + m * m
    for i in range(1, m + 1):
        for letter, axis in there:
            names = _pairs(f"{letter}_{body}_", (axis,), m, letter != "D2")
            found.append((letter, at, names[(i - 1) * m : i * m]))
            at += m
    return found


def _in_a_row(place: int, tables: dict[str, list[str]]) -> list[Table]:
    found = []
    for letter, names in tables.items():
        found.append((letter, place, names))
        place += len(names)
    return found


def _singles(start: str, axes: tuple[str, ...], m: int) -> list[str]:
    return [f"{start}{a}{i}" for a in axes for i in range(1, m + 1)]


def _pairs(start: str, axes: tuple[str, ...], m: int, symmetric: bool = True) -> list[str]:
    """Names of entries by rows; the same for both halves of a symmetric table."""
    pairs = [(i, j) for i in range(1, m + 1) for j in range(1, m + 1)]
    return [f"{start}{a}{min(p) if symmetric else p[0]}_{max(p) if symmetric else p[1]}" for a in axes for p in pairs]


__all__ = ["put_modal_data"]

"""The parameters of a plan as symbols: what the model gives as numbers, by names that say whose they are.

    m_<body>                 mass                            J_<rotor>        axial inertia of a rotor
    c_<body>_x, _y, _z       mass centre, body axes          g (or g_x, ...)  uniform gravity
    I_<body>_xx, _xy, ...    central inertia, body axes      k_<load>, c_<load>, l_<load>   stiffness, damping, free length
    p_<body>_x, ...          joint on the parent, its axes   q0_<load>        rest of a joint's spring
    h_<body>_x, ...          joint on the body, its axes     F_<load> (_x, ...)  constant load
    r_<body>_<frame>_x, ...  a frame that a load acts at     mu_<load>        central gravity

Zeros stay zeros, and numbers of orientations stay numbers, so that symbols stand only for what may vary. The data of
flexible bodies, and where their joints are on them, are numbers unless symbols are asked for: see `modal`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import symengine
import sympy

from kaneflex.kernels.forces.dispatch import CHAINS
from kaneflex.kernels.layout import CONSTANT
from kaneflex.kernels.tables import Row, Tables
from kaneflex.model import checks
from kaneflex.model.bodies import Rigid
from kaneflex.model.checks import ModelError
from kaneflex.model.forces import Load
from kaneflex.model.frames import NodeFrame
from kaneflex.model.model import GROUND
from kaneflex.model.part import Part
from kaneflex.model.recipes import expressions_in, parameters_in
from kaneflex.plan.build import build
from kaneflex.plan.laws.symbols import in_symbols
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.system.modal_bodies import put_modal_data
from kaneflex.symbolic.translate import ZERO

Expr = Any
Triple = list[Expr]
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def exact(x: float) -> Expr:
    """A number as a whole number or short fraction where it is one, else as it is; rounding of 0 and 1 is taken off."""
    x = float(x)
    near = round(x)
    if abs(x - near) < 1e-15:
        return symengine.Integer(near)
    short = Fraction(x).limit_denominator(10_000)
    if float(short) == x:
        return symengine.Rational(short.numerator, short.denominator)
    return symengine.RealDouble(x)


class Parameters:
    """P of a plan in symbols, and the values that the model has for them.

    Args:
        plan: whose parameters they are.
        given: expressions (or names) to put for parameters, by the names above: {"m_bob": "m", "c_bob_x": "l/2"}.
        modal: "numbers" or "symbols" for the data of flexible bodies.
        followed: expressions for those that follow the model's Parameters, by name; None to find them.
    """

    def __init__(
        self, plan: Plan, given: Mapping[str, Any] | None = None, modal: str = "numbers", followed: Any = None
    ) -> None:
        self.plan, self.model = plan, plan.model
        self.values: dict[Expr, float] = {}
        self._own: dict[str, float] = {}
        self._names: dict[tuple[str, ...], str] = {}  # by what they would be called and whose they are
        self._named = self.model.parameters if followed is None else {}
        followed = followed_parameters(plan, modal) if followed is None else followed
        self._given = followed | {name: expression(e) for name, e in (given or {}).items()}
        shown = {s for e in followed.values() for s in e.free_symbols}
        shown |= {symengine.Symbol(name) for law in plan.laws for name in parameters_in(law.function)}
        self.values |= {s: p.value for name, p in self._named.items() if (s := symengine.Symbol(name)) in shown}
        self.P = np.array([exact(x) for x in plan.P], object)
        self.tables = Tables(plan.I, {"I": plan.I, "P": self.P}, plan.numbered)
        for name, part in self.model.parts.items():
            self._body(name, part)
        checks.known(modal, ("numbers", "symbols"), "modal")
        for name, part in plan.model.parts.items():
            if not part.body.facts.has_symbols:
                raise checks.ModelError(
                    f'"{name}" is a {type(part.body).__name__}, whose equations are sums of long series: there are none in '
                    "symbols; take a chain of rigid bodies or a Flexible to read equations"
                )
        put_modal_data(plan, self.tables, self._symbol if modal == "symbols" else None)
        self._gravity()
        for name, (owner, rotor) in self.model.rotors.items():
            self._rotor(name, owner, rotor)
        for name, load in {**self.model.loads, **self.model.inputs}.items():
            for m in plan.index.loads.get(name, ()):
                self._load(name, load, m)
        unknown = [n for n in self._given if n not in self._own]
        if unknown:
            raise ModelError(
                f'there is no parameter "{unknown[0]}" in system "{self.model.name}": there are {", ".join(self._own)}'
            )
        self._value_given()

    # -- symbols -------------------------------------------------------------------------------------------------------

    def _symbol(self, name: str, value: float, *owner: str) -> Expr:
        """The expression for a parameter: zero, the user's, or a symbol of its own.

        Two owners whose names make the same one (frame b_c of a, frame c of a_b) get symbols of their own: r_a_b_c_x, and
        r_a_b_c_x_2 for the one that comes later.
        """
        if value == 0:
            return ZERO
        key = (name, *owner)
        if key not in self._names:
            self._names[key] = checks.distinct([name], {*self._own, *self._named})[0]
        name = self._names[key]
        self._own[name] = value
        if name in self._given:
            return self._given[name]
        symbol = symengine.Symbol(name)
        self.values[symbol] = value
        return symbol

    def _vector(self, name: str, values: Any, *owner: str) -> Triple:
        return [self._symbol(f"{name}_{a}", float(v), *owner) for a, v in zip("xyz", values, strict=True)]

    def _value_given(self) -> None:
        """Values of the user's own symbols, from those parameters that are a multiple of one of them."""
        for name, e in self._given.items():
            for s in e.free_symbols:
                if s not in self.values and len(e.free_symbols) == 1:
                    factor = e.diff(s)
                    if factor.is_Number and e.xreplace({s: ZERO}) == 0:
                        self.values[s] = self._own[name] / float(factor)
        for name, e in self._given.items():
            if not all(s in self.values for s in e.free_symbols):
                continue
            value = float(complex(e.xreplace(self.values)).real)
            if abs(value - self._own[name]) > 1e-9 * max(1.0, abs(value)):
                raise ModelError(
                    f'"{name}" is {self._own[name]:g} in system "{self.model.name}", but {e} is {value:g} by the other '
                    "parameters: give it an expression that agrees, or change the system"
                )

    # -- bodies --------------------------------------------------------------------------------------------------------

    def _body(self, name: str, part: Part) -> None:
        row = self.tables.body[name]
        self._place(part, row)
        for k, x in enumerate(part.joint.parameters):
            row.joint_par[k] = self._symbol(f"s_{name}", x, name) if k == 0 else exact(x)
        body: Any = part.body
        if isinstance(body, Rigid):
            self._mass(name, part, body, row)

    def _hinge(self, part: Part) -> Triple:
        """Where a body's joint is on it, in its axes; numbers where the body's own data are numbers about that point."""
        if not isinstance(part.body, Rigid):
            return [exact(x) for x in part.hinge.p]
        return self._vector(f"h_{part.name}", part.hinge.p, part.name)

    def _mass(self, name: str, part: Part, body: Rigid, row: Row) -> None:
        """Mass, mass moment and inertia about the joint."""
        R, hinge = _matrix(part.hinge.R @ part.joint.alignment), self._hinge(part)
        c, J = self._vector(f"c_{name}", body.com, name), self._inertia(name, body)
        mass = self._symbol(f"m_{name}", body.mass, name)
        parts = [(mass, c, J)] if body.mass else []
        zero = [[ZERO] * 3 for _ in range(3)]
        parts += [(exact(m), [exact(x) for x in p], zero) for m, p in body.points]
        total = sum((m for m, _, _ in parts), ZERO)
        moment, about = [ZERO] * 3, [[ZERO] * 3 for _ in range(3)]
        for m, c, J in parts:
            d = [a - b for a, b in zip(c, hinge, strict=True)]
            moment = [s + m * x for s, x in zip(moment, d, strict=True)]
            square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
            for i in range(3):
                for j in range(3):
                    about[i][j] = about[i][j] + J[i][j] + m * ((square if i == j else ZERO) - d[i] * d[j])
        row.mass, row.mass_moment = total, _transposed_times(R, moment)
        turned = [_transposed_times(R, column) for column in zip(*about, strict=True)]
        turned = [_transposed_times(R, list(line)) for line in zip(*turned, strict=True)]
        row.inertia = [symengine.expand(turned[i][j]) for i, j in PAIRS]

    def _place(self, part: Part, row: Row) -> None:
        """Where the joint is on the parent; on a node it is where the node is."""
        if isinstance(part.at, NodeFrame):
            return
        at = self._vector(f"p_{part.name}", part.at.p, part.name)
        if part.parent != GROUND:
            mother = self.model.parts[part.parent]
            R = _matrix(mother.hinge.R @ mother.joint.alignment)
            at = _transposed_times(R, [a - b for a, b in zip(at, self._hinge(mother), strict=True)])
        row.p_pf = at

    def _inertia(self, name: str, body: Rigid) -> list[list[Expr]]:
        J = [[ZERO] * 3 for _ in range(3)]
        for i, j in PAIRS:
            J[i][j] = J[j][i] = self._symbol(f"I_{name}_{'xyz'[i]}{'xyz'[j]}", float(body.inertia[i][j]), name)
        return J

    def _rotor(self, name: str, owner: str, rotor: Any) -> None:
        row, inertia = self.tables.rotor[name], self._symbol(f"J_{name}", rotor.inertia, name)
        row.inertia = inertia
        if not isinstance(self.model.parts[owner].body, Rigid):
            return  # whose inertia is a number without that of its rotors
        about, a = self.tables.body[owner].inertia, row.axis
        for k, (i, j) in enumerate(PAIRS):
            about[k] = about[k] - inertia * a[i] * a[j]

    def _gravity(self) -> None:
        g, gravity = self.model.gravity, self.tables.gravity.value
        if sum(x != 0 for x in g) == 1:
            size = abs(sum(g))
            symbol = self._symbol("g", size)
            gravity[:] = [symbol if x > 0 else -symbol if x < 0 else ZERO for x in g]
        else:
            gravity[:] = self._vector("g", g)

    # -- loads ---------------------------------------------------------------------------------------------------------

    def _load(self, name: str, load: Any, m: int) -> None:
        row, numbers = self.tables.force[m], self.plan.tables.force[m]
        facts = CHAINS.facts(int(row.kind))
        for n, letter in enumerate(facts.parameters):
            row.law[n] = self._symbol(f"{letter}_{name}", float(numbers.law[n]), name)
        ends = load.ends() if isinstance(load, Load) else ()
        if len(ends) == 2 and row.body != self._row(ends[0]):  # the first is on a body
            ends = ends[::-1]
        for point, end in zip((row.point, row.point_other), ends, strict=False):
            self._put_point(point, end)
        if row.mode == CONSTANT and facts.value:
            own, values = f"{facts.letter}_{name}", numbers.value[: facts.value]
            symbols = self._vector(own, values, name) if facts.value == 3 else [self._symbol(own, float(values[0]), name)]
            row.value[: facts.value] = symbols

    def _row(self, place: Any) -> int:
        body, frame = place.partition(".")[::2] if isinstance(place, str) else (GROUND, "")
        return 0 if body == GROUND else self.plan.index.place(body, frame)[0]

    def _put_point(self, point: np.ndarray, end: Any) -> None:
        """A point of a body, in axes of its joint's frame M and from there; a node is its own origin."""
        body, frame = end.partition(".")[::2] if isinstance(end, str) else (GROUND, "")
        if body == GROUND or isinstance(self.model.frames[body].get(frame), NodeFrame):
            return
        part = self.model.parts[body]
        p = self._vector(f"r_{body}_{frame}", self.model.frames[body][frame].p, body, frame) if frame else [ZERO] * 3
        R = _matrix(part.hinge.R @ part.joint.alignment)
        point[:] = _transposed_times(R, [a - b for a, b in zip(p, self._hinge(part), strict=True)])


def followed_parameters(plan: Plan, modal: str) -> dict[str, Expr]:
    """Which parameters of a plan are a number times an expression of the model's Parameters, as the user wrote it.

    This is seen from their values as the Parameters change. What follows them in another way, as the inertia of a body whose
    section is one, keeps a symbol of its own.
    """
    model = plan.model
    named = model.parameters
    if not named:
        return {}
    candidates = {repr(e): e for e in (*named.values(), *expressions_in([step.given for step in model.steps]))}
    points = [{}, *({name: _nearby(p, k + n) for k, (name, p) in enumerate(named.items())} for n in (1, 2, 3))]
    found = [
        Parameters(build(model.at(values), plan.formulation.name, plan.speeds), None, modal, {})._own for values in points
    ]
    candidate_values = {text: [e.at(values).value for values in points] for text, e in candidates.items()}
    followed: dict[str, Expr] = {}
    for name in {name: None for own in found for name in own}:
        values = [own.get(name, 0.0) for own in found]
        if len(set(values)) == 1:
            continue
        if values[0] == 0:
            raise ModelError(
                f'"{name}" is zero at the values of the parameters, but not at others: give them other values first'
            )
        for text, numbers in candidate_values.items():
            ratios = [a / b if b else np.inf for a, b in zip(values, numbers, strict=True)]
            if max(ratios) - min(ratios) <= 1e-13 * abs(ratios[0]):
                followed[name] = exact(float(np.round(ratios[0], 13))) * in_symbols(candidates[text])
                break
    return followed


def _nearby(parameter: Any, k: int) -> float:
    """Another value of a parameter, within its bounds."""
    away = 0.01 * (1 + np.sqrt(2.0) * k % 1) * (abs(parameter.value) or 1.0)
    low, high = (b if b is not None else w * np.inf for b, w in ((parameter.low, -1), (parameter.high, 1)))
    return float(next((x for x in (parameter.value + away, parameter.value - away) if low <= x <= high), (low + high) / 2))


NOT_EXPRESSIONS = (sympy.SympifyError, symengine.SympifyError)


def expression(e: Any) -> Expr:
    """What a user gives for a parameter, a name or an expression, as a SymEngine expression."""
    if isinstance(e, str) and e.isidentifier():
        return symengine.Symbol(e)  # "E" and "I" too, which SymPy would take for numbers
    try:
        return symengine.sympify(sympy.sympify(e) if isinstance(e, str) else e)
    except (TypeError, ValueError, SyntaxError, AttributeError, RuntimeError, *NOT_EXPRESSIONS) as error:
        raise ModelError(f"{e!r} is no expression: give a name, a symbol or a formula of symbols") from error


def _matrix(R: np.ndarray) -> list[list[Expr]]:
    return [[exact(x) for x in row] for row in R]


def _transposed_times(R: Sequence[Sequence[Expr]], v: Sequence[Expr]) -> Triple:
    return [sum((R[i][j] * v[i] for i in range(3)), ZERO) for j in range(3)]

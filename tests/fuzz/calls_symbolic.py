"""Valid calls of equations in symbols."""

import functools

import symengine
import sympy
from fuzz.calls_model import fixed
from fuzz.calls_runs import of, result
from fuzz.junk import ANYTHING, FLAG, MAPPING, NAME, NOTHING, OPTIONAL, POSITIVE, SEQUENCE, Call, Given, kind
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, dynamicsymbols

import kaneflex as kf
from kaneflex import symbolic

V = Given
Q, U, F = dynamicsymbols("q1 u1 f1")
M, K = sympy.symbols("m k")
A = symengine.Symbol("a")
T = dynamicsymbols._t
N = ReferenceFrame("N")
O, P = Point("O"), Point("P")
O.set_vel(N, 0)
P.set_pos(O, Q * N.x)
P.set_vel(N, U * N.x)
BODY = Particle("a", P, M)
R = Point("R")
R.set_pos(O, Q * N.x)
PLACED = Particle("b", R, M)  # without a velocity in terms of speeds
LOADS = [(P, (F - K * Q) * N.x)]
KINEMATICS = [Q.diff(T) - U]
FOLDER = V(".")
NUMBERS = V({"m": 2.0, "k": 3.0}, NOTHING)
INPUTS = V([F])
AT = {Q: 0, U: 0, F: 0, M: 2, K: 3}
EMPTY = kind("none", "list", "tuple", "no numbers")


def method() -> symbolic.KanesMethod:
    """A mass on a spring, with a force on it."""
    made = symbolic.KanesMethod(N, [Q], [U], kd_eqs=KINEMATICS)
    made.kanes_equations([BODY], LOADS)
    return made


@functools.cache
def kane() -> symbolic.KanesMethod:
    return method()


@functools.cache
def unforced() -> symbolic.KanesMethod:
    made = symbolic.KanesMethod(N, [Q], [U], kd_eqs=KINEMATICS)
    made.kanes_equations([BODY], [(P, -K * Q * N.x)])
    return made


RATE = Q.diff(T)


def lagrange() -> symbolic.LagrangesMethod:
    """A mass on a line, tied to a place that moves."""
    made = symbolic.LagrangesMethod(M * RATE**2 / 2 - K * Q**2 / 2, [Q], frame=N, hol_coneqs=[Q - K * T])
    made.form_lagranges_equations()
    return made


def pendulum() -> kf.System:
    s = kf.System("pendulum", gravity=(0, 0, -9.81))
    s.add("rod", kf.Rigid(1.0, com=(0, 0, -1.0), inertia=(0.1, 0.1, 0.1)), kf.Revolute("y"))
    return s


@functools.cache
def equations() -> symbolic.Equations:
    return pendulum().equations()


@functools.cache
def linearizer() -> symbolic.Linearizer:
    return kane().to_linearizer()


@functools.cache
def directly() -> symbolic.LinearMotion:
    return symbolic.linearize_directly(kane(), {})


SYSTEM = {"speeds": V("customary"), "symbols": V({"m_rod": "m"}, OPTIONAL | MAPPING), "simplify": V(False, OPTIONAL | FLAG)}
PARAMETER = V({"m_rod": 2.0}, OPTIONAL | MAPPING)

CALLS: dict[str, Call] = {
    "symbolic.derive": fixed(symbolic.derive, model=V(pendulum()), **SYSTEM, modal=V("numbers")),
    "System.equations": of(pendulum, "equations", **SYSTEM, modal=V("numbers")),
    "symbolic.Equations": result(equations),
    "symbolic.Equations.partial_velocities": of(equations, "partial_velocities", axes=V("body"), simplify=V(False, FLAG)),
    "symbolic.Equations.equation": of(equations, "equation", r=V(0, kind("zero"))),
    "symbolic.Equations.constraint_force": of(equations, "constraint_force", name=V("rod.force.x"), simplify=V(False, FLAG)),
    "symbolic.Equations.report": of(equations, "report", path=V("page.md", kind("word"))),
    "symbolic.Equations.numbers": of(equations, "numbers", values=PARAMETER),
    "symbolic.Equations.program": of(equations, "program", what=V("rates")),
    "symbolic.Equations.export_c": of(equations, "export_c", folder=FOLDER),
    "symbolic.Equations.function": of(equations, "function", values=PARAMETER),
    "symbolic.Equations.rates": of(equations, "rates", values=PARAMETER),
    "symbolic.KanesMethod": fixed(
        symbolic.KanesMethod,
        frame=V(N),
        q_ind=V([Q]),
        u_ind=V([U]),
        kd_eqs=V(KINEMATICS, EMPTY),  # they may be given later
        q_dependent=V(None, EMPTY),
        configuration_constraints=V(None, EMPTY),
        u_dependent=V(None, EMPTY),
        velocity_constraints=V(None, EMPTY),
        acceleration_constraints=V(None, EMPTY),
        u_auxiliary=V(None, EMPTY),
        bodies=V([BODY], EMPTY),
        forcelist=V(LOADS, EMPTY),
        explicit_kinematics=V(True, FLAG),
        kd_eqs_solver=V("LU", ANYTHING),  # taken for SymPy's sake, and not looked at
        constraint_solver=V("LU", ANYTHING),
    ),
    "symbolic.KanesMethod.kanes_equations": of(method, "kanes_equations", bodies=V([BODY], EMPTY), loads=V(LOADS, EMPTY)),
    "symbolic.KanesMethod.rhs": of(kane, "rhs", inv_method=V(None, ANYTHING)),
    "symbolic.KanesMethod.constraint_force": of(
        unforced, "constraint_force", point=V(P), direction=V(N.y), origin=V(O, OPTIONAL)
    ),
    "symbolic.KanesMethod.export_c": of(kane, "export_c", folder=FOLDER, name=V("spring", NAME - {"long"}), inputs=INPUTS),
    "symbolic.KanesMethod.function": of(kane, "function", values=NUMBERS, inputs=INPUTS),
    "symbolic.KanesMethod.simulate": of(
        unforced,
        "simulate",
        duration=V(0.01, POSITIVE),
        initial=V({Q: 0.1, U: 0.0}),
        values=NUMBERS,
        events=V({"zero": Q}, OPTIONAL | MAPPING),
        outputs=V({"twice": 2 * Q}, OPTIONAL | MAPPING),
        integrator=V("dop853"),
        rtol=V(1e-6, POSITIVE),
        atol=V(1e-6, POSITIVE),
        output=V(0.01, OPTIONAL | POSITIVE),
        max_steps=V(1000),
    ),
    "symbolic.KanesMethod.to_linearizer": of(kane, "to_linearizer", linear_solver=V("LU", ANYTHING)),
    "symbolic.KanesMethod.linearize": of(
        kane,
        "linearize",
        new_method=V(None, ANYTHING),
        linear_solver=V("LU", ANYTHING),
        op_point=V(AT, OPTIONAL | MAPPING | SEQUENCE),
        A_and_B=V(True, FLAG),
        simplify=V(True, FLAG),
    ),
    "symbolic.KanesMethod.common_parts": of(kane, "common_parts"),
    "symbolic.LagrangesMethod.form_lagranges_equations": of(lagrange, "form_lagranges_equations"),
    "symbolic.LagrangesMethod.rhs": of(lagrange, "rhs", inv_method=V(None, ANYTHING)),
    "symbolic.LagrangesMethod.solve_multipliers": of(
        lagrange, "solve_multipliers", op_point=V({K: 1}, OPTIONAL | MAPPING | SEQUENCE), sol_type=V("dict")
    ),
    "symbolic.LagrangesMethod.export_c": of(
        lagrange, "export_c", folder=FOLDER, name=V("tied", NAME - {"long"}), inputs=V([], SEQUENCE)
    ),
    "symbolic.LagrangesMethod.function": of(lagrange, "function", values=NUMBERS, inputs=V([], SEQUENCE)),
    "symbolic.Linearizer.of": fixed(symbolic.Linearizer.of, method=V(kane())),
    "symbolic.Linearizer.point": of(linearizer, "point", op_point=V(AT, OPTIONAL | MAPPING | SEQUENCE)),
    "symbolic.Linearizer.native": of(linearizer, "native", op_point=V(AT, OPTIONAL | MAPPING | SEQUENCE)),
    "symbolic.Linearizer.linearize": of(
        linearizer, "linearize", op_point=V(AT, OPTIONAL | MAPPING | SEQUENCE), A_and_B=V(True, FLAG), simplify=V(True, FLAG)
    ),
    "symbolic.Linearizer.numbers": of(linearizer, "numbers", op_point=V(AT)),
    "symbolic.linearize_directly": fixed(
        symbolic.linearize_directly,
        source=V(kane()),
        about=V({Q: 0}, OPTIONAL | MAPPING),
        premature=V(True, FLAG),
        geometric_stiffness=V(True, FLAG),
        simplify=V(False, OPTIONAL | FLAG),
    ),
    "symbolic.LinearMotion": result(directly),
    "symbolic.LinearMotion.sympy": of(directly, "sympy", name=V("K")),
    "symbolic.LinearMotion.numbers": of(directly, "numbers", values=NUMBERS),
    "symbolic.lagrange_equations": fixed(symbolic.lagrange_equations, source=V(unforced())),
    "symbolic.LagrangeEquations": result(lambda: symbolic.lagrange_equations(unforced())),
    "symbolic.compare_speeds": fixed(
        symbolic.compare_speeds, source=V(N), q=V([Q]), bodies=V([PLACED], SEQUENCE), loads=V([], SEQUENCE)
    ),
    "symbolic.SpeedChoice": result(lambda: symbolic.compare_speeds(N, [Q], [PLACED])[0]),
    "symbolic.Crossing": fixed(
        symbolic.Crossing, expression=V(Q), direction=V(1, kind("zero", "minus")), terminal=V(True, FLAG)
    ),
    "symbolic.Motion": result(lambda: unforced().simulate(0.01, {Q: 0.1, U: 0.0}, {"m": 1.0, "k": 1.0})),
    "symbolic.Program": fixed(
        symbolic.Program, inputs=V([A]), outputs=V([2 * A], SEQUENCE | kind("two", "seven", "generator"))
    ),
}

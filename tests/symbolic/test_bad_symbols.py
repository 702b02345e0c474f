"""What cannot be right is refused, with words that name it and say what to do."""

import pytest
import sympy as sm
import sympy.physics.mechanics as me
from symbolic.systems import SYSTEMS, fixed_point

from kaneflex.model.checks import ModelError
from kaneflex.symbolic import KanesMethod, compare_speeds, linearize_directly

T = me.dynamicsymbols._t
q1, q2, u1, u2, u3 = me.dynamicsymbols("q1 q2 u1 u2 u3")
m, g = sm.symbols("m g")
RATES = [q1.diff(T) - u1, q2.diff(T) - u2]


def parts(**changed):
    """A particle in a plane: arguments of a KanesMethod that is right, with some of them changed."""
    N = me.ReferenceFrame("N")
    return {"frame": N, "q_ind": [q1, q2], "u_ind": [u1, u2], "kd_eqs": RATES} | changed


def particle(N):
    P = fixed_point(N).locatenew("P", q1 * N.x + q2 * N.y)
    return me.Particle("P", P, m)


MADE = {
    "no frame": ({"frame": "N"}, "give a ReferenceFrame"),
    "coordinate is a constant": ({"q_ind": [m, q2]}, "coordinate m is not a function of time"),
    "speed is a constant": ({"u_ind": [u1, g]}, "speed g is not a function of time"),
    "coordinate twice": ({"q_ind": [q1, q1]}, r"coordinate q1\(t\) is given twice"),
    "coordinate and speed": ({"u_ind": [q1, u2]}, "both a coordinate and a speed"),
    "auxiliary speed is a coordinate": ({"u_auxiliary": [q1]}, "both an auxiliary speed"),
    "no speeds": ({"u_ind": []}, "no speeds"),
    "one equation for two coordinates": ({"kd_eqs": RATES[:1]}, "2 coordinates and 1 kinematical equations"),
    "not a list": ({"kd_eqs": 3}, "is not a list"),
    "square of a rate": ({"kd_eqs": [q1.diff(T) ** 2 - u1, RATES[1]]}, "kinematical equation 1 is not linear"),
    "product of speed and rate": ({"kd_eqs": [q1.diff(T) * u1 - 1, RATES[1]]}, "product of a speed and a rate"),
    "speeds do not determine rates": (
        {"kd_eqs": [q1.diff(T) + q2.diff(T) - u1, 2 * q1.diff(T) + 2 * q2.diff(T) - u2]},
        r"do not determine the rates of q1\(t\), q2\(t\)",
    ),
    "kinematics singular in disguise": (
        {"kd_eqs": [sm.sin(q1) ** 2 * q1.diff(T) + (sm.cos(q1) ** 2 - 1) * q2.diff(T) - u1, RATES[0] + u1 - RATES[1] - u2]},
        "singular",
    ),
    "a rate is missing": ({"kd_eqs": [q1.diff(T) - u1, q1.diff(T) - u2]}, "do not determine"),
    "dependent coordinate without constraint": ({"q_dependent": [me.dynamicsymbols("q3")]}, "1 dependent coordinates and 0"),
    "constraint without dependent speed": ({"velocity_constraints": [u1 - u2]}, "0 dependent speeds and 1 velocity"),
    "configuration constraint too many": ({"configuration_constraints": [q1 - q2]}, "0 dependent coordinates and 1"),
    "constraint not linear": (
        {"u_ind": [u1], "u_dependent": [u2], "velocity_constraints": [u1 - u2**2]},
        "not linear in u2",
    ),
    "constraint without the dependent speed": (
        {"u_ind": [u1], "u_dependent": [u2], "velocity_constraints": [u1 - 1]},
        r"do not determine the dependent speeds u2\(t\)",
    ),
    "contradicting constraints": (
        {"u_ind": [], "u_dependent": [u1, u2], "velocity_constraints": [u1 - u2, u1 - u2 - 1]},
        "contradict or repeat",
    ),
    "acceleration constraints too few": (
        {
            "u_ind": [],
            "u_dependent": [u1, u2],
            "velocity_constraints": [u1 - 1, u2],
            "acceleration_constraints": [u1.diff(T)],
        },
        "1 acceleration constraints",
    ),
}


@pytest.mark.parametrize("case", MADE)
def test_refused_when_made(case):
    changed, words = MADE[case]
    with pytest.raises(ModelError, match=words):
        KanesMethod(**parts(**changed))


def test_refused_when_formed():
    given = parts()
    N = given["frame"]
    kane = KanesMethod(**given)
    P = particle(N)
    for name in ("mass_matrix", "forcing", "fr", "frstar", "auxiliary_eqs", "mass_matrix_full"):
        with pytest.raises(ModelError, match="call kanes_equations first"):
            getattr(kane, name)
    with pytest.raises(ModelError, match="call kanes_equations first"):
        kane.linearize()
    for bodies, loads, words in (
        (None, None, "no bodies"),
        (P, None, "give a list"),
        (["P"], None, "is no Particle or RigidBody"),
        ([P], [(P, m * N.x)], "give a point for a force"),
        ([P], [P.point], "is no load: give pairs"),
        ([me.Particle("X", me.Point("X"), m)], None, "velocity of point X in N is not known"),
        ([P], [(P.point, me.ReferenceFrame("F").x)], "frame F is not oriented"),
        ([P], [(me.ReferenceFrame("F"), N.x)], "neither orientation nor angular velocity of frame F"),
    ):
        with pytest.raises(ModelError, match=words):
            kane.kanes_equations(bodies, loads)
    kane.kanes_equations([P])
    with pytest.raises(ModelError, match="no auxiliary speeds"):
        _ = kane.auxiliary_eqs


def test_velocity_must_be_linear_in_speeds():
    given = parts()
    P = me.Point("P")
    P.set_vel(given["frame"], u1 * u2 * given["frame"].x)
    with pytest.raises(ModelError, match="a velocity is not linear in u"):
        KanesMethod(**given).kanes_equations([me.Particle("P", P, m)])


def test_mass_matrix_without_inertia():
    given = parts()
    N = given["frame"]
    P = me.Point("P")
    P.set_vel(N, (u1 + u2) * N.x)
    kane = KanesMethod(**given)
    kane.kanes_equations([me.Particle("P", P, m)])
    with pytest.raises(ModelError, match="mass matrix is singular"):
        kane.rhs()


def test_linear_models():
    kane = SYSTEMS["pendulum of 1 on a cart"]().derived(KanesMethod)
    with pytest.raises(ModelError, match="which is a number"):
        kane.linearize(op_point={1: 0})
    with pytest.raises(ModelError, match="have no value"):
        kane.to_linearizer().numbers(dict.fromkeys(kane.q, 0))
    moving = SYSTEMS["shaken pendulum"]().derived(KanesMethod)
    with pytest.raises(ModelError, match="depend on time"):
        moving.linearize()
    with pytest.raises(ModelError, match="no coordinates"):
        compare_speeds(me.ReferenceFrame("N"), [], [])
    fresh = KanesMethod(**parts())
    with pytest.raises(ModelError, match="call kanes_equations first"):
        linearize_directly(fresh, {})

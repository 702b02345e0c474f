"""Systems of the literature, written with SymPy's mechanics: what goes into a KanesMethod, and bodies and loads.

Each builder returns (arguments, bodies, loads) so that any class with SymPy's signature can derive the equations.
"""

from dataclasses import dataclass, field
from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from sympy import cos, sin, sqrt, symbols
from sympy.physics.mechanics import Particle, Point, ReferenceFrame, RigidBody, dot, dynamicsymbols, inertia

T = dynamicsymbols._t


@dataclass
class Written:
    """A system as SymPy's users write it."""

    arguments: dict[str, Any]
    bodies: list[Any]
    loads: list[Any]
    values: dict[Any, float] = field(default_factory=dict)

    def derived(self, method):
        """The equations by a class with SymPy's signature."""
        kane = method(**self.arguments)
        kane.kanes_equations(self.bodies, self.loads)
        return kane


def fixed_point(N, name="O"):
    O = Point(name)
    O.set_vel(N, 0)
    return O


def oscillator():
    """Two masses on springs and dampers, a force on the second."""
    (q1, q2), (u1, u2), f = dynamicsymbols("q1:3"), dynamicsymbols("u1:3"), dynamicsymbols("f")
    m1, m2, c1, c2, k1, k2 = symbols("m1 m2 c1 c2 k1 k2")
    N = ReferenceFrame("N")
    A, B = Point("A"), Point("B")
    A.set_vel(N, u1 * N.x)
    B.set_vel(N, u2 * N.x)
    loads = [
        (A, (-k1 * q1 - c1 * u1 + k2 * (q2 - q1) + c2 * (u2 - u1)) * N.x),
        (B, (f - k2 * (q2 - q1) - c2 * (u2 - u1)) * N.x),
    ]
    arguments = {"frame": N, "q_ind": [q1, q2], "u_ind": [u1, u2], "kd_eqs": [q1.diff(T) - u1, q2.diff(T) - u2]}
    return Written(arguments, [Particle("a", A, m1), Particle("b", B, m2)], loads)


def cart(n):
    """A cart that carries a chain of n rods with masses, absolute angles, a force on the cart."""
    q, u, f = dynamicsymbols(f"q:{n + 1}"), dynamicsymbols(f"u:{n + 1}"), dynamicsymbols("f")
    m, l, g = symbols(f"m:{n + 1}"), symbols(f"l:{n}"), symbols("g")
    N = ReferenceFrame("N")
    O = fixed_point(N)
    P = O.locatenew("P0", q[0] * N.x)
    P.set_vel(N, u[0] * N.x)
    bodies, loads = [Particle("cart", P, m[0])], [(P, f * N.x - m[0] * g * N.y)]
    for i in range(n):
        B = ReferenceFrame(f"B{i}")
        B.orient_axis(N, N.z, q[i + 1])
        B.set_ang_vel(N, u[i + 1] * N.z)
        Q = P.locatenew(f"P{i + 1}", l[i] * B.x)
        Q.v2pt_theory(P, N, B)
        bodies.append(Particle(f"bob{i}", Q, m[i + 1]))
        loads.append((Q, -m[i + 1] * g * N.y))
        P = Q
    kd = [a.diff(T) - b for a, b in zip(q, u, strict=True)]
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd}, bodies, loads)


def double_pendulum(speeds="absolute"):
    """Banerjee, section 1.2: two rods without mass, two particles; q2 relative, n1 down; speeds u1 = q1', u2 = q1' + q2'."""
    (q1, q2), (u1, u2) = dynamicsymbols("q1:3"), dynamicsymbols("u1:3")
    m, l, g = symbols("m l g")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q1, N.z])
    B = A.orientnew("B", "Axis", [q2, A.z])
    O = fixed_point(N)
    P = O.locatenew("P", l * A.x)
    Q = P.locatenew("Q", l * B.x)
    second = u2 - q1.diff(T) - q2.diff(T) if speeds == "absolute" else u2 - q2.diff(T)
    arguments = {"frame": N, "q_ind": [q1, q2], "u_ind": [u1, u2], "kd_eqs": [u1 - q1.diff(T), second]}
    bodies = [Particle("P", P, m), Particle("Q", Q, m)]
    return Written(arguments, bodies, [(P, m * g * N.x), (Q, m * g * N.x)])


def spatial_chain(n, velocities=False):
    """Rigid links on pins about z, x, y in turn."""
    q, u, g = dynamicsymbols(f"q:{n}"), dynamicsymbols(f"u:{n}"), symbols("g")
    N = ReferenceFrame("N")
    frame, point, bodies, loads = N, fixed_point(N), [], []
    for i in range(n):
        m, l = symbols(f"m{i} l{i}")
        axis = (frame.z, frame.x, frame.y)[i % 3]
        B = ReferenceFrame(f"B{i}")
        B.orient_axis(frame, axis, q[i])
        B.set_ang_vel(frame, u[i] * axis)
        C, end = point.locatenew(f"C{i}", -l / 2 * B.y), point.locatenew(f"P{i}", -l * B.y)
        if velocities:
            C.v2pt_theory(point, N, B)
            end.v2pt_theory(point, N, B)
        bodies.append(RigidBody(f"link{i}", C, B, m, (inertia(B, *symbols(f"x{i} y{i} z{i}")), C)))
        loads.append((C, -m * g * N.y))
        frame, point = B, end
    kd = [a.diff(T) - b for a, b in zip(q, u, strict=True)]
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd}, bodies, loads)


def disk_frames(q, u):
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    rates = R.ang_vel_in(N)
    R.set_ang_vel(N, u[0] * L.x + u[1] * L.y + u[2] * L.z)
    return N, Y, L, R, [dot(R.ang_vel_in(N) - rates, e) for e in L]


def rolling_disk():
    """A thin disk that rolls, three speeds (Kane and Levinson)."""
    q, u, (r, m, g) = dynamicsymbols("q1:4"), dynamicsymbols("u1:4"), symbols("r m g")
    N, Y, L, R, kd = disk_frames(q, u)
    C = fixed_point(N, "C")
    D = C.locatenew("D", r * L.z)
    D.v2pt_theory(C, N, R)
    I = inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    disk = RigidBody("disk", D, R, m, (I, D))
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd}, [disk], [(D, -m * g * Y.z)])


def disk_with_contact_forces():
    """The same with auxiliary speeds of the contact point, accelerations given."""
    q, u, (r, m, g) = dynamicsymbols("q1:4"), dynamicsymbols("u1:4"), symbols("r m g")
    u4, u5, f1, f2 = dynamicsymbols("u4 u5 f1 f2")
    N, Y, L, R, kd = disk_frames(q, u)
    C = Point("C")
    C.set_vel(N, u4 * L.x + u5 * Y.z.cross(L.x))
    D = C.locatenew("D", r * L.z)
    D.v2pt_theory(C, N, R)
    D.a2pt_theory(C, N, R)
    I = inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    disk = RigidBody("disk", D, R, m, (I, D))
    loads = [(D, -m * g * Y.z), (C, f1 * L.x + f2 * Y.z.cross(L.x))]
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd, "u_auxiliary": [u4, u5]}, [disk], loads)


def disk_with_dependent_speeds():
    """The disk with its centre's velocity as dependent speeds, its height as dependent coordinate, auxiliary speeds."""
    q, u, ua = dynamicsymbols("q:4"), dynamicsymbols("u:6"), dynamicsymbols("ua:3")
    r, m, g, I, J, Fx, Fy, Fz = symbols("r m g I J Fx Fy Fz")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q[0], N.z])
    B = A.orientnew("B", "Axis", [q[1], A.x])
    C = B.orientnew("C", "Axis", [q[2], B.y])
    C.set_ang_vel(N, u[0] * B.x + u[1] * B.y + u[2] * B.z)
    C.set_ang_acc(N, C.ang_vel_in(N).diff(T, B) + B.ang_vel_in(N).cross(C.ang_vel_in(N)))
    P = Point("P")
    P.set_vel(N, ua[0] * A.x + ua[1] * A.y + ua[2] * A.z)
    O = P.locatenew("O", q[3] * A.z + r * sin(q[1]) * A.y)
    O.set_vel(N, u[3] * A.x + u[4] * A.y + u[5] * A.z)
    O.set_acc(N, O.vel(N).diff(T, A) + A.ang_vel_in(N).cross(O.vel(N)))
    turning = q[0].diff(T) * A.z + q[1].diff(T) * B.x + q[2].diff(T) * B.y
    sliding = O.pos_from(P).diff(T, A) + A.ang_vel_in(N).cross(O.pos_from(P))
    kd = [dot(turning - C.ang_vel_in(N), e) for e in B] + [dot(sliding - O.vel(N), A.z)]
    rolling = [dot(O.vel(N) - P.vel(N) - C.ang_vel_in(N).cross(O.pos_from(P)), e).expand() for e in A]
    arguments = {
        "frame": N,
        "q_ind": q[:3],
        "u_ind": u[:3],
        "kd_eqs": kd,
        "q_dependent": q[3:],
        "configuration_constraints": [dot(-r * B.z, A.z) - q[3]],
        "u_dependent": u[3:],
        "velocity_constraints": rolling,
        "u_auxiliary": ua,
    }
    disk = RigidBody("disk", O, C, m, (inertia(B, I, J, I), O))
    return Written(arguments, [disk], [(O, m * g * A.z), (P, Fx * A.x + Fy * A.y + Fz * A.z)])


def two_wheeler(about_axle=False, in_rates=False):
    """Kane and Levinson, problems 8.12 and 8.17: a car on two wheels on a slope; dependent and auxiliary speeds."""
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:6")
    R, M, g, e, f, theta, a, b, mA, mB, IA, J, K = symbols("R M g e f theta a b mA mB IA J K")
    I22, I23, I33, Q1, Q2, Q3 = symbols("I22 I23 I33 Q1 Q2 Q3")
    F = ReferenceFrame("F")
    P = F.orientnew("P", "Axis", [-theta, F.y])
    A = P.orientnew("A", "Axis", [q[0], P.x])
    A.set_ang_vel(F, u[0] * A.x + u[2] * A.z)
    B, C = A.orientnew("B", "Axis", [q[1], A.z]), A.orientnew("C", "Axis", [q[2], A.z])
    if not in_rates:
        B.set_ang_vel(A, u[3] * A.z)
        C.set_ang_vel(A, u[4] * A.z)
    D = Point("D")
    D.set_vel(F, u[1] * A.y)
    S, Q = D.locatenew("S", e * A.y), D.locatenew("Q", f * A.y - R * A.x)
    centres = [D.locatenew("A*", a * A.y), D.locatenew("B*", b * A.z), D.locatenew("C*", -b * A.z)]
    for p in [S, Q, *centres]:
        p.v2pt_theory(D, F, A)
    touching = [p.locatenew(f"{p}^", -R * A.x) for p in centres[1:]]
    for point, centre, wheel in zip(touching, centres[1:], (B, C), strict=True):
        point.v2pt_theory(centre, F, wheel)
    rolling = [dot(p.vel(F), A.y) for p in touching]
    inertias = [inertia(A, IA, I22, I33, 0, I23, 0), inertia(B, K, K, J), inertia(C, K, K, J)]
    bodies = []
    for k, (centre, frame, mass, I) in enumerate(zip(centres, (A, B, C), (mA, mB, mB), inertias, strict=True)):
        where = centre
        if about_axle:
            where, I = D, I + me.inertia_of_point_mass(mass, centre.pos_from(D), frame)
        bodies.append(RigidBody(f"body{k}", centre, frame, mass, (I, where)))
    loads = [(S, -M * g * F.x), (Q, Q1 * A.x + Q2 * A.y + Q3 * A.z)]
    arguments = {"frame": F, "q_ind": q, "u_ind": u[:2], "u_auxiliary": [u[2]]}
    if in_rates:
        arguments["kd_eqs"] = [u[0] - q[0].diff(T), *rolling]
    else:
        arguments |= {
            "kd_eqs": [q[0].diff(T) - u[0], q[1].diff(T) - u[3], q[2].diff(T) - u[4]],
            "u_dependent": u[3:],
            "velocity_constraints": rolling,
        }
    return Written(arguments, bodies, loads)


def top(quaternion=False):
    """A heavy top; speeds are the body components of the angular velocity."""
    u = dynamicsymbols("u1:4")
    m, g, l, A, B, C, D = symbols("m g l A B C D")
    N, body = ReferenceFrame("N"), ReferenceFrame("B")
    if quaternion:
        q = dynamicsymbols("e0:4")
        body.orient_quaternion(N, q)
        e0, e1, e2, e3 = q
        G = sm.Matrix([[-e1, -e2, -e3], [e0, -e3, e2], [e3, e0, -e1], [-e2, e1, e0]])
        kd = list(sm.Matrix([s.diff(T) for s in q]) - G * sm.Matrix(u) / 2)
    else:
        q = dynamicsymbols("q1:4")
        body.orient_body_fixed(N, q, "313")
        kd = [dot(body.ang_vel_in(N), e) - s for e, s in zip(body, u, strict=True)]
    body.set_ang_vel(N, u[0] * body.x + u[1] * body.y + u[2] * body.z)
    O = fixed_point(N)
    G = O.locatenew("G", l * body.z)
    G.v2pt_theory(O, N, body)
    top = RigidBody("top", G, body, m, (inertia(body, A, B, C, D), G))
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd}, [top], [(G, -m * g * N.z)])


def shaken_pendulum():
    """A spherical pendulum on a pivot that moves as given, speeds with a part that depends on time: u = q' + X."""
    (q1, q2), (u1, u2), (s, w) = dynamicsymbols("q1:3"), dynamicsymbols("u1:3"), dynamicsymbols("s w")
    m, g, l, c = symbols("m g l c")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q1, N.x])
    B = A.orientnew("B", "Axis", [q2, A.y])
    O = fixed_point(N)
    pivot = O.locatenew("V", s * N.x + sin(3 * T) * N.z)
    P = pivot.locatenew("P", -l * B.z)
    kd = [u1 - q1.diff(T) - w, u2 - q2.diff(T) * cos(q1) - c * q1]
    bodies, loads = [Particle("P", P, m)], [(P, -m * g * N.z), (B, -c * u1 * A.x)]
    return Written({"frame": N, "q_ind": [q1, q2], "u_ind": [u1, u2], "kd_eqs": kd}, bodies, loads)


def rocket():
    """A particle whose mass is a function of time, with drag along its velocity."""
    q, u, (M, F), (c, g) = dynamicsymbols("x y"), dynamicsymbols("u1:3"), dynamicsymbols("M F"), symbols("c g")
    N = ReferenceFrame("N")
    P = fixed_point(N).locatenew("P", q[0] * N.x + q[1] * N.y)
    P.set_vel(N, u[0] * N.x + u[1] * N.y)
    drag = -c * sqrt(u[0] ** 2 + u[1] ** 2) * P.vel(N)
    kd = [a.diff(T) - b for a, b in zip(q, u, strict=True)]
    loads = [(P, drag + F * N.x - M * g * N.y)]
    return Written({"frame": N, "q_ind": q, "u_ind": u, "kd_eqs": kd}, [Particle("P", P, M)], loads)


def four_bar():
    """A closed loop: two dependent coordinates and speeds."""
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    l = symbols("l1:5")
    m, g = symbols("m1:4"), symbols("g")
    N = ReferenceFrame("N")
    O = fixed_point(N)
    point, bodies, loads, position = O, [], [], 0 * N.x
    for i in range(3):
        B = ReferenceFrame(f"B{i}")
        B.orient_axis(N, N.z, q[i])
        B.set_ang_vel(N, u[i] * N.z)
        C, end = point.locatenew(f"C{i}", l[i] / 2 * B.x), point.locatenew(f"P{i}", l[i] * B.x)
        C.v2pt_theory(point, N, B)
        end.v2pt_theory(point, N, B)
        bodies.append(RigidBody(f"bar{i}", C, B, m[i], (inertia(B, 0, 0, m[i] * l[i] ** 2 / 12), C)))
        loads.append((C, -m[i] * g * N.y))
        position, point = position + l[i] * B.x, end
    loop = position - l[3] * N.x
    arguments = {
        "frame": N,
        "q_ind": q[:1],
        "u_ind": u[:1],
        "q_dependent": q[1:],
        "u_dependent": u[1:],
        "configuration_constraints": [loop.dot(N.x), loop.dot(N.y)],
        "velocity_constraints": [point.vel(N).dot(N.x), point.vel(N).dot(N.y)],
        "kd_eqs": [a.diff(T) - b for a, b in zip(q, u, strict=True)],
    }
    return Written(arguments, bodies, loads)


def bicycle():
    """The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955.

    Frames: Y yaw, R roll, B rear frame, H front frame (handlebar), wheels by their rates only. The steer axis is B's z; the
    rear contact is the origin. The parameters are those of the paper, carried to these axes.
    """
    q1, q2, q4, q5 = dynamicsymbols("q1 q2 q4 q5")
    u = dynamicsymbols("u1:7")
    rF, rR, tilt, offset, fork, length = symbols("rF rR tilt offset fork length")
    a1, a3, b1, b3, g = symbols("a1 a3 b1 b3 g")
    mB, mH, mF, mR = symbols("mB mH mF mR")
    IR1, IR2, IF1, IF2 = symbols("IR1 IR2 IF1 IF2")
    B11, B22, B33, B31, H11, H22, H33, H31 = symbols("B11 B22 B33 B31 H11 H22 H33 H31")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    R = Y.orientnew("R", "Axis", [q2, Y.x])
    B = R.orientnew("B", "Axis", [q4 + tilt, R.y])
    H = B.orientnew("H", "Axis", [q5, B.x])
    rear, front = ReferenceFrame("rear"), ReferenceFrame("front")
    level_B, level_H = B.orientnew("LB", "Axis", [-tilt, B.y]), H.orientnew("LH", "Axis", [-tilt, H.y])
    for frame, base, rate in (
        (Y, N, u[0] * Y.z),
        (R, Y, u[1] * R.x),
        (B, R, u[3] * B.y),
        (rear, B, u[2] * B.y),
        (H, B, u[4] * H.x),
        (front, H, u[5] * H.y),
    ):
        frame.set_ang_vel(base, rate)
    touch = fixed_point(N, "C")
    hub = touch.locatenew("hubR", rR * R.z)
    steer = hub.locatenew("steer", length * B.z)
    com_B = hub.locatenew("comB", -a1 * B.x + a3 * B.z)
    com_H = steer.locatenew("comH", -b1 * H.x + b3 * H.z)
    hub_F = steer.locatenew("hubF", fork * H.x + offset * H.z)
    down = H.y.dot(Y.z) * H.y - Y.z
    touch_F = hub_F.locatenew("CF", rF * down.normalize())
    hub.v2pt_theory(touch, N, rear)
    for point, base, frame in (
        (steer, hub, B),
        (com_B, hub, B),
        (com_H, steer, H),
        (hub_F, steer, H),
        (touch_F, hub_F, front),
    ):
        point.v2pt_theory(base, N, frame)
    bodies = [
        RigidBody("rear frame", com_B, B, mB, (inertia(level_B, B11, B22, B33, 0, 0, B31), com_B)),
        RigidBody("front frame", com_H, H, mH, (inertia(level_H, H11, H22, H33, 0, 0, H31), com_H)),
        RigidBody("rear wheel", hub, rear, mR, (inertia(B, IR1, IR2, IR1), hub)),
        RigidBody("front wheel", hub_F, front, mF, (inertia(H, IF1, IF2, IF1), hub_F)),
    ]
    loads = [(point, -m * g * Y.z) for point, m in ((com_B, mB), (com_H, mH), (hub_F, mF), (hub, mR))]
    arguments = {
        "frame": N,
        "q_ind": [q1, q2, q5],
        "q_dependent": [q4],
        "u_ind": [u[1], u[2], u[4]],
        "u_dependent": [u[0], u[3], u[5]],
        "configuration_constraints": [touch_F.pos_from(touch).dot(Y.z)],
        "velocity_constraints": [touch_F.vel(N).dot(e) for e in Y],
        "kd_eqs": [q1.diff(T) - u[0], q2.diff(T) - u[1], q4.diff(T) - u[3], q5.diff(T) - u[4]],
    }
    return Written(arguments, bodies, loads, bicycle_values(locals()))


def bicycle_values(s):
    """Table 1 of the paper, in the axes used here (its z is down, so that products of inertia change sign)."""
    from math import acos, cos, pi, sin

    rear, front, trail, base = 0.3, 0.35, 0.08, 1.02
    tilt = pi / 2 - pi / 10
    offset = front * cos(tilt) - trail * sin(tilt)
    x, z = 0.3, 0.9
    across, up = 0.9 - base, 0.7 - front
    far = (across**2 + up**2) ** 0.5
    lean = acos(up / far)
    fork = base * cos(tilt) - (front - rear) * sin(tilt)
    values = {
        "rF": front,
        "rR": rear,
        "tilt": tilt,
        "offset": offset,
        "fork": fork,
        "length": base * sin(tilt) - (offset - (front - rear) * cos(tilt)),
        "a1": (z - rear - x / sin(tilt) * cos(tilt)) * sin(tilt),
        "a3": x / sin(tilt) + (z - rear - x / sin(tilt) * cos(tilt)) * cos(tilt),
        "b1": far * cos(pi / 2 - tilt - lean) - fork,
        "b3": offset + far * sin(pi / 2 - tilt - lean),
        "g": 9.81,
        "mB": 85.0,
        "mH": 4.0,
        "mF": 3.0,
        "mR": 2.0,
        "IR1": 0.0603,
        "IR2": 0.12,
        "IF1": 0.1405,
        "IF2": 0.28,
        "B11": 9.2,
        "B22": 11.0,
        "B33": 2.8,
        "B31": -2.4,
        "H11": 0.05892,
        "H22": 0.06,
        "H33": 0.00708,
        "H31": 0.00756,
    }
    return {s[name]: value for name, value in values.items()}


SYSTEMS = {
    "oscillator": oscillator,
    "double pendulum": double_pendulum,
    "double pendulum, relative rates": lambda: double_pendulum("relative"),
    **{f"pendulum of {n} on a cart": (lambda n=n: cart(n)) for n in (1, 2, 3, 5, 8)},
    "spatial chain": lambda: spatial_chain(3),
    "spatial chain, velocities given": lambda: spatial_chain(2, velocities=True),
    "rolling disk": rolling_disk,
    "rolling disk, contact forces": disk_with_contact_forces,
    "rolling disk, dependent speeds": disk_with_dependent_speeds,
    "two-wheeled car": two_wheeler,
    "two-wheeled car, inertia about the axle": lambda: two_wheeler(about_axle=True),
    "two-wheeled car, wheels in rates": lambda: two_wheeler(in_rates=True),
    "heavy top": top,
    "heavy top, quaternion": lambda: top(quaternion=True),
    "shaken pendulum": shaken_pendulum,
    "rocket": rocket,
    "four-bar": four_bar,
}

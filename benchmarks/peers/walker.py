"""A person walking in the sagittal plane, with muscles, in SymPy's objects: seven segments, nine coordinates.

The structure is that of the gait2d model with muscles (trunk, two thighs, shanks and feet; torques at the joints; contact of
heels, toes and trunk with the ground; on each side eight muscles of De Groote et al., Ann. Biomed. Eng. 44 (2016) 2922,
which pull along straight lines, over a point, or over the knee); everything is a symbol.
"""

from typing import Any

import sympy as sm
import sympy.physics.mechanics as me
from sympy.physics.biomechanics import FirstOrderActivationDeGroote2016, MusculotendonDeGroote2016
from sympy.physics.mechanics.pathway import PathwayBase

Segment = dict[str, Any]

#: By name: the segments that a muscle runs over. Two: a straight line. "over": by a point. "knee": over the knee's pulley.
MUSCLES = {
    "iliopsoas": ("line", "trunk", "thigh"),
    "hamstrings": ("line", "trunk", "shank"),
    "glutei": ("over", "trunk", "trunk", "thigh"),
    "rectus": ("knee", "trunk", "thigh", "shank"),
    "vasti": ("knee", "thigh", "thigh", "shank"),
    "gastrocnemius": ("over", "thigh", "shank", "foot"),
    "soleus": ("line", "shank", "foot"),
    "tibialis": ("over", "shank", "shank", "foot"),
}


class OverTheKnee(PathwayBase):
    """From a point straight to another on the thigh, and on over a pulley at the knee, where its length changes by r q'.

    Args:
        attachments: the two points.
        joint: frames of thigh and shank, the knee's angle and its rate.
        radius, rest: of the pulley; what the line over it measures in the stretched knee.
    """

    def __init__(self, attachments: tuple[Any, Any], joint: tuple[Any, ...], radius: Any, rest: Any) -> None:
        super().__init__(*attachments)
        self.line = me.LinearPathway(*attachments)
        self.joint, self.radius, self.rest = joint, radius, rest

    @property
    def length(self) -> Any:
        """Of the whole way."""
        return self.line.length + self.rest - self.radius * self.joint[2]

    @property
    def extension_velocity(self) -> Any:
        """Its rate."""
        return self.line.extension_velocity - self.radius * self.joint[3]

    def to_loads(self, force: Any) -> Any:
        """What a force that pushes the ends apart does."""
        thigh, shank = self.joint[:2]
        torque = -force * self.radius * thigh.z
        return [*self.line.to_loads(force), me.Torque(shank, torque), me.Torque(thigh, -torque)]


def contact(point: Any, ground: Any, origin: Any, parameters: tuple[Any, ...]) -> Any:
    """Force of the ground on a point: cubic in its depth, with damping; friction that saturates."""
    stiffness, damping, friction, scale = parameters
    height = point.pos_from(origin).dot(ground.y)
    depth = (sm.Abs(height) - height) / 2
    velocity = point.vel(ground)
    normal = stiffness * depth**3 * (1 - damping * velocity.dot(ground.y))
    slip = 2 / (1 + sm.exp(-velocity.dot(ground.x) / scale)) - 1
    return -friction * normal * slip * ground.x + normal * ground.y


def attached(segment: Segment, label: str, ground: Any, parameters: list[Any]) -> Any:
    """A point of a segment, at coordinates of its own."""
    x, y = sm.symbols(f"{label}_x {label}_y")
    parameters += [x, y]
    point = segment["joint"].locatenew(label, x * segment["frame"].x + y * segment["frame"].y)
    point.v2pt_theory(segment["joint"], ground, segment["frame"])
    return point


def muscle(label: str, kind: str, run: list[Segment], ground: Any, parameters: list[Any]) -> tuple[Any, list[Any]]:
    """Activation and loads of a muscle that runs over the given segments."""
    inner = run[:-1] if kind == "knee" else run
    points = tuple(attached(segment, f"{label}_{k}", ground, parameters) for k, segment in enumerate(inner))
    if kind == "line":
        path: Any = me.LinearPathway(*points)
    elif kind == "over":
        path = me.ObstacleSetPathway(*points)
    else:
        thigh, shank = run[1], run[2]
        radius, rest = sm.symbols(f"r_{label} rest_{label}")
        parameters += [radius, rest]
        path = OverTheKnee(points, (thigh["frame"], shank["frame"], shank["q"], shank["u"]), radius, rest)
    activation = FirstOrderActivationDeGroote2016.with_defaults(label)
    made = MusculotendonDeGroote2016.with_defaults(label, path, activation)
    parameters += [p for p in (made.F_M_max, made.l_M_opt, made.l_T_slack) if p.is_Symbol]
    return activation.a, made.to_loads()


def leg(side: str, trunk: Segment, ground: Any, parameters: list[Any]) -> list[Segment]:
    """Thigh, shank and foot, each hinged to the one before."""
    found = []
    before, joint = trunk, trunk["joint"]
    for name in ("thigh", "shank", "foot"):
        label = f"{name}_{side}"
        q, u, torque = me.dynamicsymbols(f"q_{label} u_{label} T_{label}")
        m, I, x, y, length = sm.symbols(f"m_{label} I_{label} x_{label} y_{label} l_{label}")
        parameters += [m, I, x, y, *([] if name == "foot" else [length])]
        frame = me.ReferenceFrame(label)
        frame.orient_axis(before["frame"], ground.z, q)
        frame.set_ang_vel(before["frame"], u * ground.z)
        centre = joint.locatenew(f"centre_{label}", x * frame.x + y * frame.y)
        centre.v2pt_theory(joint, ground, frame)
        body = me.RigidBody(label, centre, frame, m, (me.inertia(frame, 0, 0, I), centre))
        segment = {"name": name, "frame": frame, "joint": joint, "body": body, "q": q, "u": u, "torque": torque}
        found.append(segment | {"before": before["frame"]})
        if name != "foot":
            joint = joint.locatenew(f"end_{label}", -length * frame.y)
            joint.v2pt_theory(found[-1]["joint"], ground, frame)
        before = segment
    return found


def walker(muscles: bool = True) -> dict[str, Any]:
    """The model as SymPy's objects: frame, coordinates, speeds, kinematical equations, bodies, loads, inputs, parameters."""
    t, N, O = me.dynamicsymbols._t, me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    x, y, q, vx, vy, u, Fx, Fy, T = me.dynamicsymbols("x y q_trunk vx vy u_trunk F_x F_y T_trunk")
    g, m, I, cx, cy = sm.symbols("g m_trunk I_trunk x_trunk y_trunk")
    ground_parameters = sm.symbols("k_c c_c mu v_s")
    parameters = [g, m, I, cx, cy, *ground_parameters]
    A = me.ReferenceFrame("trunk")
    A.orient_axis(N, N.z, q)
    A.set_ang_vel(N, u * N.z)
    hip = O.locatenew("hip", x * N.x + y * N.y)
    hip.set_vel(N, vx * N.x + vy * N.y)
    centre = hip.locatenew("centre_trunk", cx * A.x + cy * A.y)
    centre.v2pt_theory(hip, N, A)
    trunk = {"name": "trunk", "frame": A, "joint": hip, "q": q, "u": u, "torque": T, "before": N}
    trunk["body"] = me.RigidBody("trunk", centre, A, m, (me.inertia(A, 0, 0, I), centre))
    legs = {side: leg(side, trunk, N, parameters) for side in "rl"}
    segments = [trunk, *legs["r"], *legs["l"]]
    loads: list[Any] = [(centre, Fx * N.x + Fy * N.y + contact(centre, N, O, ground_parameters))]
    for segment in segments:
        loads.append((segment["body"].masscenter, -g * segment["body"].mass * N.y))
        loads += [(segment["frame"], segment["torque"] * N.z), (segment["before"], -segment["torque"] * N.z)]
    inputs = [Fx, Fy, *(s["torque"] for s in segments)]
    for side, (_, _, foot) in legs.items():
        for place in ("heel", "toe"):
            point = attached(foot, f"{place}_{side}", N, parameters)
            loads.append((point, contact(point, N, O, ground_parameters)))
        for name, (kind, *run) in MUSCLES.items() if muscles else ():
            by_name = {s["name"]: s for s in (trunk, *legs[side])}
            activation, pull = muscle(f"{name}_{side}", kind, [by_name[k] for k in run], N, parameters)
            inputs.append(activation)
            loads += pull
    coordinates, speeds = [x, y, *(s["q"] for s in segments)], [vx, vy, *(s["u"] for s in segments)]
    return {
        "frame": N,
        "q": coordinates,
        "u": speeds,
        "kd_eqs": [a.diff(t) - b for a, b in zip(coordinates, speeds, strict=True)],
        "bodies": [s["body"] for s in segments],
        "loads": loads,
        "inputs": inputs,
        "parameters": parameters,
    }

"""One of each part, on the bus that `spacecraft` makes; a new part has its line here."""

import kaneflex as kf

PLACE = kf.Frame((0.3, -0.1, 0.2), (("z", 0.4), ("x", 0.2)))
EXAMPLES = {
    "ReactionWheel": lambda: kf.parts.ReactionWheel((1, 0, 0), 0.1, torque_limit=0.2, speed_limit=600.0, viscous=1e-4),
}


def spacecraft() -> kf.System:
    s = kf.System("spacecraft")
    s.add("bus", kf.Rigid(500.0, inertia=(200.0, 300.0, 400.0)), kf.Free(), rates=(0, 0, 0, 0.01, 0.02, -0.01))
    return s

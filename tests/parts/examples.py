"""One of each part, on the bus that `spacecraft` makes; a new part has its line here."""

import kaneflex as kf

PLACE = kf.Frame((0.3, -0.1, 0.2), (("z", 0.4), ("x", 0.2)))
GYRO = kf.parts.ControlMomentGyro(momentum=50.0, inertia=0.2, mass=20.0)
ORBIT = kf.orbits.KeplerOrbit(3.986e14, 7.0e6)
EXAMPLES = {
    "Accelerometer": lambda: kf.parts.Accelerometer(noise=1e-3, delay=0.01, seed=3),
    "ControlMomentGyro": lambda: GYRO,
    "Gyro": lambda: kf.parts.Gyro(bandwidth=100.0, delay=0.02, noise=1e-5, seed=1),
    "GyroCluster": lambda: kf.parts.GyroCluster.pyramid(GYRO, steering="robust"),
    "MagneticDamper": lambda: kf.parts.MagneticDamper(10.0, 0.02, orbit=ORBIT),
    "MagneticTorquer": lambda: kf.parts.MagneticTorquer(100.0, orbit=ORBIT),
    "MomentumStore": lambda: kf.parts.MomentumStore((1.0, 2.0, 3.0)),
    "ReactionWheel": lambda: kf.parts.ReactionWheel((1, 0, 0), 0.1, torque_limit=0.2, speed_limit=600.0, viscous=1e-4),
    "StarTracker": lambda: kf.parts.StarTracker(noise=1e-5, bandwidth=50.0),
    "SunSensor": lambda: kf.parts.SunSensor(noise=1e-4),
    "Thruster": lambda: kf.parts.Thruster(10.0, rise=0.02, fall=0.03),
    "ThrusterCluster": lambda: kf.parts.ThrusterCluster(kf.parts.Thruster(5.0), *kf.parts.couples(1.2)),
}


def spacecraft() -> kf.System:
    s = kf.System("spacecraft")
    s.add("bus", kf.Rigid(500.0, inertia=(200.0, 300.0, 400.0)), kf.Free(), rates=(0, 0, 0, 0.01, 0.02, -0.01))
    return s

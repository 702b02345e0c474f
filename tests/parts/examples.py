"""One of each part, on the bus that `spacecraft` makes; a new part has its line here."""

import kaneflex as kf

PLACE = kf.Frame((0.3, -0.1, 0.2), (("z", 0.4), ("x", 0.2)))
GYRO = kf.parts.ControlMomentGyro(momentum=50.0, inertia=0.2, mass=20.0)
ORBIT = kf.orbits.KeplerOrbit(3.986e14, 7.0e6)
EXAMPLES = {
    "Accelerometer": lambda: kf.parts.Accelerometer(noise=1e-3, delay=0.01, seed=3),
    "ControlMomentGyro": lambda: GYRO,
    "Engine": lambda: kf.parts.Engine(2e3, mass=5.0, arm=0.2, inertia=(0.5, 0.4), stiffness=100.0, damping=2.0),
    "Foot": lambda: kf.parts.Foot(900.0, 0.2, length=0.5, mass=0.5, stiffness=1e4),
    "Gyro": lambda: kf.parts.Gyro(bandwidth=100.0, delay=0.02, noise=1e-5, seed=1),
    "GyroCluster": lambda: kf.parts.GyroCluster.pyramid(GYRO, steering="robust"),
    "MagneticDamper": lambda: kf.parts.MagneticDamper(10.0, 0.02, orbit=ORBIT),
    "MagneticTorquer": lambda: kf.parts.MagneticTorquer(100.0, orbit=ORBIT),
    "MomentumStore": lambda: kf.parts.MomentumStore((1.0, 2.0, 3.0)),
    "MovingMass": lambda: kf.parts.MovingMass(5.0, (0, 1, 0), lower=-0.5, upper=0.5, force_limit=3.0),
    "Parachute": lambda: kf.parts.Parachute(10.0, 20.0, normal=((0.0, -0.1), (0.2, 0.0), (1.0, 0.5)), apparent=(20.0, 10.0)),
    "ReactionWheel": lambda: kf.parts.ReactionWheel((1, 0, 0), 0.1, torque_limit=0.2, speed_limit=600.0, viscous=1e-4),
    "RotorDisk": lambda: kf.parts.RotorDisk(2.0, 100.0, inertia=3.0),
    "SloshTank": lambda: kf.parts.SloshTank("cylinder", 0.3, 0.8, 0.5, model="spring", damping=0.01, shell=2.0),
    "StarTracker": lambda: kf.parts.StarTracker(noise=1e-5, bandwidth=50.0),
    "SunSensor": lambda: kf.parts.SunSensor(noise=1e-4),
    "Tank": lambda: kf.parts.Tank("sphere", 0.3, 80.0, shell=4.0, outlet=(0, 0, -0.2)),
    "Thruster": lambda: kf.parts.Thruster(10.0, rise=0.02, fall=0.03),
    "ThrusterCluster": lambda: kf.parts.ThrusterCluster(kf.parts.Thruster(5.0), *kf.parts.couples(1.2)),
    "Transfer": lambda: kf.parts.Transfer(20.0, 5.0, ((0, 1, 0), (1, 1, 0))),
}


def spacecraft(height: float = 3.0) -> kf.System:
    """A bus above the plane z = 0."""
    s = kf.System("spacecraft")
    first = {"q": (0, 0, height, 1, 0, 0, 0), "rates": (0, 0, 0, 0.01, 0.02, -0.01)}
    s.add("bus", kf.Rigid(500.0, inertia=(200.0, 300.0, 400.0)), kf.Free(), **first)
    return s

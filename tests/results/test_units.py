"""What every channel is measured in, and where that is shown."""

import csv

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.model import quantities as Q
from kaneflex.plan.channels import section_units


@pytest.fixture(scope="module")
def run():
    beam = kf.structures.Beam(length=2.0, EA=1e5, EI=200.0, mass_per_length=0.6, elements=2)
    box = kf.Rigid(1.0, inertia=(0.4, 0.5, 0.6), frames={"tip": (1, 0, 0)})
    s = kf.System("craft", gravity=(0, 0, -2.0))
    s.add("bus", box, kf.Free())
    s.add("arm", kf.Flexible(beam, modes=2), kf.Revolute("z"), parent="bus", rates=1.0)
    s.add("fork", box, kf.Universal(), parent="bus")
    s.add("bolt", box, kf.Screw("x", 0.2), parent="bus")
    s.add("plate", box, kf.Planar("x"), parent="bus")
    s.add("bead", box, kf.CustomJoint(lambda q: (np.eye(3), (q[0], 0, 0)), ("way",)), parent="bus")
    s.add_rotor("wheel", "bus", kf.Rotor("z", 0.1))
    s.add_input("motor", kf.JointForce("arm"))
    s.add_block("servo", kf.Block(lambda t, x, z: ((z[0],), (x[0] - z[0],)), sees=["arm.q"], drives=["motor"], states=1))
    s.apply("spring", kf.JointSpring("arm", stiffness=1.0))
    s.set_unit("motor", "N m")
    s.set_unit("bead.way", "m")
    s.set_unit("servo.z", "rad")
    return s.simulate(0.02, output=0.01)


UNITS = {
    "t": "s",
    "bus.x": "m",
    "bus.e0": "",
    "bus.q": "",
    "bus.vx": "m/s",
    "bus.wx_dot": "rad/s²",
    "bus.tip.position": "m",
    "bus.rotation_rate": "1/s",
    "arm.q": "rad",
    "arm.load": "N m",
    "arm.mode1": "kg^½ m",
    "arm.mode1.rate_dot": "kg^½ m/s²",
    "arm.modes_rate": "kg^½ m/s",
    "arm.tip.slope": "rad",
    "arm.strain_energies": "J",
    "arm.section_loads": "",
    "arm.section_loads.beam-0.start.Mz": "N m",
    "arm.section_loads.beam-1.end.Vy": "N",
    "fork.angle1": "rad",
    "fork.angle1.rate": "rad/s",
    "bolt.q": "rad",
    "plate.x.rate_dot": "m/s²",
    "plate.angle": "rad",
    "plate.q": "",
    "bead.way": "m",
    "bead.q": "m",
    "bead.way.rate": "m/s",
    "bead.load": "N",
    "wheel.rate": "rad/s",
    "wheel.rate_dot": "rad/s²",
    "motor": "N m",
    "servo.z": "rad",
    "servo.motor": "",
    "spring.power": "W",
    "energy.total": "J",
    "momentum.central": "kg m²/s",
    "mass_centre.inertia": "kg m²",
    "mass_centre.acceleration": "m/s²",
}


@pytest.mark.parametrize("name", UNITS)
def test_units(run, name):
    assert run.unit(name) == UNITS[name]


def test_units_agree_with_derivatives_by_time(run):
    """Every "x_dot" and "x.rate" has the unit of what it is the derivative of, per second."""
    seen = 0
    for name in run.channels:
        for ending, of in (("_dot", name.removesuffix("_dot")), (".rate", name.removesuffix(".rate"))):
            if name.endswith(ending) and of in run.plan.channels and run.unit(of):
                before, after = run.unit(of), run.unit(name)
                assert after == (before.replace("/s", "/s²") if before.endswith("/s") else f"{before}/s"), name
                seen += 1
    assert seen > 10


def test_section_loads_of_all_elements():
    labels = ("b.start.N", "b.end.My", "bar-3.N", "plate-1.Nx", "plate-1.My", "plate-1.Mxy", "s.Fx", "s.My", "solid-1.sxy")
    assert section_units(labels) == ("N", "N m", "N", "N/m", "N", "N", "N", "N m", "Pa")


def test_tables_have_units(run, tmp_path):
    pytest.importorskip("xarray")
    names = ["arm.q", "plate.q", "bus.position", "arm.section_loads"]
    frame = run.to_pandas(names)
    units = frame.attrs["units"]
    assert list(units) == ["t", *frame.columns] and units["t"] == "s" and units["bus.position[1]"] == "m"
    assert [units[f"plate.q[{k}]"] for k in range(3)] == ["m", "m", "rad"]
    assert units["arm.section_loads.beam-0.start.Mz"] == "N m"
    data = run.to_xarray(names)
    assert data["bus.position"].attrs["units"] == "m" and data["t"].attrs["units"] == "s"
    path = run.to_csv(tmp_path / "new" / "run.csv", names)
    heads, second, *rows = csv.reader(path.read_text().splitlines())
    assert heads == ["t", *frame.columns] and second == list(units.values())
    assert np.array_equal(np.array(rows, float), np.column_stack([run.t, frame.to_numpy()]))


def test_names_near_by_are_suggested(run):
    for wrong, right in (
        ("arm.postion", "arm.position"),
        ("amr.q", "arm.q"),
        ("bus.tpi.velocity", "bus.tip.velocity"),
        ("energy.kinetc", "energy.kinetic"),
        ("wheel.rat", "wheel.rate"),
        ("spring.powr", "spring.power"),
        ("arm.section_loads.beam-0.start.M", "arm.section_loads.beam-0.start.Mz"),
    ):
        with pytest.raises(kf.ModelError, match=f'"{wrong}" is not known.*did you mean.*"{right}"'):
            run[wrong]
        with pytest.raises(kf.ModelError, match="is not known"):
            run.unit(wrong)
        with pytest.raises(kf.ModelError, match="is not known"):
            run.components(wrong)


def test_components_have_names(run):
    assert run.components("plate.q") == ("x", "y", "angle") and run.components("bus.load")[:2] == ("vx", "vy")
    assert run.components("bus.position") == ("x", "y", "z") and run.components("bus.rotation")[5] == "R23"
    for name in run.channels:
        assert len(run.components(name)) == run[name][0].size, name


def test_every_row_of_the_registry_is_met_and_has_its_unit_and_size(run):
    """Rows that no channel of this run is made from: constraints, rods, variable mass and recovery, which it has not."""
    met = set()
    for name in (*run.channels, "bus.rotation_rate", "bus.x.u", "bus.vx.u", "arm.mode1.u"):
        if name in run.plan.channels:
            channel = run.plan.channels[name]
            met.add(channel.quantity)
            assert channel.quantity.size in (0, channel.size), name
    left = {q.word for q in Q.QUANTITIES if q not in met}
    rods = {"shape", "curvature", "strain", "tension", "moment"}
    assert left == {"drive", "multipliers", "current_mass", "outlet_power", "<recovery>", *rods}


BAD = {
    "no text": ("motor", 3.0, "give a text"),
    "unknown owner": ("moter", "N", '"moter" is not known'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_units_are_named(case):
    s = kf.System("s")
    s.add("arm", kf.Rigid(1.0), kf.Prismatic("x"))
    s.add_input("motor", kf.JointForce("arm"))
    channel, unit, message = BAD[case]
    with pytest.raises(kf.ModelError, match=message):
        s.set_unit(channel, unit)

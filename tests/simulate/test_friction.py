"""Friction of points that stay on their planes: sliding, coming to rest, slipping again, against closed forms."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kaneflex as kf
from kaneflex import profiles

G = 9.81
WAYS = [("recursive", "customary"), ("dense", "customary"), ("embedded", "customary"), ("recursive", "efficient")]


def block(mu: float, slope: float = 0.0, rates=(0.0, 0.0, 0.0)) -> kf.System:
    """A block on a plane that falls along x."""
    s = kf.System("block", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    s.add("block", kf.Rigid(2.0), kf.Translational(), q=(0, 0, 0), rates=rates)
    s.contact("floor", kf.Contact("block", friction=mu))
    return s


@pytest.mark.parametrize("formulation, speeds", WAYS)
def test_a_block_slides_to_a_stop(formulation, speeds):
    mu, v = 0.3, np.array([2.0, 1.0])
    run = block(mu, rates=(*v, 0)).simulate(2.0, formulation=formulation, speeds=speeds)
    speed = np.linalg.norm(v)
    (_, start), (t, word) = run.events
    assert start == "floor" and word == "floor stops" and t == pytest.approx(speed / (mu * G), abs=1e-6)
    assert run["block.position"][-1, :2] == pytest.approx(speed * v / (2 * mu * G), abs=1e-7)
    assert run.audit.ok and run.audit.dissipated_work == pytest.approx(speed**2, rel=1e-9)
    loads = run.loads("floor")
    moving = (run.t > 0) & (run.t < t)
    assert loads.force[moving] == pytest.approx(np.tile([*(-mu * 2 * G * v / speed), 2 * G], (moving.sum(), 1)), rel=1e-6)
    assert loads.net_power[5] == pytest.approx(-mu * 2 * G * np.linalg.norm(run["block.velocity"][5]), rel=1e-9)
    assert loads.force[-1] == pytest.approx([0, 0, 2 * G], abs=1e-9)


@pytest.mark.parametrize("angle", [0.2, 0.5])
def test_a_block_on_a_slope_rests_or_slides(angle):
    """The limit is tan(angle) = mu = 0.3."""
    mu = 0.3
    run = block(mu, angle).simulate(1.0)
    gain = max(0.0, G * (math.sin(angle) - mu * math.cos(angle)))
    assert run["block.position"][-1] == pytest.approx([gain / 2, 0, 0], abs=1e-9)
    assert run.audit.ok


@pytest.mark.parametrize("angle, returns", [(0.2, False), (0.5, True)])
def test_a_block_pushed_up_a_slope(angle, returns):
    """It stops, and rests there or comes back."""
    mu, v = 0.3, 3.0
    run = block(mu, angle, (-v, 0, 0)).simulate(2.0)
    up, down = (G * (math.sin(angle) + sign * mu * math.cos(angle)) for sign in (1, -1))
    t, top = v / up, -(v**2) / (2 * up)
    assert run.events[1][0] == pytest.approx(t, abs=1e-6)
    assert run["block.position"][-1, 0] == pytest.approx(top + returns * down * (2.0 - t) ** 2 / 2, abs=2e-6)
    assert run.audit.ok


def test_slip_across_a_slope_turns_downwards():
    mu, angle, v = 0.4, 0.5, np.array([0.0, 1.5])
    run = block(mu, angle, (*v, 0)).simulate(2.0, rtol=1e-10, atol=1e-12)

    def rate(t, y):
        size = np.linalg.norm(y[2:])
        return [*y[2:], *(np.array([G * math.sin(angle), 0]) - mu * G * math.cos(angle) * y[2:] / size)]

    exact = solve_ivp(rate, (0, 2), [0, 0, *v], rtol=1e-11, atol=1e-13).y[:, -1]
    assert run["block.position"][-1, :2] == pytest.approx(exact[:2], abs=1e-8)
    assert run["block.velocity"][-1, :2] == pytest.approx(exact[2:], abs=1e-8)


def test_a_block_slips_on_a_table_that_is_pulled_away():
    """The table's acceleration grows as 6 t: the block slips when that exceeds mu g."""
    mu = 0.2
    s = kf.System("table", gravity=(0, 0, -G))
    table = kf.Rigid(10.0, inertia=(1, 1, 1), frames={"top": (0, 0, 0.5)})
    s.add("table", table, kf.Prismatic("x", motion=lambda t: t * t * t))
    s.add("block", kf.Rigid(2.0, frames={"sole": (0, 0, -0.1)}), kf.Translational(), q=(0.0, 0.0, 0.6))
    s.contact("top", kf.Contact("block.sole", on="table.top", friction=mu))
    run = s.simulate(1.0)
    t, word = run.events[1]
    assert word == "top slips" and t == pytest.approx(mu * G / 6, abs=1e-9)
    left = 1.0 - t
    assert run["block.position"][-1, 0] == pytest.approx(t**3 + 3 * t**2 * left + mu * G * left**2 / 2, abs=1e-8)
    assert run.audit.ok and run.loads("top").force[-1] == pytest.approx([mu * 2 * G, 0, 2 * G], rel=1e-6)


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("formulation", ["recursive", "dense"])
def test_friction_changes_the_force_that_presses(direction, formulation):
    """A rod hinged above a belt, its end dragged along: a belt that runs away from the hinge is pressed less.

    Moments about the hinge: N (cos a +- mu sin a) L = m g cos(a) L / 2."""
    mu, a, L, m = 0.4, 0.7, 1.5, 3.0
    s = kf.System("belt", gravity=(0, 0, -G))
    s.add("belt", kf.Rigid(1.0), kf.Prismatic("x", motion=profiles.constant_rate(direction)))
    rod = kf.Rigid(m, com=(L / 2, 0, 0), inertia=(1e-3, m * L**2 / 12, m * L**2 / 12), frames={"end": (L, 0, 0)})
    s.add("rod", rod, kf.Revolute("y"), at=(0, 0, L * math.sin(a)), q=a)
    s.contact("end", kf.Contact("rod.end", on="belt", friction=mu))
    run = s.simulate(0.5, formulation=formulation)
    force = run.loads("end").force[-1]
    N = m * G * math.cos(a) / 2 / (math.cos(a) + direction * mu * math.sin(a))
    assert force == pytest.approx([direction * mu * N, 0, N], rel=1e-9)
    assert run["belt.drive"][-1] == pytest.approx(direction * mu * N, rel=1e-9)


def test_a_sliding_table_presses_on_its_front_feet():
    """Moments about the mass centre at height h: N_front - N_rear = mu m g h / b with feet at +-b, as long as all press."""
    mu, m, h, b = 0.25, 8.0, 0.6, 0.5
    s = kf.System("table", gravity=(0, 0, -G))
    feet = {f"{x}{y}": (b * i, b * j, -h) for x, i in (("front", 1), ("rear", -1)) for y, j in (("left", 1), ("right", -1))}
    table = kf.Rigid(m, inertia=(1, 1, 1.5), frames=feet)
    s.add("table", table, kf.Free(), q=(0, 0, h, 1, 0, 0, 0), rates=(3, 0, 0, 0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"table.{foot}", friction=mu))
    run = s.simulate(1.5)
    stop = 3 / (mu * G)
    assert run["table.position"][-1] == pytest.approx([9 / (2 * mu * G), 0, h], abs=1e-6)
    forces = {foot: run.loads(foot).force[len(run.t) // 3] for foot in feet}
    assert run.t[len(run.t) // 3] < stop
    front, rear = (forces[f"{side}left"] + forces[f"{side}right"] for side in ("front", "rear"))
    assert front + rear == pytest.approx([-mu * m * G, 0, m * G], abs=1e-6)
    assert front[2] - rear[2] == pytest.approx(mu * m * G * h / b, rel=1e-6)
    assert forces["frontleft"] == pytest.approx(forces["frontright"], abs=1e-6)
    assert run.audit.ok


def test_a_block_rests_again_on_a_belt_that_it_was_put_on():
    """It is dragged up to the belt's speed in V / (mu g)."""
    mu, V = 0.25, 2.0
    s = kf.System("belt", gravity=(0, 0, -G))
    s.add("belt", kf.Rigid(1.0), kf.Prismatic("x", motion=profiles.constant_rate(V)))
    s.add("block", kf.Rigid(2.0), kf.Translational(), q=(0, 0, 0))
    s.contact("on", kf.Contact("block", on="belt", friction=mu))
    run = s.simulate(2.0)
    t, word = run.events[1]
    assert word == "on stops" and t == pytest.approx(V / (mu * G), abs=1e-6)
    assert run["block.position"][-1, 0] == pytest.approx(mu * G * t**2 / 2 + V * (2.0 - t), abs=1e-5)
    assert run.audit.ok


def test_a_thrown_block_lands_and_slides():
    """The impulse of landing takes mu of itself from the slip, the slide afterwards the rest."""
    mu, h, v = 0.2, 0.5, 4.0
    s = kf.System("thrown", gravity=(0, 0, -G))
    s.add("block", kf.Rigid(2.0), kf.Translational(), q=(0, 0, h), rates=(v, 0, 0))
    s.contact("floor", kf.Contact("block", friction=mu))
    run = s.simulate(2.5)
    fall = math.sqrt(2 * h / G)
    left = v - mu * G * fall
    assert run["block.position"][-1, 0] == pytest.approx(v * fall + left**2 / (2 * mu * G), abs=1e-6)
    assert [word for _, word in run.events] == ["floor", "floor stops"]
    assert run.audit.ok


def test_a_run_that_slides_is_stored_and_goes_on(tmp_path):
    s = block(0.3, rates=(2.0, 0, 0))
    whole, part = s.simulate(1.0), s.simulate(0.3)
    again = kf.Run.load(part.save(tmp_path / "slide.h5"))
    assert again.loads("floor").force[-1] == pytest.approx(part.loads("floor").force[-1])
    assert part.extend(0.7)["block.position"][-1] == pytest.approx(whole["block.position"][-1], abs=1e-7)


def rod(mu: float, slip: float, angle: float = 1.1) -> kf.System:
    """A rod of length 1 m and mass 1 kg in the x-z plane whose lower end, ahead in x, slides on the ground."""
    s = kf.System("rod", gravity=(0, 0, -G))
    body = kf.Rigid(1.0, inertia=(1e-3, 1 / 12, 1 / 12), frames={"end": (0.5, 0, 0)})
    q = (0, 0, math.sin(angle) / 2, math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    s.add("rod", body, kf.Free(), q=q, rates=(slip * math.cos(angle), 0, slip * math.sin(angle), 0, 0, 0))
    s.contact("end", kf.Contact("rod.end", friction=mu))
    return s


@pytest.mark.parametrize(("mu", "slip"), [(0.5, 1.0), (0.5, -1.0), (2.0, -1.0)])
def test_a_rod_slides_on_its_end_without_a_blow(mu, slip):
    """It starts on the ground, without approaching it: N = g / (1 + 3 cos a (cos a - mu sin a)), or + where it trails."""
    run = rod(mu, slip).simulate(0.02)
    N = G / (1 + 3 * math.cos(1.1) * (math.cos(1.1) - math.copysign(mu, slip) * math.sin(1.1)))
    assert run.loads("end").force[1] == pytest.approx([-math.copysign(mu, slip) * N, 0, N], rel=1e-9)
    assert run.impacts[0].energy[0] == pytest.approx(run.impacts[0].energy[1], rel=1e-12) and run.audit.ok


def test_friction_that_no_force_agrees_with_is_refused():
    with pytest.raises(kf.ModelError, match=r'contact "end": at t = 0 s.*Painleve.*lower the friction'):
        rod(2.0, 1.0).simulate(0.02)


@pytest.mark.parametrize("formulation", ["recursive", "dense"])
@pytest.mark.parametrize("ratio", [0.999, 1.0, 1.001])
def test_a_sled_that_only_its_friction_keeps_from_tipping(ratio, formulation):
    """Feet ahead of the mass centre by 1.3 L and 0.3 L, which is at the height h = L ratio / mu: by its friction alone the
    front foot, as the other stays, is pressed by ratio times its own load. N_front = (ratio - 0.3) m g, the rest behind."""
    mu, m, length = 1.0, 2.0, 1.0
    h = ratio * length / mu
    s = kf.System("sled", gravity=(0, -G, 0))
    s.add("floor", kf.Rigid(0.0, frames={"up": kf.Frame((0, 0, 0), (("x", -math.pi / 2),))}))
    feet = {"front": (1.3 * length, -h, 0), "rear": (0.3 * length, -h, 0)}
    s.add("sled", kf.Rigid(m, inertia=(1, 1, 1), frames=feet), kf.Planar("z"), q=(0, h, 0), rates=(3.0, 0, 0))
    for foot in feet:
        s.contact(foot, kf.Contact(f"sled.{foot}", on="floor.up", friction=mu))
    run = s.simulate(0.2, formulation=formulation)
    assert run["sled.rate"][-1] == pytest.approx((3.0 - mu * G * 0.2, 0, 0), abs=1e-9)
    front, rear = (run.last.loads(foot).force[-1, 1] for foot in ("front", "rear"))
    assert (front, rear) == pytest.approx(((ratio - 0.3) * m * G, (1.3 - ratio) * m * G), rel=1e-9)

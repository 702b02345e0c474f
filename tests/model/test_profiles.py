"""Prescribed motions: derivatives, ends, closed forms, wrong arguments, and the way through a file."""

import json
import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from kaneflex.model import profiles
from kaneflex.model.checks import ModelError
from kaneflex.model.codec import decode, encode

NAN, INF = math.nan, math.inf
TIMES, VALUES = (0.5, 1.0, 2.5, 3.0, 5.0), (0.2, -1.0, 0.7, 0.9, 0.3)
PROFILES = {
    "spin_up": profiles.spin_up(6.0, 15.0),
    "spin_up, later": profiles.spin_up(-2.0, 0.3, start=1.1, initial=0.4),
    "cosine": profiles.cosine(0.7, 3.0, phase=0.3, offset=-0.2),
    "cosine, still": profiles.cosine(0.7, 0.0, phase=0.3, offset=-0.2),
    "versine": profiles.versine(0.5, 2.0, start=0.7),
    "smooth_step": profiles.smooth_step(1.3, 2.0, start=0.7, initial=-0.4),
    "bang_bang": profiles.bang_bang(1.3, 2.0, start=0.7, initial=-0.4),
    "quintic": profiles.quintic(-1.3, 2.0, start=0.7, initial=-0.4),
    "table, clamped": profiles.table(TIMES, VALUES),
    "table, natural": profiles.table(np.array(TIMES), list(VALUES), ends="natural"),
    "table of two": profiles.table([1, 2], [0, 3]),
    "hold": profiles.hold(1.7),
    "constant_rate": profiles.constant_rate(2.5, initial=-1),
}
every_profile = pytest.mark.parametrize("name", PROFILES)
SMOOTH = {"spin_up", "spin_up, later", "smooth_step", "quintic", "table, natural"}  # no jump of the acceleration


def at(profile, t):
    """Value, rate and acceleration."""
    return np.array([f(t) for f in profile.functions])


def one_side(profile, t, side):
    """Value, rate and acceleration just before or after t."""
    return at(profile, t + side * 1e-12 * (1 + abs(t)))


@every_profile
def test_rate_and_acceleration_are_derivatives(name):
    value, rate, acceleration = PROFILES[name].functions
    for t in np.linspace(-1.03, 17.01, 181):
        step = t + 1e-30j
        assert value(step).imag / 1e-30 == pytest.approx(rate(t), rel=1e-13, abs=1e-13)
        assert rate(step).imag / 1e-30 == pytest.approx(acceleration(t), rel=1e-13, abs=1e-13)
        assert value(step).real == value(t)


@every_profile
def test_value_and_rate_never_jump(name):
    profile = PROFILES[name]
    for t in profile.pieces[1:, 0]:
        before, after = one_side(profile, t, -1), one_side(profile, t, +1)
        np.testing.assert_allclose(after[:2], before[:2], rtol=1e-10, atol=1e-10)
        if name in SMOOTH:
            assert after[2] == pytest.approx(before[2], abs=1e-8)


@every_profile
def test_the_acceleration_jumps_at_breaks_only(name):
    profile = PROFILES[name]
    assert list(profile.breaks) == sorted(profile.breaks)
    for t in set(profile.pieces[1:, 0]) - set(profile.breaks):
        assert one_side(profile, t, 1)[2] == pytest.approx(one_side(profile, t, -1)[2], abs=1e-8)
    for t in profile.breaks:
        np.testing.assert_allclose(at(profile, t), one_side(profile, t, +1), atol=1e-8)


@pytest.mark.parametrize("name", ["versine", "smooth_step", "bang_bang", "quintic", "table, clamped"])
def test_at_rest_before_and_after(name):
    profile = PROFILES[name]
    first, last = profile.breaks[0], profile.breaks[-1]
    start, end = at(profile, first - 1.0), at(profile, last)
    assert start[1] == start[2] == end[1] == end[2] == 0.0
    assert np.array_equal(at(profile, first - 50.0), start) and np.array_equal(at(profile, last + 50.0), end)
    if name.startswith("table"):
        assert (start[0], end[0]) == (VALUES[0], VALUES[-1])
    else:
        initial, change = (0.0, 0.0) if name == "versine" else (profile.initial, profile.change)
        assert (start[0], end[0]) == (initial, initial + change)


def test_spin_up_as_in_the_literature():
    """Kane, Ryan and Banerjee (1987): theta = (6/15) [t^2/2 + (15/2pi)^2 (cos(2 pi t/15) - 1)], then 6 t - 45."""
    profile = profiles.spin_up(6.0, 15.0)
    for t in (0.0, 2.5, 7.5, 11.0, 15.0):
        theta = 6 / 15 * (t**2 / 2 + (15 / (2 * math.pi)) ** 2 * (math.cos(2 * math.pi * t / 15) - 1))
        omega = 6 / 15 * (t - 15 / (2 * math.pi) * math.sin(2 * math.pi * t / 15))
        alpha = 6 / 15 * (1 - math.cos(2 * math.pi * t / 15))
        np.testing.assert_allclose(at(profile, t), [theta, omega, alpha], rtol=1e-13, atol=1e-14)
    for t in (15.0, 20.0, 300.0):
        np.testing.assert_allclose(at(profile, t), [6 * t - 45, 6.0, 0.0], rtol=1e-15)
    assert profile.breaks == (0.0, 15.0)


def test_closed_forms():
    p = (1.2 - 0.7) / 2.0
    sine = -0.4 + 1.3 * (p - math.sin(2 * math.pi * p) / (2 * math.pi))
    assert at(PROFILES["smooth_step"], 1.2)[0] == pytest.approx(sine, rel=1e-15)
    assert at(PROFILES["quintic"], 1.2)[0] == pytest.approx(-0.4 - 1.3 * (10 * p**3 - 15 * p**4 + 6 * p**5), rel=1e-15)
    assert at(PROFILES["quintic"], 1.7)[1] == pytest.approx(-1.3 / 2 * 15 / 8, rel=1e-14)
    np.testing.assert_allclose(at(PROFILES["versine"], 1.7), [0.5, 0.0, -0.25 * math.pi**2], atol=1e-15)
    np.testing.assert_allclose(at(PROFILES["versine"], 0.7), [0.0, 0.0, 0.25 * math.pi**2], atol=1e-15)
    np.testing.assert_allclose(at(PROFILES["bang_bang"], 1.7), [0.25, 1.3, -1.3], rtol=1e-15)
    assert [at(PROFILES["bang_bang"], t)[2] for t in (0.69, 0.7, 1.69, 1.71, 2.69, 2.7)] == [0, 1.3, 1.3, -1.3, -1.3, 0]
    assert PROFILES["bang_bang"].breaks == (0.7, 1.7, 2.7)
    assert at(PROFILES["cosine"], 0.4)[0] == pytest.approx(-0.2 + 0.7 * math.cos(1.5), rel=1e-15)
    assert at(PROFILES["cosine, still"], 9.0) == pytest.approx([-0.2 + 0.7 * math.cos(0.3), 0, 0])
    assert list(at(PROFILES["hold"], 3.0)) == [1.7, 0, 0] and list(at(PROFILES["constant_rate"], 3.0)) == [6.5, 2.5, 0]


@pytest.mark.parametrize("ends", ["clamped", "natural"])
def test_a_table_is_the_spline_through_its_points(ends):
    profile, spline = PROFILES[f"table, {ends}"], CubicSpline(TIMES, VALUES, bc_type=ends)
    for t in np.linspace(0.5, 4.999, 57):
        np.testing.assert_allclose(at(profile, t), [spline(t, k) for k in range(3)], rtol=1e-12, atol=1e-12)
    for t, value in zip(TIMES, VALUES, strict=True):
        assert at(profile, t)[0] == pytest.approx(value, abs=1e-15)
    assert profile.breaks == TIMES


def test_a_natural_table_goes_straight_on():
    profile, spline = PROFILES["table, natural"], CubicSpline(TIMES, VALUES, bc_type="natural")
    np.testing.assert_allclose(at(profile, 7.0), [0.3 + 2 * spline(5.0, 1), spline(5.0, 1), 0.0], rtol=1e-13)
    np.testing.assert_allclose(at(profile, 0.0), [0.2 - 0.5 * spline(0.5, 1), spline(0.5, 1), 0.0], rtol=1e-13)


@every_profile
def test_equal_profiles_share_their_pieces(name):
    profile = PROFILES[name]
    fields = {f: getattr(profile, f) for f in profile.__dataclass_fields__}
    again = type(profile)(**fields)
    assert again == profile and hash(again) == hash(profile) and again.pieces is profile.pieces
    assert not profile.pieces.flags.writeable


@every_profile
def test_a_file_holds_the_whole_profile(name):
    profile = PROFILES[name]
    data = json.loads(json.dumps(encode(profile, "crank.motion")))
    assert decode(data, {}) == profile


def test_a_file_asks_for_the_functions_of_a_motion():
    motion = profiles.Motion(lambda t: t * t, lambda t: 2 * t, breaks=[2, 1.0])
    data = json.loads(json.dumps(encode(motion, "crank.motion")))
    again = decode(data, {"crank.motion.value": motion.value})
    assert again.value is motion.value and again.acceleration is None and again.breaks == (1.0, 2.0)
    assert again.rate.is_missing == "crank.motion.rate"
    with pytest.raises(ModelError, match=r'"crank.motion.rate" is not in the file'):
        again.rate(0.0)


def test_a_motion_of_functions():
    motion = profiles.Motion(np.sin)
    assert motion.functions == (np.sin, None, None) and motion.breaks == ()
    assert profiles.Motion(np.sin, np.cos, breaks=np.array([3.0, 1.0, 3.0])).breaks == (1.0, 3.0)
    assert profiles.motion_of(motion, "motion") is motion
    assert profiles.motion_of(PROFILES["hold"], "motion") is PROFILES["hold"]
    assert profiles.motion_of(math.cos, "motion") == profiles.Motion(math.cos)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: profiles.spin_up(6.0, -1.0), "time of profiles.spin_up is -1: it must be positive"),
        (lambda: profiles.spin_up(6.0, 0.0), "time of profiles.spin_up is 0: it must be positive"),
        (lambda: profiles.spin_up(NAN, 1.0), "rate of profiles.spin_up is nan: give a finite number"),
        (lambda: profiles.spin_up("6", 1.0), "rate of profiles.spin_up is '6': give one real number"),
        (lambda: profiles.quintic(1.0, INF), "time of profiles.quintic is inf: give a finite number"),
        (lambda: profiles.versine(1.0, 1e-9, start=1e9), "time of profiles.versine is 1e-09: it is lost beside start"),
        (lambda: profiles.bang_bang(1.0, 1.0, start=NAN), "start of profiles.bang_bang is nan"),
        (lambda: profiles.smooth_step(1.0, 1.0, initial=None), "initial of profiles.smooth_step is None"),
        (lambda: profiles.cosine(1j, 1.0), "amplitude of profiles.cosine is 1j: give one real number"),
        (lambda: profiles.hold(np.zeros(2)), "value of profiles.hold is array([0., 0.]): give one real number"),
        (lambda: profiles.constant_rate(INF), "rate of profiles.constant_rate is inf"),
        (lambda: profiles.table([0, 1, 1], [0, 0, 0]), "times of profiles.table do not ascend: times[1] is 1 and times[2]"),
        (lambda: profiles.table([0, 1, 2], [0, 0]), "values of profiles.table has shape (2,): give 3 numbers"),
        (lambda: profiles.table([[0, 1]], [0, 0]), "times of profiles.table has shape (1, 2): give 2 numbers"),
        (lambda: profiles.table([0], [0]), "times of profiles.table has shape (1,): give 2 numbers"),
        (lambda: profiles.table(3.0, [0]), "times of profiles.table is 3.0: give a list"),
        (lambda: profiles.table([0, NAN], [0, 1]), "times of profiles.table is [ 0. nan]: give finite numbers only"),
        (lambda: profiles.table([0, 1], [0, 1], "free"), 'ends of profiles.table "free" is not known: there are "clamped"'),
        (lambda: profiles.table([0, 1], [0, 1], 3), "ends of profiles.table is 3, which is no name"),
        (lambda: profiles.Motion(3.0), "value of a Motion is 3.0: give a function of t; a constant is"),
        (lambda: profiles.Motion(np.sin, 1.0), "rate of a Motion is 1.0: give a function of t, or None"),
        (lambda: profiles.Motion(np.sin, np.cos, "a"), "acceleration of a Motion is 'a': give a function of t, or None"),
        (lambda: profiles.Motion(np.sin, breaks=2.0), "breaks of a Motion is 2.0: give a list"),
        (lambda: profiles.Motion(np.sin, breaks=[1, NAN]), "breaks[1] of a Motion is nan: give a finite number"),
        (lambda: profiles.motion_of(0.5, "motion of x"), "motion of x is 0.5: give kaneflex.profiles.hold(0.5) for a"),
        (lambda: profiles.motion_of(profiles.hold, "motion of x"), "motion of x is <class"),
        (lambda: profiles.motion_of(None, "motion of x"), "motion of x is None: give a profile, such as"),
    ],
)
def test_wrong_arguments_are_refused(make, message):
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value).startswith(message)

"""A last rod of variable length, of which a whole one is cut off: the other way to let a boom out, beside the usual."""

from dataclasses import replace

import numpy as np
import pytest

import kaneflex as kf
from kaneflex.gallery import extruded_boom
from kaneflex.gallery.extruded_boom import CONTINUUM, DEFAULTS, deflection
from kaneflex.gallery.shared import sample
from kaneflex.plan import feeds

TIMES, WANTED = (np.array(x[:7]) for x in CONTINUUM["constant"])  # while it is let out


def let_out(n, lead=None):
    """Largest error of the tip over the continuum's last deflection, and largest second difference over 0.05 s, m; `lead`
    segments outside a joint is let go, with the stiffness that it keeps."""
    s = extruded_boom.build({**DEFAULTS, "n": n}, "constant")
    if lead is not None:
        s.blocks.put("feed", replace(s.blocks["feed"], lead=lead))
    run = s.simulate(13.95, method="dopri5", rtol=1e-5, atol=1e-8, output=0.05)
    v = deflection(run)
    off = max(abs(v[sample(run, t)] - x) for t, x in zip(TIMES, WANTED, strict=True))
    assert run.audit.ok
    assert run["feed.outside"][-1] >= n - 2
    return off / abs(WANTED[-1]), np.abs(np.diff(v, 2)).max()


@pytest.mark.thorough
def test_a_boom_that_softens_in_the_exit_beside_a_last_rod_of_variable_length(monkeypatch):
    """Rigid from the exit to its first joint it is far from the continuum, and rings when a rod is cut off: the new joint
    is straight: with half a segment at least, or with a tenth."""
    error, rings = let_out(12)
    assert error < 4e-3
    assert rings < 1e-4
    monkeypatch.setattr(feeds, "EXITS", {})  # no spring near the exit
    for lead in (0.5, 0.1):
        other = let_out(12, lead)
        assert other[0] > 0.2
        assert other[1] > 1e-3


@pytest.mark.thorough
def test_joints_that_are_let_go_in_the_exit(monkeypatch):
    """With rods of half a metre that leave so, without damping, the tip is at -0.0707 m after 14 s by another program,
    where the continuum is at -0.0542 m; -0.0579 m with half as long ones, here -0.057950 m in 262,453 steps."""
    monkeypatch.setattr(feeds, "EXITS", {})
    monkeypatch.setattr(extruded_boom, "VISCOUS", 0.0)
    monkeypatch.setitem(extruded_boom.WAYS, "constant", kf.profiles.constant_rate(0.5, initial=1.0))
    s = extruded_boom.build({**DEFAULTS, "n": 16}, "constant")
    s.blocks.put("feed", replace(s.blocks["feed"], lead=0.0))
    run = s.simulate(14.0, method="dopri5", rtol=1e-5, atol=1e-8, output=14.0)
    assert deflection(run)[-1] == pytest.approx(-0.0707, abs=5e-5)

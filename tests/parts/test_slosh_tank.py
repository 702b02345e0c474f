"""Slosh: frequencies of potential flow, masses, both mechanical models alike."""

import math

import numpy as np
import pytest
from numpy.polynomial import legendre
from scipy.linalg import eigh
from scipy.special import jnp_zeros

import kaneflex as kf
from kaneflex.model.parts import SloshTank
from kaneflex.model.slosh_mode import XI

G = 9.80665
TANKS = {
    "cylinder": SloshTank("cylinder", 1.5, 4.0, 0.6, density=800.0),
    "box": SloshTank("box", 1.0, 2.0, 0.4, density=1000.0),
}


def on_rails(tank, gravity=G):
    """The tank on a body that slides along x."""
    s = kf.System("tank", gravity=(0, 0, -gravity))
    s.add("cart", kf.Rigid(100.0), kf.Prismatic("x"), q=0.0, rates=0.0)
    s.add_input("push", kf.JointForce("cart"))
    s.add_part("tank", tank, on="cart")
    return s


def with_model(shape, model, **more):
    tank = TANKS[shape]
    return SloshTank(shape, tank.radius, tank.height, tank.fill, tank.density, model=model, **more)


def test_zero_of_bessel():
    assert pytest.approx(jnp_zeros(1, 1)[0], rel=1e-14) == XI


@pytest.mark.parametrize("model", ["pendulum", "spring"])
@pytest.mark.parametrize(("shape", "k"), [("cylinder", XI / 1.5), ("box", math.pi / 2.0)])
def test_frequency(shape, k, model):
    """g k tanh(k h), in a tank that is held: both ways."""
    s = kf.System("tank", gravity=(0, 0, -G))
    s.add("floor", kf.Rigid(1.0), kf.Fixed())
    s.add_part("tank", with_model(shape, model, damping=0.02), on="floor")
    h = TANKS[shape].fill * TANKS[shape].height
    w = math.sqrt(G * k * math.tanh(k * h))
    values = s.linearize().eigenvalues()
    assert np.sum(np.abs(values - w * complex(-0.02, math.sqrt(1 - 0.02**2))) < 1e-9 * w) == 2


@pytest.mark.parametrize("shape", ["cylinder", "box"])
def test_masses(shape):
    """All of the liquid, its mass centre at half depth; slow pushes move all of it, sudden ones the rest alone."""
    tank = TANKS[shape]
    h, area = tank.fill * tank.height, math.pi * 1.5**2 if shape == "cylinder" else 4.0
    s = on_rails(tank)
    at = s.channels(None, "mass_centre.mass", "mass_centre.position")
    liquid = tank.density * area * h
    assert at["mass_centre.mass"] == pytest.approx(100.0 + liquid, rel=1e-12)
    assert at["mass_centre.position"][2] * (100.0 + liquid) == pytest.approx(liquid * h / 2, rel=1e-12)
    linear = s.linearize(outputs=["cart.acceleration"])
    found = tank.slosh()
    assert linear.D[0, 0] == pytest.approx(1 / (100.0 + found.rest), rel=1e-10)  # the slosh mass does not follow at once
    x = np.linalg.solve(1e-4j * np.eye(len(linear.A)) - linear.A, linear.B[:, 0])
    assert (linear.C[0] @ x + linear.D[0, 0]).real == pytest.approx(1 / (100.0 + liquid), rel=1e-6)


def test_shallow_and_deep():
    """A deep box: mass 8/(pi^2 k h) of it; a shallow one sloshes by 8/pi^2 of its mass, at the speed of long waves."""
    deep, shallow = SloshTank("box", 1.0, 10.0, 1.0).slosh(), SloshTank("box", 1.0, 10.0, 1e-4).slosh()
    k = math.pi / 2
    assert deep.mass / deep.liquid == pytest.approx(8 / (math.pi**2 * k * 10.0), rel=1e-9)
    assert shallow.mass / shallow.liquid == pytest.approx(8 / math.pi**2, rel=1e-5)
    assert math.sqrt(G / shallow.length) == pytest.approx(k * math.sqrt(G * 1e-3), rel=1e-5)


#: P. McIver, J. Fluid Mech. 201 (1989): frequency^2 radius/g of the first mode in a sphere, by depth over radius
SPHERE = {0.2: 1.07232, 0.4: 1.15826, 0.6: 1.26251, 0.8: 1.39239, 1.0: 1.56016, 1.2: 1.78818}


@pytest.mark.parametrize("depth", SPHERE)
def test_sphere(depth):
    """Published frequencies; the mass hangs on the centre, and little of the liquid's moment is left for the rest."""
    tank = SloshTank("sphere", 0.7, 1.4, depth / 2, density=800.0)
    found = tank.slosh()
    assert 0.7 / found.length == pytest.approx(SPHERE[depth], abs=6e-6)
    assert found.height == pytest.approx(0.7 - found.length, rel=1e-14)
    d = 0.7 * depth
    assert found.liquid == pytest.approx(800.0 * math.pi * d**2 * (0.7 - d / 3), rel=1e-14)
    assert abs(found.rest_height - 0.7) < 0.01 * 0.7  # tilted slowly, a sphere feels no moment about its centre


def by_volume(depth, terms=7, points=28):
    """frequency^2 radius/g and mass over liquid of the first mode in a sphere of radius 1, from integrals over its volume:
    s P_i(s^2) P_j(z) are no harmonics, so that flow, wall and surface all come from the least of Rayleigh's quotients."""
    x, w = legendre.leggauss(points)
    x, w = (x + 1) / 2, w / 2
    top, angle = depth - 1.0, math.acos(1.0 - depth)
    r, z, dz = np.sin(angle * x), -np.cos(angle * x), angle * w * np.sin(angle * x)  # layers from the bottom up

    def trials(s, z):
        """f/s, f_s and f_z."""
        found = []
        for i in range(terms):
            p = legendre.Legendre.basis(i, domain=[0, r.max() ** 2])
            P, D = p(s * s), p.deriv()(s * s)
            for j in range(terms):
                q = legendre.Legendre.basis(j, domain=[-1, top])
                found.append((P * q(z), (P + 2 * s * s * D) * q(z), s * P * q.deriv()(z)))
        return np.array(found).transpose(1, 0, 2)

    inside = np.outer(w * x, r**2 * dz).ravel()
    A = sum((f * inside) @ f.T for f in trials(np.outer(x, r).ravel(), np.tile(z, points)))
    a = math.sqrt(1 - top**2)  # radius of the surface
    g = trials(a * x, np.full(points, top))[0]
    B = (g * (a * w * (a * x) ** 3)) @ g.T
    size = np.sqrt(np.diag(A))
    values, vectors = np.linalg.eigh(A / np.outer(size, size))
    kept = values > 1e-12 * values[-1]
    basis = vectors[:, kept] / np.sqrt(values[kept]) / size[:, None]
    share, modes = eigh(basis.T @ B @ basis)
    c = basis @ modes[:, -1]
    pushed = (c @ g) @ (a * w * (a * x) ** 3)
    return 1 / share[-1], pushed**2 / (c @ B @ c) / share[-1] / (depth**2 * (1 - depth / 3))


@pytest.mark.parametrize("depth", [0.2, 0.6, 1.0, 1.2])
def test_sphere_by_its_volume(depth):
    """Frequency and mass of the mode, and the published frequencies, from another computation."""
    k, mass = by_volume(depth)
    found = SloshTank("sphere", 1.0, 2.0, depth / 2).slosh()
    assert 1 / found.length == pytest.approx(k, rel=1e-5) and found.mass / found.liquid == pytest.approx(mass, rel=1e-5)
    assert k == pytest.approx(SPHERE.get(depth, k), abs=6e-6)


def test_sphere_with_a_drop():
    """A drop at the bottom slides as a whole: a pendulum of the sphere's radius."""
    found = SloshTank("sphere", 0.5, 1.0, 1e-3).slosh()
    assert found.length == pytest.approx(0.5, rel=1e-3) and found.mass == pytest.approx(found.liquid, rel=1e-3)


def test_models_are_alike():
    """A tank that may tilt as well: the same eigenvalues by a pendulum and by a mass on springs."""
    found = []
    for model in ("pendulum", "spring"):
        s = kf.System("tank", gravity=(0, 0, -G))
        s.add("cart", kf.Rigid(100.0), kf.Prismatic("x"), q=0.0)
        s.add("table", kf.Rigid(500.0, inertia=(900.0, 900.0, 900.0)), kf.Revolute("y"), parent="cart", q=0.0)
        s.apply("legs", kf.JointSpring("table", 2e6))
        s.add_part("tank", with_model("cylinder", model, shell=200.0, inertia=(50.0, 50.0, 20.0)), on="table")
        found.append(np.sort(np.abs(s.linearize().eigenvalues())))
    assert found[0][2:] == pytest.approx(found[1][2:], rel=1e-9) and np.abs(found[0][:2]).max() < 1e-4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": "cone"}, 'shape of a SloshTank "cone" is not known'),
        ({"shape": "sphere"}, "height of a SloshTank is 1: a sphere has twice its radius, 2"),
        ({"shape": "sphere", "height": 2.0, "fill": 0.99}, "a sphere that is fuller than 0.95"),
        ({"model": "rope"}, 'model of a SloshTank "rope"'),
        ({"fill": 1.2}, "fill of a SloshTank is 1.2: give a part of its height"),
        ({"fill": 0.0}, "fill of a SloshTank is 0: it must be positive"),
        ({"damping": -0.1}, "damping of a SloshTank"),
    ],
)
def test_refused_by_name(change, message):
    with pytest.raises(kf.ModelError, match=message):
        SloshTank(**{"shape": "box", "radius": 1.0, "height": 1.0, "fill": 0.5, **change})

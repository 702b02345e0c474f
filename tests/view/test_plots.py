"""Static figures."""

from pathlib import Path

import pytest

import kaneflex as kf
from kaneflex.view.plots import default_channels, plot_channels


@pytest.fixture(scope="module")
def run() -> kf.Run:
    system = kf.System("craft", gravity=(0, 0, -9.81))
    bus = system.add(
        "bus", kf.Rigid(10.0, inertia=(3, 2, 1), frames={"tip": (1, 0, 0)}), kf.Free(), rates=(0, 0, 0, 1, 0, 0.1)
    )
    system.add("arm", kf.Rigid(1.0, com=(0.5, 0, 0)), kf.Revolute("z"), parent=bus, q=0.2)
    system.add("slider", kf.Rigid(1.0, inertia=(1, 1, 1)), kf.Cylindrical("x"), parent="arm", q=(0.1, 0.2))
    system.add_rotor("wheel", "bus", kf.Rotor("x", 0.1, 5.0))
    system.apply("spring", kf.JointSpring("arm", stiffness=2.0, damping=0.1))
    return system.simulate(0.5, output=0.05)


def test_one_axes_per_channel_and_one_line_per_component(run: kf.Run) -> None:
    figure = plot_channels(run, ["arm.q", "bus.position", "bus.rotation", "slider.q", "energy.total"])
    assert [len(ax.lines) for ax in figure.axes] == [1, 3, 9, 2, 1]
    assert [ax.get_title(loc="left") for ax in figure.axes[:2]] == ["arm.q, rad", "bus.position, m"]
    assert [t.get_text() for t in figure.axes[1].get_legend().get_texts()] == ["x", "y", "z"]
    assert [t.get_text() for t in figure.axes[3].get_legend().get_texts()] == ["angle", "slide"]
    assert figure.axes[0].get_legend() is None
    assert figure.axes[0].lines[0].get_ydata() == pytest.approx(run["arm.q"])
    assert figure.axes[-1].get_xlabel() == "t, s"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("arm.q", "rad"),
        ("arm.angle", "rad"),
        ("arm.rate", "rad/s"),
        ("arm.load", "N m"),
        ("slider.q", ""),
        ("slider.slide", "m"),
        ("slider.rate", ""),
        ("bus.q", ""),
        ("bus.x", "m"),
        ("bus.e0", ""),
        ("bus.tip.velocity", "m/s"),
        ("bus.alpha", "rad/s²"),
        ("bus.rotation", ""),
        ("wheel.rate", "rad/s"),
        ("spring.potential", "J"),
        ("spring.dissipation", "W"),
        ("momentum.linear", "kg m/s"),
        ("momentum.central", "kg m²/s"),
    ],
)
def test_units(run: kf.Run, name: str, unit: str) -> None:
    assert run.unit(name) == unit


def test_a_custom_joint_has_no_known_unit() -> None:
    system = kf.System("own")
    pose = lambda q: (((1, 0, 0), (0, 1, 0), (0, 0, 1)), (q[0], 0, 0))
    system.add("cart", kf.Rigid(1.0), kf.CustomJoint(pose, ("angle",)), rates=1.0)
    run = system.simulate(0.1, output=0.05)
    assert run.unit("cart.angle") == "" and run.unit("cart.rate") == ""


def test_every_channel_can_be_drawn(run: kf.Run) -> None:
    for name in run.channels:
        figure = plot_channels(run, [name])
        assert len(run.components(name)) == len(figure.axes[0].lines)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_saved_without_a_display(run: kf.Run, tmp_path: Path, ending: str) -> None:
    path = tmp_path / "new" / f"figure.{ending}"
    run.plot(path=path)
    assert path.stat().st_size > 1000


def test_default_channels(run: kf.Run) -> None:
    assert default_channels(run) == ["bus.q", "arm.q", "slider.q", "energy.total"]


def test_a_text_is_not_a_list_of_names(run: kf.Run) -> None:
    with pytest.raises(kf.ModelError, match="list of channel names"):
        plot_channels(run, "arm.q")

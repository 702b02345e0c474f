"""A model made of more than single bodies: rods, feeds and parts, and files of other programs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from kaneflex.analysis.masses import check_masses
from kaneflex.model import checks
from kaneflex.model.bodies import BodyBase
from kaneflex.model.joints import Joint
from kaneflex.model.media import Wave
from kaneflex.model.mjcf.read import add_mjcf, gravity_of, read_mjcf
from kaneflex.model.model import Body, Model
from kaneflex.model.moordyn.build import add_mooring
from kaneflex.model.moordyn.export import mooring_file
from kaneflex.model.moordyn.file import option, read_moordyn, write_moordyn
from kaneflex.model.parts.build import add_part
from kaneflex.model.parts.contract import PartBase
from kaneflex.model.parts.placed import PlacedPart
from kaneflex.model.rods.build import add_point, add_rod
from kaneflex.model.rods.feeding import add_feed
from kaneflex.model.rods.placed import PlacedRod
from kaneflex.model.rods.reel import Reel
from kaneflex.model.rods.rod import Cable, Rod
from kaneflex.model.said import said
from kaneflex.model.sdf.read import add_sdf, name_of, read_sdf
from kaneflex.model.sdf.read import gravity_of as sdf_gravity_of
from kaneflex.model.typed import typed
from kaneflex.model.urdf.build import add_robot, show_robot
from kaneflex.model.urdf.robot import Robot, read_urdf, words


@typed
class Assembled(Model):
    """What a `System` can be made of beside bodies on joints."""

    urdf: Robot | None = None  # what the file says that the system was made from

    @classmethod
    def from_urdf(
        cls,
        path: str | Path,
        *,
        gravity: Any = (0.0, 0.0, -9.81),
        floating: bool = False,
        packages: Mapping[str, str | Path] | None = None,
        meshes: bool = True,
        bodies: Mapping[str, BodyBase] | None = None,
        locked: Sequence[str] = (),
        friction_rate: float | None = None,
    ) -> Self:
        """A robot from a URDF file: one body for each link, under its name; the joint is that of the child link.

        Axes, origins and masses are the file's. Damping acts; limits, effort and friction are data in `urdf.joints`,
        and `urdf.initial` turns coordinates by joint into initial values. See docs/urdf.md.

        Args:
            path: of the file; xacro must have been expanded.
            gravity: in inertial axes, m/s^2.
            floating: True for a root link that moves freely, False for one fixed in N.
            packages: folders by name of a package, for the meshes; see docs/urdf.md for where else they are looked for.
            meshes: False to leave mesh files unread.
            bodies: by link, in place of the file's mass and inertia.
            locked: joints that stay at zero.
            friction_rate: rate v at which Coulomb friction F is near its full value, rad/s or m/s: the joint's force is
                -F rate / sqrt(rate^2 + v^2). None to leave friction out.
        """
        robot = read_urdf(Path(path))
        system = cls("-".join(words(robot.name)) or "robot", gravity=gravity)
        rate = None if friction_rate is None else checks.positive(friction_rate, "friction_rate")
        add_robot(system, robot, floating=floating, bodies=bodies or {}, locked=locked, friction_rate=rate)
        check_masses(system, robot.path.name)
        show_robot(system, robot, packages or {}, meshes)
        system.urdf = robot
        return system

    @classmethod
    def from_mjcf(cls, path: str | Path) -> Self:
        """A system from an MJCF file of MuJoCo: bodies with an <inertial> on hinge, slide, ball and free joints, with
        stiffness and damping; what has no counterpart is refused by name. See docs/exchange.md.

        Args:
            path: of the file.
        """
        root = read_mjcf(Path(path))
        name = "-".join(words(root.attributes.get("model", ""))) or "model"
        system = cls(name, gravity=gravity_of(root))
        add_mjcf(system, root)
        return system

    @classmethod
    def from_sdf(cls, path: str | Path) -> Self:
        """A system from an SDF file (SDFormat, of Gazebo and others): links on revolute, continuous, prismatic, ball,
        universal and fixed joints, with stiffness and damping; one that is no joint's child moves freely. What has no
        counterpart is refused by name. See docs/exchange.md.

        Args:
            path: of the file: one world, or models.
        """
        root = read_sdf(Path(path))
        system = cls(name_of(root), gravity=sdf_gravity_of(root))
        add_sdf(system, root)
        return system

    @classmethod
    def from_moordyn(
        cls,
        path: str | Path,
        *,
        current: Any = (0.0, 0.0, 0.0),
        waves: Sequence[Wave] = (),
        motions: Mapping[str, Mapping[str, Any]] | None = None,
        stretch: bool = True,
        plane: bool = False,
    ) -> Self:
        """Mooring lines from an input file of MoorDyn, version 2: cables "line1", ..., bodies "body1", ..., rigid rods
        "rod1", ..., moved and loose ends "point1", ...; see docs/water.md.

        Args:
            path: of the file.
            current: of the water, as for Sea.
            waves: in it, as for Sea.
            motions: displacements of coupled points, rods and bodies from where the file has them, by name ("point2"):
                functions of time or profiles by "x", "y" and "z", m. What is not given is held.
            stretch: False for lines that do not stretch, whatever their EA: simulations are then much less stiff.
            plane: True for lines that stay in the vertical planes of their ends, as they do at rest without a current: an
                equilibrium is then found sooner.
        """
        file = read_moordyn(Path(path))
        system = cls("-".join(words(file.path.stem)) or "mooring", gravity=(0.0, 0.0, -option(file, "g")))
        add_mooring(system, file, current, waves, motions or {}, stretch, plane)
        return system

    def to_moordyn(self, path: str | Path) -> Path:
        """Write the rods and cables of the system, and rigid cylinders in water, as an input file of MoorDyn, version 2;
        what it cannot hold is an error.

        Args:
            path: of the file; its folder is made when missing.
        """
        write_moordyn(mooring_file(self, Path(path)), Path(path))
        return Path(path)

    @said
    def add_rod(
        self,
        name: str,
        rod: Rod | Cable,
        parent: Body | str | None = None,
        at: Any = None,
        *,
        root: str | Joint | None = None,
        tip: str | Joint = "free",
        end: Any = None,
    ) -> PlacedRod | Body:
        """Add a rod or cable as a chain of segments, under one name, or a rod of high order as one body; see docs/rods.md.

        Its segments are bodies "name_1", "name_2", ..., its springs the load "name", whose energy is the channel
        "name.potential". Its points are places as frames of bodies are: "name.tip", "name.root" and those given, to which
        loads, constraints and contacts may refer, and `add(..., parent="name", at="tip")`. Channels: "name.shape",
        "name.curvature", "name.tension", "name.moment", "name.strain", "name.tip.position", ...

        Args:
            name: of the rod.
            rod: what it is.
            parent: body, or rod, or its name, that carries its root; None for the base.
            at: on the parent: a frame's name (of a rod a point's), a position (m) or a Frame, whose x axis is the direction
                of the rod at its root.
            root: "clamped", "pinned" (free to turn) or "free" (in space, beginning at `at`), or a joint; None for clamped,
                and for pinned with a Cable.
            tip: "free", or tied to `end` by "pinned", "clamped" or a joint, a constraint under the name "name_tip".
            end: where the tip is tied: "body.frame", "rod.point", "N", or a Frame or point of N. A straight rod between two
                points of N begins as an arc of a circle that sags as gravity pulls.
        """
        if isinstance(rod, Rod) and rod.order is not None:
            from kaneflex.structures.rod_of_order import add_rod_of_order

            return add_rod_of_order(self, name, rod, parent, at, root, tip, end)
        return add_rod(self, name, rod, parent, at, root, tip, end)

    @said
    def add_feed(
        self,
        name: str,
        rod: str,
        out_of: Body | str | None = None,
        *,
        length: Any = None,
        rate: Any = None,
        force: Any = None,
        tension: Any = None,
        torque: Any = None,
        reel: Reel | None = None,
        sees: Sequence[str] = (),
        initial: float | None = None,
    ) -> str:
        """Let a rod or cable out of the body that it is on, or into it, while a run goes on; see docs/deployment.md.

        The part of the rod that is inside lies straight behind its exit, the place where the rod was added, or is in a reel
        there. Channels:
        "name.length" and "name.rate" of the part outside, "name.outside", the number of its joints that are outside, and
        "name.tension" in the exit.

        Args:
            name: of the feed.
            rod: a straight rod of segments with a free tip.
            out_of: the body that it comes out of, which is the one that it is on; None for that.
            length: of the part outside, m, a function of time: a profile or a function of t.
            rate: in its place a constant rate, m/s, negative for a rod that is drawn in.
            force: where the length is not prescribed: what drives the rod outwards, N, constant or a function, as of a
                JointForce. With none of these the rod slides freely.
            tension: in its place the tension in the exit, N, likewise; of a rod in a reel.
            torque: in its place the torque on the drum of a reel that has a radius, N m, positive where it pays out.
            reel: what the part inside is wound on; None for a rod that lies straight behind its exit.
            sees: channels that the function's x is made of.
            initial: length outside at the start, m, where no function says it; 0 when None.
        """
        return add_feed(self, name, rod, out_of, length, rate, force, tension, torque, reel, sees, initial)

    @said
    def add_part(self, name: str, part: PartBase, on: Body | str | None = None, at: Any = None) -> PlacedPart:
        """Install a part: bodies, rotors, loads, inputs and blocks under one name; see docs/spacecraft.md.

        Its channels stand behind its name, "wheel.torque", and so does what it is told: "wheel" is an input. It is replaced
        as a whole by `system.installed["wheel"] = ...` and taken out by `del system.installed["wheel"]`.

        Args:
            name: of the part.
            part: what it is: one of kaneflex.parts, or a PartBase of your own.
            on: body, or its name, or "body.frame"; None for the base.
            at: on the body: a frame's name, a position (m) or a Frame, whose axes are the part's; None for the body's.
        """
        return add_part(self, name, part, on, at)

    @said
    def add_point(self, rod: str, name: str, s: float) -> str:
        """Add a named point to a rod; returns "rod.name", which is a place as frames of bodies are.

        Args:
            rod: its name.
            name: of the point.
            s: arc length from the root, without load, m.
        """
        if rod in self.parts:
            from kaneflex.structures.rod_of_order import add_point_of_order

            return add_point_of_order(self, rod, name, s)
        return add_point(self, rod, name, s)

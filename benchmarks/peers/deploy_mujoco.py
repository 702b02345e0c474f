"""MuJoCo on structures that unfold: the tree in joint coordinates, loops by equality constraints, which are soft."""

from __future__ import annotations

import time

import mujoco
import numpy as np

from kaneflex.formulations.cartesian.features import closure_ties
from kaneflex.kernels.joints.free import FREE
from kaneflex.kernels.joints.planar import PLANAR

from .deploying import Deploying

STIFF = 'solimp="0.9999 0.9999 0.001"'


class MujocoDeploying:
    """The Newton solver with sparse matrices; constraints as stiff as a step of so many seconds permits."""

    name = "MuJoCo"
    integrator = "RK4"  # as in MJCF

    def __init__(self, structure: Deploying) -> None:
        """Translate the tree of kaneflex, body by body."""
        self.structure, self.plan = structure, structure.system.dynamics().plan
        self.model = mujoco.MjModel.from_xml_string(self._text())
        self.data = mujoco.MjData(self.model)

    def run(self, step: float, limit: float) -> tuple[float, float, float]:
        """Error of the angle at the end, rad, largest gap of a loop, m, and processor time, s; infinite errors where it
        takes longer than `limit` or the motion explodes."""
        m, d = self.model, self.data
        m.opt.timestep, m.opt.integrator = step, getattr(mujoco.mjtIntegrator, f"mjINT_{self.integrator.upper()}")
        m.eq_solref[:] = [2 * step, 1.0]
        mujoco.mj_resetData(m, d)
        d.qpos[:] = self.start
        warn = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: None)
        begun, steps = time.process_time(), max(1, round(self.structure.duration / step))
        for k in range(0, steps, 10):
            mujoco.mj_step(m, d, nstep=min(10, steps - k))
            if time.process_time() - begun > limit:
                mujoco.set_mju_user_warning(warn)
                return np.inf, np.inf, limit
        seconds = time.process_time() - begun
        mujoco.set_mju_user_warning(warn)
        mujoco.mj_forward(m, d)
        gap = max(
            float(np.abs(d.site(f"a{k}").xpos - d.site(f"b{k}").xpos).max()) for k in range(self.loops)
        )  # fmt: skip
        angle = self.structure.sign * float(d.joint(self.structure.joint).qpos[0])
        error = abs(angle - self.structure.exact)
        return (error, gap, seconds) if np.isfinite(error) else (np.inf, np.inf, seconds)

    def _text(self) -> str:
        """The model as XML: bodies one in the other."""
        plan, ties = self.plan, closure_ties(self.plan)
        names = {index.row: name for name, index in plan.index.joints.items()}
        sites: dict[int, str] = {}
        for k, tie in enumerate(ties):
            for end, body, point in (("a", tie.a, tie.point_a), ("b", tie.b, tie.point_b)):
                sites[body] = sites.get(body, "") + f'<site name="{end}{k}" pos="{_row(point)}"/>'
        self.loops = len(ties)
        children: dict[int, list[int]] = {}
        for i, row in enumerate(plan.tables.body):
            if i:
                children.setdefault(int(row.parent), []).append(i)
        state = self.structure.system.assemble().state
        q, start = np.asarray(state.q), []
        springs = {load.joint: load for load in self.structure.system.loads.values()}
        parts: list[str] = []

        def add(i: int) -> None:
            row, name = plan.tables.body[i], names[i]
            J = np.ravel(row.inertia)[[[0, 1, 2], [1, 3, 4], [2, 4, 5]]]
            com = np.asarray(row.mass_moment) / row.mass
            J = J - row.mass * (com @ com * np.eye(3) - np.outer(com, com))
            full = _row([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
            axes = _row(np.asarray(row.r_pf).T.ravel()[:6])
            own = q[int(row.q0) : int(row.q0) + int(row.nq)]
            start.extend(own)
            if row.joint == FREE:
                joint = f'<freejoint name="{name}"/>'
            elif row.joint == PLANAR:
                slides = (
                    f'<joint name="{name}_{x}" type="slide" axis="{axis}"/>' for x, axis in (("x", "1 0 0"), ("y", "0 1 0"))
                )
                joint = "".join(slides) + f'<joint name="{name}" type="hinge" axis="0 0 1"/>'
            else:
                spring = springs.get(name)
                held = f' stiffness="{spring.stiffness:.17g}" springref="{spring.rest or 0.0:.17g}"' if spring else ""
                joint = f'<joint name="{name}" type="hinge" axis="0 0 1"{held}/>'
            parts.append(
                f'<body pos="{_row(row.p_pf)}" xyaxes="{axes}">{joint}'
                f'<inertial pos="{_row(com)}" mass="{row.mass:.17g}" fullinertia="{full}"/>{sites.get(i, "")}'
            )
            for child in children.get(i, []):
                add(child)
            parts.append("</body>")

        for i in children[0]:
            add(i)
        self.start = np.array(start)
        equal = "".join(
            f'<connect site1="a{k}" site2="b{k}" {STIFF}/>' for k in range(self.loops)
        )  # fmt: skip
        if self.structure.name == "ring":
            equal += "".join(
                f'<joint joint1="top{i}" joint2="top{i - 1}" polycoef="0 -1 0 0 0" {STIFF}/>'
                for i in range(1, self.structure.n)
            )
        return (
            '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0" balanceinertia="true"/>'
            '<option gravity="0 0 0" solver="Newton" tolerance="1e-10" jacobian="sparse"><flag contact="disable"/></option>'
            f"<worldbody>{''.join(parts)}</worldbody><equality>{equal}</equality></mujoco>"
        )


def _row(x: object) -> str:
    return " ".join(f"{v:.17g}" for v in np.ravel(x))

"""A spinning tether of beads beside Exudyn."""

import contextlib
import io

import numpy as np
import pytest

import kaneflex as kf

pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'kaneflex[oracles]')")
with contextlib.redirect_stdout(io.StringIO()):  # the import announces itself
    import exudyn as exu
    from exudyn import itemInterface as items

LENGTH, SPIN, STIFFNESS, DAMPING, BEADS = 1000.0, 0.02, 110.0, 5.0, 9
MASSES = np.array([500.0, *[2.0] * BEADS, 200.0])
PIECE = LENGTH / (BEADS + 1)
UNTIL, STEP, SAMPLE = 200.0, 0.01, 1.0


def start() -> tuple[np.ndarray, np.ndarray]:
    """Places and velocities: straight, a little stretched, spinning about the mass centre, the beads struck across."""
    x = 1.006 * PIECE * np.arange(BEADS + 2)
    x -= MASSES @ x / MASSES.sum()
    zero = np.zeros_like(x)
    blow = np.sin(np.pi * np.arange(BEADS + 2) / (BEADS + 1))
    return np.column_stack([x, zero, zero]), np.column_stack([zero, SPIN * x + 0.5 * blow, 0.3 * blow])


def by_exudyn() -> np.ndarray:
    """Tension of the first and the last piece, each SAMPLE seconds."""
    mbs = exu.SystemContainer().AddSystem()
    places, speeds = start()
    markers = []
    for m, place, speed in zip(MASSES, places, speeds, strict=True):
        node = mbs.AddNode(items.NodePoint(referenceCoordinates=list(place), initialVelocities=list(speed)))
        mbs.AddObject(items.ObjectMassPoint(nodeNumber=node, physicsMass=m))
        markers.append(mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node)))
    lines = [
        mbs.AddObject(
            items.ObjectConnectorSpringDamper(
                markerNumbers=markers[k : k + 2], referenceLength=PIECE, stiffness=STIFFNESS, damping=DAMPING
            )
        )
        for k in range(BEADS + 1)
    ]
    kind = exu.OutputVariableType.Force
    sensors = [
        mbs.AddSensor(items.SensorObject(objectNumber=lines[k], storeInternal=True, outputVariableType=kind))
        for k in (0, -1)
    ]
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(UNTIL / STEP)
    settings.timeIntegration.endTime = UNTIL
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.verboseMode = settings.solutionSettings.sensorsWritePeriod = 0
    settings.solutionSettings.sensorsWritePeriod = SAMPLE
    settings.solutionSettings.writeSolutionToFile = False
    mbs.SolveDynamic(settings)
    return np.column_stack([np.linalg.norm(mbs.GetSensorStoredData(s)[:, 1:4], axis=1) for s in sensors])


@pytest.mark.thorough
def test_tension_of_a_spinning_tether_of_beads():
    """Two satellites, nine beads on springs that only pull, struck across while they spin: tension at both ends."""
    s = kf.System("tether")
    places, speeds = start()
    for k, m in enumerate(MASSES):
        s.add(f"mass{k}", kf.PointMass(m), kf.Translational(), q=places[k], rates=speeds[k])
    for k in range(BEADS + 1):
        s.apply(f"line{k}", kf.SpringDamper(f"mass{k}", f"mass{k + 1}", STIFFNESS, DAMPING, PIECE, slack=True))
    run = s.simulate(UNTIL, output=SAMPLE, method="dop853", rtol=1e-10, atol=1e-9)
    assert run.audit.ok
    found = []
    for k in (0, BEADS):
        d = run[f"mass{k + 1}.position"] - run[f"mass{k}.position"]
        l = np.linalg.norm(d, axis=1)
        rate = (d * (run[f"mass{k + 1}.velocity"] - run[f"mass{k}.velocity"])).sum(axis=1) / l
        found.append(STIFFNESS * (l - PIECE) + DAMPING * rate)
    wanted = by_exudyn()

    assert np.column_stack(found) == pytest.approx(wanted, rel=1e-4)
    assert wanted.min() > 0 and np.ptp(wanted) > 15

"""MoorDyn's mooring line whose fairlead heaves."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import moordyn
import numpy as np

from .plane_beam import Array, MooringLine

FILE = """{title}
---------------------- LINE TYPES -------------------------------------------
TypeName   Diam    Mass/m     EA     BA/-zeta    EI     Cd     Ca     CdAx    CaAx
(name)     (m)     (kg/m)     (N)    (N-s/-)   (N-m^2)  (-)    (-)    (-)     (-)
chain      {d}     {m}        {EA}      -0.8      0      {Cn}    1.0    {Ct}     0.0
---------------------- POINTS -----------------------------------------------
ID  Attachment  X   Y   Z    Mass   Volume  CdA  Ca
(#) (word)     (m) (m) (m)   (kg)   (m^3)  (m^2) (-)
1   Fixed      0    0   {bed}  0   0   0   0
2   Coupled    {x}  0   {z}   0   0   0   0
---------------------- LINES ------------------------------------------------
ID  LineType  AttachA AttachB UnstrLen NumSegs  Outputs
(#) (name)     (#)     (#)     (m)      (-)      (-)
1   chain       1       2      {length}   {n}       -
---------------------- OPTIONS ----------------------------------------------
0          writeLog
1          disableOutput
1          disableOutTime
{dtm}      dtM
{scheme}   tScheme
9.81       g
{rho}      WtrDnsty
{depth}    WtrDpth
{kbot}     kBot
{cbot}     cBot
300        TmaxIC
1e-7       threshIC
---------------------- need this line ---------------------------------------
"""


class MoordynLine:
    """The line by lumped masses."""

    name = "MoorDyn"

    def __init__(self, line: MooringLine, number: int) -> None:
        """Keep what is asked for.

        Args:
            line: what is modelled.
            number: of segments.
        """
        self.line, self.number = line, number

    def run(self, scheme: str, step: float, calls: int) -> tuple[Array, float]:
        """Tension at the fairlead at the samples, N, and the seconds after the start was found.

        Args:
            scheme: of integration, as in MoorDyn's file.
            step: of the integration, s.
            calls: number of equal ones between samples by which the fairlead is moved; MoorDyn holds its velocity from
                one to the next.
        """
        b = self.line
        x, z = b.fairlead
        text = FILE.format(
            title="mooring line", d=b.diameter, m=b.mass, EA=b.EA, Cn=b.Cn, Ct=b.Ct, bed=b.anchor, x=x, z=z,
            length=b.length, n=self.number, dtm=step, scheme=scheme, rho=b.density, depth=b.depth, kbot=b.kbot,
            cbot=b.cbot,
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder, _silent():
            path = Path(folder) / "line.txt"
            path.write_text(text, encoding="utf-8")
            system = moordyn.Create(str(path))
            moordyn.Init(system, [x, 0.0, z], [0.0, 0.0, 0.0])
            point = moordyn.GetPoint(system, 2)
            force = [np.linalg.norm(moordyn.GetPointForce(point))]
            begun, pause = time.process_time(), b.period / calls
            for k in range(b.samples * calls):
                t = pause * k
                moordyn.Step(system, [x, 0.0, z + b.heave(t)], [0.0, 0.0, b.rate(t)], t, pause)
                if (k + 1) % calls == 0:
                    force.append(np.linalg.norm(moordyn.GetPointForce(point)))
            seconds = time.process_time() - begun
            moordyn.Close(system)
        return np.array(force), seconds


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Without what the library itself writes to the terminal."""
    kept = os.dup(1)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        try:
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)

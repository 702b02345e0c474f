"""A system as a functional mock-up unit, FMI 2.0 or 3.0: its equations in C with a solver, compiled, and their sources.

An FMU has the equations of one system that does not change: contacts, feeds, constraints and given motions, which need
events or a projection after every step, are refused by name, and so is what equations in symbols do not hold.
"""

import platform
import subprocess
import tempfile
import zipfile
from importlib import resources
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from xml.sax.saxutils import quoteattr

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.files import atomic_write
from kaneflex.model.model import Model
from kaneflex.plan.plan import Plan
from kaneflex.symbolic.export import MatrixForm, c_source, identifier

VERSIONS = ("2.0", "3.0")
FOLDERS = {"2.0": "linux64", "3.0": "x86_64-linux"}


def write_fmu(plan: Plan, form: MatrixForm, start: np.ndarray, path: Path, version: str, compiler: str) -> Path:
    """Write an FMU for co-simulation and model exchange.

    Args:
        plan: of the system, with customary speeds.
        form: its equations.
        start: y = (q, u, states of blocks) at the start.
        path: the file.
        version: "2.0" or "3.0".
        compiler: that makes a shared library, by its command; "" for an FMU of sources alone.
    """
    checks.known(version, VERSIONS, "version of FMI")
    _refuse(plan.model)
    name = identifier(form.name)
    variables = _variables(plan, form, start)
    token = "{" + str(uuid5(NAMESPACE_URL, f"{form.name} {version} {variables}")) + "}"
    files = dict(zip((f"sources/{name}.c", f"sources/{name}.h"), c_source(form), strict=True))
    files["sources/model.h"] = _model_header(form, start, token)
    files["sources/model.c"] = _model_source(plan, form)
    for file in ("solver.c", f"fmi{version[0]}.c"):
        files[f"sources/{file}"] = (resources.files("kaneflex.symbolic") / "fmi" / file).read_text("utf-8")
    describe = _description2 if version == "2.0" else _description3
    files["modelDescription.xml"] = describe(name, form.name, token, variables)
    if version == "3.0":
        files["sources/buildDescription.xml"] = _build_description(name)
    library = _compiled(files, name, version, compiler) if compiler else None
    with atomic_write(path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(file, text)
        if library is not None:
            archive.writestr(f"binaries/{FOLDERS[version]}/{name}.so", library)
    return path


def _refuse(model: Model) -> None:
    """Raise an error that names what an FMU cannot hold."""
    for what, names in (("contact", model.contacts), ("constraint", model.constraints)):
        for name in names:
            raise ModelError(f'an FMU holds no {what} "{name}": it has no events and no projection; take them out')
    for name, part in model.parts.items():
        if part.joint.motion is not None:
            raise ModelError(f'an FMU holds no given motion, and joint "{name}" has one: drive it by an input')
    for name, block in model.blocks.items():
        if block.period:
            raise ModelError(f'an FMU has no clock, and block "{name}" is sampled every {block.period:g} s')


def _variables(plan: Plan, form: MatrixForm, start: np.ndarray) -> list[dict[str, Any]]:
    """Variables in the order of their value references: time, states, their rates, inputs, parameters, the tolerance."""
    index = plan.index
    states = [*index.coordinates, *index.rates, *index.states]
    found: list[dict[str, Any]] = [{"name": "time", "kind": "independent"}]
    found += [{"name": n, "kind": "state", "start": float(v)} for n, v in zip(states, start, strict=True)]
    found += [{"name": f"der({n})", "kind": "rate", "of": k} for k, n in enumerate(states, start=1)]
    found += [{"name": str(n), "kind": "input", "start": 0.0} for n in form.inputs]
    taken = {v["name"] for v in found}
    for symbol, value in zip(form.parameters, form.numbers(), strict=True):
        name = str(symbol) if str(symbol) not in taken else f"parameter.{symbol}"
        found.append({"name": name, "kind": "parameter", "start": float(value)})
    found.append({"name": "solver.rtol", "kind": "parameter", "start": 1e-8})
    driven = {name for block in plan.model.blocks.values() for name in block.drives}
    numbered = [v | {"reference": k} for k, v in enumerate(found)]
    return [v for v in numbered if not (v["kind"] == "input" and v["name"] in driven)]


_KINDS = {
    "independent": 'causality="independent" variability="continuous"',
    "state": 'causality="output" variability="continuous" initial="exact"',
    "rate": 'causality="local" variability="continuous" initial="calculated"',
    "input": 'causality="input" variability="continuous"',
    "parameter": 'causality="parameter" variability="fixed" initial="exact"',
}


def _description2(name: str, title: str, token: str, variables: list[dict[str, Any]]) -> str:
    rows, places = [], {kind: [k for k, v in enumerate(variables, 1) if v["kind"] == kind] for kind in _KINDS}
    for v in variables:
        start = f' start="{v["start"]!r}"' if "start" in v else ""
        derivative = f' derivative="{v["of"] + 1}"' if "of" in v else ""
        kind = _KINDS[v["kind"]]
        rows.append(
            f'    <ScalarVariable name={quoteattr(v["name"])} valueReference="{v["reference"]}" {kind}>'
            f"<Real{start}{derivative}/></ScalarVariable>"
        )
    unknown = lambda kind: "".join(f'<Unknown index="{k}"/>' for k in places[kind])
    line = "\n".join(rows)
    sources = f'<SourceFiles><File name="fmi2.c"/><File name="model.c"/><File name="{name}.c"/></SourceFiles>'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(title)} guid="{token}" generationTool="kaneflex"
    variableNamingConvention="flat" numberOfEventIndicators="0">
  <ModelExchange modelIdentifier="{name}" canGetAndSetFMUstate="true">{sources}</ModelExchange>
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUstate="true">
    {sources}
  </CoSimulation>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8"/>
  <ModelVariables>
{line}
  </ModelVariables>
  <ModelStructure>
    <Outputs>{unknown("state")}</Outputs>
    <Derivatives>{unknown("rate")}</Derivatives>
    <InitialUnknowns>{unknown("rate")}</InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
"""


def _description3(name: str, title: str, token: str, variables: list[dict[str, Any]]) -> str:
    rows, places = [], {kind: [v["reference"] for v in variables if v["kind"] == kind] for kind in _KINDS}
    for v in variables:
        start = f' start="{v["start"]!r}"' if "start" in v else ""
        derivative = f' derivative="{v["of"]}"' if "of" in v else ""
        kind, reference = _KINDS[v["kind"]], v["reference"]
        rows.append(f'    <Float64 name={quoteattr(v["name"])} valueReference="{reference}" {kind}{start}{derivative}/>')
    unknown = lambda tag, kind: "\n".join(f'    <{tag} valueReference="{k}"/>' for k in places[kind])
    line = "\n".join(rows)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName={quoteattr(title)} instantiationToken="{token}" generationTool="kaneflex"
    variableNamingConvention="flat">
  <ModelExchange modelIdentifier="{name}" canGetAndSetFMUState="true"/>
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" canGetAndSetFMUState="true"/>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8"/>
  <ModelVariables>
{line}
  </ModelVariables>
  <ModelStructure>
{unknown("Output", "state")}
{unknown("ContinuousStateDerivative", "rate")}
{unknown("InitialUnknown", "rate")}
  </ModelStructure>
</fmiModelDescription>
"""


def _build_description(name: str) -> str:
    files = "".join(f'<SourceFile name="{file}"/>' for file in ("fmi3.c", "model.c", f"{name}.c"))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{name}"><SourceFileSet language="C99">{files}</SourceFileSet></BuildConfiguration>
</fmiBuildDescription>
"""


def _model_header(form: MatrixForm, start: np.ndarray, token: str) -> str:
    numbers = lambda values: "{" + ", ".join(repr(float(v)) for v in values) + "}"
    return f"""/* Sizes and values of the model, and its rates. */
#define NY {len(start)}
#define NR {len(form.inputs)}
#define NP {len(form.parameters)}
#define MODEL_TOKEN "{token}"
#define MODEL_START {numbers(start)}
#define MODEL_PARAMETERS {numbers([*form.numbers(), 0.0])}

int model_rates(double t, const double *y, const double *r, const double *p, double *ydot);
void model_normalise(double *y);
"""


def _model_source(plan: Plan, form: MatrixForm) -> str:
    name, nq, nu, nx = identifier(form.name), len(form.q), len(form.u), len(form.states)
    x, xdot = (f" y + {nq + nu},", f" ydot + {nq + nu},") if nx else ("", "")
    lines = []
    for k in plan.layout.quaternions:
        parts = [f"y[{k + i}]" for i in range(4)]
        square = " + ".join(f"{p} * {p}" for p in parts)
        lines += ["    {", f"        const double n = sqrt({square});"]
        lines += ["        if (n > 0)", f"            for (int i = {k}; i < {k + 4}; ++i)"]
        lines += ["                y[i] /= n;", "    }"]
    body = "\n".join(lines)
    return f"""/* The model as functions of its state y = (q, u, x). */
#include <math.h>
#include "model.h"
#include "{name}.h"

int model_rates(double t, const double *y, const double *r, const double *p, double *ydot)
{{
    return {name}_rates(t, y, y + {nq},{x} r, p, ydot,{xdot} ydot + {nq});
}}

/* Quaternions of unit length. */
void model_normalise(double *y)
{{
    (void)y;
{body}
}}
"""


def _compiled(files: dict[str, str], name: str, version: str, compiler: str) -> bytes:
    """The shared library that a compiler makes of the sources."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise ModelError('FMUs are compiled on 64-bit Linux only: give compiler="" for one of sources alone')
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            if file.startswith("sources/"):
                (Path(folder) / Path(file).name).write_text(text, "utf-8")
        sources = [f"fmi{version[0]}.c", "model.c", f"{name}.c"]
        flags = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
        command = [compiler, *flags, "-o", "model.so", *sources, "-lm"]
        try:
            made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        except OSError as e:
            raise ModelError(f'the compiler "{compiler}" cannot be run: {e.strerror}; give compiler=""') from e
        if made.returncode != 0:
            raise ModelError(f'the compiler "{compiler}" failed: {made.stderr[-500:]}')
        return (Path(folder) / "model.so").read_bytes()


__all__ = ["write_fmu"]

"""Kernels of two worlds in one process, as where an integrator or a joint is registered after others have run."""

import os
import subprocess
import sys

# A kernel, too long to be inlined, and one that calls it. The numbers of functions, which Numba puts into the names of their
# machine code, begin anew in every process.
WORLD = """
import sys, types
from kaneflex.kernels import backend

def world(value):
    lines = ["def long_value(x):", *(f"    x = x / (x + {k}) if x > {k} else x * 3 + {k}" for k in range(1, 40))]
    lines += [f"    return x + {value} - x", "def call_value(x):", "    return long_value(x) + 0 * long_value(2 * x)", ""]
    module = types.ModuleType("own_kernels")
    module.__file__ = f"{sys.argv[1]}/{value}.py"
    with open(module.__file__, "w") as file:
        file.write(chr(10).join(lines))
    exec(compile(chr(10).join(lines), module.__file__, "exec"), vars(module))
    sys.modules["own_kernels"] = module
    backend._modules, backend._stages, backend._strict, backend._apart = [], {}, set(), set()
    backend.register(module, fastmath=False)
    return backend.compiled()

kept = [world(int(value)) for value in sys.argv[2:]]
print(*(w.call_value(0.5) for w in kept), sum(sum(w.call_value.stats.cache_hits.values()) for w in kept))
"""


def test_kernels_of_two_worlds_keep_apart(tmp_path):
    """Compiled by two processes under equal numbers, loaded by a third, which must tell them apart."""

    def numbers(*worlds: int) -> list[float]:
        environment = os.environ | {"KANEFLEX_CACHE": str(tmp_path / "cache")}
        call = [sys.executable, "-c", WORLD, str(tmp_path), *map(str, worlds)]
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [float(x) for x in done.stdout.split()]

    assert numbers(1) == [1, 0] and numbers(2) == [2, 0]  # compiled
    assert numbers(1, 2) == [1, 2, 2] and numbers(2, 1) == [2, 1, 2]  # both of them from the cache

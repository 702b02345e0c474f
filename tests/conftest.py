"""What all tests share: where `oracles`, `trees` and `benchmarks` are found, and how Hypothesis draws."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).resolve().parent
for place in (HERE, HERE.parent):
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))

# The same examples in every run: a red test stays red until it is mended. The first example may compile kernels.
settings.register_profile(
    "kaneflex",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("kaneflex")

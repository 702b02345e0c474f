"""The benchmark of deployments: what it says of rods let out one by one."""

import pytest

from benchmarks import deployment
from kaneflex.benchmarking import growth


def test_the_table():
    result = deployment.measure(True, lambda line: None)
    assert [row.size for row in result.rows] == [10, 10, 20, 20, 40, 40, 20, 20]
    assert "40 rods: 38 releases" in " ".join(result.notes)
    assert all(row.kaneflex > 0 for row in result.rows)


@pytest.mark.thorough
def test_releases_and_captures_cost_less_than_twice_the_rods_alone():
    """A thousand of either, and a rod let go every fifteen steps; the cost of a step grows like the number of rods."""
    steps = {}
    for n in (100, 300, 1000):
        fed, whole = deployment.beside(n, deployment.paid_out(n), 2, remembers=False)
        assert fed.changes == n - 2
        assert fed.seconds < 2 * whole.seconds
        steps[n] = fed.seconds / fed.steps
    assert growth(list(steps), list(steps.values())) < 1.1
    fed, whole = deployment.beside(300, deployment.out_and_in(300, 5), 1, remembers=False)
    assert fed.changes >= 1000  # of both; the benchmark itself has a thousand of either
    assert fed.seconds < 2 * whole.seconds

"""The benchmark of deployments: what it says of rods let out one by one."""

from benchmarks import deployment


def test_the_table():
    result = deployment.measure(True, lambda line: None)
    assert [row.size for row in result.rows] == [10, 10, 20, 20, 40, 40, 20, 20]
    assert "40 rods: 38 releases" in " ".join(result.notes)
    assert all(row.kaneflex > 0 for row in result.rows)

"""The same study on a Dask cluster of two processes, one of which is killed: the same bits as on this machine."""

import os
import signal
import threading
import time

import pytest
import swings

import kaneflex as kf
from kaneflex.study import drive, tasks
from kaneflex.study import study as study_module

distributed = pytest.importorskip("distributed", reason="distributed is not installed (pip install 'kaneflex[study]')")
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def cluster():
    words = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(**words) as made:
        yield made


def study(path, runs=120, **words):
    words = {"keep": swings.KEEP[:3], "design": "saltelli"} | swings.SHORT | words
    parameters = {"length": kf.uniform(0.5, 1.5), "mass": kf.normal(1, 0.1)}
    return kf.Study(swings.slow, parameters, runs=runs, store=path, **words)


def test_a_worker_is_killed_in_the_middle(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(study_module, "block_size", lambda *facts: 4)
    monkeypatch.setattr(drive, "TASK_SECONDS", 0.3)
    with distributed.Client(cluster) as client:
        process = next(iter(client.run(os.getpid).values()))
        stop, killed = threading.Event(), []

        def kill():
            while not stop.is_set() and len(list((tmp_path / "a.zarr" / "status" / "c").glob("*[0-9]"))) < 6:
                time.sleep(0.01)
            if not stop.is_set():
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            found = study(tmp_path / "a.zarr").run(on=client)
        finally:
            stop.set()
            thread.join()
    assert killed and found.done.all()
    here = study(tmp_path / "b.zarr").run(workers=0)
    assert swings.same(found, here)
    assert found.importance("final rod.q").order[0] == "length"


def test_workers_that_do_not_see_the_store_send_their_results(cluster, tmp_path):
    def blind():
        tasks._visible = lambda task: None

    with distributed.Client(cluster) as client:
        client.run(blind)
        found = study(tmp_path / "a.zarr", runs=40).run(on=cluster.scheduler_address)
    assert found.done.all() and swings.same(found, study(tmp_path / "b.zarr", runs=40).run(workers=0))


def test_nobody_answers():
    with pytest.raises(kf.ModelError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        kf.Study(swings.build, {"length": [1.0]}, design="grid", duration=1.0).run(on="tcp://127.0.0.1:9")

"""A study as bytes, for other processes: functions by value where they have no module that the others could import."""

import copyreg
import io
from typing import Any

from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.study.one_run import Work
from kaneflex.system import System


def pickled(work: Work) -> bytes:
    """The work as bytes that `cloudpickle.loads` takes.

    Args:
        work: of a study.
    """
    cloudpickle = optional("cloudpickle", "worker processes need cloudpickle", "study", ", or run(workers=0)")

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[name-defined]
        """Takes a system as it is, with whatever functions it has: plain pickle could not find those again."""

        def reducer_override(self, thing: Any) -> Any:
            if isinstance(thing, System):
                return copyreg.__newobj__, (type(thing),), thing.__getstate__()  # type: ignore[attr-defined]
            return super().reducer_override(thing)

    file = io.BytesIO()
    try:
        Pickler(file, protocol=5).dump(work)
    except Exception as e:
        raise ModelError(f"the study cannot be sent to other processes ({type(e).__name__}: {e}): try run(workers=0)") from e
    return file.getvalue()


__all__ = ["pickled"]

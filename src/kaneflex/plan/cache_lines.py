"""Numbers that begin where a line of the processor's cache does, so that rows of kernels are not read from two of them."""

from typing import Any

import numpy as np

LINE = 8  # float64 numbers in a line


def up_to_line(n: int) -> int:
    """How many numbers are missing after n to the next line."""
    return -n % LINE


def aligned(n: int, dtype: Any = float) -> np.ndarray:
    """An array of n numbers, not set, that begins with a line."""
    room = np.empty(n * np.dtype(dtype).itemsize + 8 * LINE, np.uint8)
    start = -room.ctypes.data % (8 * LINE)
    return room[start : start + n * np.dtype(dtype).itemsize].view(dtype)


__all__ = ["LINE", "aligned", "up_to_line"]

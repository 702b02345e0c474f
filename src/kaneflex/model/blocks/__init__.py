"""Blocks: laws with states of their own, such as filters, actuators and controllers. One kind in each file.

A new kind is one file: a dataclass of `contract.BlockBase` with its names, start and law, and a line below.
"""

from kaneflex.model.blocks.actuator import FirstOrder, SecondOrder
from kaneflex.model.blocks.block import Block as Block
from kaneflex.model.blocks.contract import BlockBase as BlockBase
from kaneflex.model.blocks.contract import BlockLaw as BlockLaw
from kaneflex.model.blocks.pid import PID
from kaneflex.model.blocks.state_space import StateSpace, TransferFunction

__all__ = ["PID", "FirstOrder", "SecondOrder", "StateSpace", "TransferFunction"]

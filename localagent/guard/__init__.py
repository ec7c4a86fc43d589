"""What stands around every tool, as layers in one list: size, approval, the ledger, undo, the sandbox, taint."""

from localagent.guard.layers import Layer, Runner, guarded
from localagent.guard.standard import standard_layers

__all__ = ["Layer", "Runner", "guarded", "standard_layers"]

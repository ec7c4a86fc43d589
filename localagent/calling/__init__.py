"""From what a model wrote to calls that are right, or to a message that lets it put them right."""

from localagent.calling.decide import Interpretation, NativeCall, ParsedCall, interpret
from localagent.calling.problem import Problem

__all__ = ["Interpretation", "NativeCall", "ParsedCall", "Problem", "interpret"]

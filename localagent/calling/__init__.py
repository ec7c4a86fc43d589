"""From what a model wrote to calls that are right, or to a message that lets it put them right."""

from localagent.calling.decide import Interpretation, NativeCall, ParsedCall, interpret
from localagent.calling.display import AnswerPiece, CallPiece, Piece, ThoughtPiece
from localagent.calling.problem import Problem
from localagent.calling.stream import StreamInterpreter
from localagent.calling.templates import dialect_of

__all__ = [
    "AnswerPiece",
    "CallPiece",
    "Interpretation",
    "NativeCall",
    "ParsedCall",
    "Piece",
    "Problem",
    "StreamInterpreter",
    "ThoughtPiece",
    "dialect_of",
    "interpret",
]

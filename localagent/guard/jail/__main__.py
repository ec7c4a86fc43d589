"""`python -m localagent.guard.jail PLAN COMMAND…`, or this folder run by path, which spares the package's imports.

Run by path, only the standard library is imported: a command starts some 70 ms sooner.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

if __package__:
    launch = import_module(f"{__package__}.launch")
else:
    del sys.path[0]
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    launch = import_module("jail.launch")

sys.exit(launch.main(sys.argv[1:]))

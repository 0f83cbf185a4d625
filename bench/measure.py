"""One measurement in a process of its own: started by compare.py with a Task as JSON, prints Figures as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module

from measurements import Task
from suites import ALL_CASES

if __name__ == "__main__":
    task = Task(**json.loads(sys.argv[1]))
    case = ALL_CASES[task.case]
    print(json.dumps(asdict(import_module(f"measure_{case.kind}").measure(task, case))))

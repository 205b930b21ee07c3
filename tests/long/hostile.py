"""Attack a started server: schemathesis from its own OpenAPI document, then a megabyte of each kind
of hostile JSON, again and again.

    python -m tests.long.hostile [--seconds 300] [--rounds 3] [--size 1000000] [serve flags]

No answer is a 500, none is missing, and after the first round the process does not grow. The exit
code is 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from render_service.local_server import LocalServer
from tests.render_service.derender_client import PARSERS
from tests.render_service.hostile_bodies import NAME, SIZE, bodies

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance"
)
QUIET = ("--disable-uvicorn-access-log", "--served-model-name", NAME)
GROWTH = 64 * 1024 * 1024
"""Bytes that a process may hold more after a round than after the one before: its allocator's
leavings, of which one copy of a request is several."""


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def post(service: LocalServer, path: str, body: bytes) -> int:
    """The status; 0 where there was no answer."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=120)
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


def attack(service: LocalServer, size: int, statuses: Counter[int]) -> Iterator[str]:
    """What went wrong, one line a body."""
    for path, name, body in bodies(size):
        start = time.perf_counter()
        status = post(service, path, body)
        seconds = time.perf_counter() - start
        statuses[status] += 1
        if status == 0 or status >= 500:
            yield f"{path} {name}: status {status}"
        elif seconds > 10:
            print(f"slow: {path} {name}: {seconds:.1f} s", flush=True)


def narrowed(schema: Any) -> Any:
    """The document with the served model's name and small token IDs, so that more gets through."""
    if isinstance(schema, list):
        return [narrowed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: narrowed(value) for key, value in schema.items()}
    if isinstance(found.get("properties"), dict) and "model" in found["properties"]:
        found["properties"]["model"] = {"enum": [NAME, None]}
    if found.get("maximum") == 2**31 - 1:
        found["maximum"] = 1000
    return found


def schemathesis(service: LocalServer, seconds: int) -> int:
    with urllib.request.urlopen(f"{service.url}/openapi.json") as answer:
        document = narrowed(json.load(answer))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "openapi.json")
        path.write_text(json.dumps(document), encoding="utf-8")
        command = [str(Path(sys.executable).with_name("schemathesis")), "run", str(path)]
        command += ["--url", service.url, "--checks", CHECKS, "--max-time", str(seconds)]
        command += ["--continue-on-failure", "--no-shrink", "--suppress-health-check", "all"]
        return subprocess.run(command, check=False, cwd=folder).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=int, default=300, help="For schemathesis; 0: without.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=SIZE, help="Bytes of a body.")
    options, flags = parser.parse_known_args()
    failed = 0
    with LocalServer(["render_service", "serve", *(flags or PARSERS), *QUIET]) as service:
        if options.seconds:
            failed += schemathesis(service, options.seconds) != 0
        sizes = [resident(service.process.pid)]
        for number in range(options.rounds):
            statuses: Counter[int] = Counter()
            for line in attack(service, options.size, statuses):
                print(line, flush=True)
                failed += 1
            sizes.append(resident(service.process.pid))
            print(f"round {number + 1}: {dict(statuses)}, {sizes[-1] >> 20} MB", flush=True)
        grown = any(after - before > GROWTH for before, after in pairwise(sizes[1:]))
        print("resident: " + ", ".join(f"{size >> 20} MB" for size in sizes))
    return 1 if failed or grown else 0


if __name__ == "__main__":
    sys.exit(main())

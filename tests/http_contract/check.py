"""Sends requests of all kinds, made of the OpenAPI description of a node, to that node.

Schemathesis makes good and bad requests for every route. None may be answered by a server error, and
each answer must have a status, a media type, headers and a body that the description names.

Usage: check.py SECONDS, with the program in HOLDFAST_BINARY.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "sdk" / "python" / "tests"))

from real_node import RealNode  # noqa: E402  (needs the path)

# Not `ignored_auth`: it sends wrong tokens with every route, and a node slows an address that does so
# (429 in place of 401). tests/http/all_routes_test.cpp asks each route without a token.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "allow_header_conformance",
]


def check(seconds: int) -> int:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="holdfast-contract-"))
    directory.chmod(0o755)  # started by root, the database runs as another user
    node = RealNode(directory / "node")
    node.start()
    try:
        command = [
            str(pathlib.Path(sys.executable).parent / "schemathesis"),
            "run",
            f"{node.url}/openapi.json",
            "--header",
            f"Authorization: Bearer {node.token}",
            "--checks",
            ",".join(CHECKS),
            "--max-time",
            str(seconds),
            "--continue-on-failure",
            "--request-timeout",
            "90",
        ]
        status = subprocess.run(command, cwd=directory, check=False).returncode
        if status == 0:
            stopped = node.stop()
            print(f"The node ended with {stopped}.")
            return stopped
        print(f"The log of the node ends with:\n{node.log_tail()}")
        return status
    finally:
        node.stop()
        shutil.rmtree(directory)


if __name__ == "__main__":
    sys.exit(check(int(sys.argv[1])))

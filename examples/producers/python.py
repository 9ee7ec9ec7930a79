#!/usr/bin/env python3
"""A complete ChokaQ producer with Python's standard library: it stores a job, safely tried again, and watches it to its end.

    python3 examples/producers/python.py user@example.com

CHOKAQ_URL names the service, CHOKAQ_API_KEY a key with the scope `produce`, where keys are required.
examples/handlers/python.py is the other side.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("CHOKAQ_URL", "http://127.0.0.1:8080")
API_KEY = os.environ.get("CHOKAQ_API_KEY")
TRY_FOR_S = 30


class Refused(Exception):
    """The service said no; `problem` says why, and what to do."""

    def __init__(self, problem):
        faults = [f"{each.get('pointer', '')} {each['detail']}".strip() for each in problem.get("errors", [])]
        super().__init__(" ".join([f"{problem['status']} {problem['code']}: {problem['detail']}", *faults]))
        self.problem = problem


def call(method, path, body=None):
    """The JSON of the answer. Comes again while the service is away or throttles: every call here may arrive twice."""
    headers = {"content-type": "application/json"}
    if API_KEY:
        headers["authorization"] = f"Bearer {API_KEY}"
    data = None if body is None else json.dumps(body).encode()
    ends_at, pause_s = time.monotonic() + TRY_FOR_S, 0.25
    while True:
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=40) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                if error.code not in (429, 503):
                    raise Refused(json.load(error)) from None
                pause_s = max(pause_s, float(error.headers.get("retry-after", 0)))
                reason = error
        except OSError as error:  # no connection, or one that broke
            reason = error
        if time.monotonic() + pause_s > ends_at:
            raise reason
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 10)


def enqueue(type_key, payload, **options):
    """Stores a job. It has its id before it is sent, so that an answer that was lost can be asked for again."""
    return call("POST", "/jobs", {"id": str(uuid.uuid4()), "type": type_key, "payload": payload, **options})


def wait_for(job_id):
    """The job, once it has succeeded or is dead."""
    while True:
        job = call("GET", f"/jobs/{job_id}?wait=30s")
        if job["state"] in ("succeeded", "dead"):
            return job


def main():
    to = sys.argv[1] if len(sys.argv) > 1 else "user@example.com"
    # The key names the operation: whoever asks for it again, while it waits or runs, gets the same job.
    job = enqueue("email.send.v1", {"to": to}, queue="mail", idempotencyKey=f"welcome:{to}")
    print(f"job {job['id']} is {'there already' if job['duplicate'] else 'stored'}", flush=True)
    job = wait_for(job["id"])
    print(f"job {job['id']} {job['failureReason'] or job['state']}")


if __name__ == "__main__":
    try:
        main()
    except Refused as refused:
        sys.exit(str(refused))

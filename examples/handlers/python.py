#!/usr/bin/env python3
"""A complete ChokaQ handler with Python's standard library: it verifies the signature, does the work once, and answers.

    CHOKAQ_SECRET=whsec_... python3 examples/handlers/python.py

Register it first; the answer holds the secret, once:
    curl -X PUT http://127.0.0.1:8080/handlers/email.send.v1 \
         -H 'content-type: application/json' -d '{"url":"http://127.0.0.1:3000/"}'
"""
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = base64.b64decode(os.environ.get("CHOKAQ_SECRET", "").removeprefix("whsec_"))
PORT = int(os.environ.get("PORT", "3000"))
TOLERANCE_S = 5 * 60

# Delivery is at least once. In real life this is a unique key in your database, written with the effect itself.
done = set()


def is_signed(headers, body):
    """True when our secret signed exactly these bytes within the last five minutes."""
    try:
        job, timestamp = headers["webhook-id"], int(headers["webhook-timestamp"])
        candidates = headers["webhook-signature"].split()
    except (TypeError, ValueError, AttributeError):
        return False
    signed = f"{job}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256)).decode()
    is_fresh = abs(time.time() - timestamp) <= TOLERANCE_S
    return is_fresh and any(hmac.compare_digest(each.encode(), expected.encode()) for each in candidates)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.handle_job(body))
        self.send_header("content-length", "0")
        self.end_headers()

    def handle_job(self, body):
        if not is_signed(self.headers, body):
            return 401
        job = self.headers["webhook-id"]
        if job in done:
            return 200
        recipient = json.loads(body).get("to")
        if not isinstance(recipient, str):
            return 422  # can never work: straight to the dead-letter queue
        print(f"attempt {self.headers['chokaq-attempt']} of {job}: sending to {recipient}", flush=True)
        done.add(job)
        return 200

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)  # it listens from here on
    print(f"waiting for jobs on http://127.0.0.1:{PORT}/", flush=True)
    server.serve_forever()

#!/bin/sh
# A walk through ChokaQ with curl alone. Start the service (`npm start`), then: sh examples/curl.sh
set -eu
url=${CHOKAQ_URL:-http://127.0.0.1:8080}

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
call() { curl -sS --fail-with-body -H 'content-type: application/json' "$@" && echo; }

say '1. Register a handler. Nothing listens on port 9, so that we can watch a job fail.'
call -X PUT "$url/handlers/walk.v1" \
  -d '{"url":"http://127.0.0.1:9/","maxAttempts":2,"retry":{"base":"1s","jitter":"0s"}}'

say '2. Post a job. The answer comes once the job is on disk.'
id="walk-$$-$(date +%s)"
call "$url/jobs" -d '{"id":"'"$id"'","type":"walk.v1","payload":{"to":"user@example.com"},"tags":["walk"]}'

say '3. Wait until it has had its two attempts, and read its history.'
call "$url/jobs/$id?wait=30s"
call "$url/jobs/$id/attempts"

say '4. Find it in the dead-letter queue, with the reason and what to check first.'
call "$url/dlq/$id"

say '5. Put a handler that works in its place, and resurrect the job: same id, next round.'
echo "   curl -X PUT $url/handlers/walk.v1 -H 'content-type: application/json' -d '{\"url\":\"http://127.0.0.1:3000/\"}'"
call -X POST "$url/dlq/$id/resurrect" -d '{}'
call "$url/jobs/$id"

// Generated from openapi.yaml by `npm run generate`; do not edit.
export interface paths {
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs in any state
         * @description Newest first, one page at a time. A page may be short, or empty, before the end; only `nextCursor` null ends the list. Needs the scope `read` or `produce`.
         */
        get: operations["listJobs"];
        put?: never;
        /**
         * Enqueue a job
         * @description Stores one job and answers after the commit. Sending the same `id` again is always safe: the same content is answered
         *     with 200 and `duplicate: true`, other content with 409 `id-conflict`. An `idempotencyKey` is unique among jobs that
         *     still have work to do; a second enqueue with the same key stores nothing unless `onConflict` says otherwise.
         *
         *     Needs the scope `produce`.
         */
        post: operations["enqueueJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enqueue up to 1 000 jobs, all or none
         * @description One transaction. A bad item refuses the whole batch and is pointed at, for example `#/jobs/17/type`. The results are in
         *     the order of the jobs. The header `Idempotency-Key` belongs to single jobs: here each job has its own `idempotencyKey`.
         *
         *     Needs the scope `produce`.
         */
        post: operations["enqueueBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job, wherever it is now
         * @description With its payload. `wait` holds the answer until the job has finished or the time is up. Needs the scope `read` or `produce`.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Delete a succeeded job
         * @description Only succeeded jobs; dead ones are purged at `/dlq/{id}`, waiting ones cancelled. Lifetime totals stay. Needs the scope `destroy`.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        /**
         * Change a job that is not running
         * @description Not started, or dead: what the body names is changed, everything else stays. A node that had claimed the job loses it,
         *     so the old payload is never sent. `If-Match` carries the ETag of the job as it was read: when somebody has changed the
         *     job since, nothing is changed and the answer is 412.
         *
         *     Needs the scope `operate`.
         */
        patch: operations["editJob"];
        trace?: never;
    };
    "/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description A job that has not started goes to the DLQ as `Cancelled` at once (200). The node that runs a started one is asked to
         *     abort it, whichever node that is, and does so within 2 seconds (202); a 2xx of the handler that was read before wins.
         *
         *     Needs the scope `operate`.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop many jobs
         * @description Each job by itself, as at `/jobs/{id}/cancel`; the answer tells what became of each. Needs the scope `operate`.
         */
        post: operations["cancelJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a job
         * @description All rounds, oldest first, the successful attempt included; at most 100 (the first 10 and the last 90). Needs the scope `read` or `produce`.
         */
        get: operations["listAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead jobs, newest failure first
         * @description Needs the scope `read` or `produce`.
         */
        get: operations["listDeadJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what most dead jobs died of
         * @description Dead jobs of one reason whose error texts are the same but for numbers and ids make a family; the largest come first.
         *     `/dlq?errorFamily=<id>` lists the jobs of one. When there are more than 500 different texts, further ones share one
         *     family in each reason, `(other)`. Needs the scope `read`.
         */
        get: operations["listErrorFamilies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a bulk action on dead jobs would take
         * @description Changes nothing. The answer counts what matches, shows up to 10 of the jobs, and carries a token that executes exactly this
         *     with `/dlq/resurrect` or `/dlq/purge`: once, within 5 minutes, on any node. The newest failures are taken first, at most
         *     `maxJobs`. Jobs that die after the preview are never taken.
         *
         *     `matched` is counted up to `maxJobs` and 100 000 jobs more; `isExact` false means that there are at least so many. Give a
         *     filter, or `all: true` for every dead job. Needs the scope `operate` or `destroy`.
         */
        post: operations["previewBulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/resurrect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give many dead jobs a fresh start
         * @description Either up to 1 000 `ids`, or the `token` of a preview. Each job comes back as `/dlq/{id}/resurrect` would bring it, unedited.
         *     When jobs among them died as `Zombie` or `Timeout` nobody knows whether they had their effects: then nothing is done until
         *     `acknowledge: true` is sent along. With a token, more than 1 000 jobs are worked through behind the answer (202). A token
         *     that is forged, expired, used or of another action is refused with 409 `preview-stale`. Needs the scope `operate`.
         */
        post: operations["resurrectJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many dead jobs
         * @description Either up to 1 000 `ids`, or the `token` of a preview. For good, with payloads and history; past failure rates and lifetime
         *     totals stay. With a token, more than 1 000 jobs are worked through behind the answer (202). A token that is forged,
         *     expired, used or of another action is refused with 409 `preview-stale`. Needs the scope `destroy`.
         */
        post: operations["purgeJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead job
         * @description With its payload, why it died, and what to check before it is resurrected (`advice`). Needs the scope `read` or `produce`.
         */
        get: operations["getDeadJob"];
        put?: never;
        post?: never;
        /**
         * Delete a dead job
         * @description For good, with its payload and history. Past failure rates and lifetime totals stay. Needs the scope `destroy`.
         */
        delete: operations["purgeJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dlq/{id}/resurrect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a dead job a fresh start
         * @description Same id, attempts 0, next round, history kept, age and lag restart. Without a body everything is as it was stored; with
         *     one the edits are applied in the same move. 409 when the job is not dead (any more), or when another active job holds
         *     its idempotency key.
         *
         *     Needs the scope `operate`.
         */
        post: operations["resurrectJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a long action comes along
         * @description An action on more than 1 000 jobs, or one that storage interrupted, goes on behind its answer, in batches, whatever becomes
         *     of the caller. When its node stops or dies another one, or the same after its restart, carries it on. A batch that meets a
         *     bug is tried 5 times in all, then the operation has failed: `error` says why, and what was moved stays moved. Every
         *     preview that was executed, and every handler that was removed by force while jobs waited, is found here under the id
         *     that the `Location` named, for 30 days. Needs the scope `read` or `operate` or `destroy` or `admin`.
         */
        get: operations["getOperation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a long action before its time
         * @description After the answer it moves nothing more; what it has moved stays moved. 409 when it has ended already. Jobs that waited for
         *     a removed handler and were not reached wait on, until a handler is registered for their type.
         *
         *     Needs the scope `operate` or `destroy` or `admin`.
         */
        post: operations["cancelOperation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all queues with live counts
         * @description Needs the scope `read`.
         */
        get: operations["listQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a queue
         * @description Needs the scope `read`.
         */
        get: operations["getQueue"];
        put?: never;
        post?: never;
        /**
         * Remove an empty queue
         * @description Only when no job is left in it in any state. Its settings and lifetime totals go with it. Needs the scope `operate`.
         */
        delete: operations["removeQueue"];
        options?: never;
        head?: never;
        /**
         * Change the settings of a queue
         * @description What the body names is changed, for all nodes, from the next claim on. `null` stands for the service's own value.
         *     A queue that does not exist is made, so that its limits can be set before its first job; there can be 10 000
         *     (409 `queue-limit-reached`). Deactivating answers like a pause.
         *
         *     Needs the scope `operate`.
         */
        patch: operations["configureQueue"];
        trace?: never;
    };
    "/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let nothing more of a queue start
         * @description Jobs stay where they are and can still be enqueued; what was claimed but not started goes back to pending; running calls
         *     go on. The answer comes once every live node has said that the calls it had started before were sent, or after 2
         *     seconds: then `unacknowledgedBy` names the nodes that did not say so.
         *
         *     Needs the scope `operate`.
         */
        post: operations["pauseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a paused queue start jobs again
         * @description Needs the scope `operate`.
         */
        post: operations["resumeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the figures over all queues
         * @description Counts now, lifetime totals, lag, and rates over the last minute and the last five.
         *
         *     Needs the scope `read`.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read figures over time
         * @description A point for every step, also where nothing happened. The last 15 minutes are kept by the second, what is older by the
         *     minute, for as long as `retentionBuckets` says (2 days by default). Points begin at multiples of the step.
         *
         *     Needs the scope `read`.
         */
        get: operations["getSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow what this node commits, as Server-Sent Events
         * @description One event after each commit of this node; other nodes tell their own. Never a payload, never an error text.
         *
         *     | `event` | `data`, a JSON object |
         *     |---|---|
         *     | `job` | `at id queue type move state reason`: what was done to a job, the state it is in now (`gone` when deleted, null when the same as before), and why it is dead |
         *     | `queue` | `at name change`, and when configured `isPaused isActive maxWorkers` |
         *     | `circuit` | `at type event` |
         *     | `handler` | `at type change` |
         *     | `settings` | `at names` |
         *     | `reset` | `reason`: the last id is unknown or too old, so events were missed: read anew what you show, then follow |
         *
         *     The node keeps its last 10 000 events. A reader that names the last id it has, as browsers do, gets what it missed
         *     first. A ping every 15 seconds carries the id up to which a reader has seen everything, its filter included. A reader
         *     that is slower than 10 000 events is dropped; at most 100 follow one node. The stream ends when the service stops, and
         *     when the key of the reader is revoked. Browsers' `EventSource` cannot send a key: read the stream with `fetch`.
         *
         *     Needs the scope `read`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the running nodes
         * @description Every process that gave a sign of life within its three longest heartbeats, the longest running first. A node that was
         *     killed is gone from the list after that time at the latest.
         *
         *     Needs the scope `read`.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List every setting with its effective value
         * @description As they hold on this node, each with where its value comes from: stored at run time, before the environment, before
         *     `chokaq.yaml`, before the default. Secrets are hidden.
         *
         *     Needs the scope `read`.
         */
        get: operations["listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings for all nodes while they run
         * @description What the body names is stored, all of it or nothing: it holds on this node at once, on every other one with its next look
         *     at the database (`pollInterval`, and with each heartbeat), and after every restart, before the environment and
         *     `chokaq.yaml`. `null` removes what is stored; `none` is no limit where there can be none. Only settings with
         *     `isChangeable` can be changed; each fault points at its member.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["changeSettings"];
        trace?: never;
    };
    "/handlers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all handlers
         * @description Needs the scope `read`.
         */
        get: operations["listHandlers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/handlers/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        /**
         * Read a handler
         * @description Needs the scope `read`.
         */
        get: operations["getHandler"];
        /**
         * Register or replace a handler
         * @description The whole handler is replaced by what is sent, but for the secret: without one the present secret stays, and a new
         *     handler gets a generated one. A secret is shown in the answer that set it and never again. After a change the old one
         *     stays valid for 24 hours: both signatures are sent. Of two clients that set a secret at the same time one is answered
         *     409 `conflict-state`; a second change within the 24 hours ends the secret before the first.
         *
         *     A changed `schema` must accept every payload that the old one accepted, or the answer is 409 `schema-incompatible`:
         *     use a new type key such as `email.send.v2`, or `force=true`.
         *
         *     Needs the scope `admin`.
         */
        put: operations["putHandler"];
        post?: never;
        /**
         * Remove a handler
         * @description 409 `handler-in-use` while jobs of the type wait, run or are dead. With `force=true` waiting jobs go to the DLQ as
         *     `FatalError` (or to the handler `*` if there is one) and running ones finish. Up to 1 000 waiting jobs are dead with the
         *     answer 204; more of them, or what storage interrupted, go on behind the answer 202 as an operation, which survives its
         *     node. Sent again meanwhile, the answer is that operation; sent later, it takes what waits without a handler. What is left waits on when a handler for the type is
         *     registered before they are reached.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["removeHandler"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/handlers/{type}/test": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signed ping to a handler
         * @description Calls the webhook with `chokaq-type: chokaq.ping`, the body `{}` and a limit of 10 s, and answers what came back. No job
         *     is involved.
         *
         *     Needs the scope `admin`. The body of the answer is shown with `read:payload` too.
         */
        post: operations["testHandler"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what operators did
         * @description Newest first: every action of an operator with who asked for it, what it was about, and what came of it; refused ones too.
         *     Requests that were refused because their key lacks a scope share a row per key, route and minute, with a `count`. There are
         *     neither payloads nor secrets in it. A page may be short, or empty, before the end; only `nextCursor` null ends the list.
         *
         *     Needs the scope `read`.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circuits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the circuit of every handler
         * @description Every handler has a circuit breaker, shared by all nodes. While it is open, jobs of the handler's types are not claimed:
         *     they wait, no attempt is counted, nothing dies. It opens after `failureThreshold` transient failures or timeouts within
         *     `window`, for `breakTime`. Then one job is let through as a probe. A success closes the circuit, with a ramp of 1, 2, 4 …
         *     calls in flight; a failure opens it for twice as long, up to `maxBreakTime`. Throttles (429, 503) and fatal answers do
         *     not count.
         *
         *     Needs the scope `read`.
         */
        get: operations["listCircuits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circuits/{type}/open": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold a circuit open until it is reset
         * @description From the next claim on, by any node, no job of the handler's types starts; running calls go on. Nothing but a reset ends
         *     it. A handler that answers 410 does the same to its own circuit.
         *
         *     Needs the scope `operate`.
         */
        post: operations["openCircuit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circuits/{type}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a circuit at once
         * @description Also ends what an operator or a 410 forced. What was running before the reset says nothing about the handler any more.
         *
         *     Needs the scope `operate`.
         */
        post: operations["resetCircuit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the process alive?
         * @description 503 means that a restart would help. Needs no key.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can it take work?
         * @description 503 while storage is away or lacks something, while no claim succeeds for 30 s, and from the first moment of a shutdown. A node that has as many calls in flight as it may is `degraded` and ready all the same. Needs no key.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description Needs the scope `read`.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an error means and what to do
         * @description Needs no key.
         */
        get: operations["getProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.yaml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document, as it was written
         * @description Needs no key.
         */
        get: operations["getContractYaml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document as JSON
         * @description Needs no key.
         */
        get: operations["getContractJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document as a page to read and to try
         * @description Needs no key.
         */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    delivery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The call that ChokaQ makes to a handler
         * @description A `POST` to the handler's `url`. The body is the payload, byte for byte as it was posted. The answer decides what happens to
         *     the job. The deadline covers headers and body of the answer; at most 64 KB of it are read and 4 KB kept; redirects are
         *     never followed.
         *
         *     A header `chokaq-retry: never` or `chokaq-retry: after=30s` in the answer decides before the status does (`after` also on a
         *     2xx: a counted retry); then 410; then the handler's `fatalStatuses`; then the table of answers.
         *
         *     Names with characters outside ASCII are percent-encoded as UTF-8 in headers. The handler's own `headers` are sent too.
         */
        post: operations["deliverJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Made by the service (UUIDv7) or by the producer; unique over all states.
         * @example 0193e0f4-6a0e-7c5a-b1b4-6a3f2f1f9f10
         */
        JobId: string;
        /**
         * @description For example `250ms`, `30s`, `5m`, `1h30m`, `7d`; each unit at most once, the largest first.
         * @example 30s
         */
        Duration: string;
        /** @description 1..255 code points after trimming, any Unicode but control characters, not `.` or `..`. */
        Name: string;
        /** @enum {string} */
        JobState: "scheduled" | "pending" | "fetched" | "processing" | "succeeded" | "dead";
        /** @enum {string} */
        FailureReason: "FatalError" | "MaxRetriesExceeded" | "Throttled" | "RetryLifetimeExpired" | "Timeout" | "Cancelled" | "Zombie" | "HeartbeatFailure";
        /**
         * @description The wait after the n-th failed attempt is `min(base × factor^(n−1), max)` plus up to `jitter`, never above `max`. A job older
         *     than `maxAge` is not tried again; null switches that limit off. What is absent is asked of the handler, then of the service.
         */
        Retry: {
            /** @description At most `1d`. */
            base?: components["schemas"]["Duration"];
            factor?: number;
            /** @description `1s` to `30d`. */
            max?: components["schemas"]["Duration"];
            /** @description At most `1d`. */
            jitter?: components["schemas"]["Duration"];
            /** @description `1s` to `3650d`, or null. */
            maxAge?: string | null;
        };
        /** @description Policy of the handler's circuit breaker (`GET /circuits`); what is absent has the default. Durations are `1s` to `24h`. */
        CircuitPolicy: {
            /** @description Transient failures and timeouts that open it; 5 by default. */
            failureThreshold?: number;
            /** @description The time within which they count; `1m` by default. */
            window?: components["schemas"]["Duration"];
            /** @description How long it is open at first; `30s` by default. */
            breakTime?: components["schemas"]["Duration"];
            /** @description The longest break, each failed probe having doubled it; `5m` by default, and not less than `breakTime`. */
            maxBreakTime?: components["schemas"]["Duration"];
            /** @description After this a probe that has not ended is replaced by another; `30s` by default. */
            probeTimeout?: components["schemas"]["Duration"];
        };
        Circuit: {
            /** @description The type key of the handler. */
            type: string;
            /**
             * @description `half-open`: one job at a time is let through as a probe.
             * @enum {string}
             */
            state: "closed" | "open" | "half-open";
            /** @description Held open until a reset. */
            isForced: boolean;
            /** @description Failures within the window. They count up to the threshold while the circuit is closed. */
            failures: number;
            /**
             * Format: date-time
             * @description Since when it is open; null unless it is.
             */
            openedAt: string | null;
            /**
             * Format: date-time
             * @description When the next probe may go; null unless it is open, and when only a reset ends that.
             */
            openUntil: string | null;
            /** @description How long the present or last break is; null when there is none. */
            breakTimeMs: number | null;
            /**
             * Format: date-time
             * @description When the probe under way was claimed; null when there is none.
             */
            probeAt: string | null;
            /** @description How many calls may be in flight over all nodes while it comes back; null when there is no such limit. */
            rampLimit: number | null;
            /** @description Due jobs of its types that nobody has claimed. */
            waiting: number;
            /** @description Jobs of its types that are claimed or running, over all nodes. */
            inFlight: number;
            /** @description The policy in force, completed by the defaults. */
            policy: WithRequired<components["schemas"]["CircuitPolicy"], "failureThreshold" | "window" | "breakTime" | "maxBreakTime" | "probeTimeout">;
        };
        CircuitPage: {
            items: components["schemas"]["Circuit"][];
            nextCursor: null;
        };
        NewJob: {
            /** @description The producer's own id; makes a resend safe. Not one of `batch`, `cancel`, `errors`, `preview`, `resurrect`, `purge`. */
            id?: components["schemas"]["JobId"];
            /** @description The type key; decides which handler is called. */
            type: components["schemas"]["Name"];
            /** @description Any JSON, at most 1 000 000 bytes (a setting); handed to the handler byte for byte as it stands here. */
            payload: unknown;
            /** @description `default` unless given. */
            queue?: components["schemas"]["Name"];
            /** @description Higher runs first; 10 unless given. */
            priority?: number;
            /** @description Wait from now; at most 10 years. */
            delay?: components["schemas"]["Duration"];
            /**
             * Format: date-time
             * @description An instant instead of `delay`; a past one means now.
             */
            runAt?: string;
            idempotencyKey?: components["schemas"]["Name"];
            /** @description How long success is remembered under the idempotency key: `1m` to `30d`. */
            resultTtl?: components["schemas"]["Duration"];
            /**
             * @description What happens when an active job holds the key with other content. `refuse` and absent: 422 `idempotency-conflict`. `keep`: that
             *     job is the answer. `replace`: it gets the new payload, priority and due time, or 409 `conflict-state` when it is not waiting any
             *     more or was made with another API key. `wait`: both are stored, and `resultTtl` decides which runs.
             * @enum {string}
             */
            onConflict?: "refuse" | "keep" | "replace" | "wait";
            maxAttempts?: number;
            /** @description Limit of one attempt: `100ms` to `24h`. */
            timeout?: components["schemas"]["Duration"];
            retry?: components["schemas"]["Retry"];
            tags?: string[];
            /** @description Who asked for it; at most 100 code points. */
            createdBy?: string;
        };
        NewBatch: {
            jobs: components["schemas"]["NewJob"][];
        };
        /** @description What is absent stays as it was stored. */
        JobEdits: {
            /** @description Any JSON. */
            payload?: unknown;
            tags?: string[];
            priority?: number;
            /** @description Wait from now; at most 10 years. */
            delay?: components["schemas"]["Duration"];
        };
        /** @description What is absent stays as it is. At least one member. */
        JobPatch: {
            /** @description Any JSON. */
            payload?: unknown;
            tags?: string[];
            priority?: number;
            /**
             * Format: date-time
             * @description When it may run; a past instant means now. At most 10 years away.
             */
            dueAt?: string;
        };
        JobIds: {
            ids: components["schemas"]["JobId"][];
        };
        ActionResults: {
            results: {
                id: components["schemas"]["JobId"];
                ok: boolean;
                /** @description Why not, as the `code` of a problem; `storage-unavailable` = storage went away before this one was done, send it again. */
                code: string | null;
            }[];
        };
        JobFields: {
            id: components["schemas"]["JobId"];
            type: string;
            queue: string;
            state: components["schemas"]["JobState"];
            priority: number;
            tags: string[];
            /** @description Executions that started in this round. */
            attempts: number;
            /** @description What holds now; asked of the job, its handler, the service. */
            maxAttempts: number;
            /** @description One more after each resurrection. */
            round: number;
            idempotencyKey: string | null;
            resultTtl: string | null;
            /** Format: date-time */
            dueAt: string;
            /** Format: date-time */
            createdAt: string;
            createdBy: string | null;
            /** Format: date-time */
            startedAt: string | null;
            /** Format: date-time */
            heartbeatAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            durationMs: number | null;
            /** @description The node that owns, or last owned, the job. */
            workerId: string | null;
            lastError: string | null;
            lastResponseStatus: number | null;
            /** @description At most 4 KB. */
            lastResponseBody: string | null;
            /** @description Why it is dead. */
            failureReason: components["schemas"]["FailureReason"] | null;
            errorDetails: string | null;
            /** @description What to check first, and whether requeueing is safe. */
            advice: string | null;
            /** Format: date-time */
            failedAt: string | null;
            /**
             * @description How an archived job ended.
             * @enum {string|null}
             */
            outcome: "succeeded" | "duplicate" | null;
            /** @description True when the key lacks `read:payload`: payload, error texts and response body are null. */
            redacted: boolean;
        };
        /** @description A job with its payload. */
        Job: {
            /** @description The JSON as it was posted. */
            payload: unknown;
        } & components["schemas"]["JobFields"];
        /** @description A job in a list; `payload` only with `view=full`. */
        ListedJob: {
            /** @description The JSON as it was posted. */
            payload?: unknown;
        } & components["schemas"]["JobFields"];
        EnqueuedJob: {
            /** @description True when nothing was stored because the job exists. */
            duplicate: boolean;
        } & components["schemas"]["JobFields"];
        JobPage: {
            items: components["schemas"]["ListedJob"][];
            nextCursor: string | null;
        };
        BatchResult: {
            results: {
                id: components["schemas"]["JobId"];
                duplicate: boolean;
            }[];
        };
        Attempt: {
            round: number;
            attempt: number;
            /** Format: date-time */
            startedAt: string;
            /** Format: date-time */
            finishedAt: string;
            durationMs: number;
            workerId: string;
            /** @enum {string} */
            outcome: "succeeded" | "retryable" | "throttled" | "fatal" | "timedOut" | "cancelled" | "interrupted" | "expired";
            responseStatus: number | null;
            responseBody: string | null;
            error: string | null;
            /** @description True when the key lacks `read:payload`: response body and error are null. */
            redacted: boolean;
        };
        AttemptPage: {
            items: components["schemas"]["Attempt"][];
            nextCursor: null;
        };
        /** @description As in `GET /dlq`; all that is given must hold. */
        DeadFilter: {
            queue?: string;
            type?: string;
            reason?: components["schemas"]["FailureReason"];
            /** Format: date-time */
            failedAfter?: string;
            /** Format: date-time */
            failedBefore?: string;
            /** Format: date-time */
            createdAfter?: string;
            /** Format: date-time */
            createdBefore?: string;
            responseStatus?: number;
            errorFamily?: number;
            search?: string;
        };
        NewPreview: {
            /** @enum {string} */
            action: "resurrect" | "purge";
            filter?: components["schemas"]["DeadFilter"];
            /** @description Every dead job, without a filter. */
            all?: boolean;
            /**
             * @description At most so many, newest failures first.
             * @default 1000
             */
            maxJobs?: number;
        };
        Preview: {
            /** @description Dead jobs that match now. */
            matched: number;
            /** @description False when the counting was given up: at least `matched` jobs match. */
            isExact: boolean;
            /** @description Jobs that the token takes. */
            willAffect: number;
            /** @description Of those that the token takes, how many died of which reason. */
            reasons: {
                [key: string]: number;
            };
            /** @description Jobs that died as `Zombie` or `Timeout` are among them: the execution needs `acknowledge: true`. */
            needsAcknowledgement: boolean;
            /** @description The first that will be taken. */
            samples: components["schemas"]["ListedJob"][];
            token: string;
            /** Format: date-time */
            expiresAt: string;
        };
        /** @description Exactly one of `ids` and `token`. */
        BulkPurge: {
            ids?: components["schemas"]["JobId"][];
            /** @description From a preview of this action. */
            token?: string;
        };
        /** @description Exactly one of `ids` and `token`. */
        BulkResurrection: {
            ids?: components["schemas"]["JobId"][];
            /** @description From a preview of this action. */
            token?: string;
            /** @description I know that jobs which died as `Zombie` or `Timeout` may have had their effects, which may be repeated. */
            acknowledge?: boolean;
        };
        BulkSkipped: {
            /** @description Not dead any more, or not the same any more; of a rejection, not waiting any more. Known when the operation has finished. */
            gone: number;
            /** @description Another active job holds the idempotency key. */
            keyTaken: number;
            /** @description No handler is registered for the type. */
            noHandler: number;
            /** @description The payload breaks the schema of the handler. */
            schema: number;
        };
        BulkResult: {
            affected: number;
            skipped: components["schemas"]["BulkSkipped"];
        };
        Operation: {
            id: string;
            /**
             * @description `reject` brings what waited for a handler that was removed by force into the DLQ.
             * @enum {string}
             */
            action: "resurrect" | "purge" | "reject";
            filter: components["schemas"]["DeadFilter"];
            /** @description Jobs that were previewed, or that waited for the handler when it went. */
            total: number;
            /** @description Jobs moved so far. */
            affected: number;
            skipped: components["schemas"]["BulkSkipped"];
            /** @enum {string} */
            state: "running" | "finished" | "failed" | "cancelled";
            /** @description What the last try of the present batch met; null when it met nothing. The batch is tried again unless the state is `failed`. */
            error: string | null;
            startedBy: string;
            /** Format: date-time */
            startedAt: string;
            /**
             * Format: date-time
             * @description When it ended, however it did.
             */
            finishedAt: string | null;
        };
        ErrorFamilies: {
            items: {
                /** @description Stays the same as long as jobs of the family are dead. */
                id: number;
                reason: components["schemas"]["FailureReason"];
                /** @description The beginning of the error texts, with `#` for numbers and `<id>` for ids. */
                prefix: string | null;
                /** @description Jobs of the family that are in the DLQ now. */
                count: number;
                /**
                 * Format: date-time
                 * @description When the last of them died.
                 */
                newestAt: string;
                /** @description What to check first for this reason. */
                advice: string;
                /** @description The key may not read error texts; `prefix` is null. */
                redacted: boolean;
            }[];
            nextCursor: null;
        };
        QueueFields: {
            name: string;
            isPaused: boolean;
            isActive: boolean;
            maxWorkers: number | null;
            zombieTimeout: string | null;
            executionTimeout: string | null;
            archiveRetention: string | null;
            dlqRetention: string | null;
            counts: {
                pending: number;
                scheduled: number;
                fetched: number;
                processing: number;
                /** @description Rows now. */
                succeeded: number;
                /** @description Rows now. */
                dead: number;
                /** @description Lifetime total. */
                failed: number;
                /** @description Lifetime total. */
                retried: number;
            };
            /** @description How late the due pending jobs are. */
            lagMs: {
                avg: number;
                max: number;
            };
            rates: components["schemas"]["Rates"];
            /** Format: date-time */
            updatedAt: string;
        };
        QueuePage: {
            items: components["schemas"]["Queue"][];
            nextCursor: null;
        };
        Queue: components["schemas"]["QueueFields"];
        StoppedQueue: {
            /** @description Live nodes that have not said yet that the calls they had started before were sent. Empty when nothing more can leave. */
            unacknowledgedBy: string[];
        } & components["schemas"]["QueueFields"];
        /** @description What is absent stays as it is; `null` stands for the service's own value. */
        QueuePatch: {
            /** @description An inactive queue takes jobs but starts none. */
            isActive?: boolean;
            /** @description Bounds claimed and running jobs over all nodes. */
            maxWorkers?: number | null;
            /** @description At most 24h, and at least three of the longest heartbeats. */
            zombieTimeout?: string | null;
            /** @description 100ms to 24h; job and handler come first. */
            executionTimeout?: string | null;
            /** @description 1s to 3650d; how long its succeeded jobs are kept. */
            archiveRetention?: string | null;
            /** @description 1s to 3650d; how long its dead jobs are kept. */
            dlqRetention?: string | null;
        };
        /** @description One running service process. */
        Node: {
            /** @description As in the `workerId` of jobs. */
            id: string;
            host: string;
            version: string;
            /** @description Handler calls it may have in flight. */
            concurrency: number;
            /** @description Jobs it holds, claimed or running. */
            running: number;
            /** Format: date-time */
            startedAt: string;
            /**
             * Format: date-time
             * @description Its last sign of life.
             */
            seenAt: string;
            /** @description It winds down and claims nothing more. */
            isDraining: boolean;
            /** @description The node that gives this answer. */
            isSelf: boolean;
        };
        NodePage: {
            items: components["schemas"]["Node"][];
            nextCursor: null;
        };
        /** @description Durations are texts; what is not set is null. */
        SettingValue: string | number | boolean | string[] | null;
        Setting: {
            /** @description As in `chokaq.yaml` and in a change. */
            name: string;
            /** @description The environment variable. */
            env: string;
            value: components["schemas"]["SettingValue"];
            /** @enum {string} */
            source: "stored" | "environment" | "chokaq.yaml" | "default";
            default: components["schemas"]["SettingValue"];
            /** @description What a valid value is. */
            allowed: string;
            unit: string | null;
            meaning: string;
            /** @description It can be changed while the nodes run. */
            isChangeable: boolean;
            /**
             * Format: date-time
             * @description When it was stored.
             */
            updatedAt: string | null;
            /** @description By whom it was stored. */
            updatedBy: string | null;
        };
        SettingPage: {
            items: components["schemas"]["Setting"][];
            nextCursor: null;
        };
        /**
         * @description By the name of the setting. What is absent stays as it is; `null` removes what is stored.
         * @example {
         *       "concurrency": 20,
         *       "pollInterval": "500ms"
         *     }
         */
        SettingsPatch: {
            [key: string]: unknown;
        };
        Rate: {
            /** @description Jobs that ended per second, succeeded or dead. */
            throughput: number;
            /** @description The share of them that died; null when none ended. */
            failureRate: number | null;
        };
        /** @description Over the running second and the 60, or 300, before it. */
        Rates: {
            oneMinute: components["schemas"]["Rate"];
            fiveMinutes: components["schemas"]["Rate"];
        };
        Stats: {
            /**
             * Format: date-time
             * @description The database's time.
             */
            at: string;
            /** @description Jobs now, over all queues. */
            counts: {
                /** @description Due and waiting, the unroutable ones included. */
                pending: number;
                /** @description Waiting, due or not, without a handler. */
                unroutable: number;
                scheduled: number;
                fetched: number;
                processing: number;
                succeeded: number;
                dead: number;
            };
            /** @description Since the queues exist; nothing lowers them but the removal of a queue. */
            lifetime: {
                succeeded: number;
                /** @description Jobs that went to the DLQ. */
                failed: number;
                retried: number;
            };
            /** @description How late the due pending jobs that have a handler are. */
            lagMs: {
                avg: number;
                max: number;
            };
            rates: components["schemas"]["Rates"];
        };
        Series: {
            /** @description Null for all queues together. */
            queue: string | null;
            /**
             * Format: date-time
             * @description The start of the first point, a multiple of the step.
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the last point.
             */
            to: string;
            step: string;
            points: {
                /** Format: date-time */
                at: string;
                enqueued: number;
                succeeded: number;
                dead: number;
                failedAttempts: number;
                retried: number;
                /** @description From start to end of what succeeded; null when nothing did. */
                avgDurationMs: number | null;
            }[];
        };
        NewHandler: {
            /** @description http or https, without credentials and fragment. */
            url: string;
            /** @description `whsec_` and base64 of 24..64 bytes; generated when absent. */
            secret?: string;
            /** @description `100ms` to `24h`. */
            timeout?: components["schemas"]["Duration"];
            maxAttempts?: number;
            retry?: components["schemas"]["Retry"];
            /** @description Try again after a timeout. */
            retryOnTimeout?: boolean;
            /** @description Try again when the node was lost during a call. */
            retryOnZombie?: boolean;
            /** @description Statuses that also mean "this can never work". */
            fatalStatuses?: number[];
            circuit?: components["schemas"]["CircuitPolicy"];
            /** @description Extra request headers. */
            headers?: {
                [key: string]: string;
            };
            /** @description JSON Schema 2020-12 that payloads must satisfy. */
            schema?: Record<string, never> | boolean | null;
            /** @description Calls in flight per node. */
            concurrency?: number | null;
        };
        HandlerFields: {
            type: string;
            url: string;
            timeout: string | null;
            maxAttempts: number | null;
            /** @description What was put; null when nothing was. */
            retry: components["schemas"]["Retry"] | null;
            retryOnTimeout: boolean | null;
            retryOnZombie: boolean | null;
            fatalStatuses: number[];
            /** @description What was put; null when nothing was. */
            circuit: components["schemas"]["CircuitPolicy"] | null;
            /** @description Values are masked. */
            headers: {
                [key: string]: "***";
            };
            schema: Record<string, never> | boolean | null;
            concurrency: number | null;
            /** @description When it last answered a call of a job, to within a minute or so, and with which status; null until it has. */
            lastResponse: {
                status: number;
                /** Format: date-time */
                at: string;
            } | null;
            /** @enum {string} */
            managedBy: "api" | "file";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        Handler: components["schemas"]["HandlerFields"];
        RegisteredHandler: {
            /** @description Only in the answer of the call that set it. */
            secret: string | null;
        } & components["schemas"]["HandlerFields"];
        HandlerPage: {
            items: components["schemas"]["Handler"][];
            nextCursor: null;
        };
        PingAnswer: {
            responseStatus: number | null;
            responseBody: string | null;
            error: string | null;
            durationMs: number;
            /** @description True when the body is not shown because the key lacks the scope `read:payload`. */
            redacted: boolean;
        };
        AuditRow: {
            id: number;
            /** Format: date-time */
            at: string;
            /** @description The name of the key, `anonymous`, `cli:<user>`, `file` or `service`. */
            actor: string;
            keyId: string | null;
            /** @description Such as `queue.pause`; `access` for a refused request that is no action. */
            action: string;
            /** @description The job, queue, handler or key; for refusals by scope the route. */
            target: string | null;
            /** @description The filter of a bulk action. */
            filter: Record<string, never> | null;
            /** @description How many things changed; null when that was not known yet. */
            affected: number | null;
            /** @description `succeeded`, `accepted`, the code of the problem, or for the end of a long action `failed` or `cancelled`. */
            outcome: string;
            /** @description How many requests this row stands for. */
            count: number;
            requestId: string | null;
            /** @description The address of the caller, the names of what was sent, and what else the action says of itself. */
            details: Record<string, never> | null;
        };
        AuditPage: {
            items: components["schemas"]["AuditRow"][];
            nextCursor: string | null;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            /** @description Each check by name, `ok` or what is wrong. */
            checks?: {
                [key: string]: string;
            };
        };
        /** @description RFC 9457. */
        Problem: {
            type: string;
            title: string;
            status: number;
            /** @description What to do next. */
            detail: string;
            instance: string;
            /** @description Stable. */
            code: string;
            requestId: string;
            /** @description All faults that were found. */
            errors: {
                detail: string;
                /** @description JSON pointer into the body. */
                pointer?: string;
                /** @description Query or path. */
                parameter?: string;
                header?: string;
            }[];
        };
        ProblemExplanation: {
            code: string;
            status: number;
            title: string;
            whatToDo: string;
        };
    };
    responses: {
        /** @description Syntax, query, path or header. */
        MalformedRequest: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No API key, or none that holds, where one is needed. */
        Unauthorized: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                /** @description `Bearer`, and what is wrong with the key that was sent. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key has used up its rate limit for now; each node counts for itself. */
        RateLimited: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                /** @description Seconds to wait. */
                "Retry-After": number;
                /** @description What is left of the limit, and the seconds until it is whole again; on every answer to a key that has a limit. */
                RateLimit: string;
                /** @description The limit; on every answer to a key that has one. */
                "RateLimit-Policy": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key lacks the scope, or without keys the caller is not on this machine. */
        Forbidden: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such thing. */
        NotFound: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request does not fit the present state. */
        Conflict: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job is no longer as it was read. */
        PreconditionFailed: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An edit without `If-Match`. */
        PreconditionRequired: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body, or one payload in it, is too large. */
        PayloadTooLarge: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not JSON in UTF-8 without compression. */
        UnsupportedMediaType: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description JSON that breaks the schema or a rule. */
        ValidationFailed: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A bug. It is in the log under the request id. */
        InternalError: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Storage is away; nothing was done. */
        StorageUnavailable: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description As many readers follow the events of this node as may. */
        TooManyStreams: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A check fails, or the service is stopping. `errors` names each failing check. */
        NotReady: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                /** @description Seconds to wait. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The same as the member `idempotencyKey`, such as `welcome:42`, bare or in double quotes. Both given and different → 422. */
        IdempotencyKey: string;
        /** @description W3C trace context; the call to the handler becomes a child of it. Ignored when it is not valid. */
        Traceparent: string;
        /** @description W3C trace context, handed on to the handler. */
        Tracestate: string;
        /** @description The job. */
        JobId: components["schemas"]["JobId"];
        /**
         * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
         * @example email.send.v1
         */
        HandlerType: string;
        /**
         * @description The queue, percent-encoded.
         * @example default
         */
        QueueName: string;
        /** @description Only jobs of this queue. */
        Queue: string;
        /** @description Only jobs of this type key. */
        Type: string;
        /** @description Only jobs created at or after this instant. */
        CreatedAfter: string;
        /** @description Only jobs created before this instant. */
        CreatedBefore: string;
        /** @description Literal text in id, type, tags or error; never in payloads, and in errors only with the scope `read:payload`. */
        Search: string;
        /** @description How many items a page has at most. */
        Limit: number;
        /** @description The `nextCursor` of the page before. */
        Cursor: string;
    };
    requestBodies: never;
    headers: {
        /** @description The job's round and version, for `If-Match` of an edit. */
        ETag: string;
        /** @description The `x-request-id` of the request if it was a valid one (1..64 of `A-Z a-z 0-9 _ . : -`), else a new one. */
        RequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listJobs: {
        parameters: {
            query?: {
                /** @description Only jobs in this state. */
                state?: components["schemas"]["JobState"];
                /** @description Only jobs of this queue. */
                queue?: components["parameters"]["Queue"];
                /** @description Only jobs of this type key. */
                type?: components["parameters"]["Type"];
                /** @description Only jobs with this tag. */
                tag?: string;
                /** @description Only jobs created at or after this instant. */
                createdAfter?: components["parameters"]["CreatedAfter"];
                /** @description Only jobs created before this instant. */
                createdBefore?: components["parameters"]["CreatedBefore"];
                /** @description Literal text in id, type, tags or error; never in payloads, and in errors only with the scope `read:payload`. */
                search?: components["parameters"]["Search"];
                /** @description `full` includes the payloads. */
                view?: "summary" | "full";
                /** @description How many items a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `nextCursor` of the page before. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    enqueueJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same as the member `idempotencyKey`, such as `welcome:42`, bare or in double quotes. Both given and different → 422. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description W3C trace context; the call to the handler becomes a child of it. Ignored when it is not valid. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description W3C trace context, handed on to the handler. */
                tracestate?: components["parameters"]["Tracestate"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewJob"];
            };
        };
        responses: {
            /**
             * @description A duplicate; nothing was stored. The answer is the job that exists. Of a job that another API key made, a key without the
             *     scope `read` is not told tags, creator, and what its run brought.
             */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueuedJob"];
                };
            };
            /** @description Stored. `Location` is the job. */
            201: {
                headers: {
                    /** @description Where the job can be read. */
                    Location: string;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueuedJob"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    enqueueBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description W3C trace context; the call to the handler becomes a child of it. Ignored when it is not valid. */
                traceparent?: components["parameters"]["Traceparent"];
                /** @description W3C trace context, handed on to the handler. */
                tracestate?: components["parameters"]["Tracestate"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBatch"];
            };
        };
        responses: {
            /** @description Stored, or duplicates of what was stored before. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getJob: {
        parameters: {
            query?: {
                /** @description How long to wait for the end of the job, at most `60s`. */
                wait?: components["schemas"]["Duration"];
            };
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone, with its history. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    editJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the job as it was read. Without it the answer is 428. */
                "if-match"?: string;
            };
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobPatch"];
            };
        };
        responses: {
            /** @description The job as changed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            428: components["responses"]["PreconditionRequired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Running; its node has been asked to abort it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobIds"];
            };
        };
        responses: {
            /** @description The result for each id, in order. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResults"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listDeadJobs: {
        parameters: {
            query?: {
                /** @description Only jobs of this queue. */
                queue?: components["parameters"]["Queue"];
                /** @description Only jobs of this type key. */
                type?: components["parameters"]["Type"];
                /** @description Only jobs that died for this reason. */
                reason?: components["schemas"]["FailureReason"];
                /** @description Only jobs that failed at or after this instant. */
                failedAfter?: string;
                /** @description Only jobs that failed before this instant. */
                failedBefore?: string;
                /** @description Only jobs created at or after this instant. */
                createdAfter?: components["parameters"]["CreatedAfter"];
                /** @description Only jobs created before this instant. */
                createdBefore?: components["parameters"]["CreatedBefore"];
                /** @description Only jobs whose last answer had this HTTP status. */
                responseStatus?: number;
                /** @description Only jobs of this error family, by its `id` in `/dlq/errors`. */
                errorFamily?: number;
                /** @description Literal text in id, type, tags or error; never in payloads, and in errors only with the scope `read:payload`. */
                search?: components["parameters"]["Search"];
                /** @description How many items a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `nextCursor` of the page before. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listErrorFamilies: {
        parameters: {
            query?: {
                /** @description At most so many families. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The largest families. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorFamilies"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    previewBulk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPreview"];
            };
        };
        responses: {
            /** @description What would be done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resurrectJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkResurrection"];
            };
        };
        responses: {
            /** @description With `ids` the result for each, in order; with `token` what became of the previewed jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResults"] | components["schemas"]["BulkResult"];
                };
            };
            /** @description Begun. `Location` tells how far it has come. */
            202: {
                headers: {
                    /** @description The operation. */
                    Location: string;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    purgeJobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkPurge"];
            };
        };
        responses: {
            /** @description With `ids` the result for each, in order; with `token` what became of the previewed jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionResults"] | components["schemas"]["BulkResult"];
                };
            };
            /** @description Begun. `Location` tells how far it has come. */
            202: {
                headers: {
                    /** @description The operation. */
                    Location: string;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getDeadJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    purgeJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resurrectJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: components["parameters"]["JobId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["JobEdits"];
            };
        };
        responses: {
            /** @description The job, pending again. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    cancelOperation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an operation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation, which has ended where it stood. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All queues by name. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuePage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The queue, percent-encoded.
                 * @example default
                 */
                name: components["parameters"]["QueueName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queue. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    removeQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The queue, percent-encoded.
                 * @example default
                 */
                name: components["parameters"]["QueueName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    configureQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The queue, percent-encoded.
                 * @example default
                 */
                name: components["parameters"]["QueueName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueuePatch"];
            };
        };
        responses: {
            /** @description The queue as changed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoppedQueue"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    pauseQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The queue, percent-encoded.
                 * @example default
                 */
                name: components["parameters"]["QueueName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Paused. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoppedQueue"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resumeQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The queue, percent-encoded.
                 * @example default
                 */
                name: components["parameters"]["QueueName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resumed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queue"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getSeries: {
        parameters: {
            query?: {
                /** @description The start of the range; an hour before its end when absent. */
                from?: string;
                /** @description The end of the range, exclusive; now when absent. */
                to?: string;
                /**
                 * @description How much time a point covers: whole seconds, or whole minutes for a range that begins more than 15 minutes ago.
                 *     When absent one that gives at most 120 points. At most 1 000 points are given.
                 */
                step?: string;
                /** @description Only this queue. */
                queue?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The points, oldest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description The same, for clients that cannot set the header. */
                lastEventId?: string;
                /** @description Only events of jobs in this queue, and of the queue itself. */
                queue?: string;
                /** @description Only events of jobs of this type key, its handler and its circuit. */
                type?: string;
            };
            header?: {
                /** @description The `id` of the last event the reader has. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, which does not end by itself. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TooManyStreams"];
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All running nodes. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodePage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsPatch"];
            };
        };
        responses: {
            /** @description All settings as they hold now. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listHandlers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All handlers by type key, without secrets. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HandlerPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getHandler: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The handler, without its secret. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Handler"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    putHandler: {
        parameters: {
            query?: {
                /** @description Replace the schema although it may refuse payloads that the old one took. */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHandler"];
            };
        };
        responses: {
            /** @description Replaced. `secret` is null unless this call changed it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredHandler"];
                };
            };
            /** @description Registered. The secret is shown this once. */
            201: {
                headers: {
                    /** @description Where the handler can be read. */
                    Location: string;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredHandler"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    removeHandler: {
        parameters: {
            query?: {
                /** @description Remove it although there are jobs of its type. */
                force?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. What waited for it is on its way to the DLQ; `Location` tells how far it has come. */
            202: {
                headers: {
                    /** @description The operation. */
                    Location: string;
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description Removed. With `force=true` nothing waits for it any more. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    testHandler: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What came back, also when the handler failed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingAnswer"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only what this one did: the name of a key, `anonymous`, `cli:<user>`, `file` or `service`. */
                actor?: string;
                /** @description Only this action, such as `queue.pause`. */
                action?: string;
                /** @description Only what was done to this job, queue, handler or key. */
                target?: string;
                /** @description Only at or after this instant. */
                after?: string;
                /** @description Only before this instant. */
                before?: string;
                /** @description How many items a page has at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `nextCursor` of the page before. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    listCircuits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All circuits by type key; `*` is that of every type without a handler of its own. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CircuitPage"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    openCircuit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Held open; `isForced` is true. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Circuit"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    resetCircuit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type key, percent-encoded; `*` is the handler of every type without one of its own.
                 * @example email.send.v1
                 */
                type: components["parameters"]["HandlerType"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Closed, without failures and without a ramp. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Circuit"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Alive. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NotReady"];
        };
    };
    getReadiness: {
        parameters: {
            query?: {
                /**
                 * @description Lists the checks. Needs no value.
                 * @example true
                 */
                verbose?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["NotReady"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text exposition format. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    getProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `code` of a problem document.
                 * @example validation-failed
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProblemExplanation"];
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalError"];
        };
    };
    getContractYaml: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description YAML. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/yaml": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalError"];
        };
    };
    getContractJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Swagger UI. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["MalformedRequest"];
            403: components["responses"]["Forbidden"];
            500: components["responses"]["InternalError"];
        };
    };
    deliverJob: {
        parameters: {
            query?: never;
            header: {
                /** @description The job. */
                "chokaq-job-id": string;
                /** @description The type key, or `chokaq.ping` in a test. */
                "chokaq-type": string;
                /** @description The queue. */
                "chokaq-queue": string;
                /** @description The idempotency key, if the job has one. */
                "chokaq-idempotency-key"?: string;
                /** @description This attempt, from 1. */
                "chokaq-attempt": number;
                /** @description How many attempts there will be at most. */
                "chokaq-max-attempts": number;
                /** @description 1, and one more after each resurrection. */
                "chokaq-round": number;
                /** @description When the job was enqueued. */
                "chokaq-created-at": string;
                /** @description When it became due. */
                "chokaq-due-at": string;
                /** @description When the service gives this call up. */
                "chokaq-deadline": string;
                /** @description Standard Webhooks: the job id, in later rounds `<id>:r<round>`. */
                "webhook-id": string;
                /** @description Standard Webhooks: seconds since 1970. */
                "webhook-timestamp": number;
                /** @description Standard Webhooks: `v1,` and HMAC-SHA256 over `id.timestamp.body`; two of them for 24 h after a change of the secret. */
                "webhook-signature": string;
                /** @description A child of the trace that the producer sent. */
                traceparent?: string;
                /** @description As the producer sent it. */
                tracestate?: string;
                /** @description `ChokaQ/<version>` */
                "user-agent": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Fatal: the endpoint is gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Throttled: tried again after `Retry-After` (at least 1 s), else after the usual wait. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Throttled, like 429. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Succeeded: the job is archived. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Fatal: redirects are not followed. */
            "3XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Fatal, but for 401, 403, 404, 408, 409, 421, 423 and 425, which are tried again. */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again, as are connections that fail or are reset. */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};

/** A promise, a threat or a fault: pairs of features are tried against it. */
export interface MarkedRow {
  /** `P` and a digit for a promise, `T` and two for a threat, `F` for a fault: what the titles of its tests begin with. */
  readonly mark: string;
  /** Why no pair of features tries it, where none does. */
  readonly alone?: string;
}

/** A promise, and files with tests that are named after it. */
export interface Promised extends MarkedRow {
  readonly promise: string;
  readonly files: readonly string[];
}

/** One thing that may happen to a deployment, and what it promises to do then. */
export interface PromiseRow extends MarkedRow {
  /** The attempt of an attacker, or the fault. */
  readonly when: string;
  /** The visible result. */
  readonly seen: string;
}

/** The promises, which hold whatever happens. */
export const PROMISES = [
  {
    mark: "P1",
    promise: "Every action gets exactly one result, in request order, whatever the other actions do",
    files: [
      "test/core/run/execute/executor-properties.test.ts",
      "test/core/run/run-plan-properties.test.ts",
      "test/harness/batch.test.ts",
    ],
  },
  {
    mark: "P2",
    promise:
      "`initiated` means recorded on disk: if the runtime is killed right after the response, the job still ends",
    files: ["test/chaos/chaos.test.ts", "test/chaos/hooks.test.ts", "test/cloudflare/tenant-gate.test.ts"],
  },
  {
    mark: "P3",
    promise:
      "In any window, at most the limit and its refill are admitted, across isolates, evictions, restarts and clocks set back",
    files: [
      "test/core/gate/state/lease-properties.test.ts",
      "test/core/gate/state/quota.test.ts",
      "test/cloudflare/tenant-gate.test.ts",
      "test/cloudflare/leased-admission.test.ts",
      "test/chaos/chaos.test.ts",
    ],
  },
  {
    mark: "P4",
    promise:
      "A job is delivered as its tool declares: at least once, with one idempotency key for every attempt, or at most once",
    files: [
      "test/core/gate/state/outbox.test.ts",
      "test/cloudflare/tenant-gate.test.ts",
      "test/harness/jobs.test.ts",
      "test/chaos/chaos.test.ts",
    ],
  },
  {
    mark: "P5",
    promise: "The same `Idempotency-Key` never starts a second batch",
    files: [
      "test/harness/idempotency.test.ts",
      "test/cloudflare/idempotency.test.ts",
      "test/core/gate/state/idempotency.test.ts",
      "test/core/gate/claimed-keys.test.ts",
    ],
  },
  {
    mark: "P6",
    promise:
      "Bytes, values, CPU and time are bounded. A request, upstream or body cannot make a batch exceed its limits, or take another action's or tenant's share (`npm run bench:worst`)",
    files: [
      "test/limits.test.ts",
      "test/harness/bounds.test.ts",
      "test/core/egress/byte-budget.test.ts",
      "test/core/egress/read-body.test.ts",
    ],
  },
  {
    mark: "P7",
    promise: "Secrets never leave: they are in no result, error, event, job, log or row on disk",
    files: [
      "test/harness/secrets.test.ts",
      "test/core/observe/canaries.test.ts",
      "test/core/egress/redact.test.ts",
      "test/core/run/execute/executor.test.ts",
      "test/limits.test.ts",
    ],
  },
  {
    mark: "P8",
    promise: "Requests go only to the hosts that a tool declares, also after redirects",
    files: ["test/core/egress/guard-url.test.ts", "test/core/egress/egress.test.ts", "test/limits.test.ts"],
  },
  {
    mark: "P9",
    promise: "A batch that is [undone](undo.md) is undone once, or its entries say what stands",
    files: ["test/harness/undo-crash.test.ts", "test/chaos/undo.test.ts"],
  },
] as const satisfies readonly Promised[];

/** The attempts of hostile callers, upstreams, models and documents. */
export const THREATS = [
  {
    mark: "T01",
    when: "no key, a wrong one, one that is nearly right, one that was taken out",
    seen: "the same 401 after the same work; keys are held as HMAC digests and compared in constant time",
  },
  {
    mark: "T02",
    when: "a good key asks for a tool that it may not call",
    seen: "the answer for a tool that does not exist, word for word",
  },
  {
    mark: "T03",
    when: "a job, a confirmation, a kept result or an idempotency key of another tenant",
    seen: "it does not exist",
  },
  {
    mark: "T04",
    when: "a body of any size, a million elements, 100,000 actions",
    seen: "refused while it is read, or as a batch of too many",
    alone: "a body is read before any feature has it",
  },
  {
    mark: "T05",
    when: "JSON that nests without end",
    seen: "422 before it is parsed",
    alone: "a body is read before any feature has it",
  },
  {
    mark: "T06",
    when: "`__proto__`, `constructor`, `prototype`, ids used twice, a tool named `toString`",
    seen: "refused by name; nothing is ever looked up on a prototype",
    alone: "names are refused as a batch is parsed, and looked up below every feature",
  },
  {
    mark: "T07",
    when: "what is no JSON, another media type, invalid UTF-8, NUL, text that hides or runs backwards",
    seen: "a 4xx, and what is shown back is escaped",
    alone: "a body is read before any feature has it",
  },
  {
    mark: "T08",
    when: "`1e400` and integers that lose digits",
    seen: "refused by their path",
    alone: "a body is read before any feature has it",
  },
  {
    mark: "T09",
    when: "an argument that names an address: every spelling of an IP, local and metadata names, users, `data:`, odd ports, look-alikes",
    seen: "`EGRESS_DENIED` before any connection",
  },
  {
    mark: "T10",
    when: "a redirect to such an address, in circles, or down to http",
    seen: "three hops at most, each checked; another origin gets no credentials, and https never becomes http",
  },
  {
    mark: "T11",
    when: "a deployment that is made to call itself",
    seen: "its own requests are marked, and a marked request is refused",
    alone: "a request with the mark is refused before any feature has it",
  },
  {
    mark: "T12",
    when: "an answer without end, of gigabytes, of zeros in gzip, of a million pieces",
    seen: "`RESPONSE_TOO_LARGE`, and never more than the cap and one piece is read",
    alone: "an answer is read at one place, whichever feature asked for it",
  },
  {
    mark: "T13",
    when: "an upstream that answers as slowly as it can",
    seen: "a clock each for headers, silence and the whole call",
  },
  {
    mark: "T14",
    when: "line breaks or `..` in an argument that becomes part of a header or a path",
    seen: "`INVALID_ARGS`, and nothing is sent",
    alone: "the arguments of one call go into one request, whichever feature makes the call",
  },
  {
    mark: "T15",
    when: "`host`, `cf-*`, `x-forwarded-*` by way of an argument or of the caller's own headers",
    seen: "only declared headers go out",
    alone: "headers pass one guard, whichever feature sends them",
  },
  {
    mark: "T16",
    when: "an upstream that repeats our credentials, plain or encoded",
    seen: "replaced in answers, events, jobs, lines of the log and every row on disk",
  },
  {
    mark: "T17",
    when: "instructions in a tool's output",
    seen: "it stays data: bounded, told apart from what Volley says, never read as a reference or a call",
  },
  {
    mark: "T18",
    when: "a confirmation that is forged, stale, used twice, or for other arguments",
    seen: "decided once, by its own tenant, for what was shown, until it expires",
  },
  {
    mark: "T19",
    when: "a request that is sent again",
    seen: "under its key it runs nothing and is answered as before",
  },
  {
    mark: "T20",
    when: "many connections, isolates and made-up headers to get past a limit",
    seen: "one count per tenant: exactly the limit",
  },
  {
    mark: "T21",
    when: "a tenant that floods the background, or an upstream that drags others down",
    seen: "`BACKLOG_FULL` for that tenant; a breaker for each tool and origin",
  },
  {
    mark: "T22",
    when: "a job that can never succeed",
    seen: "dead after its attempts; its siblings run, and it can be redriven",
  },
  {
    mark: "T23",
    when: "a forged event to your endpoint",
    seen: "every event of ours is signed (Standard Webhooks)",
  },
  {
    mark: "T24",
    when: "another site's page, another method",
    seen: "CORS for listed origins, and for all at `/mcp` and the paths of sign-in, never with credentials; 405 with the method that there is",
  },
  {
    mark: "T25",
    when: "line breaks and lines made up in what gets logged",
    seen: "each line is one JSON object that no other writer can break",
    alone: "a line is written at one place, whichever feature logs it",
  },
  {
    mark: "T26",
    when: "a dependency that turns bad",
    seen: "few of them, each at one exact version with its checksum in the lock file",
    alone: "a lock file knows packages and no features",
  },
  {
    mark: "T27",
    when: "identical reads and loops that multiply one answer",
    seen: "each copy is charged; beyond the answer's bytes `RESPONSE_TOO_LARGE`",
  },
  {
    mark: "T28",
    when: "objects of very many or very long keys behind a hint",
    seen: "at most 200 names of 64 characters are looked at, once for all that miss the same",
    alone: "a hint is made of the arguments of one action",
  },
  {
    mark: "T29",
    when: "lengths that contradict each other",
    seen: "none is believed: bytes are counted as they are read",
    alone: "lengths are those of one message, which is read below every feature",
  },
  {
    mark: "T30",
    when: "answers that are refused but took bytes from their siblings",
    seen: "given back at once; small answers and writes have a reserve of their own",
    alone: "the bytes are those of the calls of one batch, counted below every feature",
  },
  {
    mark: "T31",
    when: "text of brackets and marks that is cheap to count and dear to a model",
    seen: "never counted as less than an eighth of its bytes",
    alone: "text is counted at one place, whichever feature shows it",
  },
  {
    mark: "T32",
    when: "an upstream imitates Volley's own words",
    seen: "its text stands under `data`, or in quotes with 40 characters at most",
  },
  {
    mark: "T33",
    when: "a tenant whose calls fill the queue of a shared tool",
    seen: "tenants take turns, and others wait two turns at most",
    alone: "the queue of a tool knows tenants and no features",
  },
  {
    mark: "T34",
    when: "requests that run nothing, without end",
    seen: "an allowance of their own, which takes nothing from the quota",
  },
  {
    mark: "T35",
    when: "two configured keys that are one",
    seen: "the configuration is refused",
    alone: "keys are compared with each other alone",
  },
  {
    mark: "T36",
    when: "a tool, declared while running, that wants another's secret, host or name, or changes upstream",
    seen: "`INVALID_TOOL`, `NAME_TAKEN`, or `TOOL_CHANGED` until it is imported again",
  },
  {
    mark: "T37",
    when: "a pattern that takes for ever",
    seen: "refused when the tool is declared",
    alone: "a pattern is weighed before anything can call its tool",
  },
  {
    mark: "T38",
    when: "a webhook that is forged, changed, old or sent again",
    seen: "one and the same 401; what was taken once runs once",
  },
  {
    mark: "T39",
    when: "a model that loops, floods, lies in its arguments or obeys a tool's output",
    seen: "rounds, calls and repetition end; arguments are checked; output goes back as the tool's",
  },
  {
    mark: "T40",
    when: "hostile names and results on the pages for people",
    seen: "shown as text, under a strict policy, with no HTML made of them",
  },
  {
    mark: "T41",
    when: "text that hides or turns around what stands beside it, where a person reads and approves",
    seen: "every control, bidirectional and zero-width character is shown as an escape; what runs has the exact text",
  },
  {
    mark: "T42",
    when: "a client sends its request again by itself",
    seen: "no write twice: 409 while the first one runs, then its answer, or what became of each write",
  },
  {
    mark: "T43",
    when: "a command, a pattern or a document whose work grows faster than its size",
    seen: "its work is bounded and counted, an import stops between operations, and others are answered meanwhile",
    alone: "work is counted inside one command, one pattern or one document",
  },
  {
    mark: "T44",
    when: "many bounded requests at once",
    seen: "an isolate's bytes are counted; a response waits its turn, and one tenant never has more than half",
  },
  {
    mark: "T45",
    when: "keys that make keys, and clocks and hooks that run, as a way out of a quota",
    seen: "made keys count on the quotas of all keys above them; runs have a quota of their tenant, and wait for it",
  },
  {
    mark: "T46",
    when: "one tenant's calls of a shared tool fail",
    seen: "its own breaker opens; everybody's does when three tenants' have",
  },
  {
    mark: "T47",
    when: "a key keeps a flow that finds or calls what the key may not",
    seen: "its runs see what that key may call and no more, by whichever door",
  },
  {
    mark: "T48",
    when: "a model's server speaks in our voice, or repeats the key that it was sent",
    seen: "what it sends under `volley` is stripped from its answer and from its stream; its secrets are taken out of both, wherever pieces cut them",
  },
  {
    mark: "T49",
    when: "a kept result, or an answer kept under a key, of a tool that the key that asks may not call",
    seen: "it does not exist",
  },
  {
    mark: "T50",
    when: "a key that asks says yes as well, or one yes is taken for arguments that were not shown",
    seen: "deciding takes the flag `approve`; what is resolved after a yes has a question of its own",
  },
  {
    mark: "T51",
    when: "OAuth: an open redirect, a code that is intercepted, injected or replayed, a mix-up of issuers, a form of another site, a flood of registrations, a token that outlives its key",
    seen: "addresses match to the letter; a code needs its verifier, its client and its resource, and is good once; what is used twice ends the sign-in; answers name their issuer; every kind of record is bounded and expires; tokens end within 30 s of their key",
  },
  {
    mark: "T52",
    when: "another subject's account: by argument, by a shared read, key or result, or by a link that somebody else opened",
    seen: "the subject comes from the caller alone; each has keys, results and sealed tokens of its own; an account is used only when the caller has said who came",
  },
  {
    mark: "T53",
    when: "a subject's token asked for at a foreign host, by a tool, a declaration or a redirect",
    seen: "it goes to its connector's hosts only; a declaration that names another one is refused",
  },
  {
    mark: "T54",
    when: "an endpoint points inside, hangs, or floods by retry; a portal link is used for another customer",
    seen: "the address is refused, and looked at again for each attempt; it holds one call of its own and delays no other; the link reaches its customer's endpoints only",
  },
  {
    mark: "T55",
    when: "one delivery is sent to another flow, whose webhook has the same secret",
    seen: "it runs there, because no signature names its flow; that the secret is shared is said with both flows",
  },
  {
    mark: "T56",
    when: "a rerun, a yes, a redrive or a client's repeat of a write whose end is not known",
    seen: "it asks a person first, whatever the status is called: `in_doubt` says so; all runs that share an action have one root, and each write is claimed once there",
  },
  {
    mark: "T57",
    when: "an edit, an account or a condition, a default among it, differs between what was shown and what runs",
    seen: "conditions see what the tool will get; another account or declaration is another question; what was decided is what runs",
  },
  {
    mark: "T58",
    when: "a key that acts for one subject, with a right over what others have",
    seen: "refused where it is made, 503 where it is configured; one of an earlier version is as if it had not the right",
  },
  {
    mark: "T59",
    when: "a link fills its tenant, outlives its maker, or uses up the allowance of others",
    seen: "its customer has 50 endpoints unless the deployment says otherwise, of 16 KiB each, and of a deleted one its id stays; a link that is not known draws from what its address may ask, one that is known from its own",
  },
  {
    mark: "T60",
    when: "a path that runs something and is counted by no allowance, or costs more than its unit",
    seen: "a rerun draws one unit a run, also where nothing is left to run, and a row of the log is read once for all of its runs",
  },
  {
    mark: "T61",
    when: "a bulk request that names nothing",
    seen: "422; a request about many says which",
  },
  {
    mark: "T62",
    when: "a slow neighbour in a shared object",
    seen: "shares, no turns by luck: an endpoint has one place while others wait, those that were slow, failed or never answered a third together, and what hangs is not waited for",
    alone: "an object of endpoints has no work but theirs",
  },
  {
    mark: "T63",
    when: "loops of calls that never leave the platform, and so keep timers out",
    seen: "timers fire between the elements, so the deadline ends them and other requests are answered",
  },
  {
    mark: "T64",
    when: "an error of a sign-in is to go to an address that anybody registered",
    seen: "the page shows it, until a person has let this client in at this redirect",
    alone: "the error ends a sign-in before there is a token",
  },
  {
    mark: "T65",
    when: "another system's own spelling of a signature, an error or a content type",
    seen: "taken once it has proved who it is, and never 401 after that: what a flow does not want is answered 2xx and starts nothing",
  },
  {
    mark: "T66",
    when: "a model's odd name, id, arguments, item or reason to stop",
    seen: "run as it was meant, or told to the model in its own words, or handed over; sent back only as a provider takes it, so no call is lost and no request ends after a write",
  },
  {
    mark: "T67",
    when: "an import that narrows or widens what a document says",
    seen: "required fields, keys and alternatives are as written, and what no tool is made of is left out with its reason",
    alone: "a document is read before it has a tool that anything can meet",
  },
] as const satisfies readonly PromiseRow[];

/** The faults: upstreams, clients, the runtime, storage, clocks. */
export const FAULTS = [
  {
    mark: "F01",
    when: "an upstream never sends headers",
    seen: "`TIMEOUT` in the phase `headers`; the siblings have their results",
    alone: "an answer is waited for at one place, whichever feature asked for it",
  },
  {
    mark: "F02",
    when: "it stalls or trickles inside its answer",
    seen: "`TIMEOUT` in the phase `idle` or `total`",
    alone: "an answer is read at one place, whichever feature asked for it",
  },
  {
    mark: "F03",
    when: "it resets the connection before or inside its answer, or sends less than it said",
    seen: "`UPSTREAM_ERROR`, tried again only where that is safe",
    alone: "a retry is decided at one place, whichever feature made the call",
  },
  {
    mark: "F04",
    when: "it answers 429 or 503 and asks to wait: seconds, a date, for ever, a time gone by",
    seen: "waited for within the deadline, else handed on as `retry_after_ms`, an hour at most",
    alone: "a retry is decided at one place, whichever feature made the call",
  },
  {
    mark: "F05",
    when: "it answers 5xx to everything",
    seen: "retries add at most a fifth more calls; then the breaker opens and lets one probe through",
    alone: "retries and breakers count calls, whichever feature made them",
  },
  {
    mark: "F06",
    when: "it answers HTML, nothing, 204, or an unknown charset",
    seen: "text, or `BAD_UPSTREAM_RESPONSE`",
    alone: "an answer is read at one place, whichever feature asked for it",
  },
  {
    mark: "F07",
    when: "twenty actions want six connections",
    seen: "six wait for headers at once, in order; a call's clock begins when it is sent",
  },
  {
    mark: "F08",
    when: "a tool throws, returns nothing, a circle or a BigInt, or never settles",
    seen: "one result that says so; the others are as they would be",
    alone: "what a tool does becomes one result below every feature",
  },
  {
    mark: "F09",
    when: "the caller hangs up in the middle",
    seen: "reads stop; writes that were sent go on, and so do recorded jobs; places come back when their time ends",
  },
  {
    mark: "F10",
    when: "the runtime is killed right after `initiated`",
    seen: "every job ends; none is lost, and none runs twice that must not",
  },
  { mark: "F11", when: "it is killed between record and answer", seen: "the same key finds the same job" },
  {
    mark: "F12",
    when: "the platform cuts off what runs after the answer",
    seen: "the alarm runs it again when the lease is over",
  },
  {
    mark: "F13",
    when: "an attempt reports after its lease",
    seen: "refused by its fence",
  },
  {
    mark: "F14",
    when: "an alarm is lost, late, or put off under steady traffic",
    seen: "repaired by the next request; what waited runs",
  },
  {
    mark: "F15",
    when: "an object is reset, overloaded or out of reach",
    seen: "asked once more through a fresh stub where that may help; without it no write runs and nothing is `initiated`",
  },
  {
    mark: "F16",
    when: "the limiter is slow",
    seen: "a call waits 750 ms for it; then a write is refused, and a read runs where its tool allows that",
  },
  {
    mark: "F17",
    when: "the backlog or the disk is full",
    seen: "refused in so many words; reading, cancelling and redriving still work",
  },
  { mark: "F18", when: "the same request a hundred times at once", seen: "one of them runs" },
  {
    mark: "F19",
    when: "3,000 callers at once at a limit of 100",
    seen: "exactly 100",
  },
  {
    mark: "F20",
    when: "a secret is not configured",
    seen: "that tool is `MISCONFIGURED`; the others run",
    alone: "a secret is looked up for one tool, whichever feature calls it",
  },
  {
    mark: "F21",
    when: "a row of another version, a job whose tool is gone",
    seen: "`dead`, and its error says why",
  },
  {
    mark: "F22",
    when: "everything comes back at once after an outage",
    seen: "retries are spread by chance, and caps and limits hold in alarms too",
  },
  { mark: "F23", when: "the same alarm twice", seen: "the second one finds nothing to do" },
  {
    mark: "F24",
    when: "twenty answers of 5 MB in one batch",
    seen: "one budget of bytes for all of them",
    alone: "the bytes are those of the calls of one batch, counted below every feature",
  },
  {
    mark: "F25",
    when: "a hundred thousand jobs",
    seen: "ended ones are forgotten, the oldest first; the number kept is bounded",
    alone: "ended jobs are forgotten by age and number, whichever feature recorded them",
  },
  {
    mark: "F26",
    when: "the model answers 429, 5xx or half a stream",
    seen: "asked again within the deadline, then an error that says so",
  },
  { mark: "F27", when: "the runtime is killed after a webhook's 202", seen: "the run ends, once" },
  {
    mark: "F28",
    when: "the tools change while a batch runs",
    seen: "it runs as it was planned; planned with older tools it is planned again",
  },
  { mark: "F29", when: "a database of the version before", seen: "it opens, and everything in it goes on" },
  {
    mark: "F30",
    when: "a flow is replaced or deleted",
    seen: "the next run is the new one, or 404; everywhere within 5 s",
  },
  {
    mark: "F31",
    when: "killed in the middle of 1,000 writes of a batch in the background",
    seen: "none is sent twice, and none is missing; at most the one under way and the one before it are `unknown`",
  },
  {
    mark: "F32",
    when: "killed between a provider's new refresh token and its being written down",
    seen: "the connection works, or is `broken` and says why",
  },
  {
    mark: "F33",
    when: "killed while an event goes to many endpoints",
    seen: "each of them gets it; a delivery that was under way is made once more",
  },
  {
    mark: "F34",
    when: "the object of runs, or of the operator's counts, is down or full",
    seen: "batches go on; the operator's log says how much is missing",
  },
  {
    mark: "F35",
    when: "an event to many endpoints while some of them hang",
    seen: "the others get it in time: those that fail have few of an object's places",
    alone: "an object of endpoints has no work but theirs",
  },
  {
    mark: "F36",
    when: "killed while a batch that is undone where it fails runs, or is being undone",
    seen: "it goes on by itself; each write is taken back once, or its entry says what is so",
  },
  {
    mark: "F37",
    when: "a tenant is deleted while its work is under way",
    seen: "nothing of that work is kept, no run, count, job, question, result, file, event, account, key or sign-in, however late it comes and whatever restarts; what was sent keeps its result",
  },
  {
    mark: "F38",
    when: "a batch in the background is cancelled with an element in flight",
    seen: "every element has one true result",
  },
  {
    mark: "F39",
    when: "a tenant is restored from an export",
    seen: "the export is the same again; what cannot be put back is named, and the command ends with 1",
  },
  {
    mark: "F40",
    when: "restarted while eight batches in the background run",
    seen: "each goes on within 15 s",
  },
] as const satisfies readonly PromiseRow[];

export const ROWS: readonly PromiseRow[] = [...THREATS, ...FAULTS];

/** The mark of a row. */
export type Mark = (typeof PROMISES | typeof THREATS | typeof FAULTS)[number]["mark"];

/**
 * Every number that bounds a request, with its reason.
 *
 * Byte sizes are decompressed bytes; times are milliseconds unless the name says otherwise.
 */
export const LIMITS = {
  /** A batch of 50 actions with generous arguments fits; anything larger is data, not a request. */
  bodyBytes: 256 * 1024,
  /** Deeper JSON overflows RPC and structured cloning; no tool needs a tenth of it. */
  nesting: 32,
  /** Callers' parsers stop at 64 levels (.NET) or 128 (serde), and what stops one costs it every sibling's result; the envelope takes three. */
  outputNesting: 60,
  /** One action may not crowd out its siblings inside the body limit. */
  argsBytes: 64 * 1024,
  /** More calls than a model can usefully reason about at once. */
  actions: 50,
  /** Most agents give up on a tool call after 15 to 30 s. */
  deadlineMs: 15_000,
  /** Beyond a minute a request should have been a job. */
  maxDeadlineMs: 60_000,
  /** Elements of one `for_each`: with 50 actions that is already 1,250 calls, and a tool's own batch variant is better. */
  loopElements: 25,
  /** Parts of one output that can be selected. */
  selectPointers: 50,
  /** A token budget beyond the largest context window is none. */
  maxTokens: 2_000_000,
  /** A single tool call, when its declaration does not say. */
  toolTimeoutMs: 10_000,
  /** Workers lets six calls per request wait for response headers; a seventh queues inside the platform and burns its own timeout. */
  headerSlots: 6,
  /** An upstream that has not sent headers by then is not going to be fast. */
  headersTimeoutMs: 10_000,
  /** The longest silence between two chunks of a body. */
  idleTimeoutMs: 5_000,
  /** One upstream response, when the tool's declaration does not say. */
  responseBytes: 1024 * 1024,
  /** The most a tool may declare for one response: 50 of these would not fit in an isolate. */
  maxResponseBytes: 8 * 1024 * 1024,
  /** All upstream responses of one request together; an isolate has 128 MB for everything. */
  requestResponseBytes: 32 * 1024 * 1024,
  /** A body of more pieces than this is an attack on the reader's loop, not data. */
  responseChunks: 16_384,
  /** Each hop costs a subrequest; real APIs need one. */
  redirects: 3,
  /** Retry-After beyond this is not worth repeating to a model. */
  retryAfterMs: 3_600_000,
  /** One retry repairs a blip; a second one feeds a storm. */
  syncAttempts: 2,
  /** A request may wait this long for the object that admits it. */
  admissionTimeoutMs: 5_000,
  /** Requests a minute for a key that does not say. */
  quota: 120,
  quotaWindowS: 60,
  /** `waitUntil` is cut 30 s after the response; the first attempt stops before that. */
  firstAttemptMs: 25_000,
  /** The lease outlives the first attempt's budget, so the alarm never overlaps a living attempt. */
  jobLeaseMs: 30_000,
  /** Attempts of a background job, the first one included. */
  jobAttempts: 5,
  jobBackoffInitialMs: 1_000,
  jobBackoffMaxMs: 300_000,
  /** Live jobs of one tenant; what is over it is refused, not queued without end. */
  jobBacklog: 1_000,
  /** How long a finished job can be asked about. */
  jobRetentionMs: 7 * 24 * 3_600_000,
  /** Finished jobs kept per tenant, whatever their age: the object's size stays bounded. */
  jobsKept: 10_000,
  /** Data kept of a finished job. Larger output is dropped, and the job says so. */
  jobDataBytes: 64 * 1024,
  /** How long a result that was cut can be referred to: the next rounds of a conversation, not the next day. */
  resultRetentionMs: 15 * 60_000,
  /** One kept result as JSON: far above what a model pages through, half of what SQLite takes in a row. */
  resultBytes: 1024 * 1024,
  /** Kept results of one tenant together: its object's storage stays small, and an answer of all of them possible. */
  resultsBytes: 16 * 1024 * 1024,
  /** Kept results per tenant, however small: four batches that were cut everywhere. */
  resultsKept: 200,
  /** How long a person may take to say yes: what they are asked about should still be true. */
  confirmationTtlMs: 15 * 60_000,
  /** How long a confirmation that was decided or has expired can still say so. */
  confirmationRetentionMs: 3_600_000,
  /** Actions that wait for one yes, with what they refer to, as JSON: as many of these as a batch has actions fit one message. */
  confirmationBytes: 256 * 1024,
  /** Confirmations of one tenant together: its object's storage stays small. */
  confirmationsBytes: 16 * 1024 * 1024,
  /** Confirmations of one tenant that wait for a person: nobody reads more. */
  confirmationsPending: 200,
  /** Confirmations kept of one tenant, the decided and the expired among them. */
  confirmationsKept: 1_000,
} as const;

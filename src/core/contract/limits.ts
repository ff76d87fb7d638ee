/**
 * Numbers that bound a request, each with its reason. Those of one feature stand in its folder.
 *
 * Byte sizes are decompressed bytes; times are milliseconds unless the name says otherwise.
 *
 * Imported as a namespace, `LIMITS`: a bundler then writes each number where it is used.
 */

/** A batch of 50 actions with generous arguments fits; anything larger is data, not a request. */
export const bodyBytes = 256 * 1024;
/** Deeper JSON overflows RPC and structured cloning; no tool needs a tenth of it. */
export const nesting = 32;
/** Callers' parsers stop at 64 levels (.NET) or 128 (serde), and what stops one costs it every sibling's result; the envelope takes three. */
export const outputNesting = 60;
/** One action may not crowd out its siblings inside the body limit. */
export const argsBytes = 64 * 1024;
/** More calls than a model can usefully reason about at once. */
export const actions = 50;
/** Most agents give up on a tool call after 15 to 30 s. */
export const deadlineMs = 15_000;
/** Beyond a minute a request should have been a job. */
export const maxDeadlineMs = 60_000;
/** The same of a batch in the background: what is slower than a quarter of an hour is several batches. */
export const maxBackgroundDeadlineMs = 900_000;
/** Elements of one `for_each`: with 50 actions that is already 1,250 calls, and a tool's own batch variant is better. */
export const loopElements = 25;
/** Elements of one `for_each` where no caller waits: a page of a thousand rows, which a model sends as one loop. */
export const longLoopElements = 1_000;
/** How long a loop goes from element to element before timers have a chance: a deadline is noticed, and others are answered. */
export const loopYieldMs = 5;
/** Elements that references to parts of lists may take in one batch: each part is a list of its own, and there is room for thousands. */
export const partElements = 100_000;
/** Arguments of a batch that references, templates and loops make, all together: 64 of the largest. */
export const batchArgsBytes = 4 * 1024 * 1024;
/** Results of earlier batches that one batch refers to: more than a model keeps in mind, and each may be a megabyte. */
export const handles = 16;
/** Things wrong with one value that are told: a caller with more mistakes sends it anew. */
export const issues = 10;
/** Things wrong that are looked for in the arguments of one batch that were looked up: finding each costs microseconds. */
export const batchIssues = 20_000;
/** Arguments so small are checked even then: small actions do not pay for large ones. */
export const smallArgsBytes = 256;
/** References to nothing for which one batch looks for similar names: more are one mistake made many times. */
export const batchSuggestions = 50;
/** Parts of one output that can be selected. */
export const selectPointers = 50;
/** Warnings about one action: a model repairs a few slips at once. */
export const warnings = 5;
/** A token budget beyond the largest context window is none. */
export const maxTokens = 2_000_000;
/** A request for a tool is a sentence, not a document. */
export const queryCharacters = 500;
/** A single tool call, when its declaration does not say. */
export const toolTimeoutMs = 10_000;
/** Workers lets six calls per request wait for response headers; a seventh queues inside the platform and burns its own timeout. */
export const headerSlots = 6;
/** A body that is announced as small comes with its headers, nearly always; for one that does not, no slot is kept longer. */
export const slotKeptMs = 100;
/** An upstream that has not sent headers by then is not going to be fast. */
export const headersTimeoutMs = 10_000;
/** The longest silence between two chunks of a body. */
export const idleTimeoutMs = 5_000;
/** One upstream response, when the tool's declaration does not say. */
export const responseBytes = 1024 * 1024;
/** The most a tool may declare for one response: 50 of these would not fit in an isolate. */
export const maxResponseBytes = 8 * 1024 * 1024;
/** All upstream responses of one request together; an isolate has 128 MB for everything. */
export const requestResponseBytes = 16 * 1024 * 1024;
/** On top of them, for bodies of at most 64 KiB and the answers of writes: 64 of the former, which no large read can take away. */
export const responseReserveBytes = 4 * 1024 * 1024;
/** Bytes of a refusal that are read for what the service says of it. */
export const refusalBytes = 16 * 1024;
/** Milliseconds that such a body may take: its status is known, and nothing waits for its words longer. */
export const refusalMs = 2_000;
/** Characters of what a service said of its refusal. */
export const upstreamCharacters = 500;
/** Characters of its code. */
export const upstreamCodeCharacters = 100;
/** Responses of all requests of an isolate together, with what references make of them, a tenant's at most half: what becomes of them takes a multiple of it, and two tenants' largest requests fit. */
export const isolateBytes = 64 * 1024 * 1024;
/** Bytes that a JSON value counts there: its text counts as well, and in memory it takes some sixty. */
export const valueBytes = 8;
/** Bytes that a request reads first and that are not counted there: less than the request itself takes. */
export const uncountedBytes = 16 * 1024;
/** How long a response waits for its turn; most deadlines are later, so that its failure is still told. */
export const bytesWaitMs = 10_000;
/** Characters of an answer that the platform is given whole; a larger one counts there until its client has read it. */
export const wholeAnswerCharacters = 256 * 1024;
/** How long a client may read nothing of such an answer before it is broken off. */
export const answerIdleMs = 30_000;
/** Calls of one tenant that wait so in an isolate; more would only wait to be refused. */
export const bytesWaiting = 1_000;
/** JSON values of one response: `[{},{},…]` takes seventeen times its text in memory, and 1 MB of ordinary JSON has 60,000. */
export const responseValues = 250_000;
/** JSON values of everything that one request reads: about 30 MB of its memory. */
export const requestValues = 500_000;
/** One answer, every copy of shared data counted, and the results of a stream before its last event as well: more than a model reads, and an isolate still holds it several times over while it is written. */
export const answerBytes = 16 * 1024 * 1024;
/** Size of one call's output, as JSON: no more than the largest response that it may read. */
export const outputBytes = 8 * 1024 * 1024;
/** A body of more pieces than this is an attack on the reader's loop, not data. */
export const responseChunks = 16_384;
/** Each hop costs a subrequest; real APIs need one. */
export const redirects = 3;
/** Retry-After beyond this is not worth repeating to a model. */
export const retryAfterMs = 3_600_000;
/** One retry repairs a blip; a second one feeds a storm. */
export const syncAttempts = 2;
/** Retries that a tenant's calls of a tool get on top of them, in percent: a storm grows by a tenth, not twofold. */
export const retryPercent = 10;
/** Retries that a tenant has for a tool which it left alone: a blip that hits a few calls at once is still repaired. */
export const retryReserve = 10;
/** A tenant gains one retry in so long, however rarely it calls the tool. */
export const retryReserveMs = 30_000;
/** Tenants that an isolate knows the retries of for one tool; the one that has not called it for longest is forgotten. */
export const retryTenantsKnown = 1_000;
/** Calls older than this say nothing about an upstream any more; what Hystrix found good in production, as the next three. */
export const breakerWindowMs = 10_000;
/** Fewer calls within the window are no statistics: a rarely used tool is never cut off by a handful of failures. */
export const breakerCalls = 20;
/** With half of its calls failing an upstream is down, not unlucky. */
export const breakerFailurePercent = 50;
/** So many tenants whose calls of one upstream fail are enough to keep everybody's away: two may share a mistake, or an owner. */
export const breakerTenants = 3;
/** Tenants that an isolate knows the breakers of for one upstream; the one that came first is forgotten. */
export const breakerTenantsKnown = 1_000;
/** The first pause before an upstream that failed is tried again; it doubles with every probe that fails. */
export const breakerPauseMs = 5_000;
/** The longest pause: one call a minute is no load, and recovery is noticed within a minute. */
export const breakerPauseMaxMs = 60_000;
/**
 * A batch waits this long to be admitted: reads may then run uncounted, and callers should not notice the limiter's absence by
 * waiting.
 */
export const admissionTimeoutMs = 750;
/** Everything else that is asked of a Durable Object: what it answers is needed, and nothing can stand in for it. */
export const gateTimeoutMs = 5_000;
/** At the deadline the answer waits this long for what goes on to be recorded: what comes later is no deadline. */
export const demotionTimeoutMs = 1_000;
/** A look at whether a lost write took effect: its result waits for it, past the deadline if need be. */
export const verifyMs = 3_000;
/** Requests a minute for a key that does not say. */
export const quota = 120;
/** Seconds of that quota. */
export const quotaWindowS = 60;
/**
 * Requests that run nothing (lists, schemas, jobs, plans) have an allowance of so many quotas: cheap, and an agent looks more
 * often than it acts.
 */
export const listsPerQuota = 5;
/** An isolate may use a block of quota that it fetched ahead for so long, or a twentieth of the window if that is less. */
export const leaseMs = 2_000;
/** A smaller limit is never leased: a block that expires unused, or is held back elsewhere, would be felt. */
export const leaseLeastLimit = 50;
/** A block of fewer tokens saves too few round trips for what holding it costs. */
export const leaseLeastTokens = 16;
/** A block is at most this part of what is left: a caller that comes near the limit is counted draw by draw. */
export const leaseShare = 8;
/** Calls that wait for one tool's global limit; more would only wait to be refused, and that is the tenant's that has most. */
export const permitWaiters = 1_000;
/** A permit outlives its call's timeout by this: the way of the answer, and waiting for a header slot. */
export const permitMarginMs = 5_000;
/** An upstream's `Retry-After` stops everyone, so an absurd one may do it for this long only. */
export const permitPauseMs = 300_000;
/** A tool gate writes down this far ahead that permits may be alive: a row per so long of work, and so long a pause after a crash. */
export const permitLeadMs = 5_000;
/** After so long without a permit a tool gate writes down that none is alive. */
export const permitIdleMs = 2_000;
/** `waitUntil` is cut 30 s after the response; the first attempt stops before that. */
export const firstAttemptMs = 25_000;
/** The lease outlives the first attempt's budget, so the alarm never overlaps a living attempt. */
export const jobLeaseMs = 30_000;
/** Attempts of a background job, the first one included. */
export const jobAttempts = 5;
export const jobBackoffInitialMs = 1_000;
export const jobBackoffMaxMs = 300_000;
/** Attempts that a job shows: more than any schedule makes, and about 2 KB of its row. */
export const jobTries = 20;
/** How long a job may wait for an upstream's breaker, or its tool's global limits, without using its attempts up: a day is the longest outage worth waiting out. */
export const jobDeferralMs = 24 * 3_600_000;
/** How far ahead a job may be asked for: what is further away is a calendar's business. */
export const jobDelayMs = 30 * 24 * 3_600_000;
/** Live jobs of a tenant's first object; what is over it is refused, not queued without end. */
export const jobBacklog = 1_000;
/** Objects that a tenant's jobs are spread over; each one's alarm has six header slots of its own. */
export const outboxShards = 8;
/** Live jobs of each of them but the first, which has `jobBacklog`. */
export const shardBacklog = 150;
/** Live jobs that redriving may add to a full backlog: a full backlog does not hold up its repair. */
export const jobRedrives = 100;
/** Jobs, or questions, of one page of a list; an agent reads a few, a person pages on. */
export const jobPage = 20;
/** The same at most. */
export const maxJobPage = 100;
/** Bytes of one page of a list, whatever its limit: an object answers with it, an isolate writes it beside others, and a client reads it at once. */
export const pageBytes = 1024 * 1024;
/** The most that `wait_s` may say: proxies give up on a silent socket after a minute. */
export const maxWaitS = 45;
/** A waiting request's first pause before it looks again; each pause is a step longer than the one before, up to the most. */
export const waitLookMs = 1_000;
export const waitLookStepMs = 200;
export const waitLookMaxMs = 3_000;
/** Requests of one tenant, and of all, that wait in one isolate; one more is answered at once. */
export const waitsOfTenant = 50;
export const waitsOfIsolate = 500;
/** How long a finished job can be asked about. */
export let jobRetentionMs = 7 * 24 * 3_600_000;
/**
 * Between two looks for jobs and keys that are too old: a look reads every row, and one that is a few minutes too old does no
 * harm.
 */
export let pruneEveryMs = 5 * 60_000;
/** The same for what has caused runs, of which there may be a million. */
export let pruneCausesEveryMs = 10 * 60_000;
/** Finished jobs kept per tenant, whatever their age: the object's size stays bounded. */
export const jobsKept = 10_000;
/** Data kept of a finished job. Larger output is dropped, and the job says so. */
export const jobDataBytes = 64 * 1024;
/** An address longer than this is data, not an address. */
export const callbackUrlLength = 2_000;
/** One attempt to deliver a callback; Standard Webhooks recommends 15 to 30 s. */
export const callbackTimeoutMs = 15_000;
/** Deliveries that one alarm makes at once: an address that hangs leaves jobs most of their slots. */
export const callbacksAtOnce = 2;
/** Events for the deployment's own address that wait in one object: a bad hour of a busy tenant; when there are more, the new ones are dropped. */
export const eventBacklog = 1_000;
/** Webhooks of one object that wait to be sent again: the dead addresses of a few among many, for three days. */
export const webhookBacklog = 10_000;
/** Attempts and deliveries that one alarm begins: the platform gives it 30 s of CPU, and a run may take 50 ms of that. */
export const workPerAlarm = 500;
/** How long what caused a run is remembered, so that it causes no other: as long as senders of webhooks try again. */
export let causeMs = 72 * 3_600_000;
/** How soon an object looks after attempts that only it makes, should it be started again while they are under way. */
export const ownAttemptMs = 10_000;
/** Tags of one run. */
export const runTags = 10;
/** Characters of a tag. */
export const runTagCharacters = 64;
/** How long an address that answered 410 Gone is sent nothing more. */
export let goneAddressMs = 24 * 3_600_000;
/** Such addresses remembered at once. */
export const goneAddresses = 1_000;
/** Answers that an isolate remembers for `cache_ttl_s`, all tenants' together: what a busy minute asks again. */
export const cacheEntries = 2_000;
/** Memory that they take: an eighth of an isolate's 128 MB. */
export const cacheBytes = 16 * 1024 * 1024;
/** One of them: a larger one would push out many that are asked more often. */
export const cacheEntryBytes = 512 * 1024;
/** How long a result that was cut can be referred to: the next rounds of a conversation, not the next day. */
export let resultRetentionMs = 15 * 60_000;
/** One kept result as JSON: far above what a model pages through, half of what SQLite takes in a row. */
export const resultBytes = 1024 * 1024;
/** Kept results of one tenant together: its object's storage stays small, and an answer of all of them possible. */
export const resultsBytes = 16 * 1024 * 1024;
/** Kept results per tenant, however small: four batches that were cut everywhere. */
export const resultsKept = 200;
/** As long as the header's draft and every provider we know allow. */
export const idempotencyKeyCharacters = 255;
/** How long an answer is kept under its key: a retry the next day is a new request. */
export let idempotencyRetentionMs = 24 * 3_600_000;
/** A run that holds keys may stay silent for so long, and renews them three times in that time: a client that tries again is to find those of a dead one free. */
export const idempotencyLeaseMs = 15_000;
/** How long a request may come again without a key, by its client's count: a client that tries again does so within minutes. */
export const repeatRetentionMs = 15 * 60_000;
/** The least `Retry-After` while a request to a model runs: official clients try twice only, and a turn takes seconds. */
export const agentRetryMs = 3_000;
/** One batch's answer under its key; a larger one is cut and says so. SQLite takes 2 MB in a row. */
export const idempotencyAnswerBytes = 1024 * 1024;
/** One action's result under its key: 50 of them, as UTF-16, fit in a message to the object. */
export const idempotencyResultBytes = 256 * 1024;
/** Everything that one tenant keeps under keys. */
export const idempotencyBytes = 256 * 1024 * 1024;
/** Keys kept per tenant, however small: a key of 60 requests a minute is remembered for a day. */
export const idempotencyKept = 100_000;
/** One line that a tool writes into the log; what is longer is data, and its place is the result. */
export const logLineCharacters = 8 * 1024;
/** Lines of one call: enough to follow it, few enough that one which logs in a loop does not bury the others. */
export const logLines = 100;
/** Lines of a call's log that are kept with its outcome, for the run that tells of it: as many as a person reads. */
export const linesKept = 20;
/** Characters that the tools of one request may log: the platform keeps 256 KB of a request and drops the rest. */
export const logCharacters = 256 * 1024;
/** The same of one call, so that it takes no more than a quarter of what its siblings may log. */
export const callLogCharacters = 64 * 1024;
/** Calls of one turn of a model that are read at all: 50 of them run, the rest are told so. */
export const modelCalls = 1_000;
/** How long what a caller did not see of a conversation is kept for its coming back. */
export let turnRetentionMs = 15 * 60_000;
/** Kept turns of one tenant, however small: a busy quarter of an hour. */
export const turnsKept = 2_000;
/** Kept turns of one tenant together. */
export const turnsBytes = 64 * 1024 * 1024;
/** The same at most, of a tool that says so itself: a person may be away for a week. */
export const maxQuestionTtlMs = 7 * 24 * 3_600_000;
/**
 * How long after its expiry a question can still say what became of it, and show its results: its caller comes back within
 * a day.
 */
export let questionRetentionMs = 24 * 3_600_000;
/** Questions of one tenant that wait for a person: a person reads no more. */
export const questionsPending = 200;
/** Characters of the sentence in which a tool says what a call of it does: it is read at a glance. */
export const sentenceCharacters = 300;
/** Arguments that such a sentence shows. */
export const sentenceArguments = 10;
/** Pointers of one condition: a person reads it, and each value is looked up for every call. */
export const conditionPointers = 20;
/** Characters of a pointer, or of a text, in a condition. */
export const conditionCharacters = 256;
/** Values of one `in` of a condition. */
export const conditionChoices = 100;
/** The arguments of an action in a list of questions: a line that is read at a glance. */
export const askedLineCharacters = 300;
/** Tools that one tenant adds while running: a large API's operations, and more than discovery tells apart well. */
export const tenantTools = 500;
/** All declarations of a tenant together: 500 of 16 KiB, and what an isolate can hold of a few tenants in its 128 MB. */
export const tenantToolsBytes = 8 * 1024 * 1024;
/** How often a request is planned anew because tools changed meanwhile: more changes than that are somebody's loop. */
export const replans = 4;
/** A tool as data, as JSON: a description and a schema that a model is shown whole; what is larger is no tool but an API. */
export const declarationBytes = 64 * 1024;
/** Things wrong with one declaration that are told: more than one person repairs in one go. */
export const declarationIssues = 50;
/** Headers of a declared request, and arguments of its query and its body each: the widest known bodies have two hundred. */
export const declarationEntries = 300;
/** Steps of weighing the patterns of one import: about half a second, and what a hundred of the dearest in common use take. */
export const importPatternUnits = 2_000_000;
/** Files of one tenant's workspace: a project without what others have made. */
export const workspaceFiles = 10_000;
/** All of a workspace's files together: a shell gets all of them, in one message of at most 32 MiB. */
export const workspaceBytes = 10 * 1024 * 1024;
/** One file of a workspace: a row of its object's storage holds 2 MB. */
export const workspaceFileBytes = 1024 * 1024;
/** Bytes that a read of a workspace holds before it knows more: nearly all text files have less, and so need no second request. */
export const workspaceFirstBytes = 64 * 1024;
/** Data points of one request: Analytics Engine takes no more of one invocation. */
export const dataPoints = 250;
/** Points among them that are kept for batches: a conversation may have more actions than there are points. */
export const dataPointsReserved = 50;
/** How long an isolate believes what it was told of such a key: a revocation is everywhere within that time. */
export const keySeenMs = 30_000;
/** The same of an unknown key: it may be made just now. */
export const keyUnknownMs = 5_000;
/** Such keys that an isolate remembers, and as many unknown ones: thousands of callers, in a few megabytes. */
export const keysRemembered = 5_000;
/** Requests a minute of one address to pages and paths that take no key: fifty people who sign themselves in, from an office behind one address. */
export const visitorRequests = 240;
/** The same of all addresses together, in an isolate: 100 a second ask objects. */
export const visitorsRequests = 6_000;
/** Addresses whose requests an isolate counts: about a megabyte. */
export const visitors = 10_000;
/** Characters of the type of an event. */
export const eventTypeLength = 256;
/** Rows that one request seals anew; the next one goes on. */
export const sealedAnew = 2_000;
/** Limits of how long things are kept, which a soak shortens. */
export type Forgetting = Readonly<
  Record<
    | "jobRetentionMs"
    | "causeMs"
    | "idempotencyRetentionMs"
    | "resultRetentionMs"
    | "turnRetentionMs"
    | "questionRetentionMs"
    | "goneAddressMs"
    | "pruneEveryMs"
    | "pruneCausesEveryMs",
    number
  >
>;

/** Forget sooner, before anything has read these: minutes then show what takes days where it is deployed. Only a soak does. */
export function forgetSooner(asked: Forgetting): void {
  ({
    jobRetentionMs,
    causeMs,
    idempotencyRetentionMs,
    resultRetentionMs,
    turnRetentionMs,
    questionRetentionMs,
    goneAddressMs,
    pruneEveryMs,
    pruneCausesEveryMs,
  } = asked);
}

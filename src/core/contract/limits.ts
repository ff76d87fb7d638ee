/**
 * Every number that bounds a request, with its reason.
 *
 * Byte sizes are decompressed bytes; times are milliseconds unless the name says otherwise.
 *
 * Imported as a namespace, `LIMITS`: a bundler then writes each number where it is used, and leaves out those of features that a Worker
 * does not list.
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
/** Tools that one discovery lists: enough to choose from, and about 500 tokens. */
export const discoveredTools = 10;
/** The most it lists when asked for more. */
export const maxDiscoveredTools = 50;
/** A request for a tool is a sentence, not a document. */
export const queryCharacters = 500;
/** Requests of one discovery: a task of more steps is better looked for in parts. */
export const discoveryQueries = 8;
/** Tools of one discovery that are shown with their parameters: who needs more asks for them by name. */
export const describedTools = 5;
/** Categories, or actions, that one discovery filters by. */
export const filterWords = 50;
/** A single tool call, when its declaration does not say. */
export const toolTimeoutMs = 10_000;
/** Workers lets six calls per request wait for response headers; a seventh queues inside the platform and burns its own timeout. */
export const headerSlots = 6;
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
/** Tags of a web page that are read: the longest articles of an encyclopedia have 25,000, and a hostile page a million. */
export const pageTags = 30_000;
/** Characters of a web page's text that are read: four times what may be asked for, so that a menu costs nothing of it. */
export const pageCharacters = 200_000;
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
/** Jobs, or confirmations, of one page of a list; an agent reads a few, an operator pages on. */
export const jobPage = 20;
export const maxJobPage = 100;
/** Bytes of one page of a list, whatever its limit: an object answers with it, an isolate writes it beside others, and a client reads it at once. */
export const pageBytes = 1024 * 1024;
/** The most that `wait_s` may say: proxies give up on a silent connection after a minute. */
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
/** Deliveries that one alarm makes at once: an endpoint that hangs leaves jobs most of their slots. */
export const callbacksAtOnce = 2;
/** Events for the operator that wait in one object: a bad hour of a busy tenant; when there are more, the new ones are dropped. */
export const eventBacklog = 1_000;
/** Runs of flows that one alarm has under way, beside its jobs, and one isolate by the requests that recorded them. */
export const runsAtOnce = 4;
/** Bytes that one run may read: as many as are under way at once read together what one request may. */
export const runResponseBytes = 4 * 1024 * 1024;
/** JSON values of all that one run reads; the same part of a request's. */
export const runValues = 125_000;
/** Runs of one flow under way at once that are begun by the requests which recorded them; the others wait for the alarm. */
export const runsByRequests = 10;
/** Webhooks of one object that wait to be sent again: the dead endpoint of a few among many, for three days. */
export const webhookBacklog = 10_000;
/** Live runs of one flow: a burst of a thousand deliveries, while another is being worked off. */
export const flowBacklog = 2_000;
/** Live runs of all flows of a tenant together: what an object looks through whenever a place is free. */
export const runBacklog = 10_000;
/** Attempts and deliveries that one alarm begins: the platform gives it 30 s of CPU, and a run may take 50 ms of that. */
export const workPerAlarm = 500;
/** How long what caused a run is remembered, so that it causes no other: as long as senders of webhooks try again. */
export let causeMs = 72 * 3_600_000;
/** Causes that a tenant's object remembers: ten a second for a day; when there are more, no run is recorded. */
export const causesKept = 1_000_000;
/** How long one attempt of a batch in the background begins calls before it leaves the rest to the next, at the end of the row: a batch that comes now waits no longer. */
export const batchSliceMs = 5_000;
/** Elements of loops that such an attempt begins at most: quick ones take turns too. */
export const batchSliceElements = 25;
/** Batches in the background that a tenant's object has under way: each holds the results of a thousand calls. */
export const batchesAtOnce = 8;
/** How soon an object looks after attempts that only it makes, should it be started again while they are under way. */
export const ownAttemptMs = 10_000;
/** Live batches in the background of a tenant: each is a row of up to a body's size. */
export const batchBacklog = 200;
/** The same of one key: half of them are left for others. */
export const keyBatchBacklog = 100;
/** Results that are kept of a batch in the background, together; each has its part, and what does not fit is cut. */
export const batchResultsBytes = 8 * 1024 * 1024;
/** One page of them: half of what is kept, and an isolate still writes several. */
export const resultPageBytes = 4 * 1024 * 1024;
/** Results, or elements of one, on a page. */
export const resultPage = 100;
/** Results of steps that are kept for the attempts to come of a run, together: what does not fit is read again. */
export const runStepsBytes = 256 * 1024;
/** Arguments and result of one action that are kept with its run: a page of text; who needs more has the answer itself. */
export const runActionBytes = 16 * 1024;
/** The same of a whole run: 50 actions of an ordinary size. */
export const runBytes = 256 * 1024;
/** Tags of one run. */
export const runTags = 10;
/** Characters of a tag. */
export const runTagCharacters = 64;
/** Days that a run is kept, unless `VOLLEY_RUNS_DAYS` says otherwise. */
export const runDays = 7;
/** The most that `VOLLEY_RUNS_DAYS` may say. */
export const maxRunDays = 90;
/** Runs that one tenant keeps: an index of them is a few megabytes in their object's memory. */
export const runsKept = 100_000;
/** Bytes of them: a tenth of what a Durable Object may store. */
export const runsBytes = 1024 * 1024 * 1024;
/** An isolate reports a tenant's runs no more often, and all of them together: a run is seen within twice that time. */
export const runReportMs = 1_000;
/** One report, which is one row, and SQLite takes 2 MB in a row. */
export const runReportBytes = 1536 * 1024;
/** Reports that the object holds taken apart, the last ones: a bulk request asks for their runs one by one. They take a tenth of its memory. */
export const runReportsHeld = 8;
/** Runs of one report: thirty full isolates' worth of batches in a second. */
export const runReportRuns = 1_000;
/** Runs of all tenants that an isolate holds until they are reported: an isolate has 128 MB. */
export const runsHeldBytes = 8 * 1024 * 1024;
/** A run that took longer is listed by its end less this time: a page has to look no further than that for what began earlier. */
export const runListedMs = 120_000;
/** Reports that one page of a list looks through: a filter that fits little is asked for in several pages. */
export const runReportsListed = 2_000;
/** Reports that are deleted in one turn, so that none takes long. */
export const runReportsPruned = 200;
/** Between two looks of an object without reports for runs that are too old. */
export const runPruneMs = 3_600_000;
/** Jobs that ended otherwise than well, which one tenant's log of runs keeps: the statuses of their runs follow them. */
export const runJobsKept = 20_000;
/** Jobs that an object tells the log of at once. */
export const runJobsTold = 100;
/** How long after jobs that could not be told they are told again. */
export const runJobsToldAgainMs = 10_000;
/** Runs that a run has caused which are shown with it. */
export const runChildren = 100;
/** An isolate reports its counts to the operator's object no more often: the counts of all tenants together. */
export const operatorReportMs = 1_000;
/** Tenants of one report; the rest is counted as one. An isolate runs no more batches in a second. */
export const operatorReportTenants = 2_000;
/** Tools of all tenants of one report, each some 150 bytes; the rest of a tenant's is counted as one. */
export const operatorReportTools = 8_000;
/** Hours that are counted: from Friday evening to Monday evening. */
export const operatorHours = 72;
/** Parts that the tenants of an hour are dealt into, a row each: a row of ten thousand tenants would be too large for SQLite. */
export const operatorParts = 64;
/** Tenants of one part of an hour; the rest is counted as one. */
export const operatorPartTenants = 400;
/** Tools of all tenants of one part of an hour: all parts together are some 30 MB in the object's memory. */
export const operatorPartTools = 2_500;
/** Tools of one tenant that are counted apart. */
export const operatorTenantTools = 32;
/** The operator's object writes an hour's parts down no more often, and a row a second at most. */
export const operatorWriteMs = 10_000;
/** A tenant's object tells of its dead jobs and waiting questions at most so often, and so long after a change. */
export const operatorTellMs = 2_000;
/** It tells again so often while there are any: a question may have expired, and a message may have been lost. */
export const operatorTellAgainMs = 15 * 60_000;
/** When a message about them was not taken, it is sent again after this time. */
export const operatorTellFailedMs = 30_000;
/** Its message counts for so long: twice the time, and some for the way. */
export const operatorToldMs = 35 * 60_000;
/** Dead jobs of one object that are looked at for their codes; more are counted without one. */
export const operatorDeadJobs = 1_000;
/** An overview of ten thousand tenants is some seconds of reading. */
export const operatorReadMs = 10_000;
/** Hours of an overview, unless its `hours` says otherwise. */
export const operatorOverviewHours = 24;
/** Tenants of an overview, unless its `limit` says otherwise. */
export const operatorTenants = 30;
/** The most that it may say. */
export const maxOperatorTenants = 100;
/** Tools of each of them. */
export const operatorTools = 10;
/** Dead jobs that one request of the operator looks at; it redrives as many of them as a tenant's own does. */
export const operatorRedriveLooks = 1_000;
/** How long one stream of a run's events stays open: a look every three seconds is a hundred calls; a client goes on with the next one. */
export const runStreamMs = 5 * 60_000;
/** How long a stream waits for a run that is not there yet: a run is reported within two seconds of its answer. */
export const runAwaitedMs = 3_000;
/** Runs that one request runs again, or cancels. */
export const runsInBulk = 1_000;
/** Reruns that such a request has under way at once, each with connections and bytes of its own. */
export const rerunsAtOnce = 4;
/** After this time such a request begins no other rerun: those that are begun may take their deadline, and proxies give up after a minute. */
export const rerunsBegunMs = 30_000;
/** Pages of the list that such a request looks through: each is a call, and the next request goes on behind them. */
export const runPagesInBulk = 50;
/** Jobs that one page of the runs that go on looks at: a filter that fits little is asked for in several pages. */
export const runJobsLooked = 500;
/** Live jobs that one request to cancel looks at: as many as there may be runs of flows. */
export const cancelJobsLooked = 10_000;
/** Jobs that it cancels at once: each is a call. */
export const cancelsAtOnce = 20;
/** Bytes of the newest runs that an export has: it is put together in memory, which has 128 MB for all. */
export const runsExportedBytes = 16 * 1024 * 1024;
/** Reruns that an export has: those of its runs, and more. */
export const rerunsExported = 10_000;
/** How often a run is run again: each time all reruns before are read. */
export const runReruns = 20;
/** A rerun that has left no record by then was killed: it takes its deadline, and is reported within two seconds. */
export const rerunLostMs = 120_000;
/** How long an endpoint that answered 410 Gone is sent nothing more. */
export let goneEndpointMs = 24 * 3_600_000;
/** Such endpoints remembered at once. */
export const goneEndpoints = 1_000;
/** How far a delivery's signed time may be from ours, either way: what Standard Webhooks, Stripe and Slack recommend. */
export const deliveryAgeMs = 300_000;
/** Signatures of one delivery that are looked at, and secrets that each is tried with: more than two are no rotation, and each try reads the whole body. */
export const deliverySignatures = 5;
/** How far a flow may let that be: more would be no bound of a delivery that somebody has caught. */
export const hookToleranceS = 86_400;
/** A delivery's body for everybody: eight times what the largest senders send, and too large for what an isolate holds beside others. */
export const hookBodyBytes = 8 * 1024 * 1024;
/** The same for a flow that says none: what the largest senders send. */
export const usualHookBodyKib = 1_024;
/** Bytes of deliveries over 256 KiB that an isolate holds at once while their senders are not known: a quarter of its memory. */
export const hookRoomBytes = 32 * 1024 * 1024;
/** Characters of a run's input that its row has, and of each piece of a larger one: an object's row takes two megabytes, a character up to three bytes. */
export const runInputCharacters = 500_000;
/** JSON values of a delivery: eight MiB of `{},` would be 150 MB in memory. */
export const hookValues = 500_000;
/** Fields of a delivery that is a form: several times what any sender sends, and they are sorted. */
export const hookFields = 1_000;
/** Events that one flow chooses among: several times what any sender has. */
export const hookEvents = 100;
/** When the sender to a paused flow is told to try again: senders space their tries themselves, from minutes to hours. */
export const pausedRetryMs = 600_000;
/** Characters that each of several secrets in one text has: fewer may be a word of a secret that has spaces itself. */
export const listedSecretCharacters = 16;
/** Characters of a delivery's id: several times what any sender uses, and each is remembered for three days. */
export const deliveryIdCharacters = 255;
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
/** How long an MCP client may keep a list of tools: it changes with a deployment only. */
export const toolListTtlMs = 5 * 60_000;
/** Bytes of a list of tools, which is one page: all that a tenant may declare fits, unless a format writes more for it. */
export const toolListBytes = 8 * 1024 * 1024;
/** Tools in one page of an MCP client's list. */
export const toolListPage = 50;
/** A tool's reports of its progress are told to an MCP client no faster: it asked to see movement, not every step. */
export const progressIntervalMs = 20;
/** Characters of such a report's message. */
export const progressMessageChars = 200;
/** Tools that are taken from one MCP server: more than any key's model can choose from. */
export const mcpServerTools = 500;
/** Pages of one server's list of tools: 500 tools in tens, and each is a request. */
export const mcpListPages = 50;
/** Characters of a tool's name on its MCP server: the protocol's own bound. */
export const mcpNameCharacters = 128;
/** How long an isolate goes by a server's list of tools where the server does not say: within a minute a changed tool is not called any more. */
export const mcpListTtlMs = 60_000;
/** The least that a server can ask for: otherwise each call would be two. */
export const mcpLeastListTtlMs = 5_000;
/** The most that it can ask for: an hour with a tool that is no longer the same is enough. */
export const mcpMostListTtlMs = 3_600_000;
/** Servers that an isolate knows the tools of, all tenants' together: some ten megabytes if each has as many tools as it may. */
export const mcpServers = 100;
/** Characters of each thing that is told of an image, a sound or a file which a tool answered with. */
export const mcpLabelCharacters = 500;
/** Lines of one answer that comes as events: a minute's progress, forty times a second in three lines each, and the answer. */
export const mcpStreamLines = 8_192;
/** Characters of the id of a session that a server of 2025 gives; it is sent with each request. */
export const mcpSessionCharacters = 1_024;
/** One line that a tool writes into the log; what is longer is data, and its place is the result. */
export const logLineCharacters = 8 * 1024;
/** Lines of one call: enough to follow it, few enough that one which logs in a loop does not bury the others. */
export const logLines = 100;
/** Characters that the tools of one request may log: the platform keeps 256 KB of a request and drops the rest. */
export const logCharacters = 256 * 1024;
/** The same of one call, so that it takes no more than a quarter of what its siblings may log. */
export const callLogCharacters = 64 * 1024;
/** A conversation with a model: a long one with its images' addresses, and an isolate still holds it several times. */
export const agentBodyBytes = 4 * 1024 * 1024;
/** Its nesting: schemas of the caller's own tools stand in it. */
export const agentNesting = 64;
/** JSON values of a conversation: about 15 MB of an isolate's memory. */
export const agentValues = 250_000;
/** Rounds of tool calls that one request has, when it does not say: most questions take two or three. */
export const agentRounds = 5;
/** The most that it may say: what needs more is better asked in steps. */
export const agentMaxRounds = 20;
/** A request to a model with all its rounds, when it does not say: clients give up after two to ten minutes. */
export const agentDeadlineMs = 120_000;
/** Less than a second is no time for a model. */
export const agentLeastDeadlineMs = 1_000;
/** The longest that proxies and clients keep a request open. */
export const agentMaxDeadlineMs = 300_000;
/** Estimated tokens of the data of one round's results together, when the request does not say: five rounds of them still leave a model of 200,000 room to think. */
export const agentRoundTokens = 25_000;
/** The most that a request may give a round: a million of them in five rounds were 600 MB of an isolate's memory. */
export const agentRoundMaxTokens = 250_000;
/** Estimated tokens of the schema of one tool for all: a model is told of more tools by those that find them. */
export const agentSchemaTokens = 4_000;
/** Names of tools and categories in one request to a model. */
export const agentTools = 500;
/** Calls of one turn of a model that are read at all: 50 of them run, the rest are told so. */
export const modelCalls = 1_000;
/** One answer of a model: the longest of today are a megabyte. */
export const modelBytes = 8 * 1024 * 1024;
/** One answer as a stream, where a token takes 200 bytes. */
export const modelStreamBytes = 32 * 1024 * 1024;
/** One event of it: some servers send a whole answer as one. */
export const modelEventCharacters = 4 * 1024 * 1024;
/** JSON values of an answer, or of one event of it: as many as a whole conversation may have. */
export const modelValues = 250_000;
/** Pieces that an answer arrives in, and events in it: the longest answers of today have 128,000 tokens, each by itself. */
export const modelPieces = 200_000;
/** Text in which calls are looked for where a model writes them as text; a model that writes a book has called nothing. */
export const reactCharacters = 2 * 1024 * 1024;
/** Bytes of a model's refusal that are read to find its code. */
export const modelErrorBytes = 64 * 1024;
/** Bytes of a model's server's list of models or count of tokens; the longest public list has half of it. */
export const modelServerBytes = 2 * 1024 * 1024;
/** For how long a model's server is waited for where no model is asked, in milliseconds. */
export const modelServerMs = 15_000;
/** Times that a model is asked again: what two do not help with, a third does not. */
export const modelRetries = 2;
/** How long what a caller did not see of a conversation is kept for its coming back. */
export let turnRetentionMs = 15 * 60_000;
/** Kept turns of one conversation that are put back: the last ones, for what is kept is minutes old. */
export const keptTurns = 32;
/** Text of a conversation that is hashed to find them, all prefixes together. */
export const keptTurnCharacters = 16 * 1024 * 1024;
/** Rows that one kept turn may take, of `turnPartCharacters` each: five rounds of large results. */
export const turnParts = 24;
/** Characters of a kept turn in one row: a row has a megabyte, and a character three bytes at most. */
export const turnPartCharacters = 300_000;
/** Kept turns of one tenant, however small: a busy quarter of an hour. */
export const turnsKept = 2_000;
/** Kept turns of one tenant together. */
export const turnsBytes = 64 * 1024 * 1024;
/** How long a person may take to say yes: what they are asked about should still be true. */
export const confirmationTtlMs = 24 * 3_600_000;
/** The same at most, of a tool that says so itself: a person may be away for a week. */
export const maxConfirmationTtlMs = 7 * 24 * 3_600_000;
/**
 * How long after its expiry a confirmation can still say what became of it, and show its results: its caller comes back within
 * a day.
 */
export let confirmationRetentionMs = 24 * 3_600_000;
/** Actions that wait for one yes, with what they refer to, as JSON: as many of these as a batch has actions fit one message. */
export const confirmationBytes = 256 * 1024;
/** Confirmations of one tenant together, with a day's answers (each at most `idempotencyAnswerBytes`): its object's storage stays small. */
export const confirmationsBytes = 64 * 1024 * 1024;
/** Confirmations of one tenant that wait for a person: a person reads no more. */
export const confirmationsPending = 200;
/** Characters of the reason of a decision: a few sentences, which a model reads with the result. */
export const reasonCharacters = 500;
/** Links of one question: each person of a team has one. */
export const approvalLinks = 20;
/** Characters of the name under which a link decides. */
export const approvalNameCharacters = 100;
/** Pointers of one condition: a person reads it, and each value is looked up for every call. */
export const conditionPointers = 20;
/** Characters of a pointer, or of a text, in a condition. */
export const conditionCharacters = 256;
/** Values of one `in` of a condition. */
export const conditionChoices = 100;
/** The arguments of an action in a list of questions: a line that is read at a glance. */
export const askedLineCharacters = 300;
/** A question is told to end soon when so much of its time is over, in percent: a quarter is left to decide in. */
export const confirmationExpiringPercent = 75;
/** Questions that end, or are about to, and are told of in one turn of their object. */
export const confirmationsToldAtOnce = 100;
/** Confirmations kept of one tenant, the decided and the expired among them. */
export const confirmationsKept = 1_000;
/** Tools that one tenant adds while running: a large API's operations, and more than discovery tells apart well. */
export const tenantTools = 500;
/** All declarations of a tenant together: 500 of 16 KiB, and what an isolate can hold of a few tenants in its 128 MB. */
export const tenantToolsBytes = 8 * 1024 * 1024;
/** The body of an import: a document of `openApiBytes`, as text with its quotes escaped, and what is said of it. */
export const importBytes = 5 * 1024 * 1024;
/** Characters of declarations in one message: at two bytes each an eighth of what a message may have. */
export const toolPageCharacters = 2 * 1024 * 1024;
/**
 * Declarations of all tenants that an isolate keeps at hand; those of the tenant that has not called for longest are read
 * again.
 */
export const toolsAtHandBytes = 16 * 1024 * 1024;
/** How long what a tenant's object said of its tools is believed without asking: a lease lives as long, and brings news. */
export const toolsHeardMs = 2_000;
/** How often an isolate asks at once for names of a tenant's tools that it does not know, so that made-up names cost its object little. */
export const toolsSoughtMs = 100;
/** How long an MCP client may keep a list with tools that a tenant has added: they change while it runs. */
export const addedToolListTtlMs = 5_000;
/** How often a request is planned anew because tools changed meanwhile: more changes than that are somebody's loop. */
export const replans = 4;
/** A tool as data, as JSON: a description and a schema that a model is shown whole; what is larger is no tool but an API. */
export const declarationBytes = 64 * 1024;
/** Things wrong with one declaration that are told: more than one person repairs in one go. */
export const declarationIssues = 50;
/** Schemas inside a declared tool's arguments, each property one: what 64 KiB of them hold where they say something. */
export const declarationSchemas = 2_500;
/** Headers of a declared request, and arguments of its query and its body each: the widest known bodies have two hundred. */
export const declarationEntries = 300;
/** Characters of a declared tool's summary: one line of about 15 tokens, with room for languages that need more. */
export const summaryCharacters = 200;
/** Characters of a declared tool's description: two pages, which every listing of the tool repeats. */
export const descriptionCharacters = 8_192;
/** Characters of a declared address: what every proxy and server on the way takes. */
export const declaredUrlCharacters = 2_048;
/** One object that a tool keeps: the largest image or presentation is a few megabytes, and an isolate holds it two or three times while it is made. */
export const objectBytes = 16 * 1024 * 1024;
/** Characters of one part of a document: some 5,000 tokens, which is as much as a model reads with care at once. */
export const documentCharacters = 20_000;
/** Words of one search that are looked for: a long sentence, and each is a walk through the index. */
export const searchedWords = 32;
/** Contacts that one call creates: one statement, and a page of a spreadsheet. */
export const contactRows = 100;
/** Orders of one answer; a report holds more. */
export const orderRows = 100;
/** Groups of one summary: months of eight years, or the hundred largest customers. */
export const summaryGroups = 100;
/** Rows of one report: its text is a few megabytes, made in memory, and its query reads no more of the table. */
export const reportRows = 10_000;
/** Characters of an image's description: a page of text, a quarter of what the service takes. */
export const promptCharacters = 8_000;
/** Documents put in order at once: more than a search gives, within the arguments of one action. */
export const rerankDocuments = 100;
/** A formula of people; the worst of this length takes a tenth of a second. */
export const expressionCharacters = 500;
/** Slides of one presentation: an hour's talk. */
export const presentationSlides = 50;
/** Processor time of one call of a pack, which Cloudflare ends: each has bounds of its own that are well below. */
export const packCpuMs = 10_000;
/** Text of an OpenAPI document: most are smaller, and those of the largest APIs are better imported in parts. */
export const openApiBytes = 4 * 1024 * 1024;
/** The same as YAML, which takes thirty times as long to read as JSON. */
export const openApiYamlBytes = 1024 * 1024;
/** Levels of an OpenAPI document: the deepest known ones have forty. */
export const openApiNesting = 100;
/** Operations of one import: as many tools as a tenant may have. */
export const openApiOperations = 500;
/** Characters of schemas that are looked at for one tool, in one of a few attempts to describe it in `declarationBytes`. */
export const openApiToolCharacters = 96 * 1024;
/** The same for all tools of one import: a second of work. */
export const openApiCharacters = 6 * 1024 * 1024;
/** Steps of weighing the patterns of one import: about half a second, and what a hundred of the dearest in common use take. */
export const importPatternUnits = 2_000_000;
/** The same for a tenant's imports of one minute, in one isolate: a dry run, the import, and another. */
export const tenantPatternUnits = 6_000_000;
/** Files of one tenant's workspace: a project without what others have made. */
export const workspaceFiles = 10_000;
/** All of a workspace's files together: a shell gets all of them, in one message of at most 32 MiB. */
export const workspaceBytes = 10 * 1024 * 1024;
/** One file of a workspace: a row of its object's storage holds 2 MB. */
export const workspaceFileBytes = 1024 * 1024;
/** Bytes that a read of a workspace holds before it knows more: nearly all text files have less, and so need no second request. */
export const workspaceFirstBytes = 64 * 1024;
/** Bytes of a workspace that are under way to its object or from it together: two whole ones, and an object has 128 MB for several copies of them. */
export const workspaceUnderWayBytes = 24 * 1024 * 1024;
/** How long they wait for their turn: half of what a call has. */
export const workspaceWaitMs = 5_000;
/** When such a turn ends by itself: a whole workspace takes less to be sent. */
export const workspaceTurnMs = 3_000;
/** A file's path in UTF-8: ten thousand of them are half of the workspace's own size. */
export const workspacePathBytes = 512;
/** Folders that a file lies in, and itself: each costs its object some memory. */
export const workspaceDepth = 16;
/** Memories that one search looks through, the newest of them: a thousand pages, and half a second of a processor. */
export const memorySearchBytes = 2 * 1024 * 1024;
/** Characters of a file that one read answers, some 10,000 tokens: more is asked for by line. */
export const workspaceReadCharacters = 40_000;
/** Lines that one search answers: a search that finds more should be narrower. */
export const workspaceMatches = 200;
/** Characters of such a line. */
export const workspaceLineCharacters = 300;
/** Paths that one pattern answers. */
export const workspacePaths = 1_000;
/** Characters of what a command printed that are answered, of its errors a quarter: some 5,000 tokens. */
export const shellOutputCharacters = 20_000;
/** Bytes that the parts of a command print together, to each other too: as much as there are files. */
export const shellOutputBytes = 12 * 1024 * 1024;
/** Bytes that the parts of a command read at once: all of the files. */
export const shellInputBytes = 12 * 1024 * 1024;
/** A command's own time: below what its tool has, so that what it printed is still answered. */
export const shellTimeMs = 8_000;
/** How often a command, or an edit, is tried over files that others change meanwhile: one of them gets on each time. */
export const workspaceTries = 8;
/** A flow's cron: each of five fields as a list of ranges, and more than anybody reads. */
export const cronCharacters = 200;
/** How soon a cron has to have a time: the 29th of February comes within it, and what never comes is refused. */
export const cronAheadDays = 1_827;
/** Data points of one request: Analytics Engine takes no more of one invocation. */
export const dataPoints = 250;
/** Points among them that are kept for batches: a conversation may have more actions than there are points. */
export const dataPointsReserved = 50;
/** Objects that keep the keys which are made while running, by the first digit of a key's digest. */
export const keyShards = 16;
/** How long an isolate believes what it was told of such a key: a revocation is everywhere within that time. */
export const keySeenMs = 30_000;
/** The same of an unknown key: it may be made just now. */
export const keyUnknownMs = 5_000;
/** Such keys that an isolate remembers, and as many unknown ones: thousands of callers, in a few megabytes. */
export const keysRemembered = 5_000;
/** An isolate asks each of these objects no more often, and then for all keys that came meanwhile: a flood of unknown ones costs ten calls a second. */
export const keyLookPauseMs = 100;
/** Keys that one isolate looks for in one call: more than so many requests reach none in that time. */
export const keyLooksWaiting = 2_000;
/** Names that one of these objects keeps of a tenant: some fifteen thousand of a tenant in all. */
export const keysPerShard = 1_000;
/** Keys of one name that are alive besides the newest: a rotation may be repeated before its overlap is over. */
export const keysAlive = 3;
/** How long two keys of one name may be alive side by side: a month is time to change every caller. */
export const keyOverlapS = 30 * 24 * 3_600;
/** Keys above a key, each made by the next: every request counts on the quotas of all, and four reach from an operator to a customer's own. */
export const keyMakers = 4;
/** Names of tools and categories of one key; who needs more takes a category. */
export const keyTools = 100;
/** Requests a minute of one address to pages and paths that take no key: fifty sign-ins, from an office behind one address. */
export const visitorRequests = 240;
/** The same of all addresses together, in an isolate: 100 a second ask objects. */
export const visitorsRequests = 6_000;
/** Addresses whose requests an isolate counts: about a megabyte. */
export const visitors = 10_000;
/** Objects that keep sign-ins, by whose they are, and clients and forms that were opened, by chance. */
export const signInShards = 16;
/** A form, or a request of an OAuth client: names, addresses, a token or two. */
export const signInBodyBytes = 16 * 1024;
/** A client's name on a page for people. */
export const clientNameCharacters = 80;
/** A client that registered itself and was never let in is forgotten: a person decides within minutes, and returns within the day. */
export const unusedClientS = 24 * 3_600;
/** One that was let in is forgotten when it has not asked for a token for so long. */
export const usedClientS = 90 * 24 * 3_600;
/** Clients in one of the objects that were never let in; the oldest goes first. A flood fills eight thousand records of a few KB, and no more. */
export const unusedClients = 500;
/** Forms in one of the objects that were opened and not sent; the oldest goes first. */
export const openForms = 1_000;
/** Sign-ins of one key, or of one person where people sign in elsewhere. */
export const signIns = 200;
/** Access tokens of one sign-in that are good at the same time; the oldest ends first. */
export const signInTokens = 16;
/** Refresh tokens of one sign-in that are remembered after others took their places: one that is shown again ends the sign-in. */
export const spentTokens = 64;
/** An access token lasts an hour, as clients expect of one that can be refreshed. */
export const signInTokenS = 3_600;
/** Two refreshes of one token within so long get the same pair. */
export const refreshAgainMs = 10_000;
/** A refresh that another has claimed looks for its answer so often, */
export const refreshWaits = 50;
/** and waits in between. */
export const refreshWaitMs = 100;
/** A sign-in ends when its client has not asked for a token for so long. */
export const signInIdleS = 30 * 24 * 3_600;
/** The document that describes a client; the specification recommends 5 KB. */
export const clientDocumentBytes = 5 * 1024;
/** How long such a document is believed: an address that a client takes out is refused an hour later. */
export const clientDocumentS = 3_600;
/** Documents that are fetched for sign-in are small and asked for while a person waits. */
export const signInFetchMs = 10_000;
/** A document of the issuer that people sign in at: its addresses, its keys, or a token. */
export const issuerDocumentBytes = 64 * 1024;
/** How long an isolate believes the issuer's documents. */
export const issuerDocumentMs = 3_600_000;
/** How long it is remembered that they could not be read: each person would wait anew. */
export const issuerFailureMs = 10_000;
/** An unknown key of the issuer or a wrong signature has its keys read again, no more often than this. */
export const issuerKeysPauseMs = 60_000;
/** The clocks of an issuer and of this deployment may differ by so much. */
export const issuerSkewMs = 60_000;
/** Rows of sign-ins that are over, and are deleted in one turn of their object. */
export const signInsPruned = 200;
/** Objects that deliver a tenant's events to its endpoints: each makes a sixteenth of the deliveries of an event that all of them want. */
export const endpointShards = 16;
/** A call of a tenant's directory, which asks up to sixteen objects within `gateTimeoutMs` each. */
export const directoryTimeoutMs = 10_000;
/** Endpoints in an object up to which another one of the same customer comes into it too: so few are delivered to within a second. */
export const endpointsTogether = 8;
/** Endpoints of one tenant: an index of them is held in memory, some two megabytes. */
export const endpoints = 10_000;
/** Endpoints of one customer, up to which a portal link makes another, unless `VOLLEY_PORTAL` says otherwise. */
export const portalEndpoints = 50;
/** Bytes of an endpoint as it is sent, and as it is kept: all of an object are in memory. */
export const endpointBytes = 16 * 1024;
/** Patterns of types that one endpoint asks for. */
export const endpointEvents = 100;
/** Headers of its own that an endpoint is sent. */
export const endpointHeaders = 20;
/** Characters of the type of an event. */
export const eventTypeLength = 256;
/** Characters of an event's id; a webhook's id travels in a header. */
export const eventIdLength = 255;
/** Bytes of an event's data, as JSON: what one action may have as arguments. */
export const eventDataBytes = 64 * 1024;
/** Event types that a tenant describes. */
export const eventTypes = 500;
/** How long events and their deliveries are kept. */
export const eventRetentionMs = 30 * 24 * 3_600_000;
/** How long an event's id, or the key of its request, stands for the same event. */
export const eventRepeatMs = 24 * 3_600_000;
/** Events or deliveries of one endpoint that are forgotten in one turn. */
export const eventsPruned = 500;
/** Deliveries that may wait for one endpoint; another one fails at once, and can be recovered. */
export const endpointBacklog = 10_000;
/** One attempt to deliver an event, until its answer is there. */
export const deliveryTimeoutMs = 15_000;
/** The longest wait that an endpoint may ask for. */
export const deliveryRetryAfterMs = 24 * 3_600_000;
/** Bytes of an answer's text, as UTF-8, that are kept with an attempt. */
export const deliveryResponse = 1_024;
/** Attempts that are kept of one delivery, the latest: ten, and a few that somebody asked for. */
export const deliveryAttempts = 15;
/** Deliveries that one object makes at once, where the runtime does not limit them to fewer. */
export const deliveriesAtOnce = 32;
/** An answer that took longer is slow: its endpoint shares a third of an object's places with those that fail. */
export const endpointQuickMs = 2_000;
/** An endpoint that nothing got through to for so long is disabled. */
export const endpointFailingMs = 5 * 24 * 3_600_000;
/** Its first and its last failure are at least so far apart: one bad hour disables no endpoint. */
export const endpointFailedApartMs = 12 * 3_600_000;
/** The longest that an overloaded endpoint's other deliveries wait, where it does not say how long. */
export const endpointSlowMs = 5 * 60_000;
/** How long two secrets of an endpoint may sign side by side: a month is time to change every receiver. */
export const secretOverlapS = 30 * 24 * 3_600;
/** Secrets of one endpoint that sign at once. */
export const endpointSecrets = 3;
/** Endpoints of one object whose secrets are sealed anew in one call; the next one goes on. */
export const endpointsResealed = 200;
/** Events that one request recovers, the oldest first; the next request goes on. */
export const eventsRecovered = 1_000;
/** Endpoints that a dry run of an event tells of. */
export const endpointsExplained = 1_000;
/** Bytes of the body that a flow makes of an event: as much as the data of one may be. */
export const viaBodyBytes = 64 * 1024;
/** Bodies that one object remembers, so that a flow runs once for all of its endpoints that get the same event: two megabytes. */
export const viaBodiesRemembered = 32;
/** How long a portal link lasts at most. */
export const portalLinkS = 7 * 24 * 3_600;
/** How long one lasts unless said: time to look, not to pass it on. */
export const portalLinkUsualS = 900;
/** Portal links of a tenant that are good at the same time. */
export const portalLinks = 1_000;
/** How long a link is good that connects an account, and how long what came of it waits for the caller's word: as long as a sign-in takes. */
export const connectionLinkMs = 10 * 60_000;
/** A token is not used in its last minute: clocks differ, and a request that waits for a slot is to arrive in time. */
export const tokenMarginMs = 60_000;
/** Connections of one subject: a person has a handful of accounts, and one more of each. */
export const connectionsOfSubject = 50;
/** Connectors of which one request chooses a connection by name: each run keeps the names for its reruns. */
export const connectionsChosen = 20;
/** Connections that one of a tenant's sixteen objects keeps: 100,000 together, two KiB each. */
export const connectionsPerShard = 6_250;
/** The longest that a provider of accounts is waited for: a person waits too. */
export const providerTimeoutMs = 10_000;
/** One call of an object that asks a provider: twice in a row at most. */
export const connectionTimeoutMs = 25_000;
/** So many connections whose refreshes fail are enough to keep all others away from their provider: fewer may be at fault themselves. */
export const providerConnections = 3;
/** A provider's answer with tokens takes a few KiB; more is none. */
export const providerAnswerBytes = 64 * 1024;
/** The longest token: claims of many groups take 10 KiB, and what does not fit in a header is of no use. */
export const tokenCharacters = 16_384;
/** The longest name of an account that is shown. */
export const accountCharacters = 200;
/** The longest key of a subject, and the longest address to go back to. */
export const connectionTextCharacters = 2_048;
/** Connections, or endpoints, that one request seals anew; the next one goes on. */
export const sealedAnew = 2_000;
/** Scopes that one link asks for. */
export const connectionScopes = 50;
/** How long what waited for an account and could not be admitted waits until it is tried again: a minute has room for it. */
export const awaitedAgainMs = 60_000;
/** How often it is tried: for half an hour. Its question waits on, for a person or until the account is connected anew. */
export const awaitedTries = 30;
/** Origins that may frame the page of portal links: the policy that names them goes with every answer. */
export const portalOrigins = 20;
/** Objects of a tenant in a bucket that one request deletes; what is left is said. */
export const objectsDeleted = 5_000;

/** Limits of how long things are kept, which a soak shortens. */
export type Forgetting = Readonly<
  Record<
    | "jobRetentionMs"
    | "causeMs"
    | "idempotencyRetentionMs"
    | "resultRetentionMs"
    | "turnRetentionMs"
    | "confirmationRetentionMs"
    | "goneEndpointMs"
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
    confirmationRetentionMs,
    goneEndpointMs,
    pruneEveryMs,
    pruneCausesEveryMs,
  } = asked);
}

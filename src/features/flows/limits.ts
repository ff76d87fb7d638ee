/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  actions,
  bodyBytes,
  causeMs,
  deadlineMs,
  declarationIssues,
  firstAttemptMs,
  jobAttempts,
  jobBackoffInitialMs,
  jobDataBytes,
  jobRedrives,
  loopElements,
  maxDeadlineMs,
  maxTokens,
  nesting,
  pruneCausesEveryMs,
} from "../../core/contract/limits.ts";

/** Runs of flows that one alarm has under way, beside its jobs, and one isolate by the requests that recorded them. */
export const runsAtOnce = 4;
/** Bytes that one run may read: as many as are under way at once read together what one request may. */
export const runResponseBytes = 4 * 1024 * 1024;
/** JSON values of all that one run reads; the same part of a request's. */
export const runValues = 125_000;
/** Runs of one flow under way at once that are begun by the requests which recorded them; the others wait for the alarm. */
export const runsByRequests = 10;
/** Live runs of one flow: a burst of a thousand deliveries, while another is being worked off. */
export const flowBacklog = 2_000;
/** Live runs of all flows of a tenant together: what an object looks through whenever a place is free. */
export const runBacklog = 10_000;
/** Causes that a tenant's object remembers: ten a second for a day; when there are more, no run is recorded. */
export const causesKept = 1_000_000;
/** Elements of loops that such an attempt begins at most: quick ones take turns too. */
export const batchSliceElements = 25;
/** Results of steps that are kept for the attempts to come of a run, together: what does not fit is read again. */
export const runStepsBytes = 256 * 1024;
/** Bytes that a run keeps of each list that a loop goes over: written as text in a row, that is at most half of what a row may have. */
export const loopListBytes = 512 * 1024;
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
/** How long a secret is shown that a sender brought: as long as a person takes to copy it. */
export const broughtTokenMs = 600_000;
/** Characters of a delivery's id: several times what any sender uses, and each is remembered for three days. */
export const deliveryIdCharacters = 255;
/** A flow's cron: each of five fields as a list of ranges, and more than anybody reads. */
export const cronCharacters = 200;
/** How soon a cron has to have a time: the 29th of February comes within it, and what never comes is refused. */
export const cronAheadDays = 1_827;

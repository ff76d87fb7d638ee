/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  jobDataBytes,
  jobRedrives,
  longLoopElements,
  maxDeadlineMs,
  responseReserveBytes,
} from "../../core/contract/limits.ts";

/** How long one attempt of a batch in the background begins calls before it leaves the rest to the next, at the end of the row: a batch that comes now waits no longer. */
export const batchSliceMs = 5_000;
/** Batches in the background that a tenant's object has under way: each holds the results of a thousand calls. */
export const batchesAtOnce = 8;
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

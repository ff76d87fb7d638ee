/** Numbers that bound this feature, each with its reason; the others are core's. */

export {
  gateTimeoutMs,
  keysRemembered,
  maxJobPage,
  nesting,
  pageBytes,
  waitLookMaxMs,
  waitLookMs,
  waitLookStepMs,
} from "../../core/contract/limits.ts";

/** Arguments and result of one action that are kept with its run: a page of text; who needs more has the answer itself. */
export const runActionBytes = 16 * 1024;
/** The lines of an action's log that are kept with its run, in bytes: half of what is kept of it. */
export const runLogBytes = 8 * 1024;
/** Arguments and results of a whole run: 50 actions of an ordinary size. */
export const runBytes = 256 * 1024;
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
/** How long one stream of a run's events stays open: a look every three seconds is a hundred calls; a client goes on with the next one. */
export const runStreamMs = 5 * 60_000;
/** The last so many events of what became of a run are named in the id of each: the id is a header of the next request. */
export const runEventsNamed = 200;
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
/** Reruns that an export has, the newest: they are read at once. */
export const rerunsExported = 10_000;
/** How often a run is run again: each time all reruns before are read. */
export const runReruns = 20;
/** A rerun that has left no record by then was killed: it takes its deadline, and is reported within two seconds. */
export const rerunLostMs = 120_000;

/** A run that is looked after says so often that it goes on; after so long without a word it is taken for lost. */
export const undoLeaseMs = 10_000;
/** Writes that are taken back at once, of one tenant. */
export const undosAtOnce = 20;
/** Writes of a tenant that are being taken back. */
export const undoBacklog = 20_000;
/** After so long a job that found no room is asked for again. */
export const undoAgainMs = 5_000;
/** The entries of a run are kept so long: longer than any run is, because without them a write could be taken back again. */
export const undoneKeptMs = 100 * 86_400_000;
/** The arguments of a call that got a no are kept so many days, unless `VOLLEY_RUNS_DAYS` keeps runs for others. */
export const undoArgsDays = 7;
/** A request that has a run undone is answered by then, whatever is under way. */
export const undoAnswerMs = 15_000;
/** A waiting batch looks so often at what becomes of its writes, and ever more seldom. */
export const undoLookMs = 10;
/** It never looks more seldom. */
export const undoLookMostMs = 250;
/** The end of a write that could not be written down is sent again after so long. */
export const undoAskAgainMs = 200;
/** A waiting batch asks the tenant's object so often, where that does not answer. */
export const undoAsks = 5;
/** The effect of a write whose answer was lost is to be seen by then. */
export const undoSeenMs = 30_000;

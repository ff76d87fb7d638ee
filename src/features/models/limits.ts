/** Numbers that bound this feature, each with its reason; the others are core's. */

/** Bytes of a model's server's list of models or count of tokens; the longest public list has half of it. */
export const modelServerBytes = 2 * 1024 * 1024;
/** For how long a model's server is waited for where no model is asked, in milliseconds. */
export const modelServerMs = 15_000;

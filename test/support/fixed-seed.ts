import fc from "fast-check";

/**
 * Random samples are the same in every run, so that a run says of a commit what the last run said.
 *
 * `VOLLEY_SEED=random npm test` looks elsewhere, and a number there repeats what such a run found.
 */
const asked = process.env["VOLLEY_SEED"];

if (asked !== "random") fc.configureGlobal({ seed: Number(asked ?? 20_261_122) });

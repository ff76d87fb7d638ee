/**
 * How often a failed test of real sockets, real alarms or a real browser is tried again: once where CI asks for it
 * (`.ci/run`), else never. CI prints each test that needed it (`.ci/count-tests.mjs`): it has a race, which is a bug.
 */
export const SECOND_TRIES = process.env["VOLLEY_SECOND_TRY"] === "1" ? 1 : 0;

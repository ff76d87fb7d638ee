import { describe, test } from "vitest";

import { SHARE } from "./samples.ts";

const isWhole = process.env[SHARE] === undefined;

/** A test of seconds that a change rarely breaks alone: `npm test` leaves it out, every other command runs it. */
export const trial = test.runIf(isWhole);
/** A group of such tests. */
export const trials = describe.runIf(isWhole);

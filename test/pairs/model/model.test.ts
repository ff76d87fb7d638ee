import fc from "fast-check";
import { expect, test } from "vitest";

import { samples } from "../../support/samples.ts";
import { sequences } from "./sequence.ts";
import { faultsOf, shrink } from "./shrink.ts";

/** A quick run plays 100, about ten seconds of a processor, and every other run 300: three of 23 planted faults show behind the 150th. */
const NUMBER = Math.min(300, samples(1_000));

test(
  "Whatever three tenants do at all doors, while services fail and processes are killed, nothing happens twice, is said wrongly, or is seen by another",
  { timeout: NUMBER * 2_000 },
  async () => {
    const isFine = fc.asyncProperty(sequences, async (moves) => (await faultsOf(moves)).length === 0);
    const { counterexample, seed, numRuns } = await fc.check(isFine, { numRuns: NUMBER, endOnFailure: true });
    if (counterexample === null) return;
    const least = await shrink(counterexample[0]);
    const where = `sequence ${numRuns} of the seed ${seed}, shrunk: ${JSON.stringify(least)}`;
    expect(await faultsOf(least), where).toEqual([]);
  },
);

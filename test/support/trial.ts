import { describe, inject, test } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** A run of what a change may break, which `npm test` is. */
    isQuick?: boolean;
  }
}

// Workerd has none of the variables of this process, but what the configuration provides.
const isWhole = !inject("isQuick");

/**
 * A test of 40 ms and more on a slow processor, or a table of 120, where a quicker one shows the main behaviour: `npm test` leaves it out,
 * every other command runs it. Each file, promise, threat and fault keeps one that is quick.
 */
export const trial = test.runIf(isWhole);
/** A group of such tests. */
export const trials = describe.runIf(isWhole);

import { describe, inject, test } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** A run of what a change may break, which `npm test` is. */
    isQuick?: boolean;
  }
}

// Workerd has none of the variables of this process, but what the configuration provides.
const isWhole = !inject("isQuick");

/** A test of a tenth of a second or more that a change rarely breaks alone: `npm test` leaves it out, every other command runs it. */
export const trial = test.runIf(isWhole);
/** A group of such tests. */
export const trials = describe.runIf(isWhole);

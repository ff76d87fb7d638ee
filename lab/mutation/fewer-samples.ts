/** The `fast-check` of a test file while mutants are tried: properties with few samples, however many they ask for. */
import * as real from "fast-check";

const SAMPLES = 30;

export function assert(...[property, asked]: Parameters<typeof real.assert>): ReturnType<typeof real.assert> {
  return real.assert(property, { ...asked, numRuns: Math.min(asked?.numRuns ?? SAMPLES, SAMPLES) });
}

// It stands in for a package that has one.
// oxlint-disable-next-line import/no-default-export
export default { ...real, assert };
export * from "fast-check";

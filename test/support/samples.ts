/** The variable that holds the share of the samples that a run takes, from 0 to 1. */
export const SHARE = "VOLLEY_SAMPLES";

/** Half of fewer misses what one input in a hundred shows. */
const FEW = 500;

/**
 * Scale a number of samples to the run: `npm test` takes a tenth, `npm run test:rest` half, but all of a few, every other command all.
 *
 * @param count the samples of a whole run
 * @returns at least 1
 */
export function samples(count: number): number {
  const share = Number(process.env[SHARE] ?? 1);
  return Math.max(Math.ceil(count * share), share < 0.5 ? 1 : Math.min(count, FEW));
}

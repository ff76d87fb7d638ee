/** The variable that holds the share of the samples that a run takes, from 0 to 1. */
export const SHARE = "VOLLEY_SAMPLES";

/**
 * Scale a number of samples to the run: `npm test` takes a tenth, `npm run test:rest` half, every other command takes all of them.
 *
 * @param count the samples of a whole run
 * @returns at least 1
 */
export function samples(count: number): number {
  return Math.ceil(count * Number(process.env[SHARE] ?? 1));
}

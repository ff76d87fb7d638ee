import fc from "fast-check";

/** One thing that is looked at with random input, against a judge that shares no code with it. */
export interface Fuzz {
  readonly title: string;
  /** Samples of a run, unless said otherwise. */
  readonly runs: number;
  /** Say what was found, smallest first; nothing when the code and its judge agree. */
  look(how: FuzzRun): Promise<readonly string[]>;
}

export interface FuzzRun {
  readonly seed: number;
  readonly runs: number;
  /** Say what was counted beside what was found. */
  readonly tell: (text: string) => void;
}

/** Look at a property: what does not hold is shrunk to its smallest sample. */
export async function lookAt<T>(
  property: fc.IAsyncProperty<T> | fc.IProperty<T>,
  { seed, runs }: FuzzRun,
): Promise<readonly string[]> {
  const details = await fc.check(property as fc.IAsyncProperty<T>, { seed, numRuns: runs });
  return details.failed ? [`${String(details.errorInstance)}\n${fc.defaultReportMessage(details)!}`] : [];
}

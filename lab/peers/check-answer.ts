/** The faults of an answer. */
export const FAULTS = ["status", "missing", "order", "wrong", "lost"] as const;
export type Fault = (typeof FAULTS)[number];

/** The expectation that an answer is held to: `n` results, which carry the numbers from `first` on in their order. */
export interface Expected {
  readonly n: number;
  readonly first: number;
  readonly readNumber: (result: unknown, first: number) => unknown;
}

/**
 * Say what is wrong with an answer, or null: no 200 (`status`), results that are not there (`missing`), all of them and not in
 * their order (`order`), or anything else that was not asked for (`wrong`).
 *
 * Every batch asks for numbers of its own, so a result of another batch is wrong as well.
 */
export function checkAnswer(
  { status, body }: { readonly status: number; readonly body: string },
  { n, first, readNumber }: Expected,
): Fault | null {
  if (status !== 200) return "status";
  let results: readonly unknown[];
  let numbers: readonly unknown[];
  try {
    ({ results = [] } = JSON.parse(body) as { readonly results?: readonly unknown[] });
    numbers = results.map((result) => readNumber(result, first));
  } catch {
    return "wrong";
  }
  const asked = Array.from({ length: n }, (_, i) => first + i);
  if (numbers.length === n && asked.every((number, i) => numbers[i] === number)) return null;
  if (results.length < n) return "missing";
  const isComplete = numbers.length === n && asked.every((number) => numbers.includes(number));
  return isComplete ? "order" : "wrong";
}

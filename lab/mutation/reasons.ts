/** Why a mutant may live: what a reader of the list is told, and what a rerun finds again by the line it is in. */
import type { Mutant } from "./mutants.ts";

export interface Reason {
  /** Parts of lines that a mutant may begin in; without it the reason is for the whole file. */
  readonly on?: readonly string[];
  /** The mutators it is about; without it, all. */
  readonly as?: readonly string[];
  readonly why: string;
}

export type Reasons = Readonly<Record<string, readonly Reason[]>>;

const SENTENCE = "A text for people or models. Tests hold the code and the path of a failure, not its words.";

/** Find why a mutant may live: the first reason of its file that is about it. Sentences have one of their own. */
export function findReason(
  reasons: Reasons,
  { file, mutant }: { file: string; mutant: Mutant },
): string | undefined {
  const found = reasons[file]?.find(
    ({ on, as }) =>
      (on === undefined || on.some((part) => mutant.code.includes(part))) &&
      (as === undefined || as.includes(mutant.mutator)),
  );
  return found?.why ?? (mutant.isSentence ? SENTENCE : undefined);
}

import type { RunHead } from "./run.ts";

/**
 * Write the mark of a run: its id, what caused it, its job, the question that it answered and whether that went well. Ids have no
 * space, and what there is none of is empty.
 */
export function toMark({ id, parent = "", job = "", answers = "", tools, jobs = [] }: RunHead): string {
  // The ends that are no success: errors, skipped, waiting and unknown ones.
  const isWell = tools.every(({ ends: [, error, , skipped, waiting, unknown] }) =>
    [error, skipped, waiting, unknown].every((count) => count === 0),
  );
  return [id, parent, job, answers, isWell && jobs.length === 0 ? "+" : "-"].join(" ");
}

/** A run that answered a question, and whether its actions went well. */
interface Answering {
  readonly id: string;
  readonly isWell: boolean;
}

/** An index of runs by their id and by what caused them: what the object keeps in memory of up to 100,000. */
export class RunIndex {
  readonly #places = new Map<string, number>();
  readonly #children = new Map<string, string[]>();
  readonly #answers = new Map<string, Answering>();
  /** The last run of each job. */
  readonly #ofJobs = new Map<string, string>();

  get size(): number {
    return this.#places.size;
  }

  /** Take the runs of the report that arrived at a time. */
  add(at: number, marks: readonly string[]): void {
    for (const mark of marks) {
      const { id, parent, job, answers, isWell } = parse(mark);
      const isKnown = this.#places.has(id);
      this.#places.set(id, at);
      if (job !== "") this.#ofJobs.set(job, id);
      if (parent !== "" && !isKnown) this.#children.set(parent, [...(this.#children.get(parent) ?? []), id]);
      if (answers !== "") this.#answers.set(answers, { id, isWell });
    }
  }

  /** Forget the runs of the report that arrived at a time; one that was reported again since stays. */
  drop(at: number, marks: readonly string[]): void {
    for (const mark of marks) {
      const { id, parent, job, answers } = parse(mark);
      if (this.#places.get(id) !== at) continue;
      if (this.#ofJobs.get(job) === id) this.#ofJobs.delete(job);
      this.#places.delete(id);
      const left = (this.#children.get(parent) ?? []).filter((child) => child !== id);
      if (left.length === 0) this.#children.delete(parent);
      else this.#children.set(parent, left);
      this.#answers.delete(answers);
    }
  }

  /** When the report of a run arrived. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }

  runOf(job: string): string | undefined {
    return this.#ofJobs.get(job);
  }

  /** The runs that a run or a job has caused, in the order in which they were reported. */
  childrenOf(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** The run that answered a question; undefined where none has. */
  answerOf(question: string): Answering | undefined {
    return this.#answers.get(question);
  }
}

function parse(mark: string) {
  const [id = "", parent = "", job = "", answers = "", end] = mark.split(" ");
  return { id, parent, job, answers, isWell: end === "+" };
}

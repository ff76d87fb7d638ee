import type { Due } from "../../core/gate/state/due-index.ts";

/**
 * How many jobs are alive, by the backlog that they count in. The index of due rows counts each entry in when it comes and out
 * when it goes, so the two agree after every turn.
 */
export class Backlog {
  readonly #sizes = new Map<string, number>();
  /** The same by the group of jobs, of those that have one. */
  readonly #groups = new Map<string, number>();

  /** Jobs that are alive, of every kind. */
  get size(): number {
    let size = 0;
    for (const count of this.#sizes.values()) size += count;
    return size;
  }

  /** Jobs that are alive in one backlog. */
  sizeOf(backlog: string): number {
    return this.#sizes.get(backlog) ?? 0;
  }

  /** Jobs of a group that are alive. */
  sizeOfGroup(group: string): number {
    return this.#groups.get(group) ?? 0;
  }

  /** Count an entry of the index in (1) or out (-1). */
  count(due: Due | undefined, by: 1 | -1): void {
    if (due?.backlog === undefined) return;
    this.#sizes.set(due.backlog, this.sizeOf(due.backlog) + by);
    const { group } = due;
    if (group === undefined) return;
    const ofGroup = this.sizeOfGroup(group) + by;
    if (ofGroup > 0) this.#groups.set(group, ofGroup);
    else this.#groups.delete(group);
  }
}

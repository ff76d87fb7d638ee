/**
 * The kinds of kept results, each with bounds of its own: results that were cut, turns of conversations that wait for their
 * caller, and turns that wait for a person.
 */
export const SHELVES = ["results", "turns", "questions"] as const;

export type Shelf = (typeof SHELVES)[number];

/** A result's whole data, kept for a while because its caller got only the head of it. */
export interface KeptResult {
  /** Chosen by who keeps it, unguessable, `^[A-Za-z0-9_-]{1,64}$` like an action's id: a reference may begin with it. */
  readonly handle: string;
  readonly json: string;
  /** Whose result it is: a key that may not call that tool has no such handle. Absent on what no single tool gave. */
  readonly tool?: string;
}

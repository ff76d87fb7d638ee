/** A result's whole data, kept for a while because its caller got only the head of it. */
export interface KeptResult {
  /** Chosen by who keeps it, unguessable, `^[A-Za-z0-9_-]{1,64}$` like an action's id: a reference may begin with it. */
  readonly handle: string;
  /** The data as JSON. */
  readonly json: string;
}

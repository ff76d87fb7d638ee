/** The revision of the protocol that has no sessions: each request says everything. */
export const STATELESS = "2026-07-28";

/** The newest revision that begins with `initialize`. */
export const NEWEST_WITH_SESSIONS = "2025-11-25";

/**
 * How a server is spoken with, as was found out by asking it. No connection: what is remembered of a server are these values,
 * and any request can go on with them.
 */
export class Session {
  /** The revision that was agreed on. */
  readonly version: string;
  /** The session's id that a server of 2025 may have given. */
  readonly id: string | null;
  #requests = 0;

  constructor(version: string, id: string | null = null) {
    this.version = version;
    this.id = id;
  }

  get isStateless(): boolean {
    return this.version === STATELESS;
  }

  /** A request's id, which no other of the session has. */
  nextId(): number {
    this.#requests += 1;
    return this.#requests;
  }
}

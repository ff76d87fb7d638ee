/** A tool that a tenant added while running, as it is kept. */
export interface KeptTool {
  readonly name: string;
  readonly fingerprint: string;
  /**
   * The fields that find it and that a list shows, as JSON: a Worker reads only those of every tool, and the rest when it is
   * called.
   */
  readonly headJson: string;
  /** Its declaration, as JSON. */
  readonly json: string;
  /** The tenant's version with which it became what it is. No two tools of a tenant have the same. */
  readonly version: number;
}

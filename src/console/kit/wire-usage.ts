/** One allowance of a key. */
export interface WireQuota {
  readonly limit: number;
  readonly window_s: number;
  readonly remaining: number;
  readonly reset_ms: number;
}

/** The answer of `GET /v1/usage`, which also says what the Worker lists and what the key may. */
export interface WireUsage {
  readonly key: string;
  readonly tenant: string;
  /** The name of the deployment; absent if it has none. */
  readonly environment?: string;
  readonly flags: readonly string[];
  readonly features: readonly string[];
  readonly quota: { readonly requests: WireQuota; readonly lists: WireQuota };
  readonly jobs: Readonly<Record<string, number>>;
  readonly backlog: { readonly jobs: number; readonly webhooks: number; readonly runs: number };
  readonly confirmations: { readonly waiting: number; readonly oldest_at: string | null };
  readonly breakers: {
    readonly open: readonly {
      readonly tool: string;
      readonly origin: string;
      readonly since: string;
      readonly until: string;
    }[];
  };
  readonly added: {
    readonly tools: number;
    readonly flows: number;
    readonly limit: number;
    readonly bytes: number;
    readonly bytes_limit: number;
  };
}

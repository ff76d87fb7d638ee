/** Where the platform keeps an object when it is told to: in the European Union, or in the United States. */
export const JURISDICTIONS = ["eu", "us"] as const;
export type Jurisdiction = (typeof JURISDICTIONS)[number];

/** Who asked for a call, by their configured names, and in which request. */
export interface Origin {
  readonly tenant: string;
  readonly key: string;
  readonly requestId: string;
  /** Of the trace that the request is part of; absent where its caller told of none. */
  readonly traceId?: string;
}

/** Whoever asked for a job that was recorded before jobs said so: no name of a tenant or key is empty. */
export const UNKNOWN_ORIGIN: Origin = { tenant: "", key: "", requestId: "" };

/** Who is calling: one configured key. */
export interface Caller {
  readonly name: string;
  /** Whose jobs, quotas and confirmations these are; one Durable Object each. */
  readonly tenant: string;
  /** Names or categories of the tools it may call, or `*`. */
  readonly tools: readonly string[];
  readonly quota: { readonly limit: number; readonly windowS: number };
  readonly skipApproval: boolean;
  /** May add, replace and delete tools of its tenant. */
  readonly manageTools?: true;
  /** The configuration variable with the secret that signs its callbacks, when it is not the deployment's. */
  readonly webhookSecret?: string;
  /** Where its tenant's objects are kept, the same for every key of a tenant; wherever the platform likes unless said. */
  readonly jurisdiction?: Jurisdiction;
}

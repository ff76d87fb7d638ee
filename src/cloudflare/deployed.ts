import type { Caller } from "../core/contract/gate/caller.ts";
import type { Refusal } from "../core/contract/refusal.ts";
import type { Ports } from "../core/egress/ports.ts";
import type { Hooks } from "../core/gate/execution.ts";
import type { Result } from "../core/kit/result.ts";
import type { Watch } from "../core/observe/watch.ts";
import type { Configured } from "./configured.ts";
import type { Dialect } from "./http/dialect.ts";
import type { RequestContext } from "./http/request-context.ts";

/** One configuration, read once per isolate. */
export interface Deployment {
  readonly configured: Configured;
  /** The parts that its features have in running batches. */
  readonly hooks: Hooks;
  /** The caller a key belongs to, or null; refused where that cannot be found out. */
  identify(key: string, asked: Identifying): Promise<Result<Caller | null, Refusal>>;
  /** The caller of a tenant's runs that no request asks for. Null where no key of the tenant is configured. */
  runnerOf(tenant: string): Caller | null;
  /** How many runs this isolate has begun after an answer, and are not over. */
  readonly runs: { underWay: number };
  /** The world as it is for whatever no caller asks for. */
  readonly ports: Ports;
  contextOf(caller: Caller, asked: Asked): RequestContext;
}

/** The request that came with a key. */
export interface Identifying extends Pick<Asked, "defer"> {
  readonly url: string;
}

/** The facts of a request besides its caller. */
export interface Asked {
  readonly requestId: string;
  /** The address it was sent to; absent for work that no request asked for. */
  readonly requestUrl?: string;
  /** How its path says no; as a problem document unless said. */
  readonly dialect?: Dialect | null;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Sees the request; one of its own where no request is answered. */
  readonly watch?: Watch;
}

import { PUBLIC_HOSTS, type Tool } from "../catalog/define-tool.ts";
import type { BreakerOpened } from "../contract/gate/outgoing-event.ts";
import type { Failure } from "../contract/failure.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";
import * as LIMITS from "../contract/limits.ts";
import {
  type Breaker,
  createBreaker,
  enterBreaker,
  leaveBreaker,
  openBreaker,
  type Verdict,
} from "../gate/state/breaker.ts";

/** Report how a request ended. The report is not needed for later requests: one that never comes is forgotten by time. */
export type Leave = (verdict: Verdict) => void;

/** Whose call enters, and who hears of it. */
export interface Entering {
  readonly tenant: string;
  readonly onOpened?: OnOpened | undefined;
}

/** The breakers of one tool and origin. */
interface Breakers {
  readonly tenants: Map<string, Breaker>;
  shared: Breaker;
}

/** Hear of a breaker that opened. Must not throw: it is told inside the request that opened it. */
export type OnOpened = (opened: BreakerOpened) => void;

/**
 * An isolate's knowledge of its upstreams: breakers for every tool and origin, retry budgets for every tool.
 *
 * Each tenant has a breaker of its own, because its arguments may be why its calls fail. When those of several tenants are
 * open the upstream is down for everyone, and one that all share opens. For the same reason each has retries of its own. It lives as long as the isolate and cannot grow without
 * end: a breaker is for an origin that its tool declares. Where callers say where to go there is none,
 * so none of them can close a host to the others.
 */
export class UpstreamHealth {
  readonly #clock: Pick<Clock, "now">;
  readonly #breakers = new WeakMap<Tool, Map<string, Breakers>>();
  /** By tenant, the one whose budget was not asked for longest first: that one has saved up most of it again. */
  readonly #budgets = new WeakMap<Tool, Map<string, RetryBudget>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /**
   * Enter a tenant's circuit before a request is sent; what is returned must hear how it ended.
   *
   * @param onOpened hears of it when this request opens a breaker that was closed; one that stays open after a look is the same
   *   outage
   * @throws ToolFailure `CIRCUIT_OPEN` when the upstream is known to fail
   */
  enter(tool: Tool, origin: string, { tenant, onOpened }: Entering): Leave {
    if (tool.hosts === PUBLIC_HOSTS) return ignore;
    const breakers = this.#breakersOf(tool, origin);
    const { tenants } = breakers;
    const now = this.#clock.now();
    const call = { callMs: tool.timeoutMs };
    const [own, entry] = enterBreaker(tenants.get(tenant) ?? createBreaker(now), now, call);
    if (!entry.allowed) throw circuitOpen(entry.retryAfterMs);
    const [shared, sharedEntry] = enterBreaker(breakers.shared, now, call);
    // A look of the tenant's own that is not sent has not begun.
    if (!sharedEntry.allowed) throw circuitOpen(sharedEntry.retryAfterMs);
    const [oldest] = tenants.keys();
    if (!tenants.has(tenant) && tenants.size >= LIMITS.breakerTenantsKnown) tenants.delete(oldest!);
    tenants.set(tenant, own);
    breakers.shared = shared;
    return (verdict) => {
      const at = this.#clock.now();
      const was = tenants.get(tenant) ?? createBreaker(at);
      const is = leaveBreaker(was, at, { epoch: entry.epoch, verdict });
      tenants.set(tenant, is);
      // While it is closed it counts nothing: it opens by what the tenants' own have found out.
      if (breakers.shared.state !== "closed")
        breakers.shared = leaveBreaker(breakers.shared, at, { epoch: sharedEntry.epoch, verdict });
      if (is.state !== "open" || was.state !== "closed") return;
      if (countFailing(tenants, at) >= LIMITS.breakerTenants)
        breakers.shared = openBreaker(breakers.shared, at);
      onOpened?.(toOpened(tool, origin, is));
    };
  }

  /** The breakers of these tools that let nothing of a tenant through but a look, as this isolate knows them. */
  openOf(tools: readonly Tool[], tenant: string): BreakerOpened[] {
    return tools.flatMap((tool) =>
      Array.from(this.#breakers.get(tool) ?? []).flatMap(([origin, { tenants, shared }]) => {
        const own = tenants.get(tenant);
        const open = own === undefined || own.state === "closed" ? shared : own;
        return open.state === "closed" ? [] : toOpened(tool, origin, open);
      }),
    );
  }

  #breakersOf(tool: Tool, origin: string): Breakers {
    let byOrigin = this.#breakers.get(tool);
    if (byOrigin === undefined) this.#breakers.set(tool, (byOrigin = new Map<string, Breakers>()));
    let breakers = byOrigin.get(origin);
    if (breakers === undefined) {
      breakers = { tenants: new Map(), shared: createBreaker(this.#clock.now()) };
      byOrigin.set(origin, breakers);
    }
    return breakers;
  }

  /** Count a tenant's call that may be retried. */
  countCall(tool: Tool, tenant: string): void {
    this.#keepBudget(tool, tenant, countCall(this.#budgetOf(tool, tenant), this.#clock.now()));
  }

  /** Take a retry out of the tenant's budget for a tool; false when it is used up. */
  takeRetry(tool: Tool, tenant: string): boolean {
    const [budget, taken] = takeRetry(this.#budgetOf(tool, tenant), this.#clock.now());
    this.#keepBudget(tool, tenant, budget);
    return taken;
  }

  #budgetOf(tool: Tool, tenant: string): RetryBudget {
    return this.#budgets.get(tool)?.get(tenant) ?? createRetryBudget(this.#clock.now());
  }

  #keepBudget(tool: Tool, tenant: string, budget: RetryBudget): void {
    let tenants = this.#budgets.get(tool);
    if (tenants === undefined) this.#budgets.set(tool, (tenants = new Map<string, RetryBudget>()));
    tenants.delete(tenant);
    const [idle] = tenants.keys();
    if (tenants.size >= LIMITS.retryTenantsKnown) tenants.delete(idle!);
    tenants.set(tenant, budget);
  }
}

/** How many tenants' breakers are open, and were not left alone for longer than an outage is remembered. */
function countFailing(tenants: ReadonlyMap<string, Breaker>, nowMs: number): number {
  let failing = 0;
  for (const { state, since } of tenants.values())
    if (state !== "closed" && nowMs - since < LIMITS.breakerPauseMaxMs) failing += 1;
  return failing;
}

/** Until when it is open: one that is being looked at was until then. */
function toOpened(
  { name }: Tool,
  origin: string,
  { state, since, pauseMs }: Exclude<Breaker, { readonly state: "closed" }>,
): BreakerOpened {
  return { tool: name, origin, since, until: state === "open" ? since + pauseMs : since };
}

const ignore: Leave = () => {};

/**
 * Judge whose fault a failed request was. Only what the upstream does to everyone counts against it: no socket, no
 * answer in time, a status that says it is in trouble. A refusal is an answer; what we ended ourselves says nothing.
 *
 * @param hadItsTime the call had all the time that its tool is given: a caller's own shorter one proves nothing
 */
export function judge({ code, phase, upstreamStatus, retryable }: Failure, hadItsTime: boolean): Verdict {
  switch (code) {
    case "TIMEOUT":
      return phase === "total" && !hadItsTime ? "unknown" : "failed";
    case "UPSTREAM_ERROR":
      if (upstreamStatus === undefined) return "failed";
      return upstreamStatus >= 500 && retryable ? "failed" : "ok";
    case "RATE_LIMITED":
    case "NOT_FOUND":
    case "BAD_UPSTREAM_RESPONSE":
    case "RESPONSE_TOO_LARGE":
      return "ok";
    default:
      return "unknown";
  }
}

function circuitOpen(retryAfterMs: number): ToolFailure {
  const hint = `The service has been failing, so it was not called; try again in ${Math.ceil(retryAfterMs)} ms or do without it.`;
  return new ToolFailure("CIRCUIT_OPEN", { retryAfterMs, hint });
}

/** The savings for retries, and when they were last worked out. */
export interface RetryBudget {
  /** In hundredths of a retry, so that what calls pay is a whole number. */
  readonly hundredths: number;
  readonly atMs: number;
}

const RETRY = 100;
const RESERVE = LIMITS.retryReserve * RETRY;

/** Create a budget with its whole reserve. */
export function createRetryBudget(nowMs: number): RetryBudget {
  return { hundredths: RESERVE, atMs: nowMs };
}

/**
 * Count a first call: every so many of them pay for one retry. The savings are capped by the reserve, so a long quiet time does
 * not pay for a storm.
 */
export function countCall(budget: RetryBudget, nowMs: number): RetryBudget {
  return save(budget, nowMs, LIMITS.retryPercent);
}

/**
 * Take a retry; false, with the reserve as it is, when there is none.
 *
 * Over any time at most `retryReserve` + `retryPercent` of the calls + one for every `retryReserveMs` are given: the
 * last is for a tool that is called too rarely to pay for a retry itself.
 */
export function takeRetry(budget: RetryBudget, nowMs: number): [budget: RetryBudget, taken: boolean] {
  const saved = save(budget, nowMs, 0);
  if (saved.hundredths < RETRY) return [saved, false];
  return [{ ...saved, hundredths: saved.hundredths - RETRY }, true];
}

function save({ hundredths, atMs }: RetryBudget, nowMs: number, paid: number): RetryBudget {
  // A clock that was set back gains nothing.
  const gained = (RETRY * Math.max(0, nowMs - atMs)) / LIMITS.retryReserveMs;
  return { hundredths: Math.min(RESERVE, hundredths + gained + paid), atMs: nowMs };
}

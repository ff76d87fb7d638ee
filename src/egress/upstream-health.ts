import { PUBLIC_HOSTS, type Tool } from "../catalog/define-tool.ts";
import type { BreakerOpened } from "../contract/gate/operator-event.ts";
import type { Failure } from "../contract/failure.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";
import { type Breaker, createBreaker, enterBreaker, leaveBreaker, type Verdict } from "../state/breaker.ts";
import { countCall, createRetryBudget, type RetryBudget, takeRetry } from "../state/retry-budget.ts";

/** Report how a request ended. Needs no call for what comes after: whoever never reports is forgotten by time. */
export type Leave = (verdict: Verdict) => void;

/** Hear of a breaker that opened. Must not throw: it is told inside the request that opened it. */
export type OnOpened = (opened: BreakerOpened) => void;

/**
 * What an isolate has learned about its upstreams: a breaker for every tool and origin, a retry budget for every tool.
 *
 * It lives as long as the isolate and is shared by all tenants, for an upstream that is down is down for everyone. It
 * cannot grow without end: a breaker is for an origin that its tool declares. Where callers say where to go there is none,
 * so none of them can close a host to the others.
 */
export class UpstreamHealth {
  readonly #clock: Pick<Clock, "now">;
  readonly #breakers = new WeakMap<Tool, Map<string, Breaker>>();
  readonly #budgets = new WeakMap<Tool, RetryBudget>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /**
   * Enter the circuit before a request is sent; what is returned must hear how it ended.
   *
   * @param onOpened hears of it when this request opens a breaker that was closed; one that stays open after a look is the same
   *   outage
   * @throws ToolFailure `CIRCUIT_OPEN` when the upstream is known to fail
   */
  enter(tool: Tool, origin: string, onOpened?: OnOpened): Leave {
    if (tool.hosts === PUBLIC_HOSTS) return ignore;
    let breakers = this.#breakers.get(tool);
    if (breakers === undefined) this.#breakers.set(tool, (breakers = new Map()));
    const before = breakers.get(origin) ?? createBreaker(this.#clock.now());
    const [breaker, entry] = enterBreaker(before, this.#clock.now(), { callMs: tool.timeoutMs });
    breakers.set(origin, breaker);
    if (!entry.allowed) throw circuitOpen(entry.retryAfterMs);
    const { epoch } = entry;
    return (verdict) => {
      const was = breakers.get(origin)!;
      const is = leaveBreaker(was, this.#clock.now(), { epoch, verdict });
      breakers.set(origin, is);
      if (is.state === "open" && was.state === "closed") onOpened?.(toOpened(tool, origin, is));
    };
  }

  /** The breakers of these tools that let nothing through but a look, as this isolate knows them. */
  openOf(tools: readonly Tool[]): BreakerOpened[] {
    return tools.flatMap((tool) =>
      Array.from(this.#breakers.get(tool) ?? []).flatMap(([origin, breaker]) =>
        breaker.state === "closed" ? [] : toOpened(tool, origin, breaker),
      ),
    );
  }

  /** Count a call that may be retried. */
  countCall(tool: Tool): void {
    this.#budgets.set(tool, countCall(this.#budgetOf(tool), this.#clock.now()));
  }

  /** Take a retry out of the tool's budget; false when it is used up. */
  takeRetry(tool: Tool): boolean {
    const [budget, taken] = takeRetry(this.#budgetOf(tool), this.#clock.now());
    this.#budgets.set(tool, budget);
    return taken;
  }

  #budgetOf(tool: Tool): RetryBudget {
    return this.#budgets.get(tool) ?? createRetryBudget(this.#clock.now());
  }
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
 * Judge whose fault a failed request was. Only what the upstream does to everyone counts against it: no connection, no
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

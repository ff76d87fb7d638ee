import * as LIMITS from "../limits.ts";
import {
  type Breaker,
  createBreaker,
  enterBreaker,
  leaveBreaker,
  openBreaker,
} from "../../../core/gate/state/breaker.ts";
import type { Clock } from "../../../feature/kit.ts";
import type { Connection } from "../connection.ts";
import { getOrMake } from "../../../core/kit/get-or-make.ts";

/** Whether a provider may be asked for tokens; if not, how long until it is tried again. */
export type ProviderEntry =
  | {
      readonly allowed: true;
      /** Report whether the provider answered. Returns how long it is left alone. */
      readonly leave: (answered: boolean, retryAfterMs?: number) => number;
    }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** The breakers of one provider. */
interface Breakers {
  /** By the ids of the connections whose refresh failed last. */
  readonly failing: Map<string, Breaker>;
  shared: Breaker;
  /** The provider asked to be left alone until then. */
  restUntil: number;
}

/** A refresh takes two questions at most; one that never reports is believed lost then. */
const PROBE = { callMs: 2 * LIMITS.providerTimeoutMs };

/**
 * An object's knowledge of its providers: which of them do not answer.
 *
 * Refreshes are rare and each is waited for, so the first failure opens a connection's breaker. It may be that connection's alone, so the
 * provider's opens when those of several are open.
 */
export class ProviderHealth {
  readonly #clock: Pick<Clock, "now">;
  readonly #providers = new Map<string, Breakers>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Enter before a provider is asked for a connection's tokens. */
  enter({ connector, id }: Pick<Connection, "connector" | "id">): ProviderEntry {
    const now = this.#clock.now();
    const breakers = this.#breakersOf(connector, now);
    if (now < breakers.restUntil) return { allowed: false, retryAfterMs: breakers.restUntil - now };
    const [own, entry] = enterBreaker(breakers.failing.get(id) ?? createBreaker(now), now, PROBE);
    if (!entry.allowed) return entry;
    const [shared, sharedEntry] = enterBreaker(breakers.shared, now, PROBE);
    if (!sharedEntry.allowed) return sharedEntry;
    if (own.state !== "closed") breakers.failing.set(id, own);
    breakers.shared = shared;
    return {
      allowed: true,
      leave: (answered, askedMs = 0) => {
        const at = this.#clock.now();
        breakers.restUntil = Math.max(breakers.restUntil, at + askedMs);
        const verdict = answered ? "ok" : "failed";
        const was = breakers.shared;
        // While it is closed it counts nothing: it opens by what the connections' own have found out.
        if (was.state !== "closed")
          breakers.shared = leaveBreaker(was, at, { epoch: sharedEntry.epoch, verdict });
        if (answered) {
          if (was.state !== "closed" && breakers.shared.state === "closed") breakers.failing.clear();
          breakers.failing.delete(id);
          return 0;
        }
        const opened = openBreaker(leaveBreaker(own, at, { epoch: entry.epoch, verdict }), at);
        breakers.failing.set(id, opened);
        if (countFailing(breakers.failing, at) >= LIMITS.providerConnections)
          breakers.shared = openBreaker(breakers.shared, at);
        return Math.max(leftMs(opened, at), leftMs(breakers.shared, at), askedMs);
      },
    };
  }

  #breakersOf(connector: string, now: number): Breakers {
    const make = () => ({ failing: new Map(), shared: createBreaker(now), restUntil: 0 });
    return getOrMake(this.#providers, connector, make);
  }
}

/** How many connections' refreshes failed lately. Those that were left alone for longer than an outage is remembered are forgotten. */
function countFailing(failing: Map<string, Breaker>, now: number): number {
  for (const [id, { since }] of failing) if (now - since >= LIMITS.breakerPauseMaxMs) failing.delete(id);
  return failing.size;
}

function leftMs(breaker: Breaker, now: number): number {
  const [, entry] = enterBreaker(breaker, now, PROBE);
  return entry.allowed ? 0 : entry.retryAfterMs;
}

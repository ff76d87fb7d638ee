import type { Gate } from "../../../feature/tenant.ts";
import { createGateClient } from "../../../feature/route.ts";
import { defineObject } from "../../../feature/object.ts";
import { type Configured, createSlot, readTenantGates, type RunWitness } from "../../../feature/define.ts";
import type { Caller, Jurisdiction } from "../../../feature/caller.ts";
import type { Remote, RunListener } from "../../../feature/tool.ts";
import * as LIMITS from "../limits.ts";
import { countBatches } from "../tally-book.ts";
import { OPERATOR_LOGS, type OperatorLogMethods, type OverviewQuery, type SeenTenant } from "../operator.ts";
import { TallyBuffer } from "../tally-buffer.ts";

type Place = Jurisdiction | undefined;

/** A tenant by the place of its objects. */
interface Placed {
  readonly jurisdiction?: Place;
}

const logsOf = defineObject<OperatorLogMethods>({
  binding: OPERATOR_LOGS,
  timeoutMs: LIMITS.operatorReadMs,
  once: ["report"],
});

/** The operator's counts of one deployment: what this isolate counts, and the objects that keep it, one in each jurisdiction. */
class OperatorCounts {
  readonly #configured: Configured;
  readonly #logs: ReturnType<typeof logsOf>;
  readonly #buffers = new Map<Place, TallyBuffer>();

  constructor(configured: Configured) {
    this.#configured = configured;
    this.#logs = logsOf(configured);
  }

  /** Whether the deployment has objects that count. */
  get isBound(): boolean {
    return this.#logs !== null;
  }

  listen({ caller, defer }: RunWitness): RunListener | undefined {
    if (this.#logs === null) return undefined;
    const buffer = this.#bufferOf(caller.jurisdiction);
    const begunAt = this.#configured.ports.clock.now();
    return countBatches(caller, (add) =>
      buffer.count((book) => {
        book.begin(caller.tenant, begunAt);
        add(book);
      }, defer),
    );
  }

  /** The log that counts a tenant, one in each jurisdiction; null where the deployment has none. */
  logOf({ jurisdiction }: Placed): Remote<OperatorLogMethods> | null {
    return this.#logs?.("operator", { jurisdiction }) ?? null;
  }

  /** Look across all tenants, those of every jurisdiction. A tenant is in one of them. */
  async overview(query: OverviewQuery): Promise<readonly SeenTenant[]> {
    const places = new Set(this.#configured.keys.callers.map(({ jurisdiction }) => jurisdiction));
    const logs = Array.from(places, (jurisdiction) => this.logOf({ jurisdiction })!);
    const found = await Promise.all(logs.map((log) => log.overview(query)));
    const troubleOf = ({ row: [, , , errors], dead }: SeenTenant): number =>
      Object.values(dead).reduce((sum, count) => sum + count, errors);
    return found
      .flatMap(({ tenants }) => tenants)
      .sort((a, b) => troubleOf(b) - troubleOf(a))
      .slice(0, query.limit);
  }

  /** The gate of a tenant; null where no key of the configuration is of it, so that a made-up name makes no object. */
  gateOf(tenant: string): Gate | null {
    const { env, keys, ports } = this.#configured;
    const caller = keys.callers.find((one) => one.tenant === tenant);
    if (caller === undefined) return null;
    const gatesIn = readTenantGates(env, keys);
    return createGateClient(gatesIn(caller.jurisdiction), tenant, {
      clock: ports.clock,
      timeoutMs: LIMITS.gateTimeoutMs,
    });
  }

  /** Forget what waits to be reported of a tenant. */
  forget({ tenant, jurisdiction }: Pick<Caller, "tenant" | "jurisdiction">): void {
    this.#buffers.get(jurisdiction)?.forget(tenant);
  }

  #bufferOf(place: Place): TallyBuffer {
    const known = this.#buffers.get(place);
    if (known !== undefined) return known;
    const { ports } = this.#configured;
    const buffer = new TallyBuffer({
      clock: ports.clock,
      send: async (counted) => this.logOf({ jurisdiction: place })!.report(counted),
      log: (level, json) => ports.log(level, json),
    });
    this.#buffers.set(place, buffer);
    return buffer;
  }
}

export const operatorCountsOf = createSlot((configured) => new OperatorCounts(configured));

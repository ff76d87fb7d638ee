import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { placeTenantObjects } from "../../../cloudflare/configuration.ts";
import type { Configured } from "../../../cloudflare/configured.ts";
import { createSlot } from "../../../cloudflare/slot.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { type AskShard, askShardsIn, type ShardNamespace } from "../objects/connection-shards.ts";
import { CONNECTIONS } from "../shard-methods.ts";

type Owner = { readonly tenant: string; readonly jurisdiction?: Jurisdiction | undefined };

/** The objects of a deployment that keep connections. */
class ConnectionDesk {
  readonly #in: ((jurisdiction?: Jurisdiction) => ShardNamespace) | null;
  readonly #configured: Configured;

  constructor(configured: Configured) {
    const { env, keys } = configured;
    const bound = env[CONNECTIONS];
    const isBound = typeof bound === "object" && bound !== null;
    this.#configured = configured;
    this.#in = isBound ? placeTenantObjects(env, keys, bound as ShardNamespace) : null;
  }

  /** The objects of a tenant; refused where the deployment has none. */
  open({ tenant, jurisdiction }: Owner): Result<AskShard, Refusal> {
    if (this.#in === null) return err(UNBOUND);
    const { clock } = this.#configured.ports;
    const bounds = { clock, timeoutMs: LIMITS.connectionTimeoutMs };
    return ok(askShardsIn(this.#in(jurisdiction), { tenant, bounds }));
  }
}

/** The desk of a deployment. */
export const connectionDeskOf = createSlot((configured) => new ConnectionDesk(configured));

const UNBOUND = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no connections; its operator has to bind the class ConnectionShard as ${CONNECTIONS}.`,
);

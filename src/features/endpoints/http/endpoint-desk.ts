import type { Jurisdiction } from "../../../core/contract/gate/caller.ts";
import * as LIMITS from "../limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { placeTenantObjects } from "../../../cloudflare/configuration.ts";
import type { Configured } from "../../../cloudflare/configured.ts";
import { callBounded } from "../../../cloudflare/gate-client/call-bounded.ts";
import { createSlot } from "../../../cloudflare/slot.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { ENDPOINTS } from "../../../core/contract/gate/publishing.ts";
import { ENDPOINT_SHARDS } from "../endpoint.ts";
import type { Directory, ObjectNamespace } from "../objects/endpoint-objects.ts";

type Owner = { readonly tenant: string; readonly jurisdiction?: Jurisdiction };
/** Call a tenant's directory, within its time. */
export type AskDirectory = <T>(send: (directory: Directory) => Promise<T>) => Promise<T>;

/** The directories of a deployment's tenants. */
class EndpointDesk {
  readonly #in: ((jurisdiction?: Jurisdiction) => ObjectNamespace<Directory>) | null;
  readonly #configured: Configured;

  constructor(configured: Configured) {
    this.#configured = configured;
    const { env, keys } = configured;
    const isBound = [ENDPOINTS, ENDPOINT_SHARDS].every(
      (name) => typeof env[name] === "object" && env[name] !== null,
    );
    this.#in = isBound ? placeTenantObjects(env, keys, env[ENDPOINTS] as ObjectNamespace<Directory>) : null;
  }

  /** The directory of a tenant; refused where the deployment has no objects for it. */
  open({ tenant, jurisdiction }: Owner): Result<AskDirectory, Refusal> {
    if (this.#in === null) return err(UNBOUND);
    const namespace = this.#in(jurisdiction);
    const { clock } = this.#configured.ports;
    return ok((send) =>
      callBounded(() => send(namespace.get(namespace.idFromName(tenant))), {
        clock,
        timeoutMs: LIMITS.directoryTimeoutMs,
      }),
    );
  }
}

/** The desk of a deployment. */
export const endpointDeskOf = createSlot((configured) => new EndpointDesk(configured));

const UNBOUND = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no endpoints; its operator has to bind the classes EndpointDirectory as ${ENDPOINTS} and EndpointShard as ${ENDPOINT_SHARDS}.`,
);

import * as LIMITS from "../limits.ts";
import { digestKey, toHash } from "../../../feature/answer.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { CallerSource } from "../../../feature/define.ts";
import type { Ports } from "../../../feature/outside.ts";
import { type Caller, KeyMemory, mayDo, mostRequests } from "../../../feature/caller.ts";
import { hasKeyForm, type KeptKey, shardOfHash, shardOfName } from "../stored-key.ts";
import { endOfKey } from "../change-key.ts";
import { KeyLooks } from "../key-cache.ts";
import { createKeyShards, type KeyShardNamespace, type KeyShards } from "../objects/key-shards.ts";

/** A caller, and the text that it was made of. */
interface MadeCaller {
  readonly caller: Caller;
  readonly json: string;
}

type KeyPorts = Pick<Ports, "clock" | "outside">;

/** The keys that were made while running, as far as one isolate has had to know them. */
export class MadeKeys implements CallerSource {
  readonly shards: KeyShards;
  readonly #memory = new KeyMemory<MadeCaller>();
  readonly #looks: KeyLooks;
  readonly #ports: KeyPorts;
  readonly #callers: readonly Caller[];
  /** By tenant, of those that may manage keys the one with the most requests. */
  readonly #managers: ReadonlyMap<string, Caller>;

  /** @param callers those of `VOLLEY_KEYS` */
  constructor(namespace: KeyShardNamespace, callers: readonly Caller[], ports: KeyPorts) {
    const { clock } = ports;
    this.#ports = ports;
    this.shards = createKeyShards(namespace, { clock, timeoutMs: LIMITS.gateTimeoutMs });
    this.#looks = new KeyLooks({ clock, find: (shard, hashes) => this.shards.find(shard, hashes) });
    this.#callers = callers;
    const managers = Map.groupBy(
      callers.filter((caller) => mayDo(caller, "manage_keys")),
      ({ tenant }) => tenant,
    );
    this.#managers = new Map(
      [...managers].map(([tenant, [first, ...more]]) => [tenant, mostRequests([first!, ...more])]),
    );
  }

  hasForm(key: string): boolean {
    return hasKeyForm(key);
  }

  /** Whose a key is that was asked for lately; undefined where that is not known. */
  recall(key: string): Caller | null | undefined {
    const known = this.#memory.recall(key, this.#ports.clock.now());
    return known === null || known === undefined ? known : known.caller;
  }

  /**
   * The caller a key belongs to, or null; refused where the key's owner cannot be found out.
   *
   * A key is good as long as `VOLLEY_KEYS` has one of its tenant that may revoke it: who takes that one out has not left
   * others behind. Where its tenant's objects are kept is for `VOLLEY_KEYS` to say as well.
   */
  async identify(key: string): Promise<Result<Caller | null, Refusal>> {
    // Another request may have asked since this one came.
    const known = this.recall(key);
    if (known !== undefined) return ok(known);
    const hash = toHash(await this.#ports.outside(digestKey(key)));
    const looked = await this.#find(hash);
    if (!looked.ok) return looked;
    const { kept, askedAtMs, endsAtMs } = looked.value;
    if (kept === null) {
      this.#memory.remember(key, { hash, value: null, askedAtMs, endsAtMs });
      return ok(null);
    }
    const json = JSON.stringify([kept, endsAtMs]);
    const last = this.#memory.lastOf(key);
    // Other memories go by the caller's object: it stays the same one while nothing about it has changed.
    const value = last?.json === json ? last : { caller: this.#toCaller(kept, endsAtMs), json };
    this.#memory.remember(key, { hash, value, askedAtMs, endsAtMs });
    return ok(value.caller);
  }

  /** The caller of the key with this digest as it is kept now, or null. */
  readonly ofHash = async (hash: string): Promise<Result<Caller | null, Refusal>> => {
    const looked = await this.#find(hash);
    if (!looked.ok) return looked;
    const { kept, endsAtMs } = looked.value;
    return ok(kept === null ? null : this.#toCaller(kept, endsAtMs));
  };

  /** Forget what is known of some digests, because it was changed here. */
  forget(hashes: readonly string[]): void {
    this.#memory.forget(hashes);
  }

  /** Look a key up that has not ended; refused where its objects do not answer. */
  async #find(
    hash: string,
  ): Promise<Result<{ kept: KeptKey | null; askedAtMs: number; endsAtMs: number }, Refusal>> {
    const looked = await attempt(() => this.#look(hash));
    if (!looked.ok) return err(UNREACHABLE);
    const { kept, askedAtMs } = looked.value;
    const endsAtMs = kept === null ? null : endOfKey(kept, hash);
    return endsAtMs === null || endsAtMs <= this.#ports.clock.now()
      ? ok({ kept: null, askedAtMs, endsAtMs: Number.POSITIVE_INFINITY })
      : ok({ kept, askedAtMs, endsAtMs });
  }

  async #look(hash: string): Promise<{ kept: KeptKey | null; askedAtMs: number }> {
    const shard = shardOfHash(hash);
    let { found, askedAtMs } = await this.#looks.look(shard, hash);
    if (found?.kind === "elsewhere") {
      const home = shardOfName(found.owner);
      ({ found, askedAtMs } =
        home === shard ? { found: null, askedAtMs } : await this.#looks.look(home, hash));
    }
    const kept = found?.kind === "key" && this.#managers.has(found.key.tenant) ? found.key : null;
    return { kept, askedAtMs };
  }

  #toCaller(kept: KeptKey, endsAtMs: number): Caller {
    const { name, tenant, tools, quota, flags, webhookSecret, subject } = kept;
    const manager = this.#managers.get(tenant)!;
    const { jurisdiction } = manager;
    const { makers = [manager] } = kept;
    // The operator may have given a key of the configuration another quota since.
    const quotaOf = (maker: string): Caller["quota"] | undefined =>
      this.#callers.find((one) => one.tenant === tenant && one.name === maker)?.quota;
    return {
      name,
      tenant,
      tools,
      quota,
      makers: makers.map((maker) => ({ name: maker.name, quota: quotaOf(maker.name) ?? maker.quota })),
      flags,
      ...(Number.isFinite(endsAtMs) && { endsAtMs }),
      ...(webhookSecret !== undefined && { webhookSecret }),
      ...(subject !== undefined && { subject }),
      ...(jurisdiction !== undefined && { jurisdiction }),
    };
  }
}

const UNREACHABLE = makeRefusal(
  "UNAVAILABLE",
  "Whose key this is could not be looked up; send the request again.",
  {
    retryAfterMs: 1_000,
  },
);

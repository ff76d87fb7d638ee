import { err, type Result } from "../../../feature/refuse.ts";
import { DurableObject, type ObjectClass, query, systemClock } from "../../../feature/object.ts";
import { type Clock, type TakenRows, takeRows } from "../../../feature/kit.ts";
import {
  type FoundKey,
  type KeptKey,
  type KeyAnswer,
  type KeyOwner,
  type KeyPlace,
  type KeyRefusal,
  type KeyRotation,
  type KeyShardMethods,
  type PointOptions,
  readKeptKey,
} from "../stored-key.ts";
import * as LIMITS from "../limits.ts";
import { addKey, isOver, rotateKey } from "../change-key.ts";

type OwnerRow = { tenant: string; name: string };
type TextRow = { json: string };

export interface KeyShardOptions {
  /** Names of one tenant. */
  readonly names: number;
}

/** Make the Durable Object class that keeps keys which are made while running. */
export function createKeyShard(
  options: KeyShardOptions = { names: LIMITS.keysPerShard },
  clock: Clock = systemClock,
): ObjectClass<KeyShardMethods> {
  /**
   * One of the objects that keep keys. A name of a tenant lies in one of them, with everything that is decided about it, so a
   * rotation or a revocation is one synchronous turn. A digest is looked for in the object of its own first digit; where that is
   * another one, it remembers there whose the digest is.
   */
  return class KeyShard extends DurableObject<Record<string, unknown>> implements KeyShardMethods {
    readonly #sql: SqlStorage;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#sql = ctx.storage.sql;
      query(this.#sql)`
        CREATE TABLE IF NOT EXISTS keys (
           tenant TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER, json TEXT NOT NULL,
           PRIMARY KEY (tenant, name)
         ) WITHOUT ROWID, STRICT;
         CREATE TABLE IF NOT EXISTS digests (
           hash TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL, until INTEGER
         ) WITHOUT ROWID, STRICT;
         CREATE TABLE IF NOT EXISTS erased (tenant TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT`;
    }

    find(hashes: readonly string[]): (FoundKey | null)[] {
      return hashes.map((hash) => {
        const owner = this.#ownerOf(hash);
        if (owner === null) return null;
        const key = this.read(owner);
        if (key === null) return { kind: "elsewhere", owner };
        return key.digests.some((digest) => digest.hash === hash) ? { kind: "key", key } : null;
      });
    }

    read(owner: KeyOwner): KeptKey | null {
      const key = this.#kept(owner);
      return key === null || isOver(key, clock.now()) ? null : key;
    }

    make(key: KeptKey): KeyAnswer {
      this.#prune();
      if (key.createdAt < this.#erasedAt(key.tenant)) return err("too-late");
      const known = this.#kept(key);
      const made = addKey(known, clock.now(), key);
      if (!made.ok) return made;
      if (known === null && this.#countOf(key.tenant) >= options.names) return err("too-many");
      return this.#keep(known, made);
    }

    rotate(rotation: KeyRotation): KeyAnswer {
      const known = this.#kept(rotation);
      return this.#keep(known, rotateKey(known, clock.now(), rotation));
    }

    revoke(owner: KeyOwner): string[] | null {
      const known = this.#kept(owner);
      if (known === null) return null;
      this.ctx.storage.transactionSync(() => this.#drop(known));
      return isOver(known, clock.now()) ? null : hashesOf(known);
    }

    list(tenant: string, after: KeyPlace | null, limit: number): TakenRows<KeptKey> {
      const { createdAt, name } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, name: "" };
      const rows = query<TextRow>(this.#sql)`
        SELECT json FROM keys WHERE tenant = ${tenant}
        AND (created_at < ${createdAt} OR created_at = ${createdAt} AND name > ${name})
        AND (expires_at IS NULL OR expires_at > ${clock.now()}) ORDER BY created_at DESC, name
        LIMIT ${limit + 1}+0`;
      const taken = takeRows(rows, {
        limit,
        characters: LIMITS.pageBytes,
        sizeOf: ({ json }) => json.length,
      });
      return { ...taken, rows: taken.rows.map(({ json }) => readKeptKey(json)) };
    }

    point(hash: string, owner: KeyOwner, { untilMs, instead }: PointOptions): KeyOwner | null {
      query(this.#sql)`DELETE FROM digests WHERE until <= ${clock.now()}`;
      const known = this.#ownerOf(hash);
      if (known !== null && !isSame(known, owner) && (instead === undefined || !isSame(known, instead)))
        return known;
      this.#own(hash, owner, untilMs);
      return null;
    }

    unpoint(hashes: readonly string[], owner: KeyOwner): void {
      for (const hash of hashes) this.#disown(hash, owner);
    }

    forget(tenant: string): number {
      const count = this.#countOf(tenant);
      this.ctx.storage.transactionSync(() => {
        query(this.#sql)`DELETE FROM keys WHERE tenant = ${tenant}`;
        query(this.#sql)`DELETE FROM digests WHERE tenant = ${tenant}`;
        query(this.#sql)`DELETE FROM erased WHERE at < ${clock.now() - LIMITS.erasedKnownMs}`;
        query(this.#sql)`REPLACE INTO erased (tenant, at) VALUES (${tenant}, ${clock.now()})`;
      });
      return count;
    }

    /** When a tenant was deleted: a request of before may be under way. */
    #erasedAt(tenant: string): number {
      const rows = query<{ at: number }>(this.#sql)`SELECT at FROM erased WHERE tenant = ${tenant}`;
      return rows.toArray()[0]?.at ?? 0;
    }

    /** Write what a name has become, and whose its digests are. */
    #keep(known: KeptKey | null, changed: Result<KeptKey, KeyRefusal>): KeyAnswer {
      if (!changed.ok || changed.value === known) return changed;
      const { tenant, name, createdAt, expiresAt, digests } = changed.value;
      const isOthers = digests.some(({ hash }) => {
        const owner = this.#ownerOf(hash);
        return owner !== null && !isSame(owner, changed.value);
      });
      if (isOthers) return err("hash-taken");
      this.ctx.storage.transactionSync(() => {
        if (known !== null) this.#drop(known);
        query(this.#sql)`
          INSERT INTO keys (tenant, name, created_at, expires_at, json)
          VALUES (${tenant}, ${name}, ${createdAt}, ${expiresAt}, ${JSON.stringify(changed.value)})`;
        for (const { hash } of digests) this.#own(hash, changed.value);
      });
      return changed;
    }

    /** Forget names that have expired: they have no owner, and no list shows them. */
    #prune(): void {
      const rows = query<TextRow>(this.#sql)`SELECT json FROM keys WHERE expires_at <= ${clock.now()}`;
      for (const { json } of rows.toArray()) this.#drop(readKeptKey(json));
    }

    #drop(key: KeptKey): void {
      query(this.#sql)`DELETE FROM keys WHERE tenant = ${key.tenant} AND name = ${key.name}`;
      this.unpoint(hashesOf(key), key);
    }

    #kept({ tenant, name }: KeyOwner): KeptKey | null {
      const rows = query<TextRow>(this.#sql)`
        SELECT json FROM keys WHERE tenant = ${tenant} AND name = ${name}`;
      const [row] = rows.toArray();
      return row === undefined ? null : readKeptKey(row.json);
    }

    #ownerOf(hash: string): KeyOwner | null {
      const rows = query<OwnerRow>(this.#sql)`SELECT tenant, name FROM digests WHERE hash = ${hash}`;
      return rows.toArray()[0] ?? null;
    }

    /** @param until for a digest that is kept elsewhere; one of a name that is kept here goes with it */
    #own(hash: string, { tenant, name }: KeyOwner, until: number | null = null): void {
      query(this.#sql)`
        REPLACE INTO digests (hash, tenant, name, until)
        VALUES (${hash}, ${tenant}, ${name}, ${until})`;
    }

    #disown(hash: string, { tenant, name }: KeyOwner): void {
      query(this.#sql)`
        DELETE FROM digests WHERE hash = ${hash} AND tenant = ${tenant} AND name = ${name}`;
    }

    #countOf(tenant: string): number {
      const rows = query<{ count: number }>(this.#sql)`
        SELECT COUNT(*) AS count FROM keys WHERE tenant = ${tenant}`;
      return rows.one().count;
    }
  };
}

function hashesOf({ digests }: KeptKey): string[] {
  return digests.map(({ hash }) => hash);
}

function isSame(one: KeyOwner, other: KeyOwner): boolean {
  return one.tenant === other.tenant && one.name === other.name;
}

import { attempt } from "../../../feature/refuse.ts";
import { DurableObject, type ObjectClass, query, systemClock } from "../../../feature/object.ts";
import { type Clock, type TakenRows, takeRows } from "../../../feature/kit.ts";
import * as LIMITS from "../limits.ts";
import type {
  Kept,
  KeptSignIn,
  ListedKey,
  ListOptions,
  SignInPlace,
  SignInStoreMethods,
  Writing,
  Written,
} from "../store-methods.ts";

type ValueRow = { value: string; version: number };
type KeyRow = { key: string; metadata: string | null; expires_at: number | null };
type SignInRow = { key: string; value: string; created_at: number };
type CountRow = { count: number };

export interface SignInStoreOptions {
  readonly unusedClients: number;
  readonly openForms: number;
  readonly signIns: number;
  readonly tokens: number;
}

const OPTIONS: SignInStoreOptions = {
  unusedClients: LIMITS.unusedClients,
  openForms: LIMITS.openForms,
  signIns: LIMITS.signIns,
  tokens: LIMITS.signInTokens,
};

/** A key is made of digests, ids and addresses; a longer one was never kept. */
const KEY_CHARACTERS = 2_048;

/** Make the Durable Object class that keeps sign-ins. */
export function createSignInStore(
  options: SignInStoreOptions = OPTIONS,
  clock: Clock = systemClock,
): ObjectClass<SignInStoreMethods> {
  /**
   * One of the objects that keep sign-ins, under the keys that the OAuth library writes: `client:`, `transaction:` (a form that was opened),
   * `grant:` (a sign-in, or a code until it is redeemed) and `token:`; beside them `spent:`, refresh tokens that were superseded, `again:`, answers to
   * refreshes of the last seconds, and `consent:`, clients that were let in at a redirect. Every kind is bounded: a flood pushes out its own kind, the oldest
   * first, and no sign-in. A record that has ended is never read; it is deleted with later writes, or by the alarm.
   */
  return class SignInStore extends DurableObject<Record<string, unknown>> implements SignInStoreMethods {
    readonly #sql: SqlStorage;

    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      this.#sql = ctx.storage.sql;
      query(this.#sql)`
        CREATE TABLE IF NOT EXISTS records (
           key TEXT PRIMARY KEY, value TEXT NOT NULL, metadata TEXT, expires_at INTEGER, version INTEGER NOT NULL,
           created_at INTEGER NOT NULL, flood TEXT
         ) WITHOUT ROWID, STRICT;
         CREATE TABLE IF NOT EXISTS erased (prefix TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID, STRICT;
         CREATE INDEX IF NOT EXISTS ending ON records (expires_at);
         CREATE INDEX IF NOT EXISTS floods ON records (flood, created_at) WHERE flood IS NOT NULL`;
    }

    override async alarm(): Promise<void> {
      await attempt(async () => {
        this.#prune();
        await this.#wakeLater();
      });
    }

    read(key: string): Kept | null {
      if (key.length > KEY_CHARACTERS) return null;
      const rows = query<ValueRow>(this.#sql)`
        SELECT value, version FROM records WHERE key = ${key}
        AND (expires_at IS NULL OR expires_at > ${clock.now()})`;
      return rows.toArray()[0] ?? null;
    }

    write(
      key: string,
      value: string,
      { begunAt, metadata, expiresAtMs, expected, unused }: Writing,
    ): Written {
      if (key.length > KEY_CHARACTERS) return "full";
      if (begunAt !== undefined && this.#isErased(key, begunAt)) return "conflict";
      this.#prune();
      const known = this.read(key);
      const version = known?.version ?? 0;
      if (expected !== null && expected !== version) return "conflict";
      const [kind = "", owner = "", id = ""] = key.split(":", 3);
      if (kind === "grant" && version === 0 && this.#count(`grant:${owner}:`) >= options.signIns)
        return "full";
      const flood = kind === "transaction" ? kind : kind === "client" && unused ? kind : null;
      this.ctx.storage.transactionSync(() => {
        query(this.#sql)`
          INSERT INTO records (key, value, metadata, expires_at, version, created_at, flood)
          VALUES (${key}, ${value}, ${metadata}, ${expiresAtMs}, ${version + 1}, ${clock.now()}, ${flood})
          ON CONFLICT (key) DO UPDATE SET value = ${value}, metadata = ${metadata},
          expires_at = ${expiresAtMs}, version = ${version + 1}, flood = ${flood}`;
        if (flood !== null) this.#keepNewest(flood);
        if (kind === "token") this.#keepNewestOf(`token:${owner}:${id}:`, options.tokens);
        const spent = kind === "grant" && known !== null ? findSpent(known.value, value) : null;
        if (spent !== null) {
          this.#keepSpent(`spent:${owner}:${id}:`, spent);
          this.#forgetAnswers(`again:${owner}:${id}:`);
        }
      });
      void attempt(() => this.#wakeLater());
      return "written";
    }

    drop(key: string): boolean {
      const isThere = this.read(key) !== null;
      query(this.#sql)`DELETE FROM records WHERE key = ${key}`;
      if (key.startsWith("grant:")) this.#drop(`again:${key.slice("grant:".length)}:`);
      return isThere;
    }

    list(prefix: string, { after, limit }: ListOptions): ListedKey[] {
      const rows = query<KeyRow>(this.#sql)`
        SELECT key, metadata, expires_at FROM records WHERE key > ${after ?? ""} AND key >= ${prefix}
        AND key < ${endOf(prefix)} AND (expires_at IS NULL OR expires_at > ${clock.now()})
        ORDER BY key LIMIT ${limit}+0`;
      return Array.from(rows, ({ key, metadata, expires_at }) => ({
        name: key,
        metadata,
        expiresAtMs: expires_at,
      }));
    }

    use(key: string, untilMs: number): void {
      query(this.#sql)`
        UPDATE records SET expires_at = ${untilMs}, flood = NULL WHERE key = ${key}
        AND flood IS NOT NULL`;
    }

    signIns(prefix: string, after: SignInPlace | null, limit: number): TakenRows<KeptSignIn> {
      const { createdAt, name } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, name: "" };
      const rows = query<SignInRow>(this.#sql)`
        SELECT key, value, created_at FROM records WHERE key >= ${`grant:${prefix}`}
        AND key < ${endOf(`grant:${prefix}`)} AND (expires_at IS NULL OR expires_at > ${clock.now()})
        AND (created_at < ${createdAt} OR created_at = ${createdAt} AND key > ${`grant:${name}`})
        AND json_extract(value, '$.authCodeWrappedKey') IS NULL ORDER BY created_at DESC, key
        LIMIT ${limit + 1}+0`;
      const found = Array.from(rows, ({ key, value, created_at }) => ({
        name: key.slice("grant:".length),
        createdAt: created_at,
        value,
      }));
      return takeRows(found, { limit, characters: LIMITS.pageBytes, sizeOf: ({ value }) => value.length });
    }

    end(prefix: string, id: string): string | null {
      const rows = query<KeyRow>(this.#sql)`
        SELECT key FROM records WHERE key >= ${`grant:${prefix}`}
        AND key < ${endOf(`grant:${prefix}`)} AND substr(key, -length(${`:${id}`})) = ${`:${id}`}`;
      const [row] = rows.toArray();
      if (row === undefined) return null;
      const name = row.key.slice("grant:".length);
      this.ctx.storage.transactionSync(() => {
        query(this.#sql)`DELETE FROM records WHERE key = ${row.key}`;
        for (const kind of ["token", "spent", "again"]) this.#drop(`${kind}:${name}:`);
      });
      return name;
    }

    forget(prefix: string): number {
      const count = this.#count(`grant:${prefix}`);
      this.ctx.storage.transactionSync(() => {
        for (const kind of ["grant", "token", "spent", "again"]) this.#drop(`${kind}:${prefix}`);
        query(this.#sql)`DELETE FROM erased WHERE at < ${clock.now() - LIMITS.erasedKnownMs}`;
        query(this.#sql)`REPLACE INTO erased (prefix, at) VALUES (${prefix}, ${clock.now()})`;
      });
      return count;
    }

    /** Whether everything of a record's owner was forgotten after the request came that writes it. */
    #isErased(key: string, begunAt: number): boolean {
      const [, owner = ""] = key.split(":", 2);
      const later = query<{ prefix: string }>(this.#sql)`
        SELECT prefix FROM erased WHERE at > ${begunAt}`;
      return Array.from(later).some(({ prefix }) => owner.startsWith(prefix));
    }

    #drop(prefix: string): void {
      query(this.#sql)`DELETE FROM records WHERE key >= ${prefix} AND key < ${endOf(prefix)}`;
    }

    #count(prefix: string): number {
      const rows = query<CountRow>(this.#sql)`
        SELECT COUNT(*) AS count FROM records WHERE key >= ${prefix} AND key < ${endOf(prefix)}
        AND (expires_at IS NULL OR expires_at > ${clock.now()})`;
      return rows.one().count;
    }

    /** Forget the oldest records of a kind that anybody can make, beyond as many as may be. */
    #keepNewest(flood: string): void {
      query(this.#sql)`
        DELETE FROM records WHERE key IN (SELECT key FROM records WHERE flood = ${flood}
        ORDER BY created_at DESC
        LIMIT -1 OFFSET ${flood === "client" ? options.unusedClients : options.openForms})`;
    }

    /** Remember a refresh token that was superseded, by its digest: one that is shown again is in two hands. */
    #keepSpent(prefix: string, digest: string): void {
      query(this.#sql)`
        INSERT OR IGNORE INTO records (key, value, expires_at, version, created_at)
        VALUES (${prefix + digest}, '', ${clock.now() + 1_000 * LIMITS.signInIdleS}, 1,
        ${clock.now()})`;
      this.#keepNewestOf(prefix, LIMITS.spentTokens);
    }

    /** The client has used the refresh token of an earlier answer, so that answer is forgotten. */
    #forgetAnswers(prefix: string): void {
      query(this.#sql)`
        DELETE FROM records WHERE key >= ${prefix} AND key < ${endOf(prefix)} AND value <> ''`;
    }

    #keepNewestOf(prefix: string, most: number): void {
      query(this.#sql)`
        DELETE FROM records WHERE key IN (SELECT key FROM records WHERE key >= ${prefix}
        AND key < ${endOf(prefix)} ORDER BY created_at DESC LIMIT -1 OFFSET ${most})`;
    }

    #prune(): void {
      query(this.#sql)`
        DELETE FROM records WHERE key IN (SELECT key FROM records WHERE expires_at <= ${clock.now()}
        ORDER BY expires_at LIMIT ${LIMITS.signInsPruned}+0)`;
    }

    /** Wake when the next record ends, so that what is over is deleted where nothing else is written; not more often than a minute apart. */
    async #wakeLater(): Promise<void> {
      if ((await this.ctx.storage.getAlarm()) !== null) return;
      const rows = this.#sql.exec<{ next: number | null }>("SELECT MIN(expires_at) AS next FROM records");
      const { next } = rows.one();
      if (next !== null) await this.ctx.storage.setAlarm(Math.max(next, clock.now() + PAUSE_MS));
    }
  };
}

const PAUSE_MS = 60_000;

/** Find the refresh token of a sign-in that is good before a write and not after it, as the library names it; null for none. */
function findSpent(before: string, after: string): string | null {
  type Tokens = { readonly refreshTokenId?: string; readonly previousRefreshTokenId?: string };
  const [{ previousRefreshTokenId: spent }, now] = [
    JSON.parse(before) as Tokens,
    JSON.parse(after) as Tokens,
  ];
  if (spent === undefined) return null;
  return [now.refreshTokenId, now.previousRefreshTokenId].includes(spent) ? null : spent;
}

/** The first key after those that begin so. */
function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`;
}

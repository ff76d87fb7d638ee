/** Durable Objects of a feature's own, and the one way to call them. */

import type { Notice } from "./gives.ts";
export {
  type CallBounds,
  defineObject,
  type ObjectNamespace,
  openObject,
  placeAsConfigured,
  readNamespace,
} from "../cloudflare/object-client.ts";
export { DurableObject } from "../cloudflare/platform/durable-object.ts";
export { type ObjectClass, refuseErased } from "../cloudflare/platform/object-class.ts";
export { systemClock } from "../cloudflare/platform/system-ports.ts";

const AGAIN_MS = 10_000;
/** More than so many that cannot be published are not kept. */
const MOST = 1_200;
/** So many are told in one call. */
const AT_ONCE = 100;

type Kept = Notice & { readonly dueAt?: number };

/**
 * Run a statement of SQL; what stands in it as `${value}` is bound, never text of it. SQLite plans it anew for each value of a bare `LIMIT ${value}`.
 *
 * @example query<Row>(this.#sql)`SELECT * FROM days WHERE no = ${no}`.toArray()
 */
export function query<Row extends Record<string, SqlStorageValue>>(sql: SqlStorage) {
  return (texts: TemplateStringsArray, ...values: readonly (SqlStorageValue | Uint8Array)[]) =>
    sql.exec<Row>(texts.join("?").trim(), ...values);
}

/** The notices that an object still has to give its tenant: written in the turn in which it happens, and deleted once it is published. */
export class NoticeTable {
  static readonly CREATE =
    "CREATE TABLE IF NOT EXISTS notices (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID, STRICT;";
  readonly #sql: SqlStorage;
  readonly #notices = new Map<string, Kept>();
  /** Nothing is told before: some are under way, or could not be told. */
  #heldUntil = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(NoticeTable.CREATE);
    for (const { json } of this.#sql.exec<{ json: string }>("SELECT json FROM notices")) {
      const notice = JSON.parse(json) as Kept;
      this.#notices.set(notice.id, notice);
    }
  }

  /** When the next one is to be told; null where there is none. */
  get nextAt(): number | null {
    let first: number | null = null;
    for (const { dueAt = 0 } of this.#notices.values()) first = Math.min(first ?? dueAt, dueAt);
    return first === null ? null : Math.max(first, this.#heldUntil);
  }

  /** Keep a notice. @param dueAt it is told then; at once unless said */
  add(notice: Notice, dueAt?: number): void {
    if (this.#notices.size >= MOST || this.#notices.has(notice.id)) return;
    const kept = { ...notice, ...(dueAt !== undefined && { dueAt }) };
    query(this.#sql)`
      INSERT OR REPLACE INTO notices (id, json) VALUES (${notice.id}, ${JSON.stringify(kept)})`;
    this.#notices.set(notice.id, kept);
  }

  remove(id: string): void {
    if (this.#notices.delete(id)) query(this.#sql)`DELETE FROM notices WHERE id = ${id}`;
  }

  /** Tell what is due. It is forgotten once it is told; whatever breaks off in between is told again. */
  async tell(nowMs: number, send: (notices: readonly Notice[]) => Promise<boolean>): Promise<void> {
    if (this.#heldUntil > nowMs) return;
    const due = [...this.#notices.values()].filter(({ dueAt = 0 }) => dueAt <= nowMs).slice(0, AT_ONCE);
    if (due.length === 0) return;
    this.#heldUntil = nowMs + AGAIN_MS;
    const isTold = await send(due);
    if (!isTold) return;
    this.#heldUntil = 0;
    for (const { id } of due) this.remove(id);
  }

  erase(): void {
    this.#sql.exec("DELETE FROM notices");
    this.#notices.clear();
  }
}

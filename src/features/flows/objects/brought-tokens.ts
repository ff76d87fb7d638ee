import { query } from "../../../feature/object.ts";
import * as LIMITS from "../limits.ts";
import type { BroughtToken } from "../flow-run.ts";

export const BROUGHT_TOKENS = `
  CREATE TABLE IF NOT EXISTS brought_tokens (
    flow TEXT PRIMARY KEY, token TEXT, received_at INTEGER NOT NULL, others INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;`;

/**
 * The secrets that senders bring to their flows before anything is signed, for a person to see. Anybody may send one. So a flow has
 * one at a time, it stays until it has expired, and a flow that has had a signed delivery takes none: its row has no token.
 */
export class BroughtTokens {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keep a token; false where the flow has another, or needs none. */
  bring(nowMs: number, flow: string, token: string): boolean {
    const kept = this.#row(flow);
    if (kept !== null && kept.token === null) return false;
    if (kept === null || kept.received_at + LIMITS.broughtTokenMs <= nowMs) {
      const insert = "REPLACE INTO brought_tokens (flow, token, received_at, others) VALUES (?, ?, ?, 0)";
      this.#sql.exec(insert, flow, token, nowMs);
      return true;
    }
    if (kept.token === token) return true;
    query(this.#sql)`UPDATE brought_tokens SET others = others + 1 WHERE flow = ${flow}`;
    return false;
  }

  /** Find the token that a sender has brought to a flow; null once it has expired, or was used. */
  find(nowMs: number, flow: string): BroughtToken | null {
    const kept = this.#row(flow);
    if (kept === null || kept.token === null || kept.received_at + LIMITS.broughtTokenMs <= nowMs)
      return null;
    return { token: kept.token, receivedAt: kept.received_at, others: kept.others };
  }

  /** Take none for a flow any more: it knows its sender. */
  close(nowMs: number, flow: string): void {
    if (this.#row(flow)?.token === null) return;
    const insert = "REPLACE INTO brought_tokens (flow, token, received_at, others) VALUES (?, NULL, ?, 0)";
    this.#sql.exec(insert, flow, nowMs);
  }

  forget(flow: string): void {
    query(this.#sql)`DELETE FROM brought_tokens WHERE flow = ${flow}`;
  }

  #row(flow: string): Row | null {
    const select = "SELECT token, received_at, others FROM brought_tokens WHERE flow = ?";
    return this.#sql.exec<Row>(select, flow).toArray()[0] ?? null;
  }
}

interface Row {
  readonly [column: string]: SqlStorageValue;
  readonly token: string | null;
  readonly received_at: number;
  readonly others: number;
}

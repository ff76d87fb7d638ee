import type { KeptResult, Shelf } from "../../../core/contract/gate/kept-result.ts";
import { attemptNow } from "../../../core/kit/result.ts";
import {
  expireResults,
  findFresh,
  type KeepChange,
  type KeepLimits,
  keepResults,
  type KeptBook,
} from "../../../core/gate/state/kept-results.ts";

/**
 * A shelf of what the tenant keeps: its JSON in the table of that name, and in memory which there are.
 *
 * Memory follows the table: it is changed after the write succeeded, and a cold start derives it again. One object is
 * one tenant, so no handle, guessed or leaked, reaches another tenant's result. A row is far below SQLite's 2 MB,
 * because one result is at most `LIMITS.resultBytes`.
 */
export class ResultTable {
  readonly #storage: DurableObjectStorage;
  readonly #limits: KeepLimits;
  readonly #shelf: Shelf;
  #book: KeptBook;

  constructor(storage: DurableObjectStorage, limits: KeepLimits, shelf: Shelf = "results") {
    this.#storage = storage;
    this.#limits = limits;
    this.#shelf = shelf;
    this.#book = storage.sql
      .exec<{ handle: string; bytes: number; kept_at: number }>(
        `SELECT handle, bytes, kept_at FROM ${shelf} ORDER BY kept_at, handle`,
      )
      .toArray()
      .map(({ handle, bytes, kept_at }) => ({ handle, bytes, keptAt: kept_at }));
  }

  /** Keep results; the handles of those that were. When storage refuses, none was, and the batch goes on without. */
  keep(nowMs: number, results: readonly KeptResult[]): string[] {
    const [book, change] = keepResults(this.#book, nowMs, { results, limits: this.#limits });
    // A full disk, most likely.
    if (!attemptNow(() => this.#storage.transactionSync(() => this.#write(change))).ok) return [];
    this.#book = book;
    return [...change.kept];
  }

  /** Read results back, once each; what is unknown or expired is missing. */
  recall(nowMs: number, handles: readonly string[]): KeptResult[] {
    return findFresh(this.#book, nowMs, { handles, limits: this.#limits }).flatMap((handle) =>
      this.#storage.sql
        .exec<{ json: string; tool: string | null }>(
          `SELECT json, tool FROM ${this.#shelf} WHERE handle = ?`,
          handle,
        )
        .toArray()
        .map(({ json, tool }) => ({ handle, json, ...(tool !== null && { tool }) })),
    );
  }

  /** Remove what has expired. Costs no SQL when nothing has; throws when storage refuses: the rows stay, but are never recalled. */
  prune(nowMs: number): void {
    const [book, expired] = expireResults(this.#book, nowMs, this.#limits);
    if (expired.length === 0) return;
    this.#storage.transactionSync(() => this.#delete(expired));
    this.#book = book;
  }

  #write({ added, dropped }: KeepChange): void {
    // First make room: both together may be more than there is.
    this.#delete(dropped);
    // The name of a turn is made of its conversation. Where two have the same, it is not known whose comes back: nothing is.
    const next = this.#shelf === "turns" ? "IIF(json = excluded.json, json, '')" : "excluded.json";
    for (const { handle, keptAt, bytes, json, tool = null } of added) {
      this.#storage.sql.exec(
        `INSERT INTO ${this.#shelf} (handle, kept_at, bytes, json, tool) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (handle) DO UPDATE
         SET kept_at = excluded.kept_at, bytes = excluded.bytes, json = ${next}, tool = excluded.tool`,
        handle,
        keptAt,
        bytes,
        json,
        tool,
      );
    }
  }

  #delete(handles: readonly string[]): void {
    for (const handle of handles)
      this.#storage.sql.exec(`DELETE FROM ${this.#shelf} WHERE handle = ?`, handle);
  }
}

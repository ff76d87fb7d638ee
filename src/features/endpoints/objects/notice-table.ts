/** Something that a tenant is told of itself, as an event. */
export interface Notice {
  readonly id: string;
  readonly type: string;
  /** The endpoint that does not get it. */
  readonly about: string;
  /** Its data as JSON text. */
  readonly data: string;
}

const AGAIN_MS = 10_000;
/** More than so many that cannot be published are not kept. */
const MOST = 1_000;

/** The notices that an object still has to give its tenant: written in the turn in which it happens, and deleted once it is published. */
export class NoticeTable {
  readonly #sql: SqlStorage;
  readonly #notices = new Map<string, Notice>();
  #putOffTo = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS notices (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID, STRICT",
    );
    for (const { json } of this.#sql.exec<{ json: string }>("SELECT json FROM notices")) {
      const notice = JSON.parse(json) as Notice;
      this.#notices.set(notice.id, notice);
    }
  }

  /** When the next one is to be told; null where there is none. */
  get nextAt(): number | null {
    return this.#notices.size === 0 ? null : this.#putOffTo;
  }

  add(notice: Notice): void {
    if (this.#notices.size >= MOST) return;
    this.#sql.exec(
      "INSERT OR REPLACE INTO notices (id, json) VALUES (?, ?)",
      notice.id,
      JSON.stringify(notice),
    );
    this.#notices.set(notice.id, notice);
  }

  due(nowMs: number): readonly Notice[] {
    return this.#putOffTo <= nowMs ? [...this.#notices.values()] : [];
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM notices WHERE id = ?", id);
    this.#notices.delete(id);
  }

  putOff(nowMs: number): void {
    this.#putOffTo = nowMs + AGAIN_MS;
  }

  erase(): void {
    this.#sql.exec("DELETE FROM notices");
    this.#notices.clear();
  }
}

import { createMemoryStorage } from "../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";

type Rows = ReturnType<typeof createMemoryStorage>;

/**
 * The databases of a class of objects, which sequence after sequence uses: making their tables and preparing their statements is a fifth
 * of what a sequence takes. All that one writes is a transaction, and is rolled back when it gives the database back.
 */
export class KeptRows {
  readonly #begins: (Uint8Array | undefined)[] = [];
  readonly #free: Rows[] = [];
  readonly #used = new WeakSet<Rows>();
  /** Each begins with these rows, once two of them began alike. */
  #like: Uint8Array | undefined;

  /** Take one for a new object. */
  take(): Rows {
    const create = (): Rows => createMemoryStorage(new VirtualClock(), () => {}, this.#like);
    if (this.#like === undefined) return create();
    const rows = this.#free.pop() ?? create();
    rows.sql.exec("BEGIN");
    this.#used.add(rows);
    return rows;
  }

  /** Look at the rows of an object that was just made. */
  hasBegun(rows: Rows): void {
    if (this.#begins.length === 2 || this.#begins.push(rows.bytes()) < 2) return;
    const [first, second] = this.#begins;
    if (first?.every((byte, at) => byte === second?.[at])) this.#like = first;
  }

  giveBack(rows: Rows): void {
    if (!this.#used.delete(rows)) return;
    rows.sql.exec("ROLLBACK");
    this.#free.push(rows);
  }
}

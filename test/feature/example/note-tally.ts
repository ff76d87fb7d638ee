import { defineObject, DurableObject, type ObjectClass } from "../../../src/feature/index.ts";

interface TallyMethods {
  /** Count the words of a note, once however often it is told. */
  count(note: string, words: number): Promise<void>;
  words(): Promise<number>;
  /** Forget all notes, and say how many there were. */
  forget(): Promise<number>;
}

/** The object that counts the words of a tenant's notes; null where it is not bound. */
export const tallyOf = defineObject<TallyMethods>({ binding: "NOTE_TALLY", timeoutMs: 5_000 });

/** Make the class of the object that counts words. */
export function createNoteTally(): ObjectClass<TallyMethods> {
  return class NoteTally extends DurableObject<Record<string, unknown>> implements TallyMethods {
    constructor(ctx: DurableObjectState, env: Record<string, unknown>) {
      super(ctx, env);
      ctx.storage.sql.exec(
        "CREATE TABLE IF NOT EXISTS counted (note TEXT PRIMARY KEY, words INTEGER NOT NULL) STRICT",
      );
    }

    async count(note: string, words: number): Promise<void> {
      this.ctx.storage.sql.exec("INSERT OR REPLACE INTO counted (note, words) VALUES (?, ?)", note, words);
    }

    async words(): Promise<number> {
      const summed = this.ctx.storage.sql
        .exec<{ words: number | null }>("SELECT SUM(words) AS words FROM counted")
        .one();
      return summed.words ?? 0;
    }

    async forget(): Promise<number> {
      return this.ctx.storage.sql.exec("DELETE FROM counted RETURNING note").toArray().length;
    }
  };
}

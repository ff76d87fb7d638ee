import {
  createPartCall,
  makeJob,
  type OpenPart,
  type PartMethods,
  type PartWorld,
} from "../../../src/feature/index.ts";
import * as LIMITS from "./limits.ts";

/** The steps that lead to the tables; a step, once released, is never changed. */
export const NOTE_TABLES = [
  "CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID, STRICT",
];

/** The notes of a tenant, as its object keeps them. */
interface NoteMethods {
  list(): readonly string[];
  /** Keep a note, and have its words counted; false where there is no room. */
  keep(id: string, text: string): boolean;
}

export const callNotes = createPartCall<NoteMethods>("notes");

/** Open the part of the tenant's object that keeps notes. Each call is one turn: a note and its job are written together. */
export function openNotes({ storage: { sql }, outbox }: PartWorld): OpenPart {
  const list = () => sql.exec<{ text: string }>("SELECT text FROM notes ORDER BY id").toArray();
  const methods: PartMethods<NoteMethods> = {
    list: () => list().map(({ text }) => text),
    keep(now, id, text) {
      if (list().length >= LIMITS.notes) return false;
      const spec = makeJob({ id, kind: "count_words", args: { text } });
      const beside = (): void => void sql.exec("INSERT INTO notes (id, text) VALUES (?, ?)", id, text);
      return outbox.recordOne(now, { spec, takes: null, beside }) !== null;
    },
  };
  return { methods };
}

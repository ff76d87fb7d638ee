import {
  askGate,
  type Route,
  err,
  makeRefusal,
  ok,
  readRequest,
  respondJson,
} from "../../../src/feature/index.ts";
import { NOTE_CODES, noteSchema, notesSchema } from "./note.ts";
import { callNotes } from "./note-rows.ts";
import { tallyOf } from "./note-tally.ts";

const listNotes: Route = {
  route: "GET /v1/notes",
  async handle(_, { caller, gate, configured }) {
    const read = await askGate(
      async () => ({
        notes: await callNotes(gate, "list"),
        words: (await tallyOf(configured)?.(caller.tenant, caller).words()) ?? 0,
      }),
      "The notes could not be read; ask again.",
    );
    return read.ok ? ok(respondJson(JSON.stringify(read.value))) : read;
  },
  describe: () => ({
    id: "listNotes",
    summary: "List notes",
    tag: "Notes",
    answer: { description: "The notes", schema: notesSchema() },
  }),
};

const keepNote: Route = {
  route: "POST /v1/notes",
  async handle(request, { gate, ports }) {
    const body = await readRequest(request, noteSchema());
    if (!body.ok) return body;
    const id = ports.newId();
    const kept = await askGate(
      () => callNotes(gate, "keep", id, body.value.parsed.text),
      "The note may be kept; list them before you send it again.",
    );
    if (!kept.ok) return kept;
    if (!kept.value) return err(makeRefusal(NOTE_CODES.NOTES_FULL, "A tenant keeps three notes."));
    return ok(respondJson(JSON.stringify({ job_id: id }), { status: 201 }));
  },
  describe: () => ({
    id: "keepNote",
    summary: "Keep a note",
    tag: "Notes",
    body: { schema: noteSchema(), example: { text: "Water the plants" } },
    answer: { description: "It is kept", schema: null, statuses: [201] },
    refusals: ["INVALID_REQUEST", NOTE_CODES.NOTES_FULL],
  }),
};

/** Paths for any key. */
export const NOTE_PATHS = [listNotes];
/** Paths for keys that may keep notes. */
export const NOTE_WRITES = [keepNote];

import * as z from "zod/mini";

import { defineCodes, lazySchema, strictSchema } from "../../../src/feature/index.ts";
import * as LIMITS from "./limits.ts";

export const NOTE_CODES = defineCodes({
  NOTES_FULL: { status: 409, title: "There is no room for another note." },
});

/** The body of `POST /v1/notes`. */
export const noteSchema = strictSchema("Note", () => ({
  text: z.string().check(z.minLength(1), z.maxLength(LIMITS.noteCharacters)),
}));

/** The answer of `GET /v1/notes`. */
export const notesSchema = lazySchema(() => z.object({ notes: z.array(z.string()), words: z.int() }));

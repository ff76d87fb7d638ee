/** Why mutants of `answer` live. */
import type { Reasons } from "../reasons.ts";
import { AT_BOUND, DEFAULT, EMPTY, on, SCHEMA, SHORTCUT, TYPE } from "../why.ts";

export const ANSWER: Reasons = {
  "src/core/answer/combine-elements.ts": [
    on(
      TYPE,
      'outcome.status === "error"',
      '"error" in outcome',
      'status === "pending_confirmation"',
      "if (!outcomes.some(",
    ),
  ],
  "src/core/answer/cut-json-string.ts": [
    on("Behind the last character of a text stands its quote, which is nowhere to cut.", "const reach ="),
    on("No room is less than that of the mark, so the quote is always reached.", "const cut = lastBreak("),
    on("An escape has a character behind its backslash.", "if (code === 92"),
    on("At its beginning no escape is cut in two.", "if (at <= from) return from"),
  ],
  "src/core/answer/cut-value.ts": [
    on(
      "How many entries are read: those beyond the room are left out all the same.",
      "weight += entry.weight;",
      "if (weight > left &&",
    ),
    on(
      "How deep containers are opened to be weighed: as text they weigh the same.",
      "weight: this.#weigh(value, before, depth + 1",
      "weight: keyWeight + this.#weigh(",
      "isContainer(value) && depth < DEEPEST",
    ),
    on(
      "Which weights are remembered, each of which would be found again.",
      "const isLarge =",
      "if (known !== undefined) return known",
      "if (isLarge) this.#weights.set",
    ),
    on(AT_BOUND, "if (weight > enough) break", "if (weight <= SMALL) return", "if (wanted > left)"),
    on("A container without entries is small, which was said before.", "return first === undefined"),
    on(SHORTCUT, "if (value.length > LARGE_TEXT) return true"),
  ],
  "src/core/answer/envelope.ts": [
    on(DEFAULT, "elements: number ="),
    on(SHORTCUT, "if (known !== undefined) return known", "paths.set(index, path)"),
  ],
  "src/core/answer/failed-outcome.ts": [on("No status is less than any.", "const refused =")],
  "src/core/answer/fit-answer.ts": [
    on("No part is exactly a hundredth.", "part > 0.01"),
    on(TYPE, 'cut?.status === "success"'),
    on(SHORTCUT, "if (tokens === undefined)", "return text.length * 3 <= limit"),
  ],
  "src/core/answer/fit-tokens.ts": [
    on("Where the least of any is above the level nothing is over.", "if (spare > 0 && level >= share.min"),
    on(SHORTCUT, "if (above >= most)", "let low = Math.ceil(", "if (fitted === undefined) break"),
  ],
  "src/core/answer/select-fields.ts": [
    on(SHORTCUT, "if (last !== null && last.data", "this.#last = {", "if (keys.length > 1)"),
    on(SHORTCUT, "if (known === undefined) {", "places.set(value, known)"),
    on("Hints are asked for where no part is there.", "return found.found ? []"),
  ],
  "src/core/answer/serialise-output.ts": [
    on(
      "How text is measured: in bytes that are written, or by its characters, to the same number.",
      "const written =",
    ),
  ],
  "src/core/answer/shape-outcomes.ts": [
    on(EMPTY, "asked.ok ? asked.value : []"),
    on("A handle that is none was kept by nobody.", "return handle === undefined"),
    on("Data is cut of a success, an error or what is not known, and of nothing else.", "const isFailed ="),
  ],
  "src/core/answer/result-schema.ts": [{ why: SCHEMA }],
  "src/core/answer/stored-outcome.ts": [
    on("JSON leaves out a property that is undefined.", "status ===", "!== undefined && {"),
  ],
  "src/core/answer/recall-results.ts": [on(SHORTCUT, "handles.length === 0")],
};

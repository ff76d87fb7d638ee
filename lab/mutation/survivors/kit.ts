/** Why mutants of `kit` live. */
import type { Reasons } from "../reasons.ts";
import { on, SHORTCUT, TIDY, TYPE, WORDS } from "../why.ts";

const SAME_ROW =
  "Writes what is there already, or is beyond what is read of the row; the distances themselves are held.";

export const KIT: Reasons = {
  "src/core/kit/nearest.ts": [
    on(SAME_ROW, "for (let j", "const to", "row[", "last[", "i > 1", "best", "least"),
  ],
  "src/core/kit/json/canonical-json.ts": [on("No object has a key twice.", "a < b")],
  "src/core/kit/json/canonical-json.ts": [on(TYPE, "prototype !== null")],
  "src/core/kit/json/json-pointer.ts": [on(SHORTCUT, 'text.includes("~")')],
  "src/core/kit/json/json-slip.ts": [
    on(
      "Only which slip a text is told of: every path of it ends in a slip with its place.",
      "startsWith(",
      "next ===",
      "this.#skip(SPACE)",
      "this.#next ===",
      "before ===",
      "const escapes",
      "character ===",
    ),
  ],
  "src/core/kit/json/least-json-size.ts": [on(SHORTCUT, "size <= enough", "size > enough", "enough - size")],
  "src/core/run/tool-log.ts": [on('The result of "toJSON" is a text or a number.', "toJSON")],
  "src/core/kit/layers.ts": [on(SHORTCUT, "root < needs.length", "state[root] !== NEW", "cursor.pop()")],
  "src/core/kit/nearest.ts": [
    on(
      "Only which names a slip may have meant; the examples of it are held.",
      "wanted",
      "a.candidate",
      "name",
    ),
  ],
  "src/core/kit/rfc3339.ts": [
    on(TYPE, "INSTANT.exec", "year === undefined"),
    on("Dates are read in either case.", "text.toUpperCase()"),
  ],
  "src/core/kit/semaphore.ts": [on(SHORTCUT, "this.#free ==="), on(TIDY, "EventListener(")],
  "src/core/kit/time-zone.ts": [
    on(SHORTCUT, "known !== undefined", "zones."),
    on(TYPE, 'hours = "0"', "/^[A-Za-z]/"),
    on("No offset is written as Z, one line before.", "offset < 0"),
  ],
  "src/core/kit/timer-queue.ts": [on(SHORTCUT, "next < this.#armedAt"), on(TIDY, "this.#cancelTimer();")],
  "src/core/kit/sha256.ts": [on("A word more than is read.", "let i = 16")],
  "src/core/kit/visible-text.ts": [on(SHORTCUT, "PLAIN.test(text)"), on(WORDS, "text.length > maxLength")],
};

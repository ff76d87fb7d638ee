/** Why mutants of `contract` live. */
import type { Reasons } from "../reasons.ts";
import { AT_BOUND, DEFAULT, ELSEWHERE, on, SCHEMA, SHORTCUT, TYPE, WORDS } from "../why.ts";

const BY_HAND =
  "A value that fits is told by hand before the schema is asked, which then only says what is wrong; that both agree is a property of thousands of samples (test/contract/fits), which takes no part here.";
const GUESS = "Only the words of a hint that guesses what was meant; the examples of it are held.";

export const CONTRACT: Reasons = {
  "src/core/contract/action.ts": [
    on(SHORTCUT, "isCounted", "actionForm.fits(sent)", "if (!mayExceed)"),
    on(TYPE, "run_at === undefined"),
    on(GUESS, "const said", "const bare", "meant ===", '? ""', "toForeignHint(", "expected: `", "const flaw"),
  ],
  "src/core/contract/batch.ts": [
    on(SHORTCUT, "const mayExceedArgs", "!entries.some("),
    on(WORDS, 'Object.hasOwn(value, "actions")'),
  ],
  "src/core/contract/check-value.ts": [
    on(DEFAULT, "seen: Seen ="),
    on(
      SHORTCUT,
      "isFine(inner)",
      "Array.isArray(value)",
      'typeof value !== "object"',
      'typeof value === "number"',
      "BRACES.test",
    ),
  ],
  "src/core/contract/failure.ts": [
    on(SCHEMA, "z.int()", ".strictObject(", "z.strictObject(", ".meta({ id"),
    on(TYPE, "!== undefined && {"),
  ],
  "src/core/contract/form.ts": [
    on(BY_HAND, "() => z.", "z.strictObject(", "z.optional(", "z._default(", ".check("),
  ],
  "src/core/contract/gate/caller.ts": [
    on("Either of two callers that may send the same will do.", "isMore > 0"),
  ],
  "src/core/contract/gate/idempotency.ts": [on(TYPE, "const state = own")],
  "src/core/contract/gate/job-json.ts": [
    on(SCHEMA, "const time", "z.strictObject(", "z.int()", ".meta({ id"),
  ],
  "src/core/contract/gate/job-query.ts": [on(TYPE, "CURSOR.exec")],
  "src/core/contract/gate/job-shard.ts": [
    on(TYPE, "digit === undefined", "shard === HOME"),
    on(AT_BOUND, "shard < LIMITS"),
    on("No two have one id.", "a.id < b.id"),
  ],
  "src/core/contract/list-query.ts": [on(AT_BOUND, "limit < 1"), on(TYPE, "cursor === null")],
  "src/features/keys/stored-key.ts": [on("A sort asks of two in either order.", "a.name < b.name")],
  "src/core/contract/gate/workspace.ts": [on(ELSEWHERE, "export const WORKSPACES")],
  "src/core/contract/idempotency-key.ts": [on(TYPE, "unquote(trimmed)", "QUOTED.exec(text)")],
  "src/core/contract/issues.ts": [
    on(
      GUESS,
      "const expected =",
      "const isTime",
      "const group",
      "const meant",
      "const types",
      "invalid_value",
    ),
    on(SHORTCUT, "issue.keys.slice(", "issues.length === most", "const [field", "path.length <="),
  ],
  "src/core/contract/json.ts": [
    on(SHORTCUT, "SHORT_TEXT", "NEARLY.test(text)", "if (loses("),
    on(
      "Both numbers that are compared are written in the same way, so that any way in which they stay apart will do.",
      "const [, sign",
      "exec(text) ??",
      "sign === undefined",
      "const digits",
      "while (end > 0",
      ": `${sign}",
    ),
  ],
  "src/core/contract/orchestration.ts": [on(SCHEMA, "z.globalRegistry")],
  "src/features/orchestration/calls.ts": [
    on(SCHEMA, "lazySchema(", "strictSchema(", "z.int()", "z.strictObject("),
  ],
  "src/core/contract/other-names.ts": [
    on(TYPE, 'Object.hasOwn(raw, "tool")', "read.value !== undefined"),
    on(WORDS, "const issue ="),
    on(
      "A call with one provider's type and the other's fields is read in the same way.",
      "const isOpenAi",
      "const isAnthropic",
    ),
  ],
  "src/core/contract/pending.ts": [on(SHORTCUT, 'typeof value !== "object"')],
  "src/core/contract/reference.ts": [
    on(
      TYPE,
      'const [, id = "", pointer',
      "?? quoted ??",
      "unclosed !== undefined",
      "const [, , pointer",
      "const meant",
      "const isOther",
      'const [, id, hash = ""',
    ),
    on(SHORTCUT, 'typeof value !== "object"', "Array.isArray(value)", "key.charCodeAt(0)"),
  ],
  "src/core/contract/outcome.ts": [on(SCHEMA, "lazySchema(", "strictSchema(", "z.int()", "z.strictObject(")],
  "src/core/contract/parse-json.ts": [
    on(TYPE, "values !== undefined", "slip === null"),
    on(AT_BOUND, "at < text.length"),
  ],
  "src/core/contract/parse-request.ts": [on(WORDS, "const hint", "known.length", "refuseQuery(")],
  "src/core/contract/refusal.ts": [on(SCHEMA, ".strictObject(", "z.strictObject(", ".meta({ id")],
  "src/core/contract/run-schema.ts": [
    on(SHORTCUT, "round < ROUNDS"),
    on(TYPE, "ran instanceof Promise", "path = []", 'typeof at !== "object"', "inner === null"),
  ],
};

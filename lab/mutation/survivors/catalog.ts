/** Why mutants of `catalog` live. */
import type { Reasons } from "../reasons.ts";
import { EMPTY, on, SHORTCUT, TYPE } from "../why.ts";

const ANY_SAMPLE = "Any text, list or object will do: only its kind is looked at.";

export const CATALOG: Reasons = {
  "src/core/catalog/catalog.ts": [
    on(
      "No verifier is made of a declaration that is not there: what that throws is caught.",
      "verify === undefined",
    ),
  ],
  "src/core/catalog/check-describable.ts": [
    on(
      "A schema that does not pass at a glance is written, and that says the same; one that Zod derives from another is of the same kind.",
      "!isPlain(input, [])",
      "toJSONSchema !== undefined",
      "Object.keys(said)",
      "parent !== undefined",
    ),
  ],
  "src/core/catalog/define-tool.ts": [
    on(TYPE, "error?.issues", "problems.length > 0"),
    on(EMPTY, "bindings = []"),
  ],
  "src/core/catalog/find-certain.ts": [
    on(
      "Without its own case the schema is asked with a sample, and takes it.",
      'case "any"',
      'case "unknown"',
      'case "transform"',
      'case "catch"',
    ),
    on(ANY_SAMPLE, "kindIssues(schema, [])", 'kindIssues(schema, "")', 'def.type === "never"'),
    on(
      SHORTCUT,
      "const issues = value === null",
      "issues.length === 0) return []",
      'optout === "optional"',
      "const meant",
      "discriminator === undefined",
      "named instanceof Pending",
      ".coerce === true",
    ),
    on(TYPE, "path = []", '_zod.values ?? [""]'),
  ],
  "src/core/catalog/verifier.ts": [on(TYPE, "left !== undefined")],
  "src/core/catalog/parse-args.ts": [
    on(TYPE, "first instanceof Promise"),
    on(SHORTCUT, "first.issues.length === 0"),
    on(EMPTY, "room.suggests()", "shape === undefined ? []"),
  ],
  "src/core/catalog/tool-schema.ts": [
    on(SHORTCUT, "hidden.size === 0", "pattern === undefined", "telling.length === 0"),
    on(TYPE, "depends_on = []", "verify_with !== undefined", "parsePointer($ref", "name === undefined"),
    on("Only what an error was made of, for a debugger.", "{ cause }"),
    on(
      "A null has no fields, and a schema's array has no description of its own.",
      "value === null",
      "Array.isArray(value)",
    ),
  ],
  "src/core/catalog/verifier.ts": [on(SHORTCUT, "require(tokens.length === 0")],
};

import fc from "fast-check";

import { findReferences, resolveReferences } from "../../src/core/plan/references.ts";
import { type Fuzz, lookAt } from "./fuzz.ts";

const keys = fc.constantFrom(
  "a",
  "b",
  "0",
  "1",
  "",
  "/",
  "~",
  "~1",
  "é",
  "__proto__",
  "$ref",
  "$template",
  "length",
  "toString",
);
const data = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string({ maxLength: 5 }), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(keys, tie("value")), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
const tokens = fc.array(keys, { maxLength: 3 });
const reference = fc
  .tuple(fc.constantFrom("x", "y", "gone"), tokens)
  .map(
    ([id, path]) =>
      `${id}#${path.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`,
  );
const args = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.integer(),
      reference.map(($ref) => ({ $ref })),
      fc
        .tuple(fc.string({ maxLength: 3 }), reference, fc.string({ maxLength: 3 }))
        .map(([before, ref, after]) => ({ $template: `${before}{{${ref}}}${after}` })),
      reference.map(($ref) => ({ $literal: { $ref } })),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("p", "q", "r"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const NOTHING = Symbol("nothing there");

/** RFC 6901, written again: own properties only, and of lists their indexes. */
function follow(value: unknown, pointer: string): unknown {
  let at: unknown = value;
  for (const escaped of pointer.split("/").slice(1)) {
    const token = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) {
      if (!/^(?:0|[1-9]\d*)$/.test(token) || Number(token) >= at.length) return NOTHING;
      at = at[Number(token)];
    } else if (typeof at === "object" && at !== null && Object.hasOwn(at, token)) {
      at = (at as Record<string, unknown>)[token];
    } else return NOTHING;
  }
  return at;
}

/** The resolved form of arguments, as a table of cases: text is searched for braces instead of being parsed into parts. */
function model(value: unknown, known: ReadonlyMap<string, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => model(item, known));
    return items.includes(NOTHING) ? NOTHING : items;
  }
  const entries = Object.entries(value);
  const [key, inner] = entries.length === 1 ? entries[0]! : [null, null];
  if (key === "$literal") return inner;
  if (key === "$ref") return at(inner as string, known);
  if (key === "$template") {
    let isWhole = true;
    const text = (inner as string).replace(/\{\{\{\{|\{\{(.*?)\}\}/gs, (_, named: string | undefined) => {
      // Four braces write two.
      if (named === undefined) return "{{";
      const found = at(named, known);
      if (found === NOTHING) isWhole = false;
      return typeof found === "string" ? found : (JSON.stringify(found) ?? "");
    });
    return isWhole ? text : NOTHING;
  }
  const fields = entries.map(([name, field]) => [name, model(field, known)] as const);
  return fields.some(([, field]) => field === NOTHING) ? NOTHING : Object.fromEntries(fields);
}

function at(named: string, known: ReadonlyMap<string, unknown>): unknown {
  const hash = named.indexOf("#");
  const id = named.slice(0, hash);
  return known.has(id) ? follow(known.get(id), named.slice(hash + 1)) : NOTHING;
}

/** References, against a resolver written again in the plainest way. */
export const REFERENCES: Fuzz = {
  title: "references",
  runs: 200_000,
  async look(how) {
    let resolvedOnes = 0;
    const found = await lookAt(
      fc.property(args, data, data, (value, x, y) => {
        const known = new Map<string, unknown>([
          ["x", x],
          ["y", y],
        ]);
        // A malformed reference is refused before anything is looked up.
        if (!findReferences(value, []).ok) return;
        const resolved = resolveReferences(
          value,
          (id) => (known.has(id) ? { data: known.get(id) } : undefined),
          {
            what: "args",
            limitBytes: 64 * 1024,
          },
        );
        const expected = model(value, known);
        if (resolved.ok !== (expected !== NOTHING))
          throw new Error(`resolved: ${resolved.ok}, the model: ${expected !== NOTHING}`);
        if (!resolved.ok) return;
        resolvedOnes += 1;
        if (JSON.stringify(resolved.value) !== JSON.stringify(expected))
          throw new Error(`${JSON.stringify(resolved.value)} instead of ${JSON.stringify(expected)}`);
      }),
      how,
    );
    how.tell(`${resolvedOnes} could be resolved`);
    return found;
  },
};

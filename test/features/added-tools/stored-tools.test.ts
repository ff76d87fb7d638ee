import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  changeTools,
  type ToolChange,
  type ToolToKeep,
  type ToolBook,
  type ToolLimits,
} from "../../../src/features/added-tools/stored-tools.ts";

const LIMITS: ToolLimits = { count: 5, allBytes: 100 };
const EMPTY: ToolBook = { version: 0, tools: new Map() };

function tool(name: string, { text = "{}", needs = [] as readonly string[] } = {}): ToolToKeep {
  return { name, fingerprint: `${name}:${text}`, headJson: "{}", json: text, needs };
}

const put = (name: string, parts?: Parameters<typeof tool>[1]): ToolChange => ({
  kind: "put",
  tool: tool(name, parts),
});
const step = (book: ToolBook, change: ToolChange, limits = LIMITS, hidden: readonly string[] = []) =>
  changeTools(book, change, { limits, hidden: new Set(hidden), sizeOf: (text) => text.length });

/** The book after changes that must all be possible. */
function after(changes: readonly ToolChange[], book = EMPTY): ToolBook {
  return changes.reduce((before, change) => {
    const made = step(before, change);
    if (!made.ok) throw new Error(`Cannot change: ${made.error.reason}`);
    return made.value.book;
  }, book);
}

describe("changeTools()", () => {
  test("says of a new tool that it is added, and of a known one that it is replaced", () => {
    const first = step(EMPTY, put("a"));
    expect(first).toMatchObject({ value: { changed: { version: 1, added: ["a"], replaced: [] } } });
    expect(step(after([put("a")]), put("a", { text: "[]" }))).toMatchObject({
      value: { changed: { version: 2, added: [], replaced: ["a"] } },
    });
  });

  test("writes a tool with its version, its size and who brought it", () => {
    expect(step(EMPTY, { kind: "import", prefix: "p", tools: [tool("p_a", { text: "[1]" })] })).toMatchObject(
      {
        value: {
          written: [
            { tool: { name: "p_a", json: "[1]" }, entry: { version: 1, bytes: 3, prefix: "p", needs: [] } },
          ],
        },
      },
    );
  });

  test("writes nothing for a tool that is put again as it is", () => {
    const again = step(after([put("a")]), put("a"));
    expect(again).toMatchObject({ value: { changed: { version: 1, replaced: ["a"] }, written: [] } });
  });

  test("T02 does not change hidden tools, and tells the caller only that a name is taken", () => {
    const imported = { kind: "import", prefix: "p", tools: [tool("p_a"), tool("p_b")] } as const;
    const book = after([put("a"), imported]);
    const hiding = (change: ToolChange, ...hidden: string[]) => step(book, change, LIMITS, hidden);
    const refused = (reason: string, name: string) => ({ ok: false, error: { reason, names: [name] } });
    expect(hiding(put("a", { text: "[]" }), "a")).toEqual(refused("hidden", "a"));
    expect(hiding({ ...imported, tools: [tool("p_a"), tool("p_c")] }, "p_a")).toEqual(
      refused("hidden", "p_a"),
    );
    expect(hiding({ ...imported, tools: [tool("p_c")] }, "p_a")).toMatchObject({
      value: { changed: { added: ["p_c"], removed: ["p_b"] } },
    });
    expect(hiding({ kind: "delete", name: "a" }, "a")).toEqual(refused("unknown", "a"));
    expect(hiding(put("n", { needs: ["a"] }), "a")).toEqual(refused("needs-unknown", "n"));
    expect(hiding(put("n", { needs: ["a"] }), "p_a")).toMatchObject({ ok: true });
  });

  test("deletes what is there, and nothing else", () => {
    const book = after([put("a"), put("b"), { kind: "delete", name: "a" }]);
    expect([...book.tools.keys()]).toEqual(["b"]);
    expect(book.version).toBe(3);
    expect(step(book, { kind: "delete", name: "a" })).toMatchObject({
      error: { reason: "unknown", names: ["a"] },
    });
  });

  test("replaces with an import what the same prefix had, and leaves the rest alone", () => {
    const imported = (...names: string[]): ToolChange => ({
      kind: "import",
      prefix: "p",
      tools: names.map((name) => tool(name)),
    });
    const book = after([put("p_by_hand"), imported("p_a", "p_b"), imported("p_b", "p_c")]);
    expect([...book.tools.keys()].toSorted()).toEqual(["p_b", "p_by_hand", "p_c"]);
    expect(step(book, imported("p_by_hand"))).toMatchObject({
      error: { reason: "taken", names: ["p_by_hand"] },
    });
    expect(step(book, imported())).toMatchObject({ value: { changed: { removed: ["p_b", "p_c"] } } });
  });

  test("keeps an imported tool that is put by hand with its import", () => {
    const imported: ToolChange = { kind: "import", prefix: "p", tools: [tool("p_a")] };
    const book = after([imported, put("p_a", { text: "[1]" }), { kind: "import", prefix: "p", tools: [] }]);
    expect(book.tools.size).toBe(0);
  });

  test("refuses more tools, or more of them, than a tenant may have, and does nothing then", () => {
    const full = after(["a", "b", "c", "d", "e"].map((name) => put(name)));
    expect(step(full, put("f"))).toMatchObject({ error: { reason: "too-many", names: ["f"] } });
    expect(step(full, put("a", { text: "x".repeat(90) }))).toMatchObject({ ok: true });
    expect(step(full, put("a", { text: "x".repeat(93) }))).toMatchObject({ error: { reason: "too-large" } });
  });

  test("lets who has more than the limit have less", () => {
    const full = after(["a", "b", "c"].map((name) => put(name)));
    const less = { count: 1, allBytes: 1 };
    expect(step(full, { kind: "delete", name: "a" }, less)).toMatchObject({ ok: true });
  });

  test("refuses a tool that needs one that is not there, and takes both together", () => {
    const needy = tool("a", { needs: ["b"] });
    expect(step(EMPTY, { kind: "put", tool: needy })).toMatchObject({
      error: { reason: "needs-unknown", names: ["a"] },
    });
    expect(step(EMPTY, { kind: "import", prefix: "p", tools: [needy, tool("b")] })).toMatchObject({
      ok: true,
    });
  });

  test("keeps a tool whose need has gone, and refuses the circle that its return would close", () => {
    const book = after([put("b"), put("a", { needs: ["b"] }), { kind: "delete", name: "b" }]);
    expect([...book.tools.keys()]).toEqual(["a"]);
    expect(step(book, put("b", { needs: ["a"] }))).toMatchObject({
      error: { reason: "needs-each-other", names: ["a", "b", "a"] },
    });
    expect(step(book, put("c", { needs: ["c"] }))).toMatchObject({ error: { reason: "needs-each-other" } });
  });

  const names = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const texts = fc.constantFrom("{}", "[]", "[1]", "x".repeat(60));
  const tools = fc.record({ name: names, text: texts }).map(({ name, text }) => tool(name, { text }));
  const changes: fc.Arbitrary<ToolChange> = fc.oneof(
    tools.map((one) => ({ kind: "put" as const, tool: one })),
    names.map((name) => ({ kind: "delete" as const, name })),
    fc.record({
      kind: fc.constant("import" as const),
      prefix: fc.constantFrom("p", "q"),
      tools: fc.uniqueArray(tools, { selector: ({ name }) => name }),
    }),
  );

  test("never lets the version fall, and a caller that asks for what is newer learns of everything", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), fc.nat(30), (made, at) => {
        let book = EMPTY;
        let known = new Map<string, string>();
        let knownVersion = 0;
        for (const [index, change] of made.entries()) {
          const changed = step(book, change);
          if (!changed.ok) continue;
          const before = book;
          book = changed.value.book;
          expect(book.version).toBeGreaterThanOrEqual(before.version);
          expect(book.tools.size).toBeLessThanOrEqual(LIMITS.count);
          const versions = [...book.tools.values()].map(({ version }) => version);
          expect(new Set(versions).size).toBe(versions.length);
          expect(Math.max(0, ...versions)).toBeLessThanOrEqual(book.version);
          if (book.tools !== before.tools && differ(before, book))
            expect(book.version).toBeGreaterThan(before.version);
          // A reader comes now and then, and asks for what is newer than what it has.
          if (index % (at + 1) !== 0) continue;
          for (const [name, { version, fingerprint }] of book.tools)
            if (version > knownVersion) known.set(name, fingerprint);
          known = new Map([...known].filter(([name]) => book.tools.has(name)));
          knownVersion = book.version;
          expect(known).toEqual(new Map([...book.tools].map(([name, entry]) => [name, entry.fingerprint])));
        }
      }),
    );
  });
});

function differ(a: ToolBook, b: ToolBook): boolean {
  const print = ({ tools }: ToolBook): string =>
    JSON.stringify([...tools].map(([name, { fingerprint }]) => `${name} ${fingerprint}`).toSorted());
  return print(a) !== print(b);
}

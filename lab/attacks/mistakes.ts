import assert from "node:assert/strict";

import type { Answered, Attack } from "./attack.ts";

interface Result {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string; readonly hint?: string };
  readonly meta: { readonly read_as?: object; readonly warnings?: readonly string[] };
}

const resultsOf = ({ text }: Answered): readonly Result[] =>
  (JSON.parse(text) as { readonly results: readonly Result[] }).results;

/** The most that is said about one action. */
const HINT_CHARACTERS = 4_000;
const WARNINGS = 5;

const SHOPS = { id: "shops", tool: "probe-search", args: { q: "lamp" } };
const ECHO = { tool: "probe-echo", args: { n: 1 } };

/** Each costs its own action, and nothing else. */
const MISTAKES: readonly [mistake: unknown, code: string][] = [
  [null, "INVALID_ACTION"],
  [[ECHO], "INVALID_ACTION"],
  [JSON.stringify(ECHO), "INVALID_ACTION"],
  [{ args: { n: 1 } }, "INVALID_ACTION"],
  [{ tool: "probe-echo", args: [1] }, "INVALID_ACTION"],
  [{ tool: "probe-echo", name: "one", args: { n: 1 } }, "INVALID_ACTION"],
  [{ name: "probe-echo", function: "probe-echo" }, "INVALID_ACTION"],
  [{ tool: "probe-echo", input: { n: 1 }, params: { n: 1 } }, "INVALID_ACTION"],
  [{ tool: "probe-echo", arguments: "{n: 1}" }, "INVALID_ACTION"],
  [{ tool: "probe-echo", arguments: "[".repeat(60_000) }, "INVALID_ACTION"],
  [{ tool: "probe-echo", arguments: '{"__proto__": {"n": 1}}' }, "INVALID_ARGS"],
  [{ tool: "probe-echo", arguments: '{"n": 1e400}' }, "INVALID_ARGS"],
  [{ tool: "probe-echo", parameters: { n: "1" } }, "INVALID_ARGS"],
  [{ ...ECHO, id: "my id" }, "INVALID_ACTION"],
  [{ ...ECHO, depends_on: "shops" }, "INVALID_ACTION"],
  [{ ...ECHO, for_each: "shops#/items" }, "INVALID_ACTION"],
  [{ ...ECHO, timeout_ms: "3s" }, "INVALID_ACTION"],
  [{ tool: "Probe_Echo", args: { n: 1 } }, "UNKNOWN_TOOL"],
  [{ tool: "probe-search", args: { q: { $ref: "shops.items[0].name" } } }, "BAD_REFERENCE"],
  [{ tool: "write", args: { text: "Hi {{shops.items[0].name}}" } }, "BAD_REFERENCE"],
  [{ tool: "write", args: { text: "<shops#/items/0/name>" } }, "BAD_REFERENCE"],
];

/** Texts in which a search for placeholders could lose its way. */
const PARTS = [
  "{{shops.",
  "${shops#",
  "<shops.",
  "$shops.",
  "{",
  "{{ ",
  "<shops['",
  '{shops["',
  "$shops#/",
  "{{shops[0]",
  "$b.b ",
  "$shops#/~2 ",
];

/** The mistakes of a beginner, or a model, made so that their correction would be dear. */
export const MISTAKE_ATTACKS: readonly Attack[] = [
  {
    title: "every mistake costs its own action only, with a hint",
    run: async ({ execute }) => {
      const answer = await execute({ actions: [SHOPS, ...MISTAKES.map(([mistake]) => mistake), ECHO] });
      assert.equal(answer.status, 200);
      const [first, ...rest] = resultsOf(answer);
      const last = rest.pop();
      assert.deepEqual([first?.status, last?.status], ["success", "success"]);
      for (const [index, [mistake, code]] of MISTAKES.entries()) {
        const { error } = rest[index]!;
        assert.equal(error?.code, code, JSON.stringify(mistake).slice(0, 200));
        assert.ok(error.hint !== undefined && error.hint.length < HINT_CHARACTERS);
      }
    },
  },
  {
    title: "200 KB of half placeholders are looked through in one pass",
    run: async ({ execute }) => {
      for (const part of PARTS) {
        const text = part.repeat(Math.floor(60_000 / part.length));
        const reads = [0, 1, 2].map(() => ({ tool: "read", args: { text } }));
        const answer = await execute({ actions: [SHOPS, ...reads] });
        assert.equal(answer.status, 200);
        assert.equal(resultsOf(answer)[0]!.status, "success");
      }
    },
  },
  {
    title: "49 actions of a thousand placeholders each are warned of in a few words",
    run: async ({ execute }) => {
      const texts = Array.from({ length: 150 }, (_, n) => `{{shops.f${n}}} $shops.g`);
      const asks = Array.from({ length: 49 }, () => ({ tool: "read", args: { texts } }));
      const answer = await execute({ actions: [SHOPS, ...asks] });
      assert.equal(answer.status, 200);
      for (const { meta } of resultsOf(answer).slice(1)) {
        assert.equal(meta.warnings?.length, WARNINGS);
        for (const warning of meta.warnings) assert.ok(warning.length < 1_000);
      }
    },
  },
  {
    title: "250 KB that are almost JSON are refused with the place of the slip",
    run: async ({ send }) => {
      const bodies = [
        `{"actions": [${"1,\n".repeat(80_000)}]}`,
        `{"actions": "${"\\u0041".repeat(40_000)}`,
        `${" \n".repeat(120_000)}x`,
        `{"a": ${"0".repeat(250_000)}}`,
        `["${"x".repeat(250_000)}`,
      ];
      for (const body of bodies) {
        const answer = await send("/v1/execute_actions", body);
        assert.equal(answer.status, 400);
        assert.match(answer.text, /"code":"MALFORMED_JSON".*line \d+, column \d+/);
        assert.ok(answer.bytes < 2_000);
      }
    },
  },
];

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { compareFlows } from "../../scripts/flows/compare-flows.ts";
import { drawDifference, drawRefusal } from "../../scripts/flows/draw-difference.ts";
import { type Change, findChanges } from "../../scripts/flows/find-changes.ts";
import { findRepeatedKey } from "../../scripts/flows/find-repeated-key.ts";
import { parseFlows, writeFlows } from "../../scripts/flows/flows-file.ts";
import { FlowsClient } from "../../scripts/flows/flows-client.ts";
import { readDeployment } from "../../scripts/flows/read-deployment.ts";
import { flowSchema } from "../../src/features/flows/declaration/flow-schema.ts";
import { canonicalJson } from "../../src/core/kit/json/canonical-json.ts";
import { toPointer } from "../../src/core/kit/json/json-pointer.ts";
import { trial } from "../support/trial.ts";

type Node = Record<string | number, unknown>;

/** JSON whose parts often are alike, so that two of it share some. */
const similar = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(0, 1, "a", "b", null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

/** Carry changes out: what goes from the back, then what comes from the front. */
function apply(from: unknown, changes: readonly Change[]): unknown {
  const root: Node = { whole: structuredClone(from) };
  const parentOf = ({ path }: Change): [Node, string | number] => {
    const keys = ["whole", ...path];
    return [keys.slice(0, -1).reduce((at, key) => at[key] as Node, root), keys.at(-1)!];
  };
  const set = (at: Node, key: string | number, value: unknown) =>
    Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true });
  for (const change of changes) if (change.kind === "changed") set(...parentOf(change), change.to);
  for (const change of changes.toReversed()) {
    if (change.kind !== "removed") continue;
    const [parent, key] = parentOf(change);
    if (Array.isArray(parent)) parent.splice(key as number, 1);
    else Reflect.deleteProperty(parent, key);
  }
  for (const change of changes) {
    if (change.kind !== "added") continue;
    const [parent, key] = parentOf(change);
    if (Array.isArray(parent)) parent.splice(key as number, 0, change.to);
    else set(parent, key, change.to);
  }
  return root["whole"];
}

const told = (from: unknown, to: unknown) =>
  findChanges(from, to).map(({ kind, path }) => `${kind} ${toPointer(path)}`);

describe("findChanges()", () => {
  test("finds nothing exactly where two values are equal, and else what makes the one of the other", () => {
    fc.assert(
      fc.property(similar, similar, (from, to) => {
        const changes = findChanges(from, to);
        expect(changes.length === 0).toBe(canonicalJson(from) === canonicalJson(to));
        expect(canonicalJson(apply(from, changes))).toBe(canonicalJson(to));
      }),
    );
  });

  test("knows no order of keys, and takes -0 for the 0 that it is written as", () => {
    expect(told({ a: 1, b: { c: -0, d: 2 } }, { b: { d: 2, c: 0 }, a: 1 })).toEqual([]);
  });

  test("says where, and takes one more action in the middle for one change", () => {
    const actions = [{ id: "a" }, { id: "b" }, { id: "c" }];
    expect(told({ actions }, { actions: actions.toSpliced(1, 0, { id: "new" }) })).toEqual([
      "added /actions/1",
    ]);
    expect(told({ actions }, { actions: actions.toSpliced(1, 1) })).toEqual(["removed /actions/1"]);
    expect(told({ a: { "b/c": [1, 2] } }, { a: { "b/c": [1, 3] } })).toEqual(["changed /a/b~1c/1"]);
  });

  test("takes a reference that became a template for one change", () => {
    expect(told({ q: { $ref: "a#" } }, { q: { $template: "{{a#}}" } })).toEqual(["changed /q"]);
  });
});

describe("compareFlows()", () => {
  test("goes in the order of the new side, and names last what it does not have", () => {
    const before = new Map([
      ["gone", { n: 1 }],
      ["same", { n: 1, m: 2 }],
      ["other", { n: 1 }],
    ]);
    const after = new Map<string, Record<string, number>>([
      ["z", { n: 1 }],
      ["other", { n: 2 }],
      ["same", { m: 2, n: 1 }],
    ]);
    const { differences, unchanged } = compareFlows(before, after);
    expect(differences.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "new z",
      "changed other",
      "gone gone",
    ]);
    expect(unchanged).toBe(1);
  });
});

describe("writeFlows()", () => {
  test("sorts names, and the fields of a flow as its description has them", () => {
    const flow = Object.fromEntries(
      Object.keys(flowSchema().shape)
        .toReversed()
        .map((field) => [field, { b: 1, a: 2 }]),
    );
    const text = writeFlows(
      new Map([
        ["b", { unknown: 1, ...flow }],
        ["a", {}],
        ["B", {}],
      ]),
    );
    const { flows } = JSON.parse(text) as { flows: Record<string, object> };
    expect(Object.keys(flows)).toEqual(["B", "a", "b"]);
    expect(Object.keys(flows["b"]!)).toEqual([...Object.keys(flowSchema().shape), "unknown"]);
    expect(text).toContain('\n      "summary": {\n        "b": 1,\n        "a": 2\n      }');
    expect(text.endsWith("}\n")).toBe(true);
  });

  trial("writes what is read as the same flows, and the same text again", () => {
    const flows = fc.dictionary(
      fc.stringMatching(/^[A-Za-z][\w-]{0,9}$/),
      fc.dictionary(fc.string(), similar),
    );
    fc.assert(
      fc.property(flows, (value) => {
        const text = JSON.stringify({ flows: value });
        if (Object.values(value).some((flow) => Object.hasOwn(flow, "fingerprint"))) return;
        const written = writeFlows(parseFlows(text));
        expect(compareFlows(parseFlows(text), parseFlows(written)).differences).toEqual([]);
        expect(writeFlows(parseFlows(written))).toBe(written);
      }),
    );
  });
});

describe("parseFlows()", () => {
  test("leaves out of a flow that was copied as it is shown what is not its own", () => {
    const shown = { name: "a", summary: "s", fingerprint: "f", is_write: false, confirm: false, plan: {} };
    expect(parseFlows(JSON.stringify({ flows: { a: shown } })).get("a")).toEqual({ summary: "s" });
    expect(parseFlows('{"flows": {"a": {"name": "b"}}}').get("a")).toEqual({ name: "b" });
  });

  test.each([
    ["", "and is empty"],
    ["[]", "and is an array of 0"],
    ['{"flows": []}', "'flows' is an array of 0"],
    ['{"flows": {}, "x\\u202e": 1}', "has 'x\\u{202e}' as well"],
    ['{"flows": {"a": 1}}', "The flow 'a' must be an object, received the number 1"],
    ['{"flows": {"..": {}}}', "'..' is no name of a flow"],
    ['{"flows": {"\\ud800": {}}}', "'\\u{d800}' is no name of a flow"],
    ['{"flows":\n  {"a": {},}}', "line 2, column 12: a trailing comma"],
    ['{"flows": {"a": {"n": [1e400]}}}', "a number at /n/0 that is too large"],
    ['{"flows": {"a": {},\n "a": {}}}', "'a' stands twice in one object, again at line 2, column 2"],
    ['{"flows": {\n<<<<<<< HEAD\n"a": {}\n=======\n}}', "A merge of it is not resolved"],
    [`{"flows": {"a": {"b": ${"[".repeat(100)}`, "nests too deep"],
  ])("says what is wrong with %j", (text, said) => {
    expect(() => parseFlows(text)).toThrow(said);
  });
});

trial("findRepeatedKey() finds a key twice in one object, and only there", () => {
  expect(findRepeatedKey('{"a": {"b": 1}, "b": [{"a": "a"}, {"a": "{\\"a\\": 1, \\"a\\": 2}"}]}')).toBeNull();
  expect(findRepeatedKey('[{"a": "x:", "\\u0061" : 2}]')).toEqual({ key: "a", at: 13 });
  expect(findRepeatedKey(`{"a": "${"\\\\".repeat(500_000)}", "a": 1}`)?.key).toBe("a");
});

describe("The drawing of a difference", () => {
  const draw = (from: object, to: object) =>
    drawDifference({ kind: "changed", name: "a", flow: {}, changes: findChanges(from, to) }, 80).slice(1);

  trial("is within the width, and has nothing unseen in it, whatever it holds", () => {
    fc.assert(
      fc.property(fc.object({ withUnicodeString: true } as object), fc.object(), (from, to) => {
        for (const line of draw(JSON.parse(JSON.stringify({ ...from, x: 1 })), {
          ...JSON.parse(JSON.stringify(to)),
          x: 1,
        })) {
          expect(Array.from(line).length).toBeLessThanOrEqual(80);
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        }
      }),
    );
  });

  test("shows of two long texts where they differ", () => {
    const text = "Long ".repeat(60);
    expect(draw({ x: `${text}ago` }, { x: `${text}after` })).toEqual([
      "    ~ /x",
      `         …${` "${text}`.slice(-64)}ago"`,
      `      -> …${` "${text}`.slice(-64)}after"`,
    ]);
    expect(draw({ n: 1, m: 0 }, { n: 2, l: [], m: 0 })).toEqual(["    ~ /n 1 -> 2", "    + /l []"]);
  });

  test("says how much of a flow that became another is not shown", () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, n]));
    const lines = draw({ same: 1 }, { same: 1, ...many });
    expect([lines.length, lines.at(-1)]).toEqual([30, "    and 71 more"]);
  });

  test("wraps what a refusal says", () => {
    const issue = { path: "/a", expected: "e ".repeat(50).trim(), received: "r", hint: "Do this." };
    const lines = drawRefusal("x", { code: "INVALID_FLOW", detail: "", issues: [issue] }, 40);
    expect(lines.slice(1).every((line) => line.length <= 40)).toBe(true);
    expect(lines.at(-1)).toBe("      Do this.");
  });
});

describe("FlowsClient", () => {
  const KEY = "vk_secret";
  const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
    Response.json({ code, detail: "What to do." }, { status, headers });

  /** A client whose deployment gives these answers, one after the other, and the last of them from then on. */
  function setUp(...answers: readonly (() => Response)[]) {
    const waited: number[] = [];
    let asked = 0;
    const client = new FlowsClient(
      { url: "https://volley.test", key: KEY },
      {
        fetch: async () => answers[Math.min(asked++, answers.length - 1)]!(),
        sleep: async (ms) => void waited.push(ms),
        onWait: () => {},
      },
    );
    return { client, waited, asked: () => asked };
  }
  const listing = () => Response.json({ flows: [{ name: "a" }, { name: "b", broken: "Gone." }] });
  const busy = (after: string) => () => problem(429, "QUOTA_EXCEEDED", { "retry-after": after });

  trial("waits as long as it is asked to, and goes on", async () => {
    const { client, waited } = setUp(busy("2"), busy("3"), listing);
    expect(await client.list()).toEqual([
      { name: "a", broken: null },
      { name: "b", broken: "Gone." },
    ]);
    expect(waited).toEqual([2000, 3000]);
  });

  test("gives up after five waits, and where one would be longer than a minute", async () => {
    const often = setUp(busy("1"));
    await expect(often.client.list()).rejects.toThrow("quota is used up (429); run it again in 1 s");
    expect([often.waited.length, often.asked()]).toEqual([5, 6]);
    const long = setUp(busy("3600"));
    await expect(long.client.list()).rejects.toThrow("run it again in 3600 s");
    expect(long.waited).toEqual([]);
  });

  test.each([
    [() => problem(401, "UNAUTHORIZED"), "https://volley.test does not know the key in VOLLEY_KEY (401)."],
    [() => problem(403, "FORBIDDEN"), "The key may not do that: What to do."],
    [() => problem(500, "UNAVAILABLE"), "https://volley.test failed (500); run it again later. What to do."],
    [() => new Response("<html>", { status: 502 }), "https://volley.test failed (502); run it again later."],
    [
      () => new Response("<html>"),
      "does not answer as Volley does (200 for GET /v1/flows); is VOLLEY_URL right?",
    ],
    [() => Response.json({ flows: 1 }), "does not answer as Volley does (200"],
    [() => new Response("<html>", { status: 403 }), "does not answer as Volley does (403"],
    [() => new Response("", { status: 301 }), "sends on to another address (301)"],
    [() => problem(404, "NOT_FOUND"), "refused GET /v1/flows with 404 NOT_FOUND: What to do."],
  ])("says in a sentence what would be the same for every flow: %#", async (answer, said) => {
    await expect(setUp(answer).client.list()).rejects.toThrow(said);
  });

  test.each([
    [
      Object.assign(new TypeError(`bad ${KEY}`), { cause: { code: "ECONNREFUSED" } }),
      "nothing listens there",
    ],
    [Object.assign(new TypeError(`bad ${KEY}`), { cause: { code: "ENOTFOUND" } }), "no host of that name"],
    [
      Object.assign(new TypeError(`bad ${KEY}`), { cause: { code: "CERT_HAS_EXPIRED" } }),
      "certificate is not accepted",
    ],
    [new DOMException("", "TimeoutError"), "no answer in 30 s"],
    [new TypeError(`bad ${KEY}`), "the connection failed"],
  ])("says why there was no answer, and not what the platform said: %s", async (error, said) => {
    const { client } = setUp(() => {
      throw error;
    });
    const listed = client.list();
    await expect(listed).rejects.toThrow(said);
    await expect(listed).rejects.not.toThrow(KEY);
  });

  test("gives a kept flow with what is to be said of it, safe to print, and without what is not its own", async () => {
    const issues = [
      { severity: "error", path: "/a", expected: "e", received: "r", hint: "h\u202e" },
      { severity: "x" },
    ];
    const answer = () => Response.json({ name: "a", summary: "s", fingerprint: "f", issues });
    const kept = {
      flow: { summary: "s" },
      issues: [
        { severity: "error", path: "/a", expected: "e", received: "r", hint: "h\\u{202e}" },
        { path: "", expected: "", received: "", hint: "" },
      ],
    };
    expect(await setUp(answer).client.show("a")).toEqual(kept);
    expect(await setUp(answer).client.put("a", {})).toEqual({ ok: true, value: kept });
  });

  test("gives a refusal of one flow with all its issues, safe to print", async () => {
    const issues = [{ path: "/a\u202e", expected: "e", received: "r\n", hint: "h" }, 7];
    const refused = await setUp(() =>
      Response.json({ code: "INVALID_FLOW", detail: "d", issues }, { status: 422 }),
    ).client.put("a", {});
    expect(refused).toMatchObject({
      ok: false,
      error: { issues: [{ path: "/a\\u{202e}", expected: "e", received: "r\\u{a}", hint: "h" }] },
    });
  });
});

test("readDeployment() says what is missing, takes a key as a file ends it, and never tells the key", () => {
  const VOLLEY_URL = "https://volley.test/base/";
  expect(readDeployment({ VOLLEY_URL, VOLLEY_KEY: "vk_secret\n" })).toEqual({
    url: "https://volley.test/base",
    key: "vk_secret",
  });
  const said = (env: Record<string, string>) => {
    try {
      readDeployment(env);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  expect(said({})).toContain("Set VOLLEY_URL");
  expect(said({ VOLLEY_URL: "volley.test" })).toContain("VOLLEY_URL is no address");
  expect(said({ VOLLEY_URL: "https://a:b@volley.test" })).toContain("without a name");
  expect(said({ VOLLEY_URL })).toContain("Set VOLLEY_KEY");
  const broken = said({ VOLLEY_URL, VOLLEY_KEY: "vk_secret\nX-Other: 1" });
  expect(broken).toContain("characters that no key has");
  expect(broken).not.toContain("vk_secret");
});

import { describe, expect, test } from "vitest";

import * as LIMITS from "../src/core/contract/limits.ts";
import type { WireResult } from "./support/execute-batch.ts";
import { expectClean, SECRETS } from "./support/expect-clean.ts";
import { UPSTREAM_TEXT } from "./support/hostile-answers.ts";
import { setUpSandbox } from "./support/set-up-sandbox.ts";
import { problemOf, type RawRequest } from "./support/test-caller.ts";

/*
 * The answers to a hostile user or upstream, over HTTP, from the built bundle. Every row is a sentence, what is sent, and the
 * documented answer; what must hold of all of them (no 500, no upstream's text, no secret, siblings unharmed) is checked for
 * each.
 */

const { upstream, volley, caller } = await setUpSandbox();

const ECHO = { tool: "probe-echo", args: { n: 1 } };
const echo = (n: number) => ({ ...ECHO, args: { n } });
const echoes = (count: number): object[] => Array.from({ length: count }, (_, n) => echo(n));
const batch = (...actions: unknown[]): string => JSON.stringify({ actions });
const batchWith = (fields: object): string => JSON.stringify({ actions: [ECHO], ...fields });
/** A batch whose only action carries `args`, written by hand. */
const rawArgs = (args: string): string => `{"actions":[{"tool":"read","args":${args}}]}`;
/** A body that nests `depth` levels: its object, the list, the action and the args are the first four. */
const deep = (depth: number): string => rawArgs(`{"a":${"[".repeat(depth - 4)}${"]".repeat(depth - 4)}}`);
const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const typed = (type: string | undefined): RawRequest => ({
  body: batch(ECHO),
  headers: { "content-type": type },
});

type Refused = [sentence: string, request: RawRequest, status: number, code: string, detail?: RegExp];

const NOT_JSON: Refused[] = [
  ["an empty body", { body: "" }, 400, "MALFORMED_JSON", /empty/],
  ["blanks", { body: " \n\t " }, 400, "MALFORMED_JSON", /empty/],
  ["T07 a lone brace", { body: "{" }, 400, "MALFORMED_JSON"],
  ["a list that is not closed", { body: '{"actions":[' }, 400, "MALFORMED_JSON", /too early/],
  ["single quotes", { body: "{'actions':[]}" }, 400, "MALFORMED_JSON", /line 1, column 2/],
  ["a trailing comma", { body: '{"actions":[],}' }, 400, "MALFORMED_JSON"],
  ["a comment", { body: "{} // done" }, 400, "MALFORMED_JSON"],
  ["two documents", { body: batch(ECHO) + batch(ECHO) }, 400, "MALFORMED_JSON"],
  ["NaN", { body: rawArgs('{"n":NaN}') }, 400, "MALFORMED_JSON"],
  ["T07 a NUL inside a string", { body: rawArgs('{"a":"\0"}') }, 400, "MALFORMED_JSON"],
  ["a NUL after the document", { body: `${batch(ECHO)}\0` }, 400, "MALFORMED_JSON"],
  ["HTML", { body: "<actions/>" }, 400, "MALFORMED_JSON"],
  ["T07 invalid UTF-8", { body: bytes('{"actions":"', [0xff], '"}') }, 400, "MALFORMED_JSON", /UTF-8/],
  ["T07 overlong UTF-8", { body: bytes('{"actions":"', [0xc0, 0xaf], '"}') }, 400, "MALFORMED_JSON", /UTF-8/],
  ["a surrogate in UTF-8", { body: bytes('{"a":"', [0xed, 0xa0, 0x80], '"}') }, 400, "MALFORMED_JSON"],
  ["UTF-16", { body: Buffer.from(batch(ECHO), "utf16le") }, 400, "MALFORMED_JSON"],
  ["bytes that are no text", { body: bytes([0x1f, 0x8b, 0x08, 0x00]) }, 400, "MALFORMED_JSON", /UTF-8/],
];

const NOT_A_BATCH: Refused[] = [
  ["a list", { body: "[]" }, 422, "INVALID_BATCH", /an object, received an array of 0/],
  ["a string", { body: '"x"' }, 422, "INVALID_BATCH"],
  ["a number", { body: "1" }, 422, "INVALID_BATCH"],
  ["null", { body: "null" }, 422, "INVALID_BATCH"],
  ["no actions", { body: "{}" }, 422, "INVALID_BATCH", /\/actions must be an array, received nothing/],
  ["actions that are an object", { body: '{"actions":{}}' }, 422, "INVALID_BATCH", /an array/],
  ["empty actions", { body: batch() }, 422, "INVALID_BATCH", /at least 1 item long/],
  ["T04 51 actions", { body: batch(...echoes(51)) }, 422, "INVALID_BATCH", /at most 50/],
  [
    "T04 100,000 numbers",
    { body: `{"actions":[${"1,".repeat(99_999)}1]}` },
    422,
    "INVALID_BATCH",
    /at most 50/,
  ],
  ["an unknown field", { body: batchWith({ parallel: true }) }, 422, "INVALID_BATCH", /\/parallel/],
  [
    "a misspelt field",
    { body: batchWith({ deadline: 5 }) },
    422,
    "INVALID_BATCH",
    /Did you mean 'deadline_ms' instead of 'deadline'/,
  ],
  [
    "`__proto__`",
    { body: `{"__proto__":{"a":1},${batch(ECHO).slice(1)}` },
    422,
    "INVALID_BATCH",
    /__proto__/,
  ],
  ["`constructor`", { body: batchWith({ constructor: {} }) }, 422, "INVALID_BATCH", /constructor/],
  ["a wrong on_error", { body: batchWith({ on_error: "retry" }) }, 422, "INVALID_BATCH", /"fail-fast"/],
  ["no deadline at all", { body: batchWith({ deadline_ms: 0 }) }, 422, "INVALID_BATCH", /deadline_ms/],
  ["a deadline over a minute", { body: batchWith({ deadline_ms: 60_001 }) }, 422, "INVALID_BATCH", /60000/],
  ["a deadline that is text", { body: batchWith({ deadline_ms: "9" }) }, 422, "INVALID_BATCH", /a number/],
  ["an endless deadline", { body: '{"actions":[{}],"deadline_ms":1e400}' }, 422, "INVALID_BATCH"],
  [
    "T06 an id used twice",
    { body: batch({ ...ECHO, id: "x" }, { ...ECHO, id: "x" }) },
    422,
    "INVALID_BATCH",
    /Actions 0 and 1 both have the id 'x'/,
  ],
  [
    "an id that is another action's default",
    { body: batch({ ...ECHO, id: "a1" }, ECHO) },
    422,
    "INVALID_BATCH",
    /'a1'/,
  ],
  [
    "a circle of dependencies",
    { body: batch({ ...ECHO, id: "x", depends_on: ["y"] }, { ...ECHO, id: "y", depends_on: ["x"] }) },
    422,
    "INVALID_BATCH",
    /wait for each other/,
  ],
  ["an action that waits for itself", { body: batch({ ...ECHO, depends_on: ["a0"] }) }, 422, "INVALID_BATCH"],
  ["T05 33 levels", { body: deep(33) }, 422, "INVALID_BATCH", /32 levels/],
  ["T05 200,000 levels", { body: "[".repeat(200_000) }, 422, "INVALID_BATCH", /32 levels/],
  [
    "an Idempotency-Key of 256 characters",
    { body: batch(ECHO), headers: { "idempotency-key": "k".repeat(256) } },
    422,
    "INVALID_BATCH",
    /255/,
  ],
];

const TOO_LARGE = "x".repeat(300 * 1024);

const NOT_OUR_HTTP: Refused[] = [
  ["T04 300 KiB", { body: TOO_LARGE }, 413, "BODY_TOO_LARGE", /262144 bytes/],
  [
    "T04 300 KiB of unknown length",
    { body: Array<string>(300).fill("x".repeat(1024)) },
    413,
    "BODY_TOO_LARGE",
  ],
  ["one byte too much", { body: "x".repeat(LIMITS.bodyBytes + 1) }, 413, "BODY_TOO_LARGE"],
  ["T04 a million numbers", { body: `{"actions":[${"0,".repeat(999_999)}0]}` }, 413, "BODY_TOO_LARGE"],
  [
    "a compressed body",
    { body: batch(ECHO), headers: { "content-encoding": "gzip" } },
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    /content-encoding/,
  ],
  ["T07 no content type", typed(undefined), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["an empty content type", typed(""), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["text", typed("text/plain"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["T07 a form", typed("application/x-www-form-urlencoded"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["something like JSON", typed("application/jsonp"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["two content types", typed("text/plain, application/json"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["Latin-1", typed("application/json; charset=iso-8859-1"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["a form in disguise", typed("application/json; boundary=x"), 415, "UNSUPPORTED_MEDIA_TYPE"],
  ["an unknown path", { path: "/v2/execute_actions", body: batch(ECHO) }, 404, "NOT_FOUND"],
  ["a slash at the end", { path: "/v1/execute_actions/", body: batch(ECHO) }, 404, "NOT_FOUND"],
  ["two slashes", { path: "//v1/execute_actions", body: batch(ECHO) }, 404, "NOT_FOUND"],
  ["another case", { path: "/V1/EXECUTE_ACTIONS", body: batch(ECHO) }, 404, "NOT_FOUND"],
  ["`..`", { path: "/v1/x/..%2fexecute_actions", body: batch(ECHO) }, 404, "NOT_FOUND"],
  ["a path that is not UTF-8", { path: "/v1/jobs/%ff%fe", method: "GET" }, 404, "NOT_FOUND"],
  ["an unknown format", { path: "/v1/tools?format=yaml", method: "GET" }, 400, "INVALID_QUERY", /openai/],
  ["an unknown parameter", { path: "/v1/tools?colour=red", method: "GET" }, 400, "INVALID_QUERY", /colour/],
  ["T11 a request of our own", { body: batch(ECHO), headers: { "volley-hop": "1" } }, 403, "LOOP_DETECTED"],
];

describe("P6: A request is refused whole, nothing runs", () => {
  const rows = [...NOT_JSON, ...NOT_A_BATCH, ...NOT_OUR_HTTP];

  test.each(rows)("%s", async (_, request, status, code, detail) => {
    const answer = await caller.send(request);

    expectClean(answer);
    const problem = problemOf(answer);
    expect(problem).toMatchObject({ status, code, type: `urn:volley:problem:${code}` });
    expect(answer.status).toBe(status);
    expect(problem.request_id).toBe(answer.headers["x-request-id"]);
    if (detail !== undefined) expect(problem.detail).toMatch(detail);
    // A request that runs nothing is counted before it is looked at, and by its own allowance.
    expect(answer.headers["ratelimit"] ?? "").not.toContain("requests");
  });

  test("none of them reached an upstream", () => {
    expect(upstream.requests).toEqual([]);
  });
});

describe("T24 A method that a path does not have is answered 405 with the one it has", () => {
  const wrong: [method: string, path: string, allow: string][] = [
    ...["GET", "PUT", "DELETE", "PATCH", "OPTIONS"].map((method): [string, string, string] => [
      method,
      "/v1/execute_actions",
      "POST",
    ]),
    ["POST", "/v1/tools", "GET, HEAD"],
    ["DELETE", "/v1/jobs/1", "GET, HEAD"],
    ["OPTIONS", "/v1/tools", "GET, HEAD"],
  ];

  test.each(wrong)("%s %s", async (method, path, allow) => {
    const answer = await caller.send({ method, path });

    expectClean(answer);
    expect(problemOf(answer)).toMatchObject({ status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.allow).toBe(allow);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  });
});

describe("A request within the limits passes", () => {
  const accepted: [sentence: string, request: RawRequest][] = [
    ["32 levels", { body: deep(32) }],
    ["brackets inside a string", { body: rawArgs(`{"a":"${"[".repeat(1_000)}"}`) }],
    ["256 KiB to the byte", { body: batch(ECHO).padEnd(LIMITS.bodyBytes, " ") }],
    ["64 KiB of args", { body: rawArgs(`{"a":"${"x".repeat(LIMITS.argsBytes - 8)}"}`) }],
    ["a body of unknown length", { body: [batch(ECHO).slice(0, 9), batch(ECHO).slice(9)] }],
    ["a charset that says UTF-8", typed('application/json; charset="UTF-8"')],
    ["a structured suffix", typed("application/vnd.volley+json")],
    ["50 actions", { body: batch(...echoes(50)) }],
  ];

  test.each(accepted)("%s", async (_, request) => {
    const answer = await caller.send(request);

    expectClean(answer);
    expect(answer.status).toBe(200);
    const { results } = JSON.parse(answer.text) as { results: WireResult[] };
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["success"]));
  });
});

/** The fate of one action: `success`, a code, or one of several where the runtime decides. */
type Fate = string | readonly string[];
type Row = [sentence: string, action: unknown, fate: Fate, details?: RegExp | object];

const probe = (args: unknown): object => ({ tool: "probe-echo", args });
/** An action that JSON.stringify cannot write, as text. */
class Written {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}
const argsWritten = (json: string): Written => new Written(`{"tool":"read","args":${json}}`);

const BAD_ACTIONS: Row[] = [
  ["null", null, "INVALID_ACTION"],
  ["a string", "probe-echo", "INVALID_ACTION", /must be an object/],
  ["no tool", { args: {} }, "INVALID_ACTION", /\/tool must be a string, received nothing/],
  ["an empty tool", { tool: "" }, "INVALID_ACTION", /at least 1 character long/],
  ["a tool that is a number", { tool: 7 }, "INVALID_ACTION", /received the number 7/],
  ["an unknown field", { ...ECHO, retries: 3 }, "INVALID_ACTION", /no field \/retries/],
  ["a misspelt field", { ...ECHO, depend_on: [] }, "INVALID_ACTION", /Did you mean 'depends_on'/],
  ["`__proto__` beside args", new Written('{"tool":"read","__proto__":{}}'), "INVALID_ACTION", /__proto__/],
  ["an id with a blank", { ...ECHO, id: "my id" }, "INVALID_ACTION", /\/id must be text matching/],
  ["an id of 65 letters", { ...ECHO, id: "x".repeat(65) }, "INVALID_ACTION"],
  ["no time at all", { ...ECHO, timeout_ms: 0 }, "INVALID_ACTION"],
  ["a dependency that is text", { ...ECHO, depends_on: "a" }, "INVALID_ACTION", /must be an array/],
  ["a dependency on nothing", { ...ECHO, depends_on: ["shop"] }, "BAD_REFERENCE", /'shop'.*there is 'first'/],
  ["an unknown tool", { tool: "probe-ecco" }, "UNKNOWN_TOOL", /Did you mean 'probe-echo'/],
  ["T06 `toString`", { tool: "toString" }, "UNKNOWN_TOOL"],
  ["`constructor`", { tool: "constructor" }, "UNKNOWN_TOOL"],
  ["`__proto__`", { tool: "__proto__" }, "UNKNOWN_TOOL"],
  ["T07 a name with a NUL", { tool: "probe-echo\0" }, "UNKNOWN_TOOL", /\\u/],
  ["T07 a name written backwards", { tool: "\u202eohce-eborp" }, "UNKNOWN_TOOL", /\\u/],
  ["T07 a name with a zero-width space", { tool: "probe\u200b-echo" }, "UNKNOWN_TOOL", /\\u/],
  ["a Cyrillic letter", { tool: "prоbe-echo" }, "UNKNOWN_TOOL"],
  ["a name of 60,000 letters", { tool: "x".repeat(60_000) }, "UNKNOWN_TOOL"],
  ["args that are a list", probe([]), "INVALID_ACTION", /\/args must be an object/],
  ["args that are text", probe("n=1"), "INVALID_ACTION", /\/args must be an object/],
  ["args that are JSON text of a list", probe("[1]"), "INVALID_ACTION", /\/args must be an object/],
  [
    "args of the wrong type",
    probe({ n: "1" }),
    "INVALID_ARGS",
    { issues: [{ path: "/args/n", expected: "a number", received: 'the string "1"' }] },
  ],
  ["an argument missing", probe({}), "INVALID_ARGS", /\/args\/n must be a number, received nothing/],
  ["an argument too large", probe({ n: 1, d: 60_001 }), "INVALID_ARGS", /at most 60000/],
  ["an unknown argument", probe({ n: 1, delay: 9 }), "INVALID_ARGS", /no field \/args\/delay/],
  ["T06 `__proto__` in args", argsWritten('{"__proto__":{"admin":true}}'), "INVALID_ARGS", /__proto__/],
  [
    "T06 `constructor` deep in args",
    argsWritten('{"a":[{"constructor":1}]}'),
    "INVALID_ARGS",
    /\/args\/a\/0\/con/,
  ],
  ["T06 `prototype` in args", argsWritten('{"prototype":1}'), "INVALID_ARGS"],
  ["T08 1e400", argsWritten('{"n":1e400}'), "INVALID_ARGS", /\/args\/n must be a finite number/],
  ["-1e400 in a list", argsWritten('{"n":[0,-1e400]}'), "INVALID_ARGS", /\/args\/n\/1 must be a finite/],
  ["T08 2^53", argsWritten('{"n":9007199254740992}'), "INVALID_ARGS", /within ±\(2\^53 - 1\), or a string/],
  ["args over 64 KiB", argsWritten(`{"a":"${"x".repeat(65_600)}"}`), "INVALID_ARGS", /65536 bytes/],
  ["args over 64 KiB in UTF-8", argsWritten(`{"a":"${"é".repeat(32_800)}"}`), "INVALID_ARGS", /65536 bytes/],
];

const any = (path: string): object => ({ tool: "probe-any", args: { path } });
const redirect = (to: string, status = 302): object =>
  any(`/redirect?status=${status}&to=${encodeURIComponent(to)}`);
const limited = (retryAfter: string, status = 429): object =>
  any(`/status/${status}?retry-after=${encodeURIComponent(retryAfter)}`);
const inAMinute = new Date(Date.now() + 60_000).toUTCString();

const BAD_UPSTREAMS: Row[] = [
  ["F01 never sends headers", any("/hang"), "TIMEOUT", { phase: "total", retryable: true }],
  ["T13 stalls in its body", any("/stall"), "TIMEOUT", { phase: "total", retryable: true }],
  ["T13 trickles", any("/trickle"), "TIMEOUT", { phase: "total", retryable: true }],
  ["F03 resets before its headers", any("/reset"), "UPSTREAM_ERROR", /could not be reached, or hung up/],
  ["F03 resets in its body", any("/reset-mid"), "UPSTREAM_ERROR", /broke off/],
  ["F03 sends less than it promised", any("/short"), "UPSTREAM_ERROR", /broke off/],
  ["T29 sends more than it promised", any("/lies"), "success", { data: {} }],
  ["T12 sends 50 MB of zeros gzipped", any("/zip-bomb"), "RESPONSE_TOO_LARGE", /1048576 bytes/],
  ["T12 sends 5 MB", any("/big"), "RESPONSE_TOO_LARGE", /1048576 bytes/],
  ["T12 never ends", any("/endless"), "RESPONSE_TOO_LARGE"],
  ["T12 sends a million tiny chunks", any("/chunks"), ["RESPONSE_TOO_LARGE", "TIMEOUT"]],
  ["F06 sends HTML", any("/html"), "success", { data: { text: expect.stringContaining("sign in") } }],
  ["F06 sends nothing", any("/empty"), "success", { data: { text: "" } }],
  ["F06 sends nothing as JSON", any("/empty?json"), "BAD_UPSTREAM_RESPONSE", /with nothing where JSON/],
  ["F06 answers 204", any("/no-content"), "success", { data: { text: "" } }],
  ["F06 sends Latin-1", any("/latin1"), "success", { data: { text: "café" } }],
  [
    "F06 names no charset there is",
    any("/bad-charset"),
    "BAD_UPSTREAM_RESPONSE",
    /encoding that is not known/,
  ],
  ["sends invalid UTF-8", any("/bad-utf8"), "BAD_UPSTREAM_RESPONSE", /not text in the encoding/],
  ["sends broken JSON", any("/bad-json"), "BAD_UPSTREAM_RESPONSE", /something that only claims to be JSON/],
  ["nests 100,000 levels", any("/deep-json"), "TOOL_FAILED", /nests deeper/],
  ["sends 1e400", any("/infinity"), ["success", "BAD_UPSTREAM_RESPONSE"]],
  ["T10 redirects to a metadata service", redirect("http://169.254.169.254/latest/"), "EGRESS_DENIED"],
  ["redirects to another host", redirect("https://evil.example/"), "EGRESS_DENIED", /'evil\.example'/],
  ["redirects to another port", redirect("http://127.0.0.1:1/"), "EGRESS_DENIED"],
  ["T10 redirects to localhost", redirect("http://localhost/"), "EGRESS_DENIED"],
  ["redirects with 307", redirect("http://[::ffff:169.254.169.254]/", 307), "EGRESS_DENIED"],
  ["redirects to a file", redirect("file:///etc/passwd"), "EGRESS_DENIED"],
  ["redirects to what is no URL", redirect("http://["), "UPSTREAM_ERROR", /not a URL/],
  ["redirects without saying where", any("/status/302"), "UPSTREAM_ERROR", { upstream_status: 302 }],
  ["T10 redirects in circles", any("/redirect-loop"), "UPSTREAM_ERROR", /more than 3 times/],
  ["redirects to itself, decently", redirect("/echo?n=7"), "success", { data: { path: "/echo", n: 7 } }],
  ["answers 304", any("/status/304"), "UPSTREAM_ERROR", { upstream_status: 304 }],
  ["answers 400", any("/status/400"), "UPSTREAM_ERROR", { upstream_status: 400, retryable: false }],
  ["answers 401", any("/status/401"), "UPSTREAM_ERROR", { upstream_status: 401, retryable: false }],
  ["answers 403", any("/status/403"), "UPSTREAM_ERROR", { upstream_status: 403, retryable: false }],
  ["answers 404", any("/status/404"), "NOT_FOUND", { upstream_status: 404, retryable: false }],
  ["answers 418", any("/status/418"), "UPSTREAM_ERROR", { upstream_status: 418, retryable: false }],
  ["answers 500", any("/status/500"), "UPSTREAM_ERROR", { upstream_status: 500, retryable: true }],
  ["answers 503", any("/status/503"), "UPSTREAM_ERROR", { upstream_status: 503, retryable: true }],
  ["answers 599", any("/status/599"), "UPSTREAM_ERROR", { upstream_status: 599 }],
  ["answers 429", any("/status/429"), "RATE_LIMITED", { upstream_status: 429, retryable: true }],
  ["asks for 2 s", limited("2"), "RATE_LIMITED", { retry_after_ms: 2_000 }],
  ["asks for a day", limited("86400"), "RATE_LIMITED", { retry_after_ms: 3_600_000 }],
  ["F04 asks for ever", limited("9".repeat(400)), "RATE_LIMITED", { retry_after_ms: 3_600_000 }],
  ["F04 asks for a date", limited(inAMinute), "RATE_LIMITED", { retry_after_ms: expect.closeTo(60_000, -5) }],
  [
    "asks for a date gone by",
    limited("Fri, 31 Dec 1999 23:59:59 GMT"),
    "RATE_LIMITED",
    { retry_after_ms: 0 },
  ],
  ["F04 asks for a time before now", limited("-5"), "RATE_LIMITED", /; wait before trying again/],
  ["asks for nonsense", limited("soon"), "RATE_LIMITED", /; wait before trying again/],
  ["F04 asks for 2 s with a 503", limited("2", 503), "UPSTREAM_ERROR", { retry_after_ms: 2_000 }],
];

const FORBIDDEN_TARGETS: Row[] = [
  "http://169.254.169.254/",
  "//evil.example/",
  "/\\evil.example/",
  "\\\\evil.example/",
  "\t//evil.example/",
  "https://evil.example/",
  "http://localhost:1/",
  "http://localhost./",
  "http://127.0.0.1:1/",
  "http://[::1]/",
  "http://[::ffff:7f00:1]/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://①②⑦.⓪.⓪.①/",
  "http://0/",
  "http://metadata.google.internal/",
  "http://evil.example%2f@127.0.0.1/",
  "http://user@host/",
  "data:application/json,{}",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "ftp://127.0.0.1/",
  "ws://127.0.0.1/",
  "http://[",
  "http://127.0.0.1:99999/",
  "http://",
].map((path): Row => [JSON.stringify(path), any(path), "EGRESS_DENIED"]);

describe.concurrent("An action that is wrong costs that action only", () => {
  test.each(BAD_ACTIONS)("%s", expectFate);
});

describe.concurrent("P6: An upstream that misbehaves costs its own action only: one that", () => {
  test.each(BAD_UPSTREAMS)("%s", expectFate);
});

describe.concurrent("P8: T09 A tool cannot be talked into calling", () => {
  test.each(FORBIDDEN_TARGETS)("%s", expectFate);
});

/** Send an action between two that are well, and look at what becomes of all three. */
async function expectFate(_: string, action: unknown, fate: Fate, details?: RegExp | object): Promise<void> {
  const text = action instanceof Written ? action.json : JSON.stringify(action);
  const first = JSON.stringify({ ...echo(11), id: "first" });
  const body = `{"actions":[${first},${text},${JSON.stringify(echo(22))}]}`;
  const answer = await caller.send({ body });

  expectClean(answer);
  expect(answer.status).toBe(200);
  expect(answer.text).not.toMatch(/[\u200b\u202e]/);
  const { results } = JSON.parse(answer.text) as { results: WireResult[] };
  // The service's words stand in one place only, as data.
  const ours = JSON.stringify(results, (key, value: unknown) => (key === "upstream" ? undefined : value));
  expect(ours).not.toContain(UPSTREAM_TEXT);
  expect(results.map(({ index }) => index)).toEqual([0, 1, 2]);
  expect(results[0]).toMatchObject({ status: "success", data: { path: "/echo", n: 11 } });
  expect(results[2]).toMatchObject({ status: "success", data: { path: "/echo", n: 22 } });

  const result = results[1]!;
  const became = result.status === "success" ? "success" : result.error?.code;
  expect(typeof fate === "string" ? [fate] : fate, JSON.stringify(result.error)).toContain(became);
  if (result.status !== "success") {
    expect(result.status).toBe("error");
    // A timeout says all there is to say with its phase.
    if (became !== "TIMEOUT") expect(result.error?.hint).toMatch(/[.?]$/);
  }
  if (details instanceof RegExp) expect(result.error?.hint).toMatch(details);
  else if (details !== undefined)
    expect(result.status === "success" ? result : result.error).toMatchObject(details);
}

describe("When all of that is over", () => {
  test("P7: the Worker is well, and printed neither a secret nor a stack", async () => {
    expect(await caller.execute([ECHO])).toMatchObject({ summary: { ok: 1 } });
    const printed = volley.output();
    for (const secret of [...SECRETS, UPSTREAM_TEXT]) expect(printed).not.toContain(secret);
    // Raw workerd has neither databases nor buckets, which is said once.
    const lines = printed
      .replace(/^Volley has .*\n(?: {2}Missing binding.*\n)*/, "")
      .trim()
      .split("\n");
    const events = lines.map((line) => (JSON.parse(line) as { readonly event: string }).event);
    expect(events.filter((event) => !["batch", "job_attempt", "request_refused"].includes(event))).toEqual(
      [],
    );
    expect(printed).not.toContain("    at ");
  });

  test.each(["/hang", "/stall", "/trickle", "/endless", "/chunks"])(
    "the connection to %s was closed, not kept",
    async (path) => {
      const requests = upstream.requestsTo(path);
      expect(requests).toHaveLength(1);
      expect(await requests[0]!.end).toBe("torn");
    },
  );

  test("hundreds of requests left a few connections open, not hundreds", () => {
    expect(upstream.requests.length).toBeGreaterThan(200);
    expect(upstream.openSockets).toBeLessThan(50);
  });

  test("P8: T09 T15 only the declared origin was ever called, with our mark and no header of the caller's", async () => {
    const [result] = (await caller.execute([any("/echo-headers")])).results;
    expect(result?.data).toEqual({
      host: `127.0.0.1:${upstream.port}`,
      "user-agent": "volley",
      "volley-hop": "1",
    });
  });
});

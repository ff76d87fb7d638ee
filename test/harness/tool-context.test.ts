import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { startSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";

const SECRET = "sandbox-probe-secret";

/** A line of the log. */
interface Line {
  readonly level: string;
  readonly event: string;
  readonly request_id: string;
  readonly tenant: string;
  readonly key: string;
  readonly tool: string;
  readonly message?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
}

const volley = await startSandbox({ config: "lab/attacks/wrangler.toml" });
const caller = new TestCaller(volley.url);

/** Run one action, and read what the log says of it. */
async function run(tool: string, deed: string, key = "sandbox-key") {
  const answer = await caller.send({
    body: JSON.stringify({
      actions: [
        { tool, args: { deed } },
        { tool: "author", args: { deed: "sibling" } },
      ],
    }),
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain(SECRET);
  const [result, sibling] = (JSON.parse(answer.text) as WireEnvelope).results;
  expect(sibling).toMatchObject({ status: "success", data: { did: "sibling" } });
  const requestId = answer.headers["x-request-id"];
  return { result: result!, requestId, lines: () => linesOf((line) => line.request_id === requestId) };
}

function linesOf(matches: (line: Line) => boolean): Line[] {
  const lines = volley
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  // Lines of the batch itself and of its jobs' attempts are tested with the operator's view.
  const isOfTool = ({ event }: Line): boolean => event !== "batch" && event !== "job_attempt";
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => isOfTool(line) && matches(line));
}

/** Output comes over a pipe, after the answer. */
function logged(of: { readonly lines: () => Line[] }, count = 1): Promise<Line[]> {
  return eventually(`${count} lines of the log`, async () => {
    const lines = of.lines();
    return lines.length >= count ? lines : undefined;
  });
}

test("T16 a tool that throws by mistake is logged with name, message and stack, without its secrets, and its caller learns none of it", async () => {
  const ran = await run("author", "throw-secret");
  expect(ran.result).toMatchObject({ status: "error", error: { code: "TOOL_FAILED" } });
  expect(JSON.stringify(ran.result)).not.toContain("Cannot sign");
  const [line] = await logged(ran);
  expect(line).toEqual({
    level: "error",
    event: "tool_failed",
    request_id: ran.requestId,
    tenant: "sandbox",
    key: "sandbox",
    tool: "author",
    error: {
      name: "TypeError",
      message: "Cannot sign with [redacted]",
      stack: expect.stringMatching(/^ +at .*\n +at /),
    },
  });
});

test.each([
  ["throw-names", undefined],
  ["throw-text", { name: "(no Error)", message: "only text" }],
  ["throw-nothing", { name: "(no Error)" }],
  ["throw-much", { name: "Error", message: "(text of 10000000 characters)" }],
  ["throw-trap", { name: "(unreadable)" }],
])("F08 a tool that does %s is one failed result and one line", async (deed, error) => {
  const ran = await run("author", deed);
  expect(ran.result).toMatchObject({ status: "error", error: { code: "TOOL_FAILED" } });
  expect(await logged(ran)).toMatchObject([{ event: "tool_failed", ...(error && { error }) }]);
});

test("an attempt of a job that throws is logged with the request that asked for it", async () => {
  const ran = await run("author-job", "throw-secret");
  expect(ran.result.status).toBe("initiated");
  const [line] = await logged(ran);
  expect(line).toMatchObject({
    event: "tool_failed",
    tenant: "sandbox",
    key: "sandbox",
    tool: "author-job",
    error: { message: "Cannot sign with [redacted]" },
  });
});

test("T25 what a tool logs is one line of JSON each, that says whose it is and holds no secret", async () => {
  const ran = await run("author", "log-secret");
  expect(ran.result.status).toBe("success");
  const [line, long] = await logged(ran, 2);
  expect(line).toMatchObject({
    level: "info",
    event: "tool_log",
    tenant: "sandbox",
    key: "sandbox",
    tool: "author",
    message: "raw [redacted]",
    fields: { "[redacted]": "as a key", url: "[redacted]", deep: [{ secret: "[redacted]" }] },
  });
  expect(long).toMatchObject({ level: "error", message: "(left out: too long)" });
  for (const form of [SECRET, Buffer.from(`user:${SECRET}`).toString("base64"), SECRET.slice(0, 10)])
    expect(JSON.stringify([line, long])).not.toContain(form);
});

test("T25 a line cannot pretend to be another's", async () => {
  const ran = await run("author", "log-forged");
  expect(await logged(ran)).toMatchObject([
    { event: "tool_log", tenant: "sandbox", message: 'a"}\n{"event":"forged"}', fields: { tenant: "other" } },
  ]);
  expect(linesOf(({ event, request_id }) => event === "forged" || request_id === "forged")).toEqual([]);
});

test.each([
  ["log-much", 1, { message: "(text of 10000000 characters)" }],
  ["log-wide", 1, { message: "wide" }],
  ["log-circle", 4, { message: "circle" }],
])("a tool that does %s writes short lines, and its result is what it was", async (deed, count, first) => {
  const ran = await run("author", deed);
  expect(ran.result).toMatchObject({ status: "success", data: { did: deed } });
  const lines = await logged(ran, count);
  expect(lines).toHaveLength(count);
  expect(lines[0]).toMatchObject(first);
  for (const line of lines) expect(JSON.stringify(line).length).toBeLessThanOrEqual(8 * 1024);
});

test.each([
  ["log-often", 101],
  ["log-full", 9],
])("a tool that does %s is cut short, and a line says so", async (deed, count) => {
  const ran = await run("author", deed);
  const lines = await logged(ran, count);
  expect(lines).toHaveLength(count);
  expect(lines.at(-1)).toMatchObject({
    level: "warn",
    message: expect.stringMatching(/^The rest is left out/),
  });
});

test.each(["sandbox", "other"])(
  "a tool of the tenant %s knows who calls, and has that tenant's secret",
  async (tenant) => {
    const { result } = await run("author", "say-who", `sandbox${tenant === "sandbox" ? "" : "-other"}-key`);
    const secret = tenant === "sandbox" ? SECRET : "other-has-its-own-PROBE_SECRET";
    expect(result).toMatchObject({ status: "success", data: { tenant, key: tenant, secret: secret.length } });
  },
);

test("a tenant's own secret is taken out of what its tool logs and throws, in a job too", async () => {
  for (const tool of ["author", "author-job"]) {
    const ran = await run(tool, "throw-secret", "sandbox-other-key");
    expect(await logged(ran)).toMatchObject([
      { tenant: "other", key: "other", tool, error: { message: "Cannot sign with [redacted]" } },
    ]);
  }
  expect(volley.output()).not.toContain("other-has-its-own");
});

test.each([
  ["slow_secret", { code: "TIMEOUT" }],
  [
    "broken_secret",
    { code: "MISCONFIGURED", retryable: true, hint: expect.stringContaining("BROKEN_SECRET") },
  ],
  ["odd_secret", { code: "MISCONFIGURED", retryable: true, hint: expect.stringContaining("ODD_SECRET") }],
  ["no_secret", { code: "MISCONFIGURED", retryable: false, hint: expect.stringContaining("NO_SECRET") }],
  ["bound", { code: "MISCONFIGURED", hint: expect.stringContaining("binding MISSING") }],
  ["bound-to-text", { code: "MISCONFIGURED", hint: expect.stringContaining("binding PROBE_SECRET") }],
])("%s fails alone, by its own code", async (tool, error) => {
  const { result } = await run(tool, "anything");
  expect(result).toMatchObject({ status: "error", error });
  expect(JSON.stringify(result)).not.toContain("vault");
});

test("why a secret could not be looked up is the operator's to read", async () => {
  const ran = await run("broken_secret", "anything");
  expect(await logged(ran)).toMatchObject([
    { event: "secret_lookup_failed", secret: "BROKEN_SECRET", error: { message: "the vault is sealed" } },
  ]);
});

test("a binding that was not declared is a mistake of the author, and the log names it", async () => {
  const ran = await run("author", "undeclared-binding");
  expect(ran.result).toMatchObject({ status: "error", error: { code: "TOOL_FAILED" } });
  const [line] = await logged(ran);
  expect(line!.error!.message).toBe("Cannot use binding 'TENANT_GATE': tool 'author' does not declare it");
});

test("a tool that changes what it was told of its caller changes only its own copy", async () => {
  await run("author", "change-caller");
  expect((await run("author", "say-who")).result).toMatchObject({ data: { tenant: "sandbox" } });
});

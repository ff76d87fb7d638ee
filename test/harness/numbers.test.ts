import { expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { Answer } from "../support/hostile-answers.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, caller } = await setUpSandbox();

const BIG = "12345678901234567890";
const NUMBERS = `{"id":${BIG},"least":-9007199254740993,"pi":3.141592653589793238462643,"huge":1e400,"price":1.10,"items":[{"id":${BIG},"n":1},{"id":18446744073709551615,"n":2}]}`;
/** As an answer writes it: what a double writes otherwise has the same value. */
const WRITTEN = NUMBERS.replace("1.10", "1.1");

const answerJson =
  (json: string, pad = ""): Answer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(json.replace("{", `{${pad}`));
upstream.script("/numbers", answerJson(NUMBERS));
upstream.script("/search", answerJson(NUMBERS));
upstream.script("/tool/read", answerJson(NUMBERS));
upstream.script("/long", answerJson(NUMBERS, `"text":"${"word ".repeat(3_000)}",`));

const any = (id: string, path = "/numbers", more: object = {}) => ({
  id,
  tool: "probe-any",
  args: { path },
  ...more,
});
const send = async (batch: object, headers: Record<string, string> = {}): Promise<string> => {
  const { status, text } = await caller.send({ body: JSON.stringify(batch), headers });
  expect(status).toBe(200);
  return text;
};
/** The last request to the upstream, decoded. */
const lastPath = (): string => upstream.requests.at(-1)!.query.get("q") ?? "";

test("Every number of an upstream reaches the caller digit for digit", async () => {
  expect(await send({ actions: [any("a")] })).toContain(`"data":${WRITTEN}`);
  expect(await send({ actions: [any("a")] }, { accept: "text/event-stream" })).toContain(`"data":${WRITTEN}`);
});

test("A $template writes the digits, and a $ref where a tool takes a number is told that a text can have them", async () => {
  const q = { $template: "n {{a#/id}} {{a#/items/1/id}} {{a#/items}} {{a#/huge}}" };
  const text = await send({ actions: [any("a"), { tool: "probe-search", args: { q } }] });
  expect(text).toContain('"ok":2');
  expect(lastPath()).toBe(
    `n ${BIG} 18446744073709551615 [{"id":${BIG},"n":1},{"id":18446744073709551615,"n":2}] 1e400`,
  );
  const refused = await send({
    actions: [any("a"), { tool: "probe-echo", args: { n: { $ref: "a#/id" } } }],
  });
  expect(refused).toContain('"code":"INVALID_ARGS"');
  expect(refused).toContain(`received the number ${BIG}`);
  expect(refused).toContain("or a string");
});

test("Selections, loops and shared reads keep the digits", async () => {
  expect(await send({ actions: [any("a", "/numbers", { select: ["/items/1/id", "/least"] })] })).toContain(
    '"data":{"least":-9007199254740993,"items":[{"id":18446744073709551615}]}',
  );
  const looped = await send({
    actions: [
      any("a"),
      {
        id: "b",
        tool: "probe-search",
        for_each: { $ref: "a#/items" },
        args: { q: { $template: "{{item#/id}}" } },
        select: ["/id"],
      },
    ],
  });
  expect(looped.split(`"data":{"id":${BIG}}`)).toHaveLength(3);
  const asked = upstream.requestsTo("/search").map(({ query }) => query.get("q"));
  expect(new Set(asked.slice(-2))).toEqual(new Set([BIG, "18446744073709551615"]));
  expect((await send({ actions: [any("a"), any("b")] })).split(`"data":${WRITTEN}`)).toHaveLength(3);
});

test("A result that was cut, kept and recalled keeps the digits", async () => {
  const cut = await send({ actions: [any("a", "/long")], max_tokens: 200 });
  expect(cut).toContain(`"id":${BIG}`);
  const { handle } = (JSON.parse(cut) as { results: [{ meta: { handle: string } }] }).results[0].meta;
  await send({
    actions: [{ tool: "probe-search", args: { q: { $template: `{{${handle}#/items/0/id}}` } } }],
  });
  expect(lastPath()).toBe(BIG);
});

test("A replayed answer has the digits it had", async () => {
  const first = await send({ actions: [any("a")] }, { "idempotency-key": "numbers" });
  expect(await send({ actions: [any("a")] }, { "idempotency-key": "numbers" })).toBe(first);
  const keyed = { actions: [any("a", "/numbers", { idempotency_key: "one-number" })] };
  await send(keyed);
  const again = await send({ actions: [...keyed.actions, any("b", "/echo?n=2")] });
  expect(again).toContain('"idempotency_replayed":true');
  expect(again).toContain(`"data":${WRITTEN}`);
});

test("A parked action refers to the digits", async () => {
  const text = await send({
    actions: [any("a"), { id: "b", tool: "probe-delete", args: { id: { $template: "{{a#/id}}" } } }],
  });
  const { id } = /"confirmation":\{"id":"(?<id>[^"]+)"/.exec(text)!.groups!;
  const { text: approved } = await caller.send({
    path: `/v1/confirmations/${id}`,
    body: '{"decision":"approve"}',
  });
  expect(approved).toContain('"success"');
  expect(upstream.requests.at(-1)!.query.get("id")).toBe(BIG);
});

test("A job's data has the digits", async () => {
  const answer = upstream.hold("/numbers");
  const { results } = JSON.parse(await send({ actions: [any("a")], deadline_ms: 1_000 })) as {
    results: readonly { job_id: string }[];
  };
  answer();
  const job = await eventually("the demoted read's job to end", async () => {
    const { text } = await caller.get(`/v1/jobs/${results[0]!.job_id}`);
    return text.includes('"succeeded"') ? text : undefined;
  });
  expect(job).toContain(`"data":${WRITTEN}`);
});

test("Every other way in answers with the digits too", async () => {
  const args = { path: "/numbers" };
  const ways: Record<string, object> = {
    "/v1/invoke_tool": { tool_name: "probe-any", parameters: args },
    "/v1/openai/tool_calls": {
      role: "assistant",
      tool_calls: [
        { id: "c", type: "function", function: { name: "probe-any", arguments: JSON.stringify(args) } },
      ],
    },
    "/v1/anthropic/tool_use": [{ type: "tool_use", id: "c", name: "probe-any", input: args }],
    "/v1/gemini/function_calls": { functionCalls: [{ name: "probe-any", args }] },
    "/api/orchestration/batch": { tools: [{ id: "t", toolName: "read", input: { path: "x" } }] },
  };
  for (const [path, body] of Object.entries(ways)) {
    const { text } = await caller.send({ path, body: JSON.stringify(body) });
    expect([path, text.replaceAll('\\"', '"')]).toEqual([path, expect.stringContaining(WRITTEN)]);
  }
});

test("MCP's text and structure have the digits", async () => {
  const { text } = await caller.send({
    path: "/mcp?surface=flat",
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "probe-any", arguments: { path: "/numbers" } },
    }),
  });
  expect(text).toContain(`"structuredContent":${WRITTEN}`);
  expect(text).toContain(JSON.stringify(WRITTEN).slice(1, -1));
});

test("A part of an answer is no answer", async () => {
  upstream.script("/part", (_, response) => {
    response.writeHead(206, { "content-type": "application/json", "content-range": "bytes 0-1/9" }).end("{}");
  });
  const { results } = await caller.execute([any("a", "/part")]);
  expect(results[0]!.error).toMatchObject({ code: "UPSTREAM_ERROR", upstream_status: 206, retryable: false });
});

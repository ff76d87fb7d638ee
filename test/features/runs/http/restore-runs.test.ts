import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { DECLARATION, sendIt } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const store = defineTool({
  name: "store_it",
  summary: "Store it",
  description: "Store it.",
  category: "test",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  hosts: ["api.example.com"],
  orchestration: { mode: "sequential-only" },
  input: z.strictObject({ of: z.string() }),
  run: async ({ of }, ctx) => (await ctx.fetch(`https://api.example.com/${of}`, { method: "POST" })).json(),
});

const later = defineTool({
  ...DECLARATION,
  name: "store_later",
  execution: "fire-and-forget",
  run: sendIt,
});

const NUMBER = "12345678901234567890";

function start(answers: (() => Response | Promise<Response>)[] = [], tools = ["*"]): Promise<TestVolley> {
  return createTestVolley({
    tools: [store, later],
    features: [discovery(), addedTools(), confirmations(), tenantData(), keys(), runs()],
    key: { tools, flags: ["manage_tools", "approve", "manage_keys"] },
    routes: {
      "POST https://api.example.com/*": () => (answers.shift() ?? (() => new Response(`{"n":${NUMBER}}`)))(),
    },
    now: new Date("2026-01-01T00:00:00Z"),
  });
}

const send = async (volley: TestVolley, method: string, path: string, body?: string) => {
  const answer = await volley.fetch(path, {
    method,
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body }),
  });
  return { status: answer.status, text: await answer.text() };
};
const list = async (volley: TestVolley) =>
  (JSON.parse((await send(volley, "GET", "/v1/runs")).text) as { runs: Record<string, unknown>[] }).runs;
/** The runs of an export, as text: its numbers keep their digits. */
const exportOf = async (volley: TestVolley) => {
  const { text } = await send(volley, "GET", "/v1/export");
  return /"runs":(\[.*\])/s.exec(text)![1]!;
};
const write = (of: string) => ({
  on_error: "fail-fast",
  deadline_ms: 12_000,
  actions: [{ id: "w", tool: "store_it", args: { of } }],
  tags: [of],
});

describe("PUT /v1/runs", () => {
  test("takes back the runs of an export: their order, their times, every digit, and each once", async () => {
    const from = await start();
    for (const of of ["a", "b", "c"]) {
      await from.run(write(of));
      await from.advance(600_000);
    }
    // Both worlds count their ids from one.
    const asElsewhere = (text: string) => text.replaceAll("-4000-", "-4001-");
    const backup = asElsewhere(await exportOf(from));
    const to = await start();
    await to.advance(1_800_000);
    await to.run(write("own"));
    await to.advance(3_000);
    const restored = await send(to, "PUT", "/v1/runs", `{"runs":${backup}}`);
    expect(restored).toEqual({ status: 200, text: '{"restored":3}' });
    expect((await list(to)).map(({ tags }) => tags)).toEqual([["own"], ["c"], ["b"], ["a"]]);
    const taken = JSON.parse(asElsewhere(JSON.stringify(await list(from)))) as object[];
    expect((await list(to)).slice(1)).toEqual(taken.map((run) => ({ ...run, imported: true })));
    const [, { run_id }] = (await list(to)) as [object, { run_id: string }];
    const { text } = await send(to, "GET", `/v1/runs/${run_id}`);
    expect(text).toContain(`"n":${NUMBER}`);
    expect(JSON.parse(text)).toMatchObject({ plan: { on_error: "fail-fast", deadline_ms: 12_000 } });
    expect((await send(to, "PUT", "/v1/runs", `{"runs":${backup}}`)).text).toBe('{"restored":0}');
    expect(await list(to)).toHaveLength(4);
    // They are as old as they were.
    await to.advance(7 * 86_400_000 - 1_800_000 - 3_000 + 2_000);
    expect((await list(to)).map(({ tags }) => tags)).not.toContainEqual(["a"]);
  });

  trial(
    "takes back what became of the jobs of a run, and a tenant that is deleted has none of it",
    async () => {
      const from = await start([() => new Response("{}", { status: 422 })]);
      await from.run({ actions: [{ id: "w", tool: "store_later", args: { of: "a" } }] });
      await from.advance(5_000);
      const backup = await exportOf(from);
      const to = await start();
      expect((await send(to, "PUT", "/v1/runs", `{"runs":${backup}}`)).text).toBe('{"restored":1}');
      expect(await list(to)).toMatchObject([
        { status: "error", imported: true, error: { code: "UPSTREAM_ERROR" } },
      ]);
      expect((await send(from, "POST", "/v1/tenant/delete", '{"tenant":"test"}')).status).toBe(200);
      await send(from, "PUT", "/v1/runs", `{"runs":${backup.replace(/,"jobs":\[.*?\]/, "")}}`);
      expect(await list(from)).toMatchObject([{ status: "success" }]);
    },
  );

  trial(
    "T56 gives runs that are looked at only: none is run again here, whatever was done with it since where it ran, and bulk leaves it out",
    async () => {
      const refused = (): Response => new Response("{}", { status: 400 });
      const from = await start([refused]);
      const { batch_id } = await from.run(write("a"));
      await from.advance(3_000);
      const backup = await exportOf(from);
      const again = await send(from, "POST", `/v1/runs/${batch_id}/rerun`, "{}");
      expect(JSON.parse(again.text)).toMatchObject({ results: [{ status: "success" }] });
      await from.advance(3_000);
      const to = await start();
      await to.advance(60_000);
      expect((await send(to, "PUT", "/v1/runs", `{"runs":${backup}}`)).text).toBe('{"restored":1}');
      expect(await list(to)).toMatchObject([{ run_id: batch_id, imported: true }]);
      expect((await list(from)).map(({ imported }) => imported)).toEqual([undefined, undefined]);
      const there = await send(to, "POST", `/v1/runs/${batch_id}/rerun`, "{}");
      expect(there.status).toBe(422);
      expect(there.text).toContain("INVALID_REQUEST");
      const bulk = await send(to, "POST", "/v1/runs/rerun", '{"status":"error"}');
      expect(JSON.parse(bulk.text)).toMatchObject({ runs: 0 });
      expect(to.requests).toEqual([]);
    },
  );

  trial(
    "leaves out what is too old, and refuses what is no export, and a key that may not call every tool",
    async () => {
      const from = await start();
      await from.run(write("a"));
      await from.advance(3_000);
      const backup = await exportOf(from);
      const late = await start();
      await late.advance(8 * 86_400_000);
      expect((await send(late, "PUT", "/v1/runs", `{"runs":${backup}}`)).text).toBe('{"restored":0}');
      for (const wrong of [
        '{"runs":[{}]}',
        '{"runs":[{"at":1,"head":{"id":"has a space"},"body":{}}]}',
        '{"runs":[{"at":1,"rerun":"a","root":"b"}]}',
        `{"runs":${backup.replace('"source":"http"', '"source":"door"')}}`,
      ])
        expect((await send(late, "PUT", "/v1/runs", wrong)).status).toBe(422);
      const narrow = await start([], ["store_it"]);
      expect((await send(narrow, "PUT", "/v1/runs", `{"runs":${backup}}`)).status).toBe(403);
    },
  );
});

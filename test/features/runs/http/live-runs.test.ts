import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import * as RUNS_LIMITS from "../../../../src/features/runs/limits.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

const DECLARATION = {
  summary: "Echo a text",
  description: "Echo a text.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }: { text: string }) => ({ text }),
} as const;
const echo = defineTool({ ...DECLARATION, name: "echo_text" });
const slow = defineTool({
  ...DECLARATION,
  name: "slow_echo",
  hosts: ["api.example.com"],
  timeoutMs: 60_000,
  run: async (_, ctx) => (await ctx.fetch("https://api.example.com/slow")).json(),
});
/** Takes a while for each element of a loop. */
const oneByOne = defineTool({
  ...DECLARATION,
  name: "one_by_one",
  isWrite: true,
  actions: ["create"],
  orchestration: { mode: "sequential-only" },
  hosts: ["api.example.com"],
  run: async (_, ctx) => (await ctx.fetch("https://api.example.com/slow")).json(),
});

interface SentEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Read the text of a whole stream. */
function eventsOf(text: string): readonly SentEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes("data: "))
    .map((block) => {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      const { id = "", event = "", data = "null" } = fields as Record<string, string>;
      return { id, event, data: JSON.parse(data) as Record<string, unknown> };
    });
}

function start(slowMs = 8_000): Promise<TestVolley> {
  return createTestVolley({
    tools: [echo, slow, oneByOne],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    routes: {
      "GET https://api.example.com/slow": async (_, { sleep }) => {
        await sleep(slowMs);
        return { slow: true };
      },
    },
  });
}

const stream = async (volley: TestVolley, id: string, lastId?: string) => {
  const answer = await volley.fetch(`/v1/runs/${id}`, {
    headers: {
      accept: "text/event-stream",
      ...(lastId !== undefined && { "last-event-id": lastId }),
    },
  });
  const text = await answer.text();
  return { status: answer.status, events: answer.status === 200 ? eventsOf(text) : [] };
};

describe("The events of a run that is over", () => {
  test("are its results and its answer, and the stream ends", async () => {
    const volley = await start();
    const answer = await volley.run({
      actions: [
        { id: "a", tool: "echo_text", args: { text: "1" } },
        { id: "b", tool: "echo_text", args: { text: { $ref: "a#/text" } } },
        { id: "c", tool: "nowhere" },
      ],
    });
    await volley.advance(3_000);
    const { status, events } = await stream(volley, answer.batch_id);
    expect(status).toBe(200);
    expect(events.map(({ event }) => event)).toEqual(["result", "result", "result", "done"]);
    expect(events.slice(0, 3).map(({ data }) => data)).toMatchObject([
      { index: 0, id: "a", tool: "echo_text", status: "success", data: { text: "1" }, meta: { attempts: 1 } },
      { index: 1, id: "b", status: "success", data: { text: "1" } },
      {
        index: 2,
        id: "c",
        status: "error",
        error: { code: "UNKNOWN_TOOL", hint: expect.any(String) as string },
      },
    ]);
    expect(events[3]!.data).toMatchObject({
      batch_id: answer.batch_id,
      summary: { total: 3, ok: 2, error: 1 },
    });
    expect(events[3]!.data["results"]).toEqual(events.slice(0, 3).map(({ data }) => data));
  });

  test("are waited for where it is not reported yet, and there are none of a run that nobody knows", async () => {
    const volley = await start();
    const { batch_id } = await volley.run({ actions: [{ tool: "echo_text", args: { text: "1" } }] });
    expect((await stream(volley, batch_id)).events).toHaveLength(2);
    const beganAt = volley.now();
    expect((await stream(volley, "00000000-0000-4000-8000-00000000ffff")).status).toBe(404);
    expect(volley.now() - beganAt).toBe(RUNS_LIMITS.runAwaitedMs);
  });
});

describe("The events of a run that goes on", () => {
  const begin = async (volley: TestVolley) => {
    const actions = [
      { id: "quick", tool: "echo_text", args: { text: "1" } },
      { id: "slow", tool: "slow_echo", args: { text: "" } },
    ];
    const answer = await volley.fetch("/v1/execute_actions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ actions, background: true, deadline_ms: 60_000 }),
    });
    expect(answer.status).toBe(202);
    return (await answer.json()) as { readonly run_id: string; readonly job_id: string };
  };

  trial("come when they happen, and the list has the run meanwhile", async () => {
    const volley = await start();
    const { run_id, job_id } = await begin(volley);
    await volley.advance(5_000);
    const listed = (await (await volley.fetch("/v1/runs?status=running")).json()) as { runs: object[] };
    expect(listed.runs).toMatchObject([
      { run_id, job_id, source: "background", status: "running", key: "test", duration_ms: 5_000 },
    ]);
    const shown = (await (await volley.fetch(`/v1/runs/${run_id}`)).json()) as object;
    expect(shown).toMatchObject({
      run_id,
      status: "running",
      actions: [{ id: "quick", tool: "echo_text", status: "success", data: { text: "1" } }],
    });
    const beganAt = volley.now();
    const { events } = await stream(volley, run_id);
    expect(volley.now() - beganAt).toBeGreaterThan(2_000);
    expect(events.map(({ event, data }) => [event, data["id"]])).toEqual([
      ["result", "quick"],
      ["result", "slow"],
      ["done", undefined],
    ]);
    expect(events[2]!.data).toMatchObject({ batch_id: run_id, summary: { total: 2, ok: 2 } });
    expect(await (await volley.fetch("/v1/runs?status=running")).json()).toMatchObject({
      runs: [],
    });
    await volley.advance(3_000);
    // The log knows it by its job too, and tells the same.
    for (const id of [run_id, job_id])
      expect(await (await volley.fetch(`/v1/runs/${id}`)).json()).toMatchObject({
        run_id,
        status: "success",
      });
    const told = (all: readonly SentEvent[]) => all.map(({ data }) => data["data"]);
    expect(told((await stream(volley, run_id)).events)).toEqual(told(events));
  });

  trial(
    "are of a run that is neither deleted nor run again before it was cancelled: 409 says how",
    async () => {
      const volley = await createTestVolley({
        tools: [echo, slow],
        features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
        key: { flags: ["manage_tools"] },
        routes: {
          "GET https://api.example.com/slow": async (_, { sleep }) => {
            await sleep(8_000);
            return {};
          },
        },
      });
      const { run_id, job_id } = await begin(volley);
      await volley.advance(2_000);
      const ask = (method: string, path: string) => volley.fetch(`/v1/runs/${path}`, { method });
      for (const [method, path] of [
        ["DELETE", run_id],
        ["POST", `${run_id}/rerun`],
      ] as const) {
        const answer = await ask(method, path);
        expect(answer.status, path).toBe(409);
        expect(Number(answer.headers.get("retry-after")), path).toBeGreaterThan(0);
        const said = JSON.stringify(await answer.json());
        expect(said).toContain("IDEMPOTENCY_IN_PROGRESS");
        expect(said).toContain(`POST /v1/jobs/${job_id}/cancel`);
      }
      const other = "00000000-0000-4000-8000-00000000ffff";
      expect((await ask("DELETE", other)).status).toBe(404);
      expect((await ask("POST", `${other}/rerun`)).status).toBe(404);
      expect((await volley.fetch(`/v1/jobs/${job_id}/cancel`, { method: "POST" })).status).toBe(200);
      await volley.advance(20_000);
      expect((await ask("DELETE", run_id)).status).toBe(204);
      expect((await ask("DELETE", run_id)).status).toBe(404);
    },
  );

  trial("go on with the next stream where one ended", async () => {
    const volley = await start();
    const { run_id } = await begin(volley);
    await volley.advance(2_000);
    const { events } = await stream(volley, run_id);
    const [quick, slowOne, done] = events;
    const after = async (id: string) =>
      (await stream(volley, run_id, id)).events.map(({ data }) => data["id"]);
    expect(await after(quick!.id)).toEqual(["slow", undefined]);
    expect(await after(slowOne!.id)).toEqual([undefined]);
    expect(await stream(volley, run_id, done!.id)).toEqual({ status: 204, events: [] });
    expect(await after("no id of a stream")).toEqual(["quick", "slow", undefined]);
  });

  trial("end without 'done' when a stream was open for long, and are told by the next one", async () => {
    const volley = await start();
    const waiting = await volley.fetch("/v1/execute_actions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        background: true,
        deadline_ms: 900_000,
        actions: [
          {
            id: "loop",
            tool: "one_by_one",
            for_each: Array.from({ length: 100 }, () => 1),
            args: { text: "" },
          },
        ],
      }),
    });
    const { run_id } = (await waiting.json()) as { readonly run_id: string };
    const beganAt = volley.now();
    const first = await stream(volley, run_id);
    expect(first).toEqual({ status: 200, events: [] });
    expect(volley.now() - beganAt).toBe(RUNS_LIMITS.runStreamMs);
  });

  trial("are told at once, and no more, where too many wait already", async () => {
    const volley = await start();
    const { run_id } = await begin(volley);
    await volley.advance(2_000);
    const all = await Promise.all(
      Array.from({ length: LIMITS.waitsOfTenant + 1 }, () => stream(volley, run_id)),
    );
    const names = all.map(({ events }) => events.map(({ event }) => event).join());
    expect(names.filter((name) => name === "result")).toHaveLength(1);
    expect(names.filter((name) => name === "result,result,done")).toHaveLength(LIMITS.waitsOfTenant);
  });
});

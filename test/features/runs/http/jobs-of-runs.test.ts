import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION, sendIt, store } from "./store-tools.ts";

const HOUR = 3_600_000;
const LATER = { ...DECLARATION, execution: "fire-and-forget", run: sendIt } as const;
const later = defineTool({ ...LATER, name: "store_later" });
const once = defineTool({ ...LATER, name: "store_once", delivery: "at-most-once" });
const dropLater = defineTool({ ...LATER, name: "drop_later", actions: ["delete"] });

interface Run {
  readonly run_id: string;
  readonly status: string;
  readonly in_doubt?: true;
  readonly error?: object;
  readonly actions: readonly object[];
}

/** Whatever is stored under a name is answered with its status; 200 where none is said. */
async function start(statuses: Record<string, number>) {
  const volley = await createTestVolley({
    tools: [store, later, once, dropLater],
    features: [confirmations(), runs()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve"] },
        "narrow-key": { name: "narrow", tenant: "acme", tools: ["store_it"] },
      }),
    },
    routes: {
      "POST https://api.example.com/*": ({ url }) =>
        Response.json({}, { status: statuses[new URL(url).pathname.slice(1)] ?? 200 }),
    },
  });
  const send = async <T>(path: string, body?: object, key = "test-key", method = "POST"): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method, body: JSON.stringify(body) };
    return (await (await volley.fetch(path, { headers, ...sent })).json()) as T;
  };
  return {
    volley,
    send,
    run: async (...actions: readonly object[]) => {
      const envelope = await send<{ batch_id: string; results: readonly { job_id?: string }[] }>(
        "/v1/execute_actions",
        { actions },
      );
      await volley.advance(5_000);
      return { id: envelope.batch_id, results: envelope.results };
    },
    show: (id: string, key?: string) => send<Run>(`/v1/runs/${id}`, undefined, key),
    list: async (query: string, key?: string) => {
      const { runs: listed } = await send<{ runs: readonly Run[] }>(`/v1/runs${query}`, undefined, key);
      return listed.map(({ run_id: id }) => id);
    },
  };
}
const act = (tool: string, of: string) => ({ id: of, tool, args: { of } });

describe("A run follows what became of its jobs:", () => {
  test("one that failed for good makes it an error, in the list, by its filter and in its action", async () => {
    const { run, show, list } = await start({ bad: 422 });
    const { id, results } = await run(act("store_later", "bad"));
    expect(results).toMatchObject([{ status: "initiated" }]);
    expect(await show(id)).toMatchObject({
      status: "error",
      error: { code: "UPSTREAM_ERROR" },
      summary: { total: 1, initiated: 1 },
      actions: [{ status: "initiated", error: { code: "UPSTREAM_ERROR" } }],
    });
    expect(await list("?status=error")).toEqual([id]);
    expect(await list("?status=success")).toEqual([]);
  });

  test("beside what succeeded it is partial", async () => {
    const { run, show } = await start({ bad: 422 });
    const { id } = await run(act("store_later", "bad"), act("store_later", "good"), act("store_it", "now"));
    expect(await show(id)).toMatchObject({ status: "partial" });
    expect((await run(act("store_later", "good"))).id).not.toBe(id);
  });

  test("a loop of which some jobs failed is partial, and an error where all have", async () => {
    const { run, show } = await start({ bad: 422 });
    const loop = (...names: readonly string[]) => ({
      id: "loop",
      tool: "store_later",
      for_each: names,
      args: { of: { $ref: "item#" } },
    });
    expect(await show((await run(loop("bad", "good"))).id)).toMatchObject({ status: "partial" });
    expect(await show((await run(loop("bad", "bad"))).id)).toMatchObject({ status: "error" });
    expect(await show((await run(loop("good", "fine"))).id)).toMatchObject({ status: "success" });
  });

  test("one that is dead makes it an error, and a redrive that succeeds takes that back", async () => {
    const statuses: Record<string, number> = { bad: 429 };
    const { volley, run, show, list, send } = await start(statuses);
    const { id, results } = await run(act("store_later", "bad"));
    expect(await show(id)).toMatchObject({ status: "success" });
    await volley.advance(HOUR);
    expect(await show(id)).toMatchObject({ status: "error", error: { code: "RATE_LIMITED" } });
    statuses["bad"] = 200;
    await send(`/v1/jobs/${results[0]!.job_id}/redrive`, {});
    await volley.advance(10_000);
    expect(await show(id)).toMatchObject({ status: "success" });
    expect(await show(id)).not.toHaveProperty("error");
    expect(await list("?status=error")).toEqual([]);
  });

  test("one whose end is not known makes it unknown, and in doubt", async () => {
    const { run, show, list } = await start({ bad: 504 });
    const { id } = await run(act("store_once", "bad"));
    const doubtful = { status: "unknown", in_doubt: true };
    expect(await show(id)).toMatchObject({
      ...doubtful,
      actions: [{ in_doubt: true, error: { code: "UPSTREAM_ERROR" } }],
    });
    expect(await list("?status=unknown")).toEqual([id]);
  });

  test("one that was called off changes nothing", async () => {
    const { volley, run, show, send } = await start({});
    const inAnHour = new Date(volley.now() + HOUR).toISOString();
    const { id, results } = await run({ ...act("store_later", "bad"), run_at: inAnHour });
    await send(`/v1/jobs/${results[0]!.job_id}/cancel`, {});
    await volley.advance(5_000);
    expect(await show(id)).toMatchObject({ status: "success" });
  });

  test("a key that may not call its tool is told nothing of it", async () => {
    const { run, show, list } = await start({ bad: 422 });
    const { id } = await run(act("store_later", "bad"), act("store_it", "now"));
    expect(await show(id, "narrow-key")).toMatchObject({ status: "success", actions: [{ id: "now" }] });
    expect(await show(id, "narrow-key")).not.toHaveProperty("error");
    expect(await list("?status=success", "narrow-key")).toEqual([id]);
  });

  test("so does the run that asked a person, by the run of the yes", async () => {
    const { volley, run, show, send } = await start({ bad: 422 });
    const { id, results } = await run(act("drop_later", "bad"));
    const { confirmation } = results[0] as { confirmation?: { id: string } };
    await send(`/v1/confirmations/${confirmation!.id}`, { decision: "approve" });
    await volley.advance(5_000);
    const { children } = (await show(id)) as unknown as { readonly children: readonly Run[] };
    expect(children).toMatchObject([{ source: "approval", status: "error" }]);
    expect(await show(id)).toMatchObject({ status: "error" });
  });
});

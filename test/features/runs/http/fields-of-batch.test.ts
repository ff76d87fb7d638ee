import * as z from "zod";
import { beforeAll, describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { toBatch } from "../../../../src/features/runs/console/to-batch.ts";
import type { WireRun } from "../../../../src/features/runs/console/wire-runs.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { ALL_FEATURES } from "../../../support/all-features.ts";
import { declareTool } from "../../../support/sample-tools.ts";

const say = defineTool({
  ...declareTool(),
  name: "say_it",
  hosts: [],
  input: z.strictObject({ text: z.string() }),
  run: async ({ text }) => ({ text }),
});
const ACTIONS = [{ id: "a", tool: "say_it", args: { text: "hi" } }];

/** Each field of a batch with a value that is not what it says by itself, where a copy of its run has it. */
const COPIED: Readonly<Record<string, unknown>> = {
  actions: ACTIONS,
  on_error: "fail-fast",
  undo: "what-can",
  deadline_ms: 12_000,
  max_tokens: 900,
  progress: true,
  callback_url: "https://hooks.example.com/told",
  tags: ["nightly"],
  background: true,
};
/** The accounts that a run used are copied as its head has them. */
const OF_ACCOUNTS = ["subject", "connections"];
/**
 * A dry run leaves no run, and a receipt was for one plan. Who sends a copy says anew whether to skip approval, and whether somebody is there to
 * connect an account.
 */
const LEFT_OUT = ["dry_run", "plan_receipt", "skip_approval", "on_connection", "return_to"];

const ENV = { VOLLEY_WEBHOOK_SECRET: `whsec_${btoa("a secret of the test, 32 bytes..")}` };
const start = (env: Readonly<Record<string, string>> = {}): Promise<TestVolley> =>
  createTestVolley({ tools: [say], features: [...ALL_FEATURES], env: { ...ENV, ...env } });

let volley: TestVolley;
beforeAll(async () => {
  volley = await start();
});

async function read<T>(path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const init = body && { method: "POST", headers, body: JSON.stringify(body) };
  return (await (await volley.fetch(path, init)).json()) as T;
}

interface Answer {
  readonly batch_id?: string;
  readonly run_id?: string;
}

async function copyOf(more: object): Promise<object> {
  return copyOfRun(await read<Answer>("/v1/execute_actions", { actions: ACTIONS, ...more }));
}

async function copyOfRun({ batch_id: batchId, run_id: id = batchId }: Answer): Promise<object> {
  await volley.advance(5_000);
  return { ...(JSON.parse(toBatch(await read<WireRun>(`/v1/runs/${id}`))) as object), id };
}

describe("A copy of a run's batch", () => {
  test("has or leaves out each field of a batch that there is", async () => {
    const { components } = await read<{
      components: { schemas: { Batch: { properties: Readonly<Record<string, object>> } } };
    }>("/openapi.json");
    const decided = [...Object.keys(COPIED), ...OF_ACCOUNTS, ...LEFT_OUT];
    expect(Object.keys(components.schemas.Batch.properties).toSorted()).toEqual(decided.toSorted());
  });

  test.each(Object.entries(COPIED))("has its %s", async (name, value) => {
    const more = name === "undo" ? { on_error: "undo" } : {};
    expect(await copyOf({ [name]: value, ...more })).toMatchObject({ [name]: value, ...more });
  });

  test("says nothing that its batch did not say, and no approval that was skipped", async () => {
    expect(await copyOf({ skip_approval: true })).toEqual({
      actions: ACTIONS,
      id: expect.any(String) as string,
    });
  });

  test("of a rerun has the time that its run had, which the rerun had too", async () => {
    const { id } = (await copyOf({ deadline_ms: 12_000 })) as { readonly id: string };
    const again = await read<Answer>(`/v1/runs/${id}/rerun`, {});
    expect(await copyOfRun(again)).toMatchObject({ deadline_ms: 12_000 });
  });

  test("leaves words of the caller out where no content is kept, and keeps its time", async () => {
    const more = { callback_url: COPIED["callback_url"], deadline_ms: 12_000 };
    volley = await start({ VOLLEY_RUNS: "outline" });
    const copy = await copyOf(more);
    expect(copy).toMatchObject({ deadline_ms: 12_000 });
    expect(copy).not.toHaveProperty("callback_url");
  });
});

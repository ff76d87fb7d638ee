import * as z from "zod";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { connections } from "../../../../src/features/connections/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley, type TestVolley } from "../../../../src/package/testing.ts";
import { trial } from "../../../support/trial.ts";

/** Takes as long as it is told. */
const waits = defineTool({
  name: "wait_for_it",
  summary: "Wait",
  description: "Wait.",
  category: "test",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  timeoutMs: 60_000,
  hosts: ["api.example.com"],
  orchestration: { mode: "parallel-safe" },
  input: z.strictObject({ ms: z.int() }),
  run: async ({ ms }, ctx) => (await ctx.fetch(`https://api.example.com/wait/${ms}`)).json(),
});

const start = (): Promise<TestVolley> =>
  createTestVolley({
    tools: [waits],
    features: [
      discovery(),
      addedTools(),
      confirmations(),
      connections(),
      flows(),
      keys(),
      background(),
      runs(),
    ],
    key: { flags: ["approve", "manage_tools", "manage_keys"] },
    routes: {
      "GET https://api.example.com/wait/*": async ({ url }, { sleep }) => {
        const ms = Number(url.split("/").at(-1));
        if (ms < 0) return new Response("{}", { status: 400 });
        await sleep(ms);
        return {};
      },
    },
  });

type Json = Readonly<Record<string, unknown>>;

const send = async (volley: TestVolley, method: string, path: string, body?: object, headers = {}) => {
  const answer = await volley.fetch(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Json };
};

/** Begin a batch in the background; the id of its run. */
const begin = async (volley: TestVolley, more: object = {}, headers = {}): Promise<string> => {
  const { status, body } = await send(
    volley,
    "POST",
    "/v1/execute_actions",
    {
      actions: [{ tool: "wait_for_it", args: { ms: 50_000 } }],
      background: true,
      deadline_ms: 100_000,
      ...more,
    },
    headers,
  );
  expect(status).toBe(202);
  return body["run_id"] as string;
};

const page = async (volley: TestVolley, query: string, headers = {}) => {
  const { body } = await send(volley, "GET", `/v1/runs?status=running&${query}`, undefined, headers);
  return body as { readonly runs: readonly Json[]; readonly next_cursor: string | null };
};
const running = async (volley: TestVolley, query = "", headers = {}): Promise<readonly unknown[]> =>
  (await page(volley, query, headers)).runs.map((run) => run["run_id"]);

describe("The list of runs that go on", () => {
  test("has those of a subject alone where one is asked for, and says whose each is", async () => {
    const volley = await start();
    const ada = await begin(volley, { subject: "ada" });
    const grace = await begin(volley, {}, { "volley-subject": "grace" });
    const none = await begin(volley);
    await volley.advance(1_000);
    expect((await page(volley, "subject=ada")).runs).toMatchObject([{ run_id: ada, subject: "ada" }]);
    expect(await running(volley, "subject=grace")).toEqual([grace]);
    expect(await running(volley, "subject=nobody")).toEqual([]);
    const all = await page(volley, "");
    expect(all.runs.map((run) => [run["run_id"], run["subject"]])).toEqual([
      [none, undefined],
      [grace, "grace"],
      [ada, "ada"],
    ]);
    const { body: shown } = await send(volley, "GET", `/v1/runs/${ada}`);
    expect(shown).toMatchObject({ status: "running", subject: "ada" });
  });

  test("says of each how far it has come, as the run itself does", async () => {
    const volley = await start();
    const wait = (ms: number) => ({ tool: "wait_for_it", args: { ms } });
    const run = await begin(volley, { actions: [wait(10), wait(20), wait(-1), wait(50_000), wait(50_000)] });
    await volley.advance(1_000);
    const { runs: found } = await page(volley, "");
    expect(found).toMatchObject([{ actions: 5, summary: { total: 5, ok: 2, error: 1 } }]);
    const { body: shown } = await send(volley, "GET", `/v1/runs/${run}`);
    expect(found[0]!["summary"]).toEqual(shown["summary"]);
  });

  trial("has nothing of another subject for a key that acts for one", async () => {
    const volley = await start();
    const { body } = await send(volley, "POST", "/v1/keys", { name: "of-ada", tools: ["*"], subject: "ada" });
    const headers = { authorization: `Bearer ${body["key"] as string}` };
    expect((await send(volley, "GET", "/v1/jobs", undefined, headers)).status).toBe(200);
    const ada = await begin(volley, { subject: "ada" });
    await begin(volley, { subject: "grace" });
    await begin(volley);
    await volley.advance(1_000);
    expect(await running(volley, "", headers)).toEqual([ada]);
    expect(await running(volley, "subject=ada", headers)).toEqual([ada]);
    expect(await running(volley, "subject=grace", headers)).toEqual([]);
  });

  trial("has those with a tag where one is asked for, and shows the tags", async () => {
    const volley = await start();
    const nightly = await begin(volley, { tags: ["nightly", "import"] });
    await begin(volley, { tags: ["daily"] });
    await begin(volley);
    await volley.advance(1_000);
    const { runs: found } = await page(volley, "tag=nightly");
    expect(found).toMatchObject([{ run_id: nightly, tags: ["nightly", "import"] }]);
    expect(await running(volley, "tag=night")).toEqual([]);
  });

  trial("has those of a key, a source, a flow, a request and a time", async () => {
    const volley = await start();
    const { status } = await send(volley, "PUT", "/v1/flows/tick", {
      summary: "Tick",
      input_schema: { type: "object", properties: {} },
      actions: [{ id: "it", tool: "wait_for_it", args: { ms: 50_000 } }],
      deadline_ms: 60_000,
      triggers: { cron: "* * * * *" },
    });
    expect(status).toBe(201);
    const batch = await begin(volley);
    await volley.advance(1_000);
    const [sent] = (await page(volley, "source=background")).runs;
    expect(sent).toMatchObject({ run_id: batch, key: "test" });
    for (let seconds = 0; seconds < 70 && (await running(volley, "source=cron")).length === 0; seconds += 1)
      await volley.advance(1_000);
    const [ticked] = (await page(volley, "source=cron")).runs;
    expect(ticked).toMatchObject({ flow: "tick", key: "cron:tick" });
    for (const run of [ticked!, ...(await page(volley, "source=background")).runs])
      for (const name of ["key", "request_id"])
        expect(await running(volley, `${name}=${String(run[name])}`)).toEqual([run["run_id"]]);
    expect(await running(volley, "flow=tick")).toEqual([ticked!["run_id"]]);
    expect(await running(volley, "flow=tock")).toEqual([]);
    const startedAt = ticked!["started_at"] as string;
    expect(await running(volley, `since=${startedAt}`)).toEqual([ticked!["run_id"]]);
    expect(await running(volley, `until=${startedAt}`)).not.toContain(ticked!["run_id"]);
  });

  trial(
    "has none where a tool is asked for, and each says of itself how many of its calls have ended, and how",
    async () => {
      const volley = await start();
      const id = await begin(volley, {
        actions: [0, 1, -1, 50_000].map((ms) => ({ tool: "wait_for_it", args: { ms } })),
      });
      await volley.advance(5_000);
      expect(await running(volley)).toEqual([id]);
      // Its tools are known when it is over.
      expect(await running(volley, "tool=wait_for_it")).toEqual([]);
      const { body } = await send(volley, "GET", `/v1/runs/${id}`);
      expect(body).toMatchObject({ status: "running", summary: { total: 4, ok: 2, error: 1 } });
    },
  );

  trial("loses and repeats none of those that go on where runs begin and end between its pages", async () => {
    const volley = await start();
    const begun: string[] = [];
    await begin(volley, { subject: "grace" });
    for (let nth = 0; nth < 5; nth += 1) {
      begun.push(await begin(volley, { subject: "ada" }));
      await volley.advance(100);
    }
    const [one, two, three, four, five] = begun;
    const first = await page(volley, "subject=ada&limit=2");
    expect(first.runs.map((run) => run["run_id"])).toEqual([five, four]);
    // The last of the page ends, and one of a later page.
    for (const id of [four, two]) {
      const { body } = await send(volley, "GET", `/v1/runs/${id}`);
      await send(volley, "POST", `/v1/jobs/${String(body["job_id"])}/cancel`);
    }
    expect(await running(volley, "subject=ada")).toEqual([five, three, one]);
    await begin(volley, { subject: "ada" });
    const seen: unknown[] = [];
    for (let cursor = first.next_cursor; cursor !== null;) {
      const next = await page(volley, `subject=ada&limit=1&cursor=${cursor}`);
      seen.push(...next.runs.map((run) => run["run_id"]));
      cursor = next.next_cursor;
    }
    expect(seen).toEqual([three, one]);
  });
});

trial("Runs that go on are cancelled by their subject and by their tag, and others are left", async () => {
  const volley = await start();
  await begin(volley, { subject: "ada" });
  const nightly = await begin(volley, { tags: ["nightly"] });
  const other = await begin(volley, { subject: "grace" });
  await volley.advance(1_000);
  const cancel = async (filter: object) =>
    (await send(volley, "POST", "/v1/runs/cancel", filter)).body["runs"];
  expect(await cancel({ subject: "ada" })).toBe(1);
  expect(await running(volley)).toEqual([other, nightly]);
  expect(await cancel({ tag: "nightly" })).toBe(1);
  expect(await running(volley)).toEqual([other]);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import * as LIMITS from "../../../../src/features/runs/limits.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import {
  createTestVolley,
  type TestVolley,
  type TestVolleyOptions,
} from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const later = defineTool({
  ...DECLARATION,
  name: "store_later",
  execution: "fire-and-forget",
  run: async ({ of }, ctx) =>
    (await ctx.fetch(`https://api.example.com/later/${of}`, { method: "POST" })).json(),
});
const drop = defineTool({
  ...DECLARATION,
  name: "drop_it",
  actions: ["delete"],
  run: () => Promise.resolve({}),
});

type Treatment = "done" | "refused" | "lost after it was done";

/** A store that treats requests one after the other, and the Worker that sends them. */
async function start(treatments: Treatment[] = [], more: Partial<TestVolleyOptions> = {}) {
  const effects = new Map<string, number>();
  const volley = await createTestVolley({
    tools: [store, later, drop],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs(), tenantData()],
    routes: {
      "POST https://api.example.com/later/*": () => new Response("{}", { status: 503 }),
      "POST https://api.example.com/*": ({ url }) => {
        const of = url.split("/").at(-1)!;
        const treatment = treatments.shift() ?? "done";
        if (treatment !== "refused") effects.set(of, (effects.get(of) ?? 0) + 1);
        if (treatment.startsWith("lost")) throw new Error("the connection broke");
        return Response.json({ of }, { status: treatment === "refused" ? 400 : 200 });
      },
    },
    ...more,
  });
  return { volley, effects };
}

const post = async (volley: TestVolley, path: string, body?: object) => {
  const answer = await volley.fetch(path, {
    method: "POST",
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const write = (of: string, tags = ["t"]) => ({
  actions: [{ id: "w", tool: "store_it", args: { of } }],
  tags,
});
/** A filter that every run fits. */
const ALL = { since: "2020-01-01T00:00:00Z" };
/** A key that may take back runs, and send more than a thousand requests. */
const MANY = {
  flags: ["approve", "manage_tools"],
  quota: { limit: 20_000, window_s: 60 },
} as const;

interface KeptRun {
  readonly at: number;
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: { readonly actions: readonly object[] };
}

/** Have the log keep one run of a failed write, and so many older ones of an export. */
async function fill(volley: TestVolley, count: number): Promise<void> {
  await volley.run(write("a"));
  await volley.advance(3_000);
  const exported: { readonly runs: readonly [KeptRun] } = await (await volley.fetch("/v1/export")).json();
  const [{ head, body, at }] = exported.runs;
  const runs = Array.from({ length: count }, (_, nth) => ({
    at: at - 2 * count + nth,
    head: {
      ...head,
      id: `${nth.toString(16).padStart(8, "0")}-1000-4000-8000-000000000000`,
      startedAt: at - 2 * count + nth,
    },
    body: { ...body, actions: [{ ...body.actions[0], args: { of: `${nth}` } }] },
  }));
  for (let from = 0; from < count; from += 1_000) {
    const answer = await volley.fetch("/v1/runs", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ runs: runs.slice(Math.max(0, count - from - 1_000), count - from) }),
    });
    expect(await answer.json()).toEqual({ restored: Math.min(1_000, count - from) });
  }
}

const listed = async (volley: TestVolley, query: string): Promise<readonly Record<string, unknown>[]> => {
  const answer = await volley.fetch(`/v1/runs?${query}`);
  const page: { readonly runs: readonly Record<string, unknown>[] } = await answer.json();
  return page.runs;
};

describe("POST /v1/runs/rerun", () => {
  trial("runs again all that fit, each as a run of its own with the tags of the first", async () => {
    const { volley, effects } = await start(["refused", "done", "refused", "refused"]);
    for (const of of ["a", "b", "c"]) await volley.run(write(of));
    await volley.run(write("other", ["u"]));
    await volley.advance(3_000);
    const again = await post(volley, "/v1/runs/rerun", { tag: "t", status: "error" });
    expect(again).toEqual({ status: 200, body: { runs: 2 } });
    expect(Object.fromEntries(effects)).toEqual({ a: 1, b: 1, c: 1 });
    await volley.advance(3_000);
    expect(await listed(volley, "tag=t")).toHaveLength(5);
    const parents = (await listed(volley, "tag=t&status=success")).flatMap(({ parent }) => parent ?? []);
    expect(new Set(parents).size).toBe(2);
  });

  trial("leaves a run to its last rerun, so what is asked for twice does not run twice", async () => {
    const { volley } = await start(["refused", "refused", "done"]);
    await volley.run(write("a"));
    await volley.advance(3_000);
    const ask = async () => {
      const { body } = await post(volley, "/v1/runs/rerun?tag=t&status=error");
      await volley.advance(3_000);
      return body["runs"];
    };
    // The run, then the rerun that failed as well, then nothing that has failed and was not run again.
    expect([await ask(), await ask(), await ask()]).toEqual([1, 1, 0]);
    expect(volley.requests).toHaveLength(3);
  });

  trial(
    "draws one unit a run, as many as there are, and says when to ask for the rest; where there is none it is 429",
    async () => {
      const { volley } = await start(
        Array.from({ length: 40 }, () => "refused" as const),
        { key: { quota: { limit: 10, window_s: 3_600 } } },
      );
      for (let at = 0; at < 6; at += 1) await volley.run(write(`w${at}`));
      await volley.advance(3_000);
      const before = volley.requests.length;
      const ask = async (path: string) => {
        const answer = await volley.fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ tag: "t" }),
        });
        const body = (await answer.json()) as Record<string, unknown>;
        return { status: answer.status, retry: Number(answer.headers.get("retry-after")), body };
      };
      const first = await ask("/v1/runs/rerun");
      expect(first).toMatchObject({ status: 200, body: { runs: 4, next_cursor: expect.any(String) } });
      expect(first.retry).toBeGreaterThan(300);
      expect(volley.requests.length - before).toBe(4);
      const second = await ask("/v1/runs/rerun");
      expect([second.status, second.body["code"]]).toEqual([429, "QUOTA_EXCEEDED"]);
      // The runs that it made itself, which failed as well, are none of the rest.
      await volley.advance(3_600_000);
      const rest = await ask(`/v1/runs/rerun?cursor=${String(first.body["next_cursor"])}`);
      expect(rest).toMatchObject({ status: 200, retry: 0, body: { runs: 2 } });
      expect(rest.body).not.toHaveProperty("next_cursor");
    },
  );

  trial("T60 draws a unit where nothing is to run again, whether one is asked for or all", async () => {
    const { volley } = await start([], { key: { quota: { limit: 5, window_s: 86_400 } } });
    const { batch_id: id } = await volley.run(write("a"));
    await volley.advance(3_000);
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      statuses.push((await post(volley, `/v1/runs/${id}/rerun`, {})).status);
      statuses.push((await post(volley, "/v1/runs/rerun", { tag: "t", only: "failed" })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(volley.requests).toHaveLength(1);
  });

  trial("runs a thousand at most, and the same request again goes on with the rest", async () => {
    const { volley, effects } = await start(Array(1_010).fill("refused"), { key: MANY });
    for (let nth = 0; nth < 1_010; nth += 1) {
      await volley.run(write(`${nth}`));
      // A few in each report, as they come.
      if (nth % 20 === 9) await volley.advance(1_100);
    }
    const ask = async () => (await post(volley, "/v1/runs/rerun", { tag: "t", status: "error" })).body;
    expect(await ask()).toEqual({ runs: 1_000, next_cursor: expect.any(String) });
    expect(await ask()).toEqual({ runs: 10 });
    expect(await ask()).toEqual({ runs: 0 });
    expect([effects.size, Math.max(...effects.values())]).toEqual([1_010, 1]);
  });

  trial("looks at five thousand runs, and goes on behind them", async () => {
    const { volley, effects } = await start(["refused"], { key: MANY });
    // All but the newest are of an export, so they are not run again.
    await fill(volley, 5_001);
    const first = await post(volley, "/v1/runs/rerun", { tag: "t" });
    expect(first.body).toEqual({ runs: 1, next_cursor: expect.any(String) });
    const rest = await post(volley, `/v1/runs/rerun?cursor=${String(first.body["next_cursor"])}`, {
      tag: "t",
    });
    expect(rest.body).toEqual({ runs: 0 });
    expect(Object.fromEntries(effects)).toEqual({ a: 1 });
  });

  trial(
    "takes a run up whose rerun was lost, and asks first; for two minutes it may still be under way",
    async () => {
      const { volley, effects } = await start(["refused", "lost after it was done"], { key: MANY });
      await volley.run(write("a"));
      await volley.advance(3_000);
      const ask = async () =>
        (await post(volley, "/v1/runs/rerun", { tag: "t", status: "error" })).body["runs"];
      expect(await ask()).toBe(1);
      await volley.advance(3_000);
      const [rerun] = await listed(volley, "tag=t&status=unknown");
      const forgotten = await volley.fetch(`/v1/runs/${String(rerun!["run_id"])}`, { method: "DELETE" });
      expect(forgotten.status).toBe(204);
      expect(await ask()).toBe(0);
      await volley.advance(LIMITS.rerunLostMs);
      expect(await ask()).toBe(1);
      await volley.advance(3_000);
      expect(await listed(volley, "tag=t&status=waiting")).toHaveLength(1);
      expect(Object.fromEntries(effects)).toEqual({ a: 1 });
    },
  );

  trial(
    "T60 is served in slices: it has four runs under way at most, and another tenant waits for none of them",
    async () => {
      const sent: string[] = [];
      const held: (() => void)[] = [];
      const { volley } = await start([], {
        env: {
          VOLLEY_KEYS: await configureKeys({
            "test-key": { name: "test", tenant: "acme", quota: { limit: 1_000, window_s: 60 } },
            "other-key": { name: "other", tenant: "globex" },
          }),
        },
        routes: {
          "POST https://api.example.com/*": async ({ url }) => {
            const of = url.split("/").at(-1)!;
            const isFirst = !sent.includes(of);
            sent.push(of);
            if (of === "other") return Response.json({});
            if (isFirst) return Response.json({}, { status: 400 });
            return new Promise((answer) => held.push(() => answer(Response.json({}))));
          },
        },
      });
      const names = Array.from({ length: 14 }, (_, nth) => `w${nth}`);
      for (const of of names) await volley.run(write(of));
      await volley.advance(3_000);
      const bulk = post(volley, "/v1/runs/rerun", { ...ALL, only: "failed" });
      for (let slice = 0; slice < 4; slice += 1) {
        await volley.advance(10);
        expect(held).toHaveLength(slice === 3 ? 2 : 4);
        const answer = await volley.fetch("/v1/execute_actions", {
          method: "POST",
          headers: { authorization: "Bearer other-key", "content-type": "application/json" },
          body: JSON.stringify(write("other")),
        });
        expect(await answer.json()).toMatchObject({ summary: { ok: 1 } });
        for (const answered of held.splice(0)) answered();
      }
      expect((await bulk).body).toEqual({ runs: 14 });
    },
  );

  trial("begins no more when its time is over", async () => {
    const { volley } = await start([], {
      routes: {
        "POST https://api.example.com/*": async (_, { sleep }) => {
          await sleep(9_000);
          return new Response("{}", { status: 400 });
        },
      },
    });
    for (let at = 0; at < 30; at += 1) await volley.run(write(`w${at}`));
    await volley.advance(3_000);
    const beganAt = volley.now();
    const { body } = await post(volley, "/v1/runs/rerun", { tag: "t" });
    expect(body).toMatchObject({ next_cursor: expect.any(String) });
    expect(volley.now() - beganAt).toBeLessThan(LIMITS.rerunsBegunMs + 15_000);
  });

  trial("T61 without a filter is refused, and the refusal says which there are", async () => {
    const { volley } = await start(["refused"]);
    await volley.run(write("a"));
    await volley.run({ actions: [{ tool: "store_later", args: { of: "j" } }] });
    await volley.advance(3_000);
    const before = volley.requests.length;
    for (const path of ["/v1/runs/rerun", "/v1/runs/cancel"])
      for (const body of [{}, undefined, { cursor: "1_a" }]) {
        const refused = await post(volley, path, body);
        expect([refused.status, refused.body["code"]]).toEqual([422, "INVALID_REQUEST"]);
        for (const name of [
          "source",
          "status",
          "tool",
          "flow",
          "key",
          "tag",
          "subject",
          "request_id",
          "since",
        ])
          expect(refused.body["detail"]).toContain(name);
      }
    expect((await post(volley, "/v1/runs/rerun", { only: "failed" })).status).toBe(422);
    expect(volley.requests).toHaveLength(before);
  });

  trial("refuses a filter that the list would refuse, wherever it stands", async () => {
    const { volley } = await start();
    for (const [path, body] of [
      ["/v1/runs/rerun", { status: "fine" }],
      ["/v1/runs/rerun", { since: "monday" }],
      ["/v1/runs/rerun", { colour: "red" }],
      ["/v1/runs/rerun?colour=red", {}],
      ["/v1/runs/rerun?tag=a", { tag: "b" }],
      ["/v1/runs/cancel", { only: "failed" }],
      ["/v1/runs/rerun?limit=10", {}],
      ["/v1/runs/cancel", { limit: 10 }],
      ["/v1/runs/rerun", { cursor: "none" }],
      ["/v1/runs/rerun", { cursor: "1_a" }],
      ["/v1/runs/rerun", {}],
      ["/v1/runs/cancel", {}],
      ["/v1/runs/cancel", undefined],
      ["/v1/runs/rerun", { only: "failed" }],
    ] as const) {
      const { status } = await post(volley, path, body);
      expect([path, status]).toEqual([path, /\?(?:colour|limit)/.test(path) ? 400 : 422]);
    }
    expect(volley.requests).toEqual([]);
  });
});

trial(
  "Whatever ran, and however often all of it is run again at once, no write takes effect twice without a yes",
  async () => {
    const treatment = fc.constantFrom<Treatment>("done", "refused", "lost after it was done");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(treatment, { maxLength: 24 }),
        fc.array(fc.record({ only: fc.constantFrom("failed", undefined), waits: fc.boolean() }), {
          maxLength: 4,
        }),
        async (sizes, treatments, bulks) => {
          const { volley, effects } = await start([...treatments]);
          for (const [run, size] of sizes.entries()) {
            const actions = Array.from({ length: size + 1 }, (_, at) => ({
              id: `w${at}`,
              tool: "store_it",
              args: { of: `${run}-${at}` },
            }));
            await volley.run({ actions, tags: ["t"] });
          }
          await volley.advance(3_000);
          for (const { only, waits } of bulks) {
            const asked = { tag: "t", ...(only && { only }) };
            await Promise.all([post(volley, "/v1/runs/rerun", asked), post(volley, "/v1/runs/rerun", asked)]);
            if (waits) await volley.advance(3_000);
          }
          for (const [of, count] of effects) expect([of, count]).toEqual([of, 1]);
        },
      ),
      { numRuns: 40 },
    );
  },
);

trial(
  "A rerun that is sent again under its Idempotency-Key is answered as it was, and runs once",
  async () => {
    const { volley } = await start(["refused", "refused", "done"]);
    const { batch_id } = await volley.run(write("a"));
    await volley.advance(3_000);
    const again = async (key: string) => {
      const answer = await volley.fetch(`/v1/runs/${batch_id}/rerun`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key },
        body: "{}",
      });
      return [answer.headers.get("idempotency-replayed"), await answer.text()] as const;
    };
    const [, first] = await again("one");
    expect(await again("one")).toEqual(["true", first]);
    await volley.advance(3_000);
    expect(await again("one")).toEqual(["true", first]);
    expect(volley.requests).toHaveLength(2);
    // One that was only answered from before is no rerun: the next one asks nothing about it.
    const [, second] = await again("two");
    expect(JSON.parse(second)).toMatchObject({ results: [{ status: "success" }] });
  },
);

describe("POST /v1/runs/cancel", () => {
  const job = { actions: [{ id: "j", tool: "store_later", args: { of: "j" } }], tags: ["jobs"] };
  const question = { actions: [{ id: "q", tool: "drop_it", args: { of: "q" } }], tags: ["asks"] };

  trial("ends the jobs of runs, and answers their open questions with a no", async () => {
    const { volley } = await start();
    const made = await volley.run(job);
    const asked = await volley.run(question);
    await volley.run(write("plain"));
    await volley.advance(3_000);
    expect((await post(volley, "/v1/runs/cancel", { tag: "jobs" })).body).toEqual({ runs: 1 });
    const { job_id } = made.results[0] as unknown as { readonly job_id: string };
    expect(await (await volley.fetch(`/v1/jobs/${job_id}`)).json()).toMatchObject({ status: "cancelled" });
    // Nothing of the plain one goes on, and the job is over.
    expect((await post(volley, "/v1/runs/cancel", ALL)).body).toEqual({ runs: 1 });
    expect(await listed(volley, "status=waiting")).toEqual([]);
    expect(await listed(volley, "tag=asks")).toMatchObject([{ run_id: asked.batch_id, status: "error" }]);
    expect((await post(volley, "/v1/runs/cancel", ALL)).body).toEqual({ runs: 0 });
  });

  trial(
    "ends what a thousand runs have made at most, and the same request again goes on with the rest",
    async () => {
      const { volley } = await start([], { key: MANY });
      const runAt = new Date(volley.now() + 86_400_000).toISOString();
      const waits = { tool: "store_later", args: { of: "j" }, run_at: runAt };
      for (let at = 0; at < 1_010; at += 1) {
        const isQuestion = at % 20 === 0;
        await volley.run({ ...(isQuestion ? question : { actions: [waits] }), tags: ["jobs"] });
        // A report has a thousand runs at most.
        if (at % 500 === 0) await volley.advance(3_000);
      }
      await volley.advance(3_000);
      const ask = async () => (await post(volley, "/v1/runs/cancel", { tag: "jobs" })).body;
      expect(await ask()).toMatchObject({ runs: 1_000, next_cursor: expect.any(String) });
      expect(await ask()).toEqual({ runs: 10 });
      expect(await ask()).toEqual({ runs: 0 });
    },
  );

  trial("leaves questions alone where the key may not decide", async () => {
    const { volley } = await start([], { key: { flags: [] } });
    await volley.run(question);
    await volley.advance(3_000);
    expect((await post(volley, "/v1/runs/cancel", ALL)).body).toEqual({ runs: 0 });
    expect(await listed(volley, "status=waiting")).toHaveLength(1);
  });

  test("ends batches in the background, whose rest is not sent", async () => {
    const { volley } = await start([], {
      routes: {
        "POST https://api.example.com/*": async (_, { sleep }) => {
          await sleep(5_000);
          return {};
        },
      },
    });
    const elements = Array.from({ length: 20 }, (_, n) => `${n}`);
    const actions = [{ id: "w", tool: "store_it", for_each: elements, args: { of: { $ref: "item#" } } }];
    const { body } = await post(volley, "/v1/execute_actions", {
      background: true,
      deadline_ms: 900_000,
      actions,
    });
    await volley.advance(12_000);
    expect((await post(volley, "/v1/runs/cancel", { source: "background", status: "running" })).body).toEqual(
      {
        runs: 1,
      },
    );
    expect(await (await volley.fetch(`/v1/jobs/${String(body["job_id"])}`)).json()).toMatchObject({
      status: "cancelled",
    });
    await volley.advance(120_000);
    expect(volley.requests.length).toBeLessThan(6);
    expect(await listed(volley, "status=running")).toEqual([]);
  });
});

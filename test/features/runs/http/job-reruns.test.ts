import { describe, expect, test } from "vitest";

import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { runs } from "../../../../src/features/runs/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { configureKeys } from "../../../support/configured-keys.ts";
import { DECLARATION, type sendIt } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

/** Its upstream is told the key of each attempt. */
const keepIt: typeof sendIt = async ({ of }, ctx) => {
  const headers = { "x-key": ctx.idempotencyKey };
  return (await ctx.fetch(`https://api.example.com/${of}`, { method: "POST", headers })).json();
};
const store = defineTool({ ...DECLARATION, name: "store_it", run: keepIt });
const look = defineTool({ ...DECLARATION, name: "look_at", isWrite: false, actions: ["read"], run: keepIt });
/** Elements of its loops may fail by themselves. */
const drop = defineTool({
  ...DECLARATION,
  name: "drop_in",
  orchestration: { mode: "sequential-only", on_error: "partial-success" },
  run: keepIt,
});
const gated = defineTool({
  ...DECLARATION,
  name: "drop_gated",
  orchestration: { mode: "sequential-only", confirm: "always" },
  run: keepIt,
});
const askedInPart = defineTool({
  ...DECLARATION,
  name: "drop_asked",
  orchestration: { mode: "sequential-only", confirm: "always", on_error: "partial-success" },
  run: keepIt,
});
const hide = defineTool({ ...DECLARATION, name: "hide_it", private: true, run: keepIt });

const say = (of: unknown) => ({ args: { of } });

/** A name's stored value is answered with its status; 200 where none is said. */
async function start(statuses: Record<string, number> = {}, env: Record<string, string> = {}) {
  const sent: { of: string; key: string }[] = [];
  /** Answered to those who look at it. */
  const list: string[] = [];
  const volley = await createTestVolley({
    tools: [store, look, drop, gated, askedInPart, hide],
    features: [discovery(), addedTools(), confirmations(), flows(), background(), runs()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_tools"] },
      }),
      VOLLEY_TOOL_SECRETS: JSON.stringify({ HOOK: { tenants: ["acme"], hosts: [] } }),
      HOOK: "geheim",
      ...env,
    },
    routes: {
      "POST https://api.example.com/*": ({ url, headers }) => {
        const of = decodeURIComponent(new URL(url).pathname.slice(1));
        sent.push({ of, key: headers["x-key"]! });
        if (of === "list") return Response.json([...list]);
        if (statuses[of] === 0) throw new TypeError("The connection was lost");
        return Response.json({ of, n: sent.length }, { status: statuses[of] ?? 200 });
      },
    },
  });
  const send = async (path: string, body?: object, more: Record<string, string> = {}, method = "POST") => {
    const headers = { "content-type": "application/json", ...more };
    const answer = await volley.fetch(path, {
      headers,
      ...(body !== undefined && { method, body: JSON.stringify(body) }),
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };
  const endOf = async (jobId: string) => {
    for (let looks = 0; looks < 60; looks += 1) {
      const { body } = await send(`/v1/jobs/${jobId}`);
      if (!["running", "retrying"].includes(body.status as string)) {
        await volley.advance(6_000);
        return body;
      }
      await volley.advance(5_000);
    }
    throw new Error(`Cannot wait for the job ${jobId} any longer`);
  };
  const runOf = async (id: string) => (await send(`/v1/runs/${id}`)).body;
  const begin = async (batch: object) => {
    const { body } = await send("/v1/execute_actions", { background: true, ...batch });
    await endOf(body.job_id as string);
    return body as { run_id: string; job_id: string };
  };
  const rerun = async (id: string, body: object = {}, headers: Record<string, string> = {}) => {
    const answer = await send(`/v1/runs/${id}/rerun`, body, headers);
    const job = answer.status === 202 ? await endOf(answer.body.job_id as string) : null;
    return { ...answer, job };
  };
  const flow = (more: object) =>
    send(
      "/v1/flows/nightly",
      {
        summary: "Nightly",
        input_schema: { type: "object" },
        actions: [
          { id: "seen", tool: "look_at", args: { of: "seen" } },
          { id: "kept", tool: "store_it", args: { of: "kept" }, depends_on: ["seen"] },
        ],
        answer: { seen: { $ref: "seen#/n" }, kept: { $ref: "kept#/of" } },
        ...more,
      },
      {},
      "PUT",
    );
  return { volley, list, sent, send, endOf, runOf, begin, rerun, flow, statuses };
}

const namesOf = (sent: readonly { readonly of: string }[]) => sent.map(({ of }) => of);

describe("A run of a batch in the background", () => {
  const BATCH = {
    tags: ["nightly"],
    actions: [
      { id: "good", tool: "store_it", ...say("good") },
      { id: "bad", tool: "store_it", ...say("bad") },
      { id: "after", tool: "store_it", args: { of: { $ref: "good#/of" } }, depends_on: ["bad"] },
      { id: "seen", tool: "look_at", ...say("seen") },
    ],
  };

  trial("is run again as a job: 202, and writes that succeeded are answered from it", async () => {
    const { sent, rerun, runOf, begin, statuses } = await start({ bad: 400 });
    const { run_id: id } = await begin(BATCH);
    const first = sent.splice(0);
    expect(namesOf(first)).toEqual(expect.arrayContaining(["good", "bad", "seen"]));
    delete statuses["bad"];
    const again = await rerun(id);
    expect(again.status).toBe(202);
    expect(again.headers.get("location")).toBe(`/v1/jobs/${again.body.job_id}`);
    expect(again.job.status).toBe("succeeded");
    expect(namesOf(sent).sort()).toEqual(["bad", "good", "seen"].sort());
    // `after` is given what `good` found, which is not sent again; `bad` has the key of its first attempt.
    const keyOf = (all: typeof sent, of: string) => all.find((one) => one.of === of)?.key;
    expect(keyOf(sent, "bad")).toBe(keyOf(first, "bad"));
    expect(keyOf(sent, "good")).not.toBe(keyOf(first, "good"));
    expect(await runOf(again.body.run_id as string)).toMatchObject({
      source: "background",
      parent: id,
      tags: ["nightly"],
      status: "success",
    });
    sent.splice(0);
    expect((await rerun(again.body.run_id as string, { only: "failed" })).status).toBe(200);
    expect(sent).toEqual([]);
  });

  test("sends of a loop the elements alone that did not happen, each by the key of its first attempt", async () => {
    const { volley, sent, send, rerun, endOf, begin, statuses } = await start({ b: 400 });
    const names = ["a", "b", "c"];
    const loop = { id: "all", tool: "store_it", args: { of: { $ref: "item#" } }, for_each: names };
    // In another place than its rerun has it.
    const { run_id: id, job_id: job } = await begin({
      actions: [{ id: "seen", tool: "look_at", ...say("seen") }, loop],
    });
    expect(namesOf(sent)).toEqual(["seen", "a", "b"]);
    statuses["c"] = 429;
    delete statuses["b"];
    sent.splice(0);
    const first = await send(`/v1/runs/${id}/rerun`, { only: "failed" });
    expect(first.status).toBe(202);
    const beside = await send(`/v1/runs/${id}/rerun`, { only: "failed" });
    expect([beside.status, beside.body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    await volley.advance(500);
    delete statuses["c"];
    const { status } = await endOf(first.body.job_id as string);
    expect(status).toBe("succeeded");
    expect(sent.find(({ of }) => of === "b")!.key).toBe(`${job}:all:1`);
    expect(new Set(sent.filter(({ of }) => of === "c").map(({ key }) => key))).toEqual(
      new Set([`${job}:all:2`]),
    );
    expect(namesOf(sent).filter((of) => of !== "c")).toEqual(["b"]);
    const { results } = (await send(`/v1/jobs/${first.body.job_id}/results`)).body;
    expect(results[0].data.map(({ data }: { data: { of: string } }) => data.of)).toEqual(names);
    sent.splice(0);
    expect((await rerun(id, { only: "failed" })).status).toBe(200);
    expect(sent).toEqual([]);
  });

  trial(
    "goes on with a loop over the list that it went over before, and asks about all of it where that is not kept",
    async () => {
      for (const bytes of [1, 20_000]) {
        const { list, sent, rerun, runOf, begin, statuses } = await start({ b: 400 });
        const args = { of: { $ref: "item#/0" } };
        const entry = (of: string) => [of, "x".repeat(bytes)] as unknown as string;
        list.push(entry("a"), entry("b"), entry("c"));
        const { run_id: id } = await begin({
          actions: [
            { id: "list", tool: "look_at", args: { of: "list" } },
            { id: "all", tool: "drop_in", args, for_each: { $ref: "list#" } },
          ],
        });
        // The others are done, and no longer on it.
        list.splice(0, 3, entry("new"), entry("b"));
        delete statuses["b"];
        sent.splice(0);
        const again = await rerun(id);
        const { actions } = await runOf(again.body.run_id as string);
        const isKept = bytes === 1;
        expect(namesOf(sent)).toEqual(isKept ? ["b"] : ["list"]);
        expect(actions.at(-1).status).toBe(isKept ? "success" : "pending_confirmation");
      }
    },
  );

  trial("sends what failed of a loop that succeeded as a whole", async () => {
    const { sent, rerun, runOf, begin, statuses } = await start({ b: 400 });
    const args = { of: { $ref: "item#" } };
    const { run_id: id } = await begin({
      actions: [{ id: "all", tool: "drop_in", args, for_each: ["a", "b", "c"] }],
    });
    expect((await runOf(id)).actions[0]).toMatchObject({ status: "success", items: { total: 3, ok: 2 } });
    delete statuses["b"];
    sent.splice(0);
    const again = await rerun(id, { only: "failed" });
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).toEqual(["b"]);
    expect((await runOf(again.body.run_id as string)).actions[0].items).toMatchObject({ total: 3, ok: 3 });
  });

  test("asks of a loop about the element alone that is in doubt, sends what never ran, and a yes sends that one", async () => {
    const { sent, send, rerun, runOf, begin, statuses, volley } = await start({ b: 0 });
    const args = { of: { $ref: "item#" } };
    const { run_id: id } = await begin({
      actions: [{ id: "all", tool: "store_it", args, for_each: ["a", "b", "c"] }],
    });
    expect(namesOf(sent)).toEqual(["a", "b"]);
    delete statuses["b"];
    sent.splice(0);
    const again = await rerun(id);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).toEqual(["c"]);
    const [{ status, confirmation }] = (await runOf(again.body.run_id as string)).actions;
    expect(status).toBe("pending_confirmation");
    expect(confirmation.message).toContain('each of 1: [{"of":"b"}]');
    expect(confirmation.message).toContain("It may have taken effect in an earlier run");
    sent.splice(0);
    const yes = await send(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
    expect(namesOf(sent)).toEqual(["b"]);
    const { data } = yes.body.results[0];
    expect(data.map((one: { data: { of: string } }) => one.data.of)).toEqual(["a", "b", "c"]);
    await volley.advance(5_000);
    sent.splice(0);
    expect((await rerun(id)).status).toBe(200);
    expect(sent).toEqual([]);
  });

  trial("asks about the element in doubt of a loop that is longer than a request's", async () => {
    const { sent, send, rerun, runOf, begin, statuses } = await start({ e30: 0 });
    const for_each = Array.from({ length: 40 }, (_, at) => `e${at}`);
    const args = { of: { $ref: "item#" } };
    const { run_id: id } = await begin({ actions: [{ id: "all", tool: "drop_in", args, for_each }] });
    delete statuses["e30"];
    sent.splice(0);
    const again = await rerun(id);
    const [action] = (await runOf(again.body.run_id as string)).actions;
    expect(action.status, JSON.stringify(action)).toBe("pending_confirmation");
    expect(sent).toEqual([]);
    const yes = await send(`/v1/confirmations/${action.confirmation.id}`, { decision: "approve" });
    expect(namesOf(sent)).toEqual(["e30"]);
    expect(yes.body.results[0].data).toHaveLength(40);
  });

  trial("asks again about the element in doubt that was refused after a yes", async () => {
    const { sent, send, rerun, runOf, begin, statuses } = await start({ b: 0 });
    const args = { of: { $ref: "item#" } };
    const for_each = ["a", "b", "c"];
    const { run_id: id } = await begin({ actions: [{ id: "all", tool: "drop_in", args, for_each }] });
    statuses["b"] = 400;
    const asked = await runOf((await rerun(id)).body.run_id as string);
    sent.splice(0);
    const yes = await send(`/v1/confirmations/${asked.actions[0].confirmation.id}`, { decision: "approve" });
    expect(yes.body.results[0].meta.in_doubt).toBe(true);
    expect(namesOf(sent)).toEqual(["b"]);
    delete statuses["b"];
    const again = await runOf((await rerun(id)).body.run_id as string);
    expect(again.actions[0].status, JSON.stringify(again.actions[0])).toBe("pending_confirmation");
    expect(namesOf(sent)).toEqual(["b"]);
  });

  trial(
    "says of a loop that ran on a yes that it may have happened, also where the tool's yes is remembered",
    async () => {
      const { volley, sent, send, rerun, runOf, begin } = await start({ b: 0 });
      const args = { of: { $ref: "item#" } };
      const for_each = ["a", "b", "c"];
      const { run_id: id } = await begin({ actions: [{ id: "all", tool: "drop_gated", args, for_each }] });
      const [asked] = (await runOf(id)).actions;
      const yes = { decision: "approve", remember_s: 600 };
      await send(`/v1/confirmations/${asked.confirmation.id}`, yes);
      await volley.advance(6_000);
      expect(namesOf(sent.splice(0))).toEqual(["a", "b"]);
      // A yes to all of it leaves no rows either.
      for (let times = 0; times < 2; times += 1) {
        const [again] = (await runOf((await rerun(id)).body.run_id as string)).actions;
        expect(again.confirmation.message).toContain("may have taken effect in an earlier run");
        expect(sent).toEqual([]);
        await send(`/v1/confirmations/${again.confirmation.id}`, { decision: "approve" });
        await volley.advance(6_000);
        expect(namesOf(sent.splice(0))).toEqual(["a", "b"]);
      }
    },
  );

  trial(
    "answers a loop that a yes ran in part as that left it: nothing is sent twice, and no success or failure is hidden",
    async () => {
      const { volley, sent, send, rerun, runOf, begin } = await start({ b: 400 });
      const loop = {
        id: "all",
        tool: "drop_asked",
        for_each: ["a", "b", "c"],
        args: { of: { $ref: "item#" } },
      };
      const { run_id: id } = await begin({ actions: [loop] });
      const [asked] = (await runOf(id)).actions;
      await send(`/v1/confirmations/${asked.confirmation.id}`, { decision: "approve" });
      await volley.advance(6_000);
      expect(namesOf(sent.splice(0))).toEqual(["a", "b", "c"]);
      const { status, body } = await rerun(id);
      expect(status).toBe(200);
      expect(body.results).toMatchObject([
        {
          status: "success",
          data: [
            { status: "success" },
            { status: "error", error: { upstream_status: 400 } },
            { status: "success" },
          ],
        },
      ]);
      expect(sent).toEqual([]);
    },
  );

  trial("leaves in the envelope of its rerun what it had done itself", async () => {
    const { rerun, begin, statuses } = await start({ bad: 400 });
    const { run_id: id } = await begin(BATCH);
    delete statuses["bad"];
    const { job } = await rerun(id, { only: "failed" });
    expect(job.envelope).toMatchObject({
      parent: id,
      results: [
        {
          index: 0,
          id: "good",
          status: "success",
          data: { of: "good" },
          meta: { idempotency_replayed: true },
        },
        { index: 1, id: "bad", status: "success", data: { of: "bad" } },
        { index: 2, id: "after", status: "success", data: { of: "good" } },
        {
          index: 3,
          id: "seen",
          status: "success",
          data: { of: "seen" },
          meta: { idempotency_replayed: true },
        },
      ],
      summary: { total: 4, ok: 4 },
    });
  });

  trial("has each result of its rerun told once, by a stream that follows it to its end", async () => {
    const { volley, send, endOf, begin, statuses } = await start({ bad: 400 });
    const after = { id: "after", tool: "store_it", ...say("last"), depends_on: ["bad"] };
    const actions = BATCH.actions.map((action) => (action.id === "after" ? after : action));
    const { run_id: id } = await begin({ actions });
    delete statuses["bad"];
    statuses["last"] = 429;
    const again = await send(`/v1/runs/${id}/rerun`, { only: "failed" });
    await volley.advance(500);
    const headers = { accept: "text/event-stream" };
    const told = (await volley.fetch(`/v1/runs/${again.body.run_id}`, { headers })).text();
    await volley.advance(500);
    delete statuses["last"];
    await endOf(again.body.job_id as string);
    const results = (await told).matchAll(/event: result\ndata: (.*)/g);
    const ids = Array.from(results, ([, json]) => (JSON.parse(json!) as { id: string }).id);
    expect(ids.sort()).toEqual(["after", "bad", "good", "seen"]);
  });

  test("is not run again where something of it is not kept: 422 with its id", async () => {
    const { rerun, begin } = await start({ secret: 400 });
    const { run_id: id } = await begin({ actions: [{ id: "hidden", tool: "hide_it", ...say("secret") }] });
    const { status, body } = await rerun(id);
    expect([status, body.code]).toEqual([422, "INVALID_REQUEST"]);
    expect(body.detail).toContain("'hidden'");
  });

  trial(
    "whose job is dead is gone on with by that job, which sends nothing again that succeeded",
    async () => {
      const { sent, rerun, runOf, begin, statuses } = await start({ bad: 429 });
      const { run_id: id, job_id: job } = await begin(BATCH);
      expect((await runOf(id)).status).toBe("partial");
      const [first] = sent.splice(0).filter(({ of }) => of === "bad");
      delete statuses["bad"];
      const again = await rerun(id);
      expect(again.status, JSON.stringify(again.body)).toBe(202);
      expect(again.body).toEqual({ run_id: id, job_id: job });
      expect(again.headers.get("location")).toBe(`/v1/jobs/${job}`);
      expect(again.job.status).toBe("succeeded");
      // The one named `good` is of `after`, which takes its name from there.
      expect(namesOf(sent).sort()).toEqual(["bad", "good"]);
      expect(sent.find(({ of }) => of === "bad")!.key).toBe(first!.key);
      expect((await runOf(id)).status).toBe("success");
    },
  );

  trial("whose rerun is dead is gone on with by the job of that, and by no other beside it", async () => {
    const { sent, send, rerun, endOf, begin, statuses } = await start({ bad: 400 });
    const { run_id: id } = await begin({ actions: BATCH.actions.slice(1, 2) });
    statuses["bad"] = 429;
    const first = await rerun(id);
    expect(first.job.status).toBe("dead");
    delete statuses["bad"];
    sent.splice(0);
    const second = await send(`/v1/runs/${id}/rerun`, {});
    expect([second.status, second.body]).toEqual([202, first.body]);
    await send(`/v1/jobs/${first.body.job_id}/redrive`, {});
    expect((await endOf(first.body.job_id as string)).status).toBe("succeeded");
    expect((await rerun(id)).status).toBe(200);
    expect(namesOf(sent)).toEqual(["bad"]);
  });

  trial(
    "whose rerun goes on is not run beside it, also where an attempt of that was refused and comes again",
    async () => {
      const { sent, send, endOf, rerun, volley, begin, statuses } = await start({ bad: 400 });
      const { run_id: id } = await begin({ actions: BATCH.actions.slice(1, 2) });
      statuses["bad"] = 429;
      sent.splice(0);
      const first = await send(`/v1/runs/${id}/rerun`, {});
      // An attempt has left its record, and the next one is a while away.
      let waitMs = 0;
      for (let looks = 0; looks < 60 && waitMs < 4_000; looks += 1) {
        await volley.advance(500);
        const {
          status,
          updated_at: at,
          next_attempt_at: next,
        } = (await send(`/v1/jobs/${first.body.job_id}`)).body as Record<string, string>;
        if (status === "retrying") waitMs = Date.parse(next!) - Date.parse(at!);
      }
      expect(waitMs).toBeGreaterThanOrEqual(4_000);
      await volley.advance(3_500);
      const second = await send(`/v1/runs/${id}/rerun`, {});
      expect([second.status, second.body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
      delete statuses["bad"];
      const sentBefore = sent.splice(0).length;
      expect(sentBefore).toBeGreaterThan(1);
      expect((await endOf(first.body.job_id as string)).status).toBe("succeeded");
      expect((await rerun(id)).status).toBe(200);
      expect(namesOf(sent)).toEqual(["bad"]);
    },
  );

  trial(
    "whose job is forgotten is run again by what the log has of it: a write that did not succeed there asks first",
    async () => {
      const { volley, sent, send, rerun, begin, statuses } = await start(
        { bad: 400 },
        { VOLLEY_RUNS_DAYS: "30" },
      );
      const { run_id: id, job_id: job } = await begin(BATCH);
      delete statuses["bad"];
      await volley.advance(8 * 24 * 3_600_000);
      await begin({ actions: [{ id: "other", tool: "look_at", ...say("other") }] });
      expect((await send(`/v1/jobs/${job}`)).status).toBe(404);
      sent.splice(0);
      const again = await rerun(id);
      expect(again.status, JSON.stringify(again.body)).toBe(202);
      // An attempt that was killed may have sent it, and nothing knows that any more.
      expect(namesOf(sent)).toEqual(["seen"]);
      const { results } = again.job.envelope;
      expect(results).toMatchObject([
        { id: "good", status: "success", meta: { idempotency_replayed: true } },
        { id: "bad", status: "pending_confirmation" },
        { id: "after", status: "pending_confirmation" },
        { id: "seen", status: "success" },
      ]);
      const { confirmation } = results[1];
      expect(confirmation.message).toContain("It may have taken effect in an earlier run");
      const yes = await send(`/v1/confirmations/${confirmation.id}`, { decision: "approve" });
      expect(yes.status).toBe(200);
      await volley.advance(5_000);
      expect(namesOf(sent).filter((of) => of === "bad")).toEqual(["bad"]);
      expect((await rerun(id)).status).toBe(202);
      expect(namesOf(sent).filter((of) => of === "bad")).toEqual(["bad"]);
    },
  );

  trial("asks a person first about a write in doubt", async () => {
    const { sent, rerun, runOf, send, volley, statuses } = await start({ good: 0 });
    const { body } = await send("/v1/execute_actions", { ...BATCH, background: true });
    await volley.advance(1_000);
    await send(`/v1/jobs/${body.job_id}/cancel`, {});
    await volley.advance(120_000);
    sent.splice(0);
    delete statuses["good"];
    const again = await rerun(body.run_id as string);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).not.toContain("good");
    const { actions } = await runOf(again.body.run_id as string);
    expect(actions.find(({ id }: { id: string }) => id === "good").status).toBe("pending_confirmation");
  });

  trial("is not run again while its rerun goes on, and is answered from it once that is over", async () => {
    const { sent, send, endOf, rerun, begin, statuses } = await start({ bad: 400 });
    const { run_id: id } = await begin(BATCH);
    delete statuses["bad"];
    sent.splice(0);
    const first = await send(`/v1/runs/${id}/rerun`, { only: "failed" });
    expect(first.status).toBe(202);
    const second = await rerun(id, { only: "failed" });
    expect([second.status, second.body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    await endOf(first.body.job_id as string);
    expect((await rerun(id, { only: "failed" })).status).toBe(200);
    expect(namesOf(sent).filter((of) => of === "bad")).toEqual(["bad"]);
  });

  trial("is the same job for a request that comes again under its key", async () => {
    const { sent, send, rerun, begin, statuses } = await start({ bad: 400 });
    const { run_id: id } = await begin(BATCH);
    delete statuses["bad"];
    sent.splice(0);
    const headers = { "idempotency-key": "again" };
    const going = await send(`/v1/runs/${id}/rerun`, { only: "failed" }, headers);
    const first = await send(`/v1/runs/${id}/rerun`, { only: "failed" }, headers);
    expect([first.status, first.body]).toEqual([202, going.body]);
    expect(first.headers.get("idempotency-replayed")).toBe("true");
    expect((await rerun(id, {}, headers)).body.code).toMatch(/^IDEMPOTENCY_/);
    const second = await rerun(id, { only: "failed" }, headers);
    expect(second.body).toEqual(first.body);
    expect(namesOf(sent).filter((of) => of === "bad")).toEqual(["bad"]);
  });

  trial("is among those that are run again in bulk", async () => {
    const { sent, send, volley, begin, statuses } = await start({ bad: 400 });
    await begin(BATCH);
    delete statuses["bad"];
    sent.splice(0);
    const bulk = await send("/v1/runs/rerun", { tag: "nightly", only: "failed" });
    expect(bulk.body).toMatchObject({ runs: 1 });
    await volley.advance(20_000);
    expect(namesOf(sent).filter((of) => of === "bad")).toEqual(["bad"]);
  });
});

describe("A run of a flow that nobody waited for", () => {
  trial("of a clock is run again with its source, its flow and its answer", async () => {
    const { volley, sent, send, rerun, runOf, flow } = await start();
    expect((await flow({ triggers: { cron: "* * * * *" } })).status).toBe(201);
    await volley.advance(70_000);
    await flow({});
    await volley.advance(10_000);
    const [run] = (await send("/v1/runs?source=cron")).body.runs as { run_id: string }[];
    sent.splice(0);
    const again = await rerun(run!.run_id);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).toEqual(["seen"]);
    expect(again.job.data).toMatchObject({ answer: { kept: "kept", seen: expect.any(Number) } });
    expect(await runOf(again.body.run_id as string)).toMatchObject({
      source: "cron",
      flow: "nightly",
      parent: run!.run_id,
    });
  });

  trial("of a delivery is run again with its input and what is known of the delivery", async () => {
    const { volley, sent, send, rerun, flow, statuses } = await start({ x1: 400 });
    const hook = { verify: "token", header: "x-token", secret: "HOOK", id: { header: "x-id" } };
    const actions = [
      { id: "first", tool: "store_it", args: { of: { $ref: "input#/name" } } },
      { id: "second", tool: "store_it", args: { of: { $ref: "hook#/id" } }, depends_on: ["first"] },
    ];
    const answer = { id: { $ref: "hook#/id" }, first: { $ref: "first#/of" } };
    expect((await flow({ actions, answer, triggers: { webhook: hook } })).status).toBe(201);
    await send("/hooks/acme/nightly", { name: "ada" }, { "x-token": "geheim", "x-id": "x1" });
    await volley.advance(60_000);
    const [run] = (await send("/v1/runs?source=webhook")).body.runs as { run_id: string }[];
    expect(namesOf(sent)).toEqual(["ada", "x1"]);
    sent.splice(0);
    delete statuses["x1"];
    const again = await rerun(run!.run_id);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).toEqual(["x1"]);
    expect(again.job.data).toMatchObject({ answer: { id: "x1", first: "ada" } });
  });

  const HOOK = { verify: "token", header: "x-token", secret: "HOOK", id: { header: "x-id" } };
  const DELIVERY = { "x-token": "geheim", "x-id": "x1" };
  const ACTIONS = [
    { id: "first", tool: "store_it", args: { of: "ada" } },
    { id: "second", tool: "store_it", args: { of: { $ref: "hook#/id" } }, depends_on: ["first"] },
  ];
  const sourceRuns = async ({ send }: Pick<Awaited<ReturnType<typeof start>>, "send">, source: string) =>
    (await send(`/v1/runs?source=${source}`)).body.runs as { run_id: string; status: string }[];

  trial(
    "of a delivery whose job failed is gone on with by that job, and a delivery that comes again by the same one",
    async () => {
      const world = await start({ x1: 400 });
      const { volley, sent, send, rerun, runOf, flow, statuses } = world;
      await flow({
        actions: ACTIONS,
        answer: { first: { $ref: "second#/of" } },
        triggers: { webhook: HOOK },
      });
      const delivered = await send("/hooks/acme/nightly", {}, DELIVERY);
      await volley.advance(60_000);
      const { job_id: job } = delivered.body as { job_id: string };
      expect((await send(`/v1/jobs/${job}`)).body.status).toBe("failed");
      const [run] = await sourceRuns(world, "webhook");
      const [, first] = sent.splice(0);
      delete statuses["x1"];
      const began = await send(`/v1/runs/${run!.run_id}/rerun`, {});
      expect([began.status, began.body.job_id]).toEqual([202, job]);
      expect((await send("/hooks/acme/nightly", {}, DELIVERY)).body.job_id).toBe(job);
      await volley.advance(60_000);
      expect(sent).toEqual([{ ...first!, key: first!.key }]);
      expect(await runOf(began.body.run_id as string)).toMatchObject({
        source: "webhook",
        flow: "nightly",
        status: "success",
      });
      expect((await rerun(run!.run_id)).status).toBe(200);
      await send("/hooks/acme/nightly", {}, DELIVERY);
      await volley.advance(60_000);
      expect(sent).toHaveLength(1);
    },
  );

  trial("of an attempt before the last one is run again as the last one has left it", async () => {
    const world = await start({ x1: 429 });
    const { volley, sent, send, rerun, flow, statuses } = world;
    const actions = [...ACTIONS, { id: "third", tool: "store_it", args: { of: "bad" } }];
    // Given at last, so what was refused besides is left for a rerun.
    const answer = { $ref: "second#/of" };
    expect((await flow({ actions, answer, triggers: { webhook: HOOK } })).status).toBe(201);
    statuses["bad"] = 400;
    await send("/hooks/acme/nightly", {}, DELIVERY);
    await volley.advance(2_000);
    delete statuses["x1"];
    await volley.advance(60_000);
    const attempts = await sourceRuns(world, "webhook");
    expect(attempts.length).toBeGreaterThan(1);
    sent.splice(0);
    delete statuses["bad"];
    const again = await rerun(attempts.at(-1)!.run_id);
    expect(again.status, JSON.stringify(again.body)).toBe(202);
    expect(namesOf(sent)).toEqual(["bad"]);
    expect((await rerun(attempts[0]!.run_id)).status).toBe(200);
    expect(namesOf(sent)).toEqual(["bad"]);
  });
});

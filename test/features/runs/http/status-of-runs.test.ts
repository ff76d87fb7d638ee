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
import { DECLARATION, sendIt, store } from "./store-tools.ts";
import { trial } from "../../../support/trial.ts";

const HOUR = 3_600_000;
const LATER = { ...DECLARATION, execution: "fire-and-forget", run: sendIt } as const;
const later = defineTool({ ...LATER, name: "store_later" });
const ask = defineTool({ ...DECLARATION, name: "drop_it", actions: ["delete"], run: sendIt });
const askLater = defineTool({ ...LATER, name: "drop_later", actions: ["delete"] });
const look = defineTool({ ...DECLARATION, name: "look", actions: ["read"], isWrite: false, run: sendIt });

const act = (tool: string, of: string, more: object = {}) => ({ id: of, tool, args: { of }, ...more });
const GOOD = act("store_later", "good");
/** Its upstream turns it down for good, or each time; or never answers before its lease is over. */
const BAD = act("store_later", "bad");
const DYING = act("store_later", "dying");

interface Run {
  readonly run_id: string;
  readonly status: string;
}

/** An answer of any of the doors. */
interface Answer {
  readonly batch_id: string;
  readonly run_id: string;
  readonly status: string;
  readonly runs: readonly Run[];
  readonly children: readonly Run[];
  readonly results: readonly { readonly job_id?: string; readonly confirmation?: { readonly id: string } }[];
}

async function start() {
  const statuses: Record<string, number> = { bad: 422, worse: 422, dying: 429, "dying-too": 429, none: 404 };
  const held = Promise.withResolvers<Response>();
  const volley = await createTestVolley({
    tools: [store, later, ask, askLater, look],
    features: [addedTools(), discovery(), background(), confirmations(), flows(), runs()],
    env: {
      VOLLEY_KEYS: await configureKeys({
        "test-key": { name: "test", tenant: "acme", flags: ["approve", "manage_tools"] },
        "narrow-key": { name: "narrow", tenant: "acme", tools: ["store_it"], flags: ["approve"] },
      }),
    },
    routes: {
      "POST https://api.example.com/held": () => held.promise,
      "POST https://api.example.com/*": ({ url }) =>
        Response.json({}, { status: statuses[new URL(url).pathname.slice(1)] ?? 200 }),
    },
  });
  const send = async (path: string, body?: object, { key = "test-key", method = "POST" } = {}) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method, body: JSON.stringify(body) };
    return (await (await volley.fetch(path, { headers, ...sent })).json()) as Answer;
  };
  const list = async (query = "", key?: string): Promise<readonly Run[]> =>
    (await send(`/v1/runs?limit=100${query}`, undefined, { key })).runs;
  /** The run, the list and each filter of the list say how a run is: one word, or the words that differ. */
  const statusOf = async (id: string, key?: string): Promise<unknown> => {
    const said = new Set<string>([(await send(`/v1/runs/${id}`, undefined, { key })).status]);
    for (const { run_id: one, status } of await list("", key)) if (one === id) said.add(status);
    for (const status of ["success", "partial", "error", "waiting", "running", "unknown"])
      for (const one of await list(`&status=${status}`, key)) if (one.run_id === id) said.add(status);
    return said.size === 1 ? [...said][0] : [...said];
  };
  const run = async (...actions: readonly object[]) => {
    const envelope = await send("/v1/execute_actions", { actions });
    await volley.advance(2_000);
    return { id: envelope.batch_id, results: envelope.results };
  };
  return { volley, held, statuses, send, list, statusOf, run };
}

describe("The status of a run follows its jobs, in the run, in the list and by its filter:", () => {
  trial.each([
    ["one that dies", [DYING], "running", "error"],
    ["two that die", [DYING, act("store_later", "dying-too")], "running", "error"],
    ["one that dies and one that succeeds", [DYING, GOOD], "running", "partial"],
    ["one that dies beside a write that succeeded", [DYING, act("store_it", "now")], "running", "partial"],
    ["one that dies beside a read that succeeded", [DYING, act("look", "now")], "running", "partial"],
    ["one that dies beside a read that failed", [DYING, act("look", "none")], "running", "error"],
    ["one that dies beside a write that failed", [DYING, act("store_it", "bad")], "running", "error"],
    ["one that failed and one that dies", [DYING, BAD], "running", "error"],
    ["one that succeeds beside a read that failed", [GOOD, act("look", "none")], "partial", "partial"],
    ["one that succeeds", [GOOD], "success", "success"],
    ["one that failed for good", [BAD], "error", "error"],
  ])("%s", async (_, actions, first, last) => {
    const { volley, run, statusOf } = await start();
    const { id } = await run(...actions);
    expect(await statusOf(id)).toBe(first);
    await volley.advance(HOUR);
    expect(await statusOf(id)).toBe(last);
  });

  test("and its error names the action whose job failed, in the run and in the list", async () => {
    const { volley, run, list, send } = await start();
    const { id } = await run(act("store_it", "now"), { ...DYING, id: "late" });
    await volley.advance(HOUR);
    const expected = { status: "partial", error: { action: "late", code: "RATE_LIMITED" } };
    expect(await send(`/v1/runs/${id}`)).toMatchObject(expected);
    expect((await list()).find((one) => one.run_id === id)).toMatchObject(expected);
  });

  trial("a loop whose jobs die in part, and as a whole", async () => {
    const { volley, run, statusOf } = await start();
    const loop = (...names: readonly string[]) =>
      run({ id: "loop", tool: "store_later", for_each: names, args: { of: { $ref: "item#" } } });
    const [some, all] = [await loop("dying", "good"), await loop("dying", "dying-too")];
    for (const { id } of [some, all]) expect(await statusOf(id)).toBe("running");
    await volley.advance(HOUR);
    expect(await statusOf(some.id)).toBe("partial");
    expect(await statusOf(all.id)).toBe("error");
  });

  test("a delayed one goes on until its time, and what is called off is no failure", async () => {
    const { volley, run, statusOf, send } = await start();
    const { id, results } = await run({ ...GOOD, run_at: new Date(volley.now() + HOUR).toISOString() });
    expect(await statusOf(id)).toBe("running");
    await send(`/v1/jobs/${results[0]!.job_id}/cancel`, {});
    expect(await statusOf(id)).toBe("success");
  });

  trial(
    "from its answer to its end it says running, then how it ended, and at no moment success",
    async () => {
      const { volley, send, list } = await start();
      const { batch_id: id } = await send("/v1/execute_actions", { actions: [DYING] });
      const said: string[] = [];
      for (let step = 0; step < 3_000 && said.at(-1) !== "error"; step += 1) {
        await volley.advance(250);
        for (const { run_id: one, status } of await list()) if (one === id) said.push(status);
      }
      expect(new Set(said)).toEqual(new Set(["running", "error"]));
      expect(said.indexOf("error")).toBe(said.length - 1);
    },
  );

  trial("a redrive makes it go on again, and its success takes the failure back", async () => {
    const { volley, statuses, run, statusOf, send } = await start();
    const { id, results } = await run(DYING);
    await volley.advance(HOUR);
    await send(`/v1/jobs/${results[0]!.job_id}/redrive`, {});
    await volley.advance(1_000);
    expect(await statusOf(id)).toBe("running");
    statuses["dying"] = 200;
    await volley.advance(HOUR);
    expect(await statusOf(id)).toBe("success");
  });

  trial("a key that may not call the job's tool is told nothing of it", async () => {
    const { run, statusOf } = await start();
    const { id } = await run(DYING, act("store_it", "now"));
    expect(await statusOf(id, "narrow-key")).toBe("success");
    expect(await statusOf(id)).toBe("running");
  });

  trial("`POST /v1/runs/cancel` by `status: running` ends it", async () => {
    const { run, statusOf, send } = await start();
    const { id } = await run(DYING);
    expect(await send("/v1/runs/cancel", { status: "running" })).toEqual({ runs: 1 });
    expect(await statusOf(id)).toBe("success");
    expect(await send("/v1/runs/cancel", { status: "running" })).toEqual({ runs: 0 });
  });

  trial("a batch in the background, with a job of its own, is one run of the list", async () => {
    const { volley, send, list, statusOf } = await start();
    const actions = [act("store_it", "dying"), act("store_later", "dying-too")];
    const { run_id: id } = await send("/v1/execute_actions", { background: true, actions });
    for (let step = 0; step < 8; step += 1) {
      await volley.advance(500);
      // It is in the log within two seconds of its end.
      for (const query of ["", "&status=running"]) expect((await list(query)).length).toBeLessThan(2);
    }
    expect(await statusOf(id)).toBe("running");
    await volley.advance(HOUR);
    expect(await statusOf(id)).toBe("error");
  });
});

describe("The status of a run of a flow follows its jobs:", () => {
  const keep = ({ send }: Awaited<ReturnType<typeof start>>, actions: readonly object[]) =>
    send("/v1/flows/tidy", { summary: "Tidy", input_schema: { type: "object" }, actions }, { method: "PUT" });

  trial("run by its own door", async () => {
    const world = await start();
    await keep(world, [DYING, act("store_it", "now")]);
    const { batch_id: id } = await world.send("/v1/flows/tidy/run", { input: {} });
    await world.volley.advance(2_000);
    expect(await world.statusOf(id)).toBe("running");
    await world.volley.advance(HOUR);
    expect(await world.statusOf(id)).toBe("partial");
  });

  trial("called in a batch, of which it is a run of its own", async () => {
    const world = await start();
    await keep(world, [DYING]);
    const { id } = await world.run({ id: "it", tool: "tidy", args: {} });
    const [child] = (await world.send(`/v1/runs/${id}`)).children;
    expect(await world.statusOf(child!.run_id)).toBe("running");
    await world.volley.advance(HOUR);
    expect(await world.statusOf(child!.run_id)).toBe("error");
  });
});

describe("The status of a run follows its questions:", () => {
  const decide = async (
    world: Awaited<ReturnType<typeof start>>,
    results: Answer["results"],
    decision: string,
  ) => {
    const { id } = results.find(({ confirmation }) => confirmation !== undefined)!.confirmation!;
    const decided = await world.send(`/v1/confirmations/${id}`, { decision });
    await world.volley.advance(2_000);
    return decided;
  };

  trial.each([
    ["alone", [act("drop_it", "old")], "error"],
    ["beside a write that succeeded", [act("drop_it", "old"), act("store_it", "now")], "partial"],
    ["beside a job that dies", [act("drop_it", "old"), DYING], "error"],
  ])("one that is rejected, or expires, %s", async (_, actions, last) => {
    for (const isRejected of [true, false]) {
      const world = await start();
      const { id, results } = await world.run(...actions);
      expect(await world.statusOf(id)).toBe("waiting");
      if (isRejected) await decide(world, results, "reject");
      await world.volley.advance(isRejected ? HOUR : 25 * HOUR);
      expect(await world.statusOf(id)).toBe(last);
    }
  });

  trial("one that is approved and whose action fails, and one that succeeds", async () => {
    for (const [of, last] of [
      ["bad", "error"],
      ["fine", "success"],
    ] as const) {
      const world = await start();
      const { id, results } = await world.run(act("drop_it", of));
      await decide(world, results, "approve");
      expect(await world.statusOf(id)).toBe(last);
    }
  });

  trial("one that is approved makes a job: both runs go on as long as that, and end as it does", async () => {
    const world = await start();
    const { id, results } = await world.run(act("drop_later", "dying"));
    const { batch_id: approved } = await decide(world, results, "approve");
    for (const one of [id, approved]) expect(await world.statusOf(one)).toBe("running");
    await world.volley.advance(HOUR);
    for (const one of [id, approved]) expect(await world.statusOf(one)).toBe("error");
  });

  trial("one that was said yes to goes on until its run is in the log", async () => {
    const world = await start();
    const said = async (id: string) => [
      (await world.send(`/v1/runs/${id}`)).status,
      ...(await world.list("&source=http")).flatMap((one) => (one.run_id === id ? [one.status] : [])),
    ];
    const [quick, slow] = [await world.run(act("drop_it", "old")), await world.run(act("drop_it", "held"))];
    const yes = ({ results }: typeof quick) =>
      world.send(`/v1/confirmations/${results[0]!.confirmation!.id}`, { decision: "approve" });
    await yes(quick);
    expect(await said(quick.id)).toEqual(["running", "running"]);
    await world.volley.advance(2_000);
    expect(await said(quick.id)).toEqual(["success", "success"]);
    const answer = yes(slow);
    await world.volley.advance(5_000);
    expect(await said(slow.id)).toEqual(["running", "running"]);
    world.held.resolve(Response.json({}));
    await answer;
    await world.volley.advance(2_000);
    expect(await said(slow.id)).toEqual(["success", "success"]);
  });
});

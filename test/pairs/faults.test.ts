import { expect, test } from "vitest";

import { HOOK } from "./model/hooks.ts";
import { openKillable } from "./killable-world.ts";
import { trial } from "../support/trial.ts";

const of = (id: string, tool: string, more: object = {}) => ({ id, tool, args: { of: id }, ...more });

/** Keep a flow that a delivery starts, has a minute for it, and makes a write that may be repeated under its key. */
async function openDelivery() {
  const world = await openKillable();
  const { send, ask, clock } = world;
  const action = { id: "kept", tool: "put_once", args: { of: { $ref: "input#/of" } } };
  const flow = {
    summary: "Put one",
    triggers: { webhook: HOOK },
    input_schema: { type: "object" },
    deadline_ms: 60_000,
    actions: [action],
  };
  expect((await send("PUT", "/v1/flows/puts", { body: flow })).status).toBe(201);
  await clock.advance(6_000);
  const deliver = (name: string) =>
    ask("POST", "/hooks/t0/puts", { body: { of: name }, delivery: "d", headers: {} });
  const job = async () => {
    const { body } = await send("GET", "/v1/jobs");
    return (await send("GET", `/v1/jobs/${body.jobs[0].job_id}`)).body;
  };
  return { ...world, deliver, job };
}

test("F10 F12 a delivery's run that is killed right after its answer runs again when its flow's time and its lease are over, and ends", async () => {
  const { deliver, job, clock, volley, heard } = await openDelivery();
  const answered = deliver("slow");
  await clock.advance(1_000);
  expect(await answered).toMatchObject({ status: 202 });
  volley.kill();
  await clock.advance(59_000);
  expect(heard).toHaveLength(1);
  await clock.advance(60_000);
  expect(await job()).toMatchObject({ status: "succeeded", attempts: 2 });
  expect(heard).toEqual(["/put-once/slow", "/put-once/slow"]);
});

trial(
  "F13 a delivery's attempt that reports after its flow's time and its lease is refused, and its run stays as the next one left it",
  async () => {
    const { deliver, job, clock, objects, heard } = await openDelivery();
    const late = Promise.withResolvers<void>();
    let reports = 0;
    objects.onCall = (_, args) =>
      JSON.stringify(args).includes("settleRun") && (reports += 1) === 1 ? late.promise : undefined;
    await clock.runUntil(deliver("quick"));
    await clock.advance(120_000);
    const ended = await job();
    expect(ended).toMatchObject({ status: "succeeded", attempts: 2 });
    late.resolve();
    await clock.advance(60_000);
    expect(await job()).toEqual(ended);
    expect(heard).toEqual(["/put-once/quick"]);
  },
);

trial(
  "F15 F16 a yes that does not reach its object, or too late, runs nothing and has nothing undone; said again it does, and so does a no",
  async () => {
    for (const decision of ["approve", "reject"]) {
      const { send, clock, objects, heard } = await openKillable();
      const actions = [of("first", "put"), of("asked", "put_asked", { depends_on: ["first"] })];
      const { body } = await send("POST", "/v1/execute_actions", { body: { actions, on_error: "undo" } });
      const path = `/v1/confirmations/${body.results[1].confirmation.id}`;
      for (const fault of [() => Promise.reject(new Error("reset")), () => new Promise(() => {})]) {
        objects.onCall = (_, args) =>
          /"(?:admitClaimed|reject)"/.test(JSON.stringify(args)) ? fault() : null;
        const said = await send("POST", path, { body: { decision } });
        expect([said.status, said.body.code, heard]).toEqual([503, "UNAVAILABLE", ["/put/first"]]);
      }
      objects.onCall = () => {};
      await clock.advance(60_000);
      expect((await send("POST", path, { body: { decision } })).status).toBe(200);
      await clock.advance(5_000);
      expect(heard.slice(1)).toEqual([decision === "approve" ? "/put/asked" : "/drop/first"]);
    }
  },
);

test("F17 a yes to a job that the disk has no room for says so, and records none; reading works", async () => {
  const { send, objects, heard, clock } = await openKillable();
  const { body } = await send("POST", "/v1/execute_actions", {
    body: { actions: [of("a", "put_later_asked")] },
  });
  const path = `/v1/confirmations/${body.results[0].confirmation.id}`;
  objects.isFull = (sql) => sql.includes("INTO jobs");
  const said = await send("POST", path, { body: { decision: "approve" } });
  expect(said.body.results).toMatchObject([{ status: "error", error: { code: "OUTBOX_UNAVAILABLE" } }]);
  await clock.advance(60_000);
  expect((await send("GET", "/v1/jobs")).body.jobs).toEqual([]);
  expect((await send("GET", path)).body).toMatchObject({ status: "done" });
  expect(heard).toEqual([]);
});

trial(
  "F40 eight batches in the background that are killed in their middle are undone within 15 s of the restart",
  async () => {
    const { send, clock, volley, heard } = await openKillable();
    const all = Array.from({ length: 8 }, (_, at) => [`a${at}`, `slow${at}`] as const);
    for (const [first, second] of all) {
      const actions = [of(first, "put"), of(second, "put", { depends_on: [first] })];
      await send("POST", "/v1/execute_actions", { body: { actions, background: true, on_error: "undo" } });
    }
    await clock.advance(2_000);
    expect(heard.filter((one) => one.startsWith("/put/a"))).toHaveLength(8);
    volley.kill();
    await clock.advance(15_000);
    expect(heard.filter((one) => one.startsWith("/drop/a")).toSorted()).toEqual(
      all.map(([first]) => `/drop/${first}`),
    );
    expect(new Set(heard).size).toBe(heard.length);
  },
);

import { describe, expect, test } from "vitest";

import * as LIMITS from "../../../../src/features/runs/limits.ts";
import type { PartWorld } from "../../../../src/cloudflare/durable/object-part.ts";
import type { Job } from "../../../../src/core/gate/state/outbox.ts";
import { JobTable } from "../../../../src/features/runs/objects/turned-job-table.ts";
import { createRunsPart } from "../../../../src/features/runs/objects/runs-part.ts";
import type { TurnedJob } from "../../../../src/features/runs/turned-job.ts";
import { createMemoryStorage } from "../../../../src/package/testing/memory-storage.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A job of a batch as its object has it. */
function job(id: string, more: Partial<Omit<Job, "spec">> & { readonly spec?: object } = {}): Job {
  const origin = { tenant: "acme", key: "k", requestId: "r", batchId: "b" };
  return {
    status: "failed",
    tries: [],
    updatedAt: 0,
    errorJson: '{"code":"NOT_FOUND"}',
    ...more,
    spec: { id, tool: "t", origin, ...more.spec },
  } as unknown as Job;
}

/** The part of an object in memory, which can be started again. */
function openPart() {
  const world = { isUp: true, told: [] as TurnedJob[], dues: [] as number[] };
  const storage = createMemoryStorage(new VirtualClock(0), () => {}) as unknown as DurableObjectStorage;
  const part = createRunsPart(() => async (jobs) => {
    if (!world.isUp) throw new Error("down");
    world.told.push(...jobs);
  });
  for (const step of part.steps) storage.sql.exec(step);
  const onDue = (at: number): void => void world.dues.push(at);
  const open = () => part.open({ storage, onDue, env: {}, tenant: "acme" } as unknown as PartWorld);
  return { world, open };
}

describe("A job that ended otherwise than well", () => {
  test("is told to the log of runs a second later, together with the others, and once", async () => {
    const { world, open } = openPart();
    const part = open();
    part.turned!(job("a"));
    part.turned!(job("b", { status: "unknown" }));
    expect(world.dues).toEqual([LIMITS.runReportMs]);
    for (let nowMs = 0; nowMs <= 5_000; nowMs += 1_000) part.take!(nowMs);
    await settled();
    expect(world.told).toMatchObject([
      { job: "a", run: "b", request: "r", tool: "t", status: "failed", code: "NOT_FOUND" },
      { job: "b", status: "unknown", inDoubt: true },
    ]);
    expect(part.nextAt).toBeNull();
  });

  test("is told after a kill, and again where it could not be told", async () => {
    const { world, open } = openPart();
    open().turned!(job("a"));
    world.isUp = false;
    const part = open();
    expect(part.nextAt).toBe(0);
    part.take!(0);
    await settled();
    expect([world.told, part.nextAt]).toEqual([[], LIMITS.runJobsToldAgainMs]);
    world.isUp = true;
    part.take!(LIMITS.runJobsToldAgainMs);
    await settled();
    expect(world.told).toMatchObject([{ job: "a" }]);
    expect(open().nextAt).toBeNull();
  });

  test("is told again where it turned while it was told", async () => {
    const { world, open } = openPart();
    const part = open();
    part.turned!(job("a", { status: "dead" }));
    part.take!(LIMITS.runReportMs);
    part.turned!(job("a", { status: "retrying", updatedAt: 2 }));
    await settled();
    part.take!(part.nextAt!);
    await settled();
    expect(world.told.map(({ status }) => status)).toEqual(["dead", "retrying"]);
  });

  test("is nothing to a run where it succeeded, was called off or is a run itself", () => {
    const { open } = openPart();
    const part = open();
    part.turned!(job("a", { status: "succeeded" }));
    part.turned!(job("b", { status: "cancelled" }));
    part.turned!(job("c", { spec: { kind: "run", run: { trigger: "cron" } } }));
    part.turned!(job("d", { spec: { kind: "background" } }));
    expect(part.nextAt).toBeNull();
  });
});

describe("The log of runs", () => {
  const { sql } = createMemoryStorage(new VirtualClock(0), () => {}) as unknown as DurableObjectStorage;
  const turned = (id: string, more: Partial<TurnedJob> = {}): TurnedJob => ({
    job: id,
    run: "b",
    request: "r",
    tool: "t",
    status: "failed",
    at: 5,
    ...more,
  });
  const of = (table: JobTable, id = "b", source: "http" | "agent" = "http") =>
    table.of({ id, source, request: "r" }).map((one) => one.job);

  test("keeps jobs by their run, and by the request where a model asked for the run", () => {
    const table = new JobTable(sql);
    table.erase();
    table.take([turned("a"), turned("b", { run: "other" })]);
    expect(of(table)).toEqual(["a"]);
    expect(of(table, "r", "agent")).toEqual(["a", "b"]);
    expect(of(new JobTable(sql))).toEqual(["a"]);
  });

  test("takes the later word on a job, in whichever order both arrive", () => {
    for (const asked of [true, false]) {
      const table = new JobTable(sql);
      table.erase();
      table.take([turned("a")]);
      if (asked) expect(of(table)).toEqual(["a"]);
      table.take([turned("a", { status: "running", at: 9 })]);
      table.take([turned("a")]);
      expect(of(table)).toEqual([]);
      table.take([turned("a", { at: 11 })]);
      expect(of(table)).toEqual(["a"]);
    }
  });

  trial("forgets what is too old, and the oldest of what is too much", () => {
    const table = new JobTable(sql);
    table.erase();
    const all = Array.from({ length: LIMITS.runJobsKept + 2 }, (_, at) => turned(`${at}`, { at }));
    table.take(all);
    table.prune(0);
    expect(of(table)).toHaveLength(LIMITS.runJobsKept);
    expect(of(table)[0]).toBe("2");
    table.prune(10);
    expect(of(table)[0]).toBe("10");
  });
});

import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import type { CallbackTarget } from "../../src/core/contract/gate/job.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { GoneAddresses } from "../../src/cloudflare/durable/tables/event-table.ts";
import type { TenantGateMethods } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { countRows } from "./count-rows.ts";
import { makeJobsRequest, makeSpec } from "./gate-requests.ts";
import { attemptsRun, deliveriesTried } from "./scripted-attempts.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = () => env.TENANT_GATE.getByName(`callbacks-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

/** Ends what hangs; no measure of speed. */
const WAIT = { timeout: 50_000 };
const OVER = { kind: "succeeded", dataJson: '{"n":1}' } as const;
/** An address whose path says what is answered: one status for each attempt, the last one from then on. */
const answering = (path: string): { readonly callback: CallbackTarget } => ({
  callback: { url: `https://hooks-${tenants}.example.com/${path}`, secretName: "S" },
});
const deliveriesOf = (id: string) => deliveriesTried.filter(({ jobId }) => jobId === id);
const callbackBecomes = (stub: Stub, id: string, expected: object): Promise<void> =>
  vi.waitFor(async () => expect((await stub.job(id))?.callback).toMatchObject(expected), {
    timeout: 50_000,
    interval: 10,
  });
/** Let the pause before the next attempt be over. */
async function endPauses(stub: Stub): Promise<void> {
  await runInDurableObject(stub, (_gate, { storage }) =>
    storage.sql.exec("UPDATE jobs SET due_at = 1 WHERE due_at IS NOT NULL").toArray(),
  );
  await evictDurableObject(stub);
}

describe("a job's callback", () => {
  test("is pending while the job runs, and delivered by the alarm when it ended", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("told", [], answering("200"))));
    expect((await stub.job("told"))?.callback).toEqual({
      status: "pending",
      attempts: 0,
      lastStatus: null,
      nextAttemptAt: null,
    });
    await stub.settle("told", 1, OVER);
    await callbackBecomes(stub, "told", { status: "delivered", attempts: 1, lastStatus: 200 });
    expect(deliveriesOf("told")).toMatchObject([
      { eventId: "told-1", attempt: 1, job: { status: "succeeded", dataJson: '{"n":1}' } },
    ]);
  });

  trial.each([
    ["failed", async (stub: Stub, id: string) => stub.settle(id, 1, { kind: "failed", error: REFUSED })],
    ["cancelled", async (stub: Stub, id: string) => stub.cancel(id)],
    ["dead", async (stub: Stub, id: string) => stub.settle(id, 1, { kind: "failed", error: GONE })],
    ["unknown", async (stub: Stub, id: string) => stub.settle(id, 1, { kind: "lost", error: REFUSED })],
  ] as const)("is sent when the job is %s", async (status, end) => {
    const stub = gateOf();
    const id = `ends-${status}`;
    await stub.admit(makeJobsRequest(makeSpec(id, [], { delivery: "at-most-once", ...answering("200") })));
    await end(stub, id);
    await callbackBecomes(stub, id, { status: "delivered" });
    expect(deliveriesOf(id)[0]!.job.status).toBe(status);
  });

  trial(
    "survives a crash between the job's end and the delivery, and an eviction between two attempts",
    async () => {
      const stub = gateOf();
      await stub.admit(makeJobsRequest(makeSpec("crashed", [], answering("503/200"))));
      // In one turn, so that no alarm is under way when the object dies; the next call finds it lost.
      await runInDurableObject(stub, async (gate: DurableObject & TenantGateMethods, { storage }) => {
        gate.settle("crashed", 1, OVER);
        await storage.deleteAlarm();
      });
      await abortAllDurableObjects();
      const again = env.TENANT_GATE.get(stub.id);
      await callbackBecomes(again, "crashed", { status: "pending", attempts: 1, lastStatus: 503 });
      await endPauses(again);
      await callbackBecomes(again, "crashed", { status: "delivered", attempts: 2, nextAttemptAt: null });
      expect(new Set(deliveriesOf("crashed").map(({ eventId }) => eventId)).size).toBe(1);
    },
  );

  trial("waits on its schedule and leaves other jobs their time", async () => {
    const stub = gateOf();
    await stub.admit(
      makeJobsRequest(makeSpec("patient", [], answering("500")), makeSpec("other", ["succeed"])),
    );
    await stub.settle("patient", 1, OVER);
    await callbackBecomes(stub, "patient", { attempts: 1 });
    const { callback, updatedAt } = (await stub.job("patient"))!;
    expect(callback!.nextAttemptAt! - updatedAt).toBeGreaterThanOrEqual(5_000);
    await stub.settle("other", 1, { kind: "released" });
    await vi.waitFor(async () => expect((await stub.job("other"))?.status).toBe("succeeded"), WAIT);
    const alarmAt = await runInDurableObject(stub, (_gate, { storage }) => storage.getAlarm());
    expect(alarmAt).toBe(callback!.nextAttemptAt);
  });

  trial(
    "whose endpoint is gone is disabled, and so are the tenant's others for it, an eviction later too",
    async () => {
      const stub = gateOf();
      const target = answering("410");
      for (const id of ["gone-1", "gone-2"]) {
        await stub.admit(makeJobsRequest(makeSpec(id, [], target)));
        await stub.settle(id, 1, OVER);
        await callbackBecomes(stub, id, { status: "disabled" });
        await evictDurableObject(stub);
      }
      expect([deliveriesOf("gone-1"), deliveriesOf("gone-2")].map(({ length }) => length)).toEqual([1, 0]);
      await stub.admit(makeJobsRequest(makeSpec("elsewhere", [], answering("200"))));
      await stub.settle("elsewhere", 1, OVER);
      await callbackBecomes(stub, "elsewhere", { status: "delivered" });
    },
  );

  trial("to an endpoint that is gone is kept back for a day, for as many endpoints as may be", async () => {
    await runInDurableObject(gateOf(), (_gate, { storage }) => {
      const gone = new GoneAddresses(storage.sql);
      for (let k = 0; k <= LIMITS.goneAddresses; k += 1) gone.add(`https://${k}.example.com`, k);
      const [first, second, last] = [0, 1, LIMITS.goneAddresses].map((k) => `https://${k}.example.com`);
      expect([first, second, last].map((url) => gone.has(url!, 0))).toEqual([false, true, true]);
      expect(gone.has(second!, LIMITS.goneAddressMs)).toBe(true);
      expect(gone.has(second!, LIMITS.goneAddressMs + 1)).toBe(false);
      gone.add("https://new.example.com", 2 * LIMITS.goneAddressMs);
      expect(storage.sql.exec("SELECT url FROM gone_endpoints").toArray()).toHaveLength(1);
    });
  });

  trial(
    "that is under way when its job is redriven is refused, and the next end is another event",
    async () => {
      const stub = gateOf();
      await stub.admit(makeJobsRequest(makeSpec("twice", ["succeed"], answering("500/200"))));
      await stub.settle("twice", 1, { kind: "failed", error: GONE });
      await callbackBecomes(stub, "twice", { attempts: 1 });
      await stub.redrive("twice");
      await callbackBecomes(stub, "twice", { status: "pending", attempts: 1 });
      expect(deliveriesOf("twice").map(({ eventId, job }) => [eventId, job.status])).toEqual([
        ["twice-1", "dead"],
        ["twice-2", "succeeded"],
      ]);
    },
  );

  trial("that hangs or breaks holds up at most two places, and is tried again", async () => {
    const stub = gateOf();
    const hung = [0, 1, 2].map((k) => makeSpec(`hung-${k}`, [], answering("hang")));
    await stub.admit(
      makeJobsRequest(...hung, makeSpec("broken", [], answering("throw")), makeSpec("job", [])),
    );
    for (const { id } of hung) await stub.settle(id, 1, OVER);
    await vi.waitFor(() => expect(hung.flatMap(({ id }) => deliveriesOf(id))).toHaveLength(2), WAIT);
    await stub.settle("job", 1, { kind: "released" });
    await vi.waitFor(() => expect(attemptsRun).toContain("job#1"), WAIT);
    expect(hung.flatMap(({ id }) => deliveriesOf(id))).toHaveLength(2);
  });

  trial("costs two rows more than a job without: the alarm's, and the end of the delivery", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("warm", [], answering("200"))));
    const rows = await countRows(stub);
    await stub.settle("warm", 1, OVER);
    await callbackBecomes(stub, "warm", { status: "delivered" });
    // The end of the job, the alarm, the end of the delivery.
    expect(await rows()).toBe(3);
  });

  test("is in the list, and its address nowhere", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("listed", [], answering("200"))));
    const [job] = (await stub.jobs({ status: null, limit: 1, after: null })).rows;
    expect(job?.callback).toMatchObject({ status: "pending" });
    expect(JSON.stringify(job)).not.toContain("hooks-");
  });
});

const REFUSED = { code: "UPSTREAM_ERROR", message: "", retryable: false } as const;
const GONE = { code: "UNKNOWN_TOOL", message: "", retryable: false } as const;

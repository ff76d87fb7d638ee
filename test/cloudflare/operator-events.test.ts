import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { makeFailure, toWireFailure } from "../../src/core/contract/failure.ts";
import type { EventClaim } from "../../src/core/contract/gate/outgoing-event.ts";
import type { TenantGateMethods } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { EventTable, type GoneAddresses } from "../../src/cloudflare/durable/tables/event-table.ts";
import { ask } from "./ask-confirmations.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";
import { eventsTried, openers, operator } from "./scripted-attempts.ts";
import { trial } from "../support/trial.ts";

let tenants = 0;
const gateOf = () => env.EVENT_GATE.getByName(`events-${++tenants}`);
type Stub = ReturnType<typeof gateOf>;

const GONE = toWireFailure(makeFailure("UNKNOWN_TOOL", { hint: "geheim" }));
const DEAD = { kind: "failed", error: GONE } as const;

/** The tries to tell of what happened to this tenant, in order. */
const triesOf = (stub: Stub): EventClaim[] =>
  eventsTried.filter(({ event }) => (JSON.parse(event.json) as Told).data["tenant"] === stub.name);
interface Told {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}
const toldTo = (stub: Stub): Told[] => triesOf(stub).map(({ event }) => JSON.parse(event.json) as Told);
const waitFor = (look: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(look, { timeout: 50_000, interval: 10 });
const rowsOf = (stub: Stub): Promise<number> =>
  runInDurableObject(
    stub,
    (_gate, { storage }) => storage.sql.exec("SELECT id FROM events").toArray().length,
  );

/** Let the pauses of all events be over, as a restart would find them. */
async function endPauses(stub: Stub): Promise<void> {
  await runInDurableObject(stub, (_gate, { storage }) => {
    storage.sql.exec("UPDATE events SET due_at = 1");
  });
  await evictDurableObject(stub);
}

async function die(stub: Stub, id: string): Promise<void> {
  const origin = { tenant: stub.name!, key: "ci", requestId: "r", batchId: "b-1" };
  await stub.admit(makeJobsRequest(makeSpec(id, ["succeed"], { argsJson: '["geheim"]', origin })));
  await stub.settle(id, 1, DEAD);
}

const question = (id: string) => ({
  id,
  groupJson: JSON.stringify({
    format: 1,
    requestedBy: "ann",
    actions: [
      { id: "gone", tool: "drop", gated: true, args: { input: "geheim" }, needs: [] },
      { id: "tell", tool: "mail", gated: false, args: { input: "geheim" }, needs: [] },
      { id: "also", tool: "drop", gated: true, args: { input: "geheim" }, needs: [] },
    ],
  }),
});

afterEach(() => {
  operator.answer = () => 204;
});

const decidedBy = (name: string, decision: "approve" | "reject") =>
  ({ name, via: "key", decision, at: 1_000 }) as const;

describe("The operator", () => {
  test("is told of a dead job: whose, which, when and why, and nothing that it was given or said", async () => {
    const stub = gateOf();
    await die(stub, "j-1");
    await waitFor(() => expect(toldTo(stub)).toHaveLength(1));
    const { createdAt, updatedAt } = (await stub.job("j-1"))!;
    expect(triesOf(stub)[0]).toMatchObject({ attempt: 1, event: { id: "job-dead-j-1-1" } });
    expect(toldTo(stub)).toEqual([
      {
        type: "job.dead",
        timestamp: new Date(updatedAt).toISOString(),
        data: {
          tenant: stub.name,
          job_id: "j-1",
          tool: "probe",
          key: "ci",
          batch_id: "b-1",
          attempts: 1,
          created_at: new Date(createdAt).toISOString(),
          code: "UNKNOWN_TOOL",
        },
      },
    ]);
    await waitFor(async () => expect(await rowsOf(stub)).toBe(0));
  });

  trial(
    "is told again when a redriven job dies again, of one that failed for good, and of no other end",
    async () => {
      const stub = gateOf();
      await die(stub, "twice");
      await stub.redrive("twice");
      // Its alarm may have begun the new attempt already.
      await waitFor(async () => expect((await stub.job("twice"))!.status).toBe("succeeded"));
      await stub.admit(makeJobsRequest(makeSpec("refused", [])));
      await stub.settle("refused", 1, { kind: "failed", error: toWireFailure(makeFailure("INVALID_ARGS")) });
      await stub.admit(makeJobsRequest(makeSpec("again", ["unknown-tool"])));
      await stub.settle("again", 1, DEAD);
      await stub.redrive("again");
      await waitFor(() =>
        expect(triesOf(stub).map(({ event }) => event.id)).toEqual([
          "job-dead-twice-1",
          "job-failed-refused-1",
          "job-dead-again-1",
          "job-dead-again-2",
        ]),
      );
    },
  );

  trial("is told of a job that its alarm finds without a report or cannot read", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("lost", [], { maxAttempts: 1 }), makeSpec("foreign", [])));
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE jobs SET format = 99 WHERE id = 'foreign'");
      storage.sql.exec("UPDATE jobs SET due_at = 1");
    });
    // Another version comes with a start, and finds that the lease is over; a call starts it before the old alarm does.
    await evictDurableObject(stub);
    await stub.job("lost");
    await waitFor(() =>
      expect(
        toldTo(stub)
          .map(({ data }) => String(data["job_id"]))
          .toSorted(),
      ).toEqual(["foreign", "lost"]),
    );
  });

  trial(
    "is told of a job's death even if the object dies in the same turn: both are there, or neither",
    async () => {
      const stub = gateOf();
      operator.answer = () => 503;
      await stub.admit(makeJobsRequest(makeSpec("crashed", [])));
      // In one turn, so that no alarm is under way when the object dies; the next call finds it lost.
      await runInDurableObject(stub, async (gate: DurableObject & TenantGateMethods, { storage }) => {
        gate.settle("crashed", 1, DEAD);
        await storage.deleteAlarm();
      });
      await abortAllDurableObjects();
      operator.answer = () => 204;
      const again = env.EVENT_GATE.get(stub.id);
      expect((await again.job("crashed"))!.status).toBe("dead");
      await waitFor(() => expect(toldTo(stub).length).toBeGreaterThan(0));
      expect(new Set(triesOf(stub).map(({ event }) => event.id))).toEqual(new Set(["job-dead-crashed-1"]));
      await waitFor(async () => expect(await rowsOf(again)).toBe(0));
    },
  );

  test("is told nothing of a death that storage did not take", async () => {
    const stub = gateOf();
    await stub.admit(makeJobsRequest(makeSpec("kept", [])));
    await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods, { storage }) => {
      storage.sql.exec("CREATE TRIGGER full BEFORE INSERT ON jobs BEGIN SELECT RAISE(ABORT, 'full'); END");
      expect(() => gate.settle("kept", 1, DEAD)).toThrow();
      expect(storage.sql.exec("SELECT id FROM events").toArray()).toEqual([]);
      storage.sql.exec("DROP TRIGGER full");
    });
    expect((await stub.job("kept"))!.status).toBe("running");
  });

  trial(
    "costs a job nothing where the event cannot be stored, and the log says that one was lost",
    async () => {
      const stub = gateOf();
      const lines = vi.spyOn(console, "warn").mockImplementation(() => {});
      await stub.admit(makeJobsRequest(makeSpec("ends", [])));
      await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods, { storage }) => {
        storage.sql.exec(
          "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END",
        );
        expect(gate.settle("ends", 1, DEAD)).toBe(true);
        storage.sql.exec("DROP TRIGGER full");
      });
      expect((await stub.job("ends"))!.status).toBe("dead");
      expect(JSON.parse(String(lines.mock.calls.at(-1)![0]))).toMatchObject({
        event: "events_lost",
        tenant: stub.name,
        storage_refused: 1,
      });
      lines.mockRestore();
    },
  );

  trial("is told of a question, once, and of the decision, with the key that made it", async () => {
    const stub = gateOf();
    await ask(stub).park([question("q-1")]);
    await ask(stub).park([question("q-1")]);
    const claim = {
      id: "q-1",
      by: "u-1",
      decided: decidedBy("boss", "approve"),
      key: "secret-idempotency-key",
    };
    expect(await ask(stub).approve(claim, makeRequest({ quota: HUNDRED_AN_HOUR }))).toMatchObject({
      refused: null,
    });
    await waitFor(() => expect(toldTo(stub)).toHaveLength(2));
    const about = {
      tenant: stub.name,
      confirmation_id: "q-1",
      requested_by: "ann",
      tools: ["drop", "mail"],
      created_at: expect.any(String),
    };
    expect(toldTo(stub)).toEqual([
      {
        type: "confirmation.requested",
        timestamp: expect.any(String),
        data: {
          ...about,
          expires_at: expect.any(String),
          url: expect.stringMatching(new RegExp(`^/approvals/${stub.name}/[A-Za-z0-9_-]{43}$`)),
        },
      },
      {
        type: "confirmation.decided",
        timestamp: expect.any(String),
        data: { ...about, decision: "approve", decided_by: { name: "boss", via: "key" } },
      },
    ]);
    expect(triesOf(stub).map(({ event }) => event.id)).toEqual([
      "confirmation-requested-q-1",
      "confirmation-decided-q-1",
    ]);
  });

  test("is told of a no, and of no decision that was refused or had no quota", async () => {
    const stub = gateOf();
    await ask(stub).park([question("no")]);
    const none = makeRequest({ quota: { ...HUNDRED_AN_HOUR, limit: 1 } });
    await stub.admit(none);
    expect(await ask(stub).approve({ id: "no", by: "u" }, none)).toMatchObject({
      admission: { quota: { allowed: false } },
    });
    expect(await ask(stub).reject({ id: "no", by: "u-2", decided: decidedBy("boss", "reject") })).toBeNull();
    expect(await ask(stub).reject({ id: "no", by: "u-3" })).toBe("rejected");
    expect(await ask(stub).reject({ id: "never", by: "u-3" })).toBe("unknown");
    await waitFor(() =>
      expect(toldTo(stub).map(({ type, data }) => [type, data["decision"]])).toEqual([
        ["confirmation.requested", undefined],
        ["confirmation.decided", "reject"],
      ]),
    );
  });

  test("is told of a breaker by a request's report, once however often it is sent, and by an alarm's own attempts", async () => {
    const stub = gateOf();
    operator.answer = () => null;
    const opened = { tool: "probe", origin: "https://api.example.com", since: 1_000, until: 31_000 };
    const report = { ...opened, id: "o-1", key: "ci" };
    await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods) => {
      gate.reportOpening(report);
      gate.reportOpening(report);
    });
    expect(await rowsOf(stub)).toBe(1);
    await runInDurableObject(stub, () => openers.at(-1)!(opened));
    expect(await rowsOf(stub)).toBe(2);
    await waitFor(() => expect(toldTo(stub)).toHaveLength(2));
    const data = { tenant: stub.name, tool: "probe", origin: "https://api.example.com" };
    expect(toldTo(stub)).toEqual([
      {
        type: "breaker.opened",
        timestamp: "1970-01-01T00:00:01.000Z",
        data: { ...data, key: "ci", until: "1970-01-01T00:00:31.000Z" },
      },
      {
        type: "breaker.opened",
        timestamp: "1970-01-01T00:00:01.000Z",
        data: { ...data, until: expect.any(String) },
      },
    ]);
  });
});

describe("An event that is not taken", () => {
  trial("is sent again under the same id after an eviction, counting on, until it is taken", async () => {
    const stub = gateOf();
    operator.answer = ({ attempt }) => (attempt < 3 ? 500 : 200);
    await die(stub, "stubborn");
    await waitFor(() => expect(triesOf(stub)).toHaveLength(1));
    await endPauses(stub);
    await stub.jobs({ status: null, limit: 1, after: null });
    await waitFor(() => expect(triesOf(stub)).toHaveLength(2));
    await endPauses(stub);
    await stub.jobs({ status: null, limit: 1, after: null });
    await waitFor(async () => expect(await rowsOf(stub)).toBe(0));
    expect(triesOf(stub).map(({ event, attempt }) => [event.id, attempt])).toEqual([
      ["job-dead-stubborn-1", 1],
      ["job-dead-stubborn-1", 2],
      ["job-dead-stubborn-1", 3],
    ]);
    expect(new Set(triesOf(stub).map(({ event }) => event.json)).size).toBe(1);
  });

  trial("is given up after ten attempts, and the log says so", async () => {
    const stub = gateOf();
    const lines = vi.spyOn(console, "warn").mockImplementation(() => {});
    operator.answer = () => 302;
    await die(stub, "given-up");
    await waitFor(() => expect(triesOf(stub)).toHaveLength(1));
    await runInDurableObject(stub, (_gate, { storage }) => {
      storage.sql.exec("UPDATE events SET due_at = 1, attempts = 9");
    });
    await evictDurableObject(stub);
    await stub.job("given-up");
    await waitFor(async () => expect(await rowsOf(stub)).toBe(0));
    expect(triesOf(stub).at(-1)!.attempt).toBe(10);
    expect(lines.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)).toContainEqual(
      expect.objectContaining({ event: "events_lost", tenant: stub.name, not_delivered: 1 }),
    );
    lines.mockRestore();
  });

  trial("ends with all others when the endpoint is gone, which is told nothing more for a day", async () => {
    const stub = gateOf();
    operator.answer = () => null;
    await die(stub, "g-1");
    await ask(stub).park([question("g-2")]);
    await waitFor(() => expect(triesOf(stub)).toHaveLength(2));
    operator.answer = () => 410;
    await endPauses(stub);
    await stub.job("g-1");
    await waitFor(async () => expect(await rowsOf(stub)).toBe(0));
    expect(triesOf(stub)).toHaveLength(3);
    await die(stub, "g-3");
    expect(await rowsOf(stub)).toBe(0);
    expect((await stub.job("g-3"))!.status).toBe("dead");
    expect(triesOf(stub)).toHaveLength(3);
  });

  trial(
    "counts in a backlog: when that is full the new ones are dropped, counted, and what was recorded stays",
    async () => {
      const stub = gateOf();
      const lines = vi.spyOn(console, "warn").mockImplementation(() => {});
      operator.answer = () => 503;
      for (const id of ["b-1", "b-2", "b-3", "b-4", "b-5"]) await die(stub, id);
      await waitFor(() => expect(triesOf(stub)).toHaveLength(3));
      expect(await rowsOf(stub)).toBe(3);
      const ids = await runInDurableObject(stub, (_gate, { storage }) =>
        storage.sql.exec<{ id: string }>("SELECT id FROM events ORDER BY id").toArray(),
      );
      expect(ids.map(({ id }) => id)).toEqual(["job-dead-b-1-1", "job-dead-b-2-1", "job-dead-b-3-1"]);
      expect(JSON.parse(String(lines.mock.calls.at(-1)![0]))).toMatchObject({
        event: "events_lost",
        backlog_full: 1,
      });
      lines.mockRestore();
    },
  );
});

describe("Where no receiver is configured", () => {
  trial("nothing is stored, and what an earlier configuration left is not read", async () => {
    const stub = env.TENANT_GATE.getByName("events-off");
    await stub.admit(makeJobsRequest(makeSpec("silent", [])));
    await runInDurableObject(stub, (gate: DurableObject & TenantGateMethods, { storage }) => {
      storage.sql.exec("INSERT INTO events VALUES ('old', 1, 0, '{}')");
      const exec = storage.sql.exec.bind(storage.sql);
      const statements: string[] = [];
      storage.sql.exec = ((query: string, ...bindings: SqlStorageValue[]) => {
        statements.push(query);
        return exec(query, ...bindings);
      }) as typeof exec;
      gate.settle("silent", 1, DEAD);
      gate.call("confirmations", "park", [question("silent")]);
      gate.call("confirmations", "reject", { id: "silent", by: "u" });
      gate.reportOpening({ id: "o", tool: "t", origin: "https://a.example.com", since: 0, until: 1 });
      expect(statements.filter((query) => /events|gone_endpoints/.test(query))).toEqual([]);
    });
    expect((await stub.job("silent"))!.status).toBe("dead");
    const before = eventsTried.length;
    await evictDurableObject(stub);
    await stub.job("silent");
    expect(eventsTried.length).toBe(before);
  });
});

test("A report that comes late, of an attempt before the last, settles nothing", async () => {
  await runInDurableObject(env.TENANT_GATE.getByName("events-late"), (_gate, { storage: { sql } }) => {
    const gone = { has: () => false, add: () => {} } as unknown as GoneAddresses;
    const target = { url: "https://operator.example.com/", secretName: "OPERATOR_SECRET" };
    const answered = (status: number) => ({ kind: "answered" as const, status, retryAfterMs: null });
    const table = new EventTable(
      sql,
      { target, backlog: 3, leaseMs: 100 },
      { gone, tenant: "t", onDue() {} },
    );
    table.record(0, () => ({ id: "e", json: "{}" }));
    const first = table.claim(0)!.claim;
    table.settle(0, { claim: first, end: answered(500), random: 0 });
    const dueAt = table.nextDue(0)!;
    const second = table.claim(dueAt)!.claim;
    table.settle(dueAt, { claim: first, end: answered(204), random: 0 });
    expect([second.attempt, table.size]).toEqual([2, 1]);
    table.settle(dueAt, { claim: second, end: answered(204), random: 0 });
    expect(table.size).toBe(0);
  });
});

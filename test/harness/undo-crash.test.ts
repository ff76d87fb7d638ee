import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { sendAndHold } from "../support/raw-client.ts";
import { startRawSandbox } from "../support/sandbox.ts";

const upstream = await HostileUpstream.start();
const storageDir = await mkdtemp(join(tmpdir(), "volley-undo-"));
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await rm(storageDir, { recursive: true, force: true });
});

const start = (port?: number) =>
  startRawSandbox({
    storageDir,
    ...(port !== undefined && { port }),
    // Long enough for an attempt on a busy machine: one that outlives its lease is taken for lost, and those are counted.
    vars: { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: "3000" },
  });

interface Booking {
  readonly id: string;
  readonly n: number;
  readonly live: boolean;
}

/** The service's own ledger of what it has booked for these numbers. */
async function ledger(numbers: readonly number[]): Promise<readonly Booking[]> {
  const answer = await fetch(`${upstream.url}/bookings`);
  const { bookings } = (await answer.json()) as { readonly bookings: readonly Booking[] };
  return bookings.filter(({ n }) => numbers.includes(n));
}

/** Wait until all that was booked for these numbers is taken back, and see that each was once. */
async function expectTakenBack(numbers: readonly number[]): Promise<void> {
  const taken = await eventually(
    "the bookings to be taken back",
    async () => {
      const kept = await ledger(numbers);
      return kept.every(({ live }) => !live) ? kept : undefined;
    },
    { everyMs: 100, withinMs: 50_000 },
  );
  expect(taken.map(({ n }) => n)).toEqual(numbers);
  const ids = taken.map(({ id }) => id);
  const keys = upstream.requestsTo("/unbook").flatMap(({ body, headers }) => {
    const { id } = JSON.parse(body) as { readonly id: string };
    return ids.includes(id) ? [`${id} ${String(headers["idempotency-key"])}`] : [];
  });
  // A call that is sent twice has one key, and the service acts once for that.
  expect(new Set(keys).size).toBe(numbers.length);
}

const book = (n: number) => ({ id: `b${n}`, tool: "probe-book", args: { n } });

test("P9: F36 killed while it runs, a batch that is undone where it fails leaves nothing booked", async () => {
  const numbers = [7_001, 7_002];
  const write = { tool: "probe-write", args: { n: 7_003 }, depends_on: numbers.map((n) => `b${n}`) };
  const first = await start();
  const answerWrite = upstream.hold("/write", 7_003);
  const asked = { on_error: "undo", undo: "what-can" };
  const socket = await sendAndHold(first.url, [...numbers.map(book), write], {}, asked);
  await eventually("the write after the bookings", () =>
    upstream.requestsTo("/write").find(({ body }) => body.includes("7003")),
  );
  await first.kill("SIGKILL");
  socket.destroy();
  answerWrite();

  await using second = await start(first.port);
  expect(second.port).toBe(first.port);
  await expectTakenBack(numbers);
});

test("P9: F36 killed while it is undone, it goes on, and each booking is taken back once", async () => {
  const numbers = [7_011, 7_012];
  // Its argument is no number, as is known once the others have succeeded.
  const fails = { tool: "probe-book", args: { n: { $ref: "b7012#/id" } }, depends_on: ["b7011"] };
  const first = await start();
  const before = upstream.requestsTo("/unbook").length;
  const answerUnbook = upstream.hold("/unbook");
  const socket = await sendAndHold(first.url, [...numbers.map(book), fails], {}, { on_error: "undo" });
  await eventually("the first to be taken back", () => upstream.requestsTo("/unbook")[before]);
  await first.kill("SIGKILL");
  socket.destroy();
  answerUnbook();

  await using second = await start(first.port);
  expect(second.port).toBe(first.port);
  await expectTakenBack(numbers);
});

test("P9: F36 killed while a run is undone that somebody asked for, it goes on, and each booking is taken back once however often that is asked", async () => {
  const numbers = [7_021, 7_022];
  const headers = { authorization: "Bearer sandbox-key", "content-type": "application/json" };
  const post = async (url: string, body: object) => {
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { batch_id: string; undone?: object[] } };
  };
  const first = await start();
  const ran = await post(`${first.url}/v1/execute_actions`, { actions: numbers.map(book) });
  const undo = `/v1/runs/${ran.body.batch_id}/undo`;
  await eventually("the run to be kept", async () => {
    const { status } = await post(first.url + undo, { dry_run: true });
    return status === 200 ? true : undefined;
  });
  const before = upstream.requestsTo("/unbook").length;
  const answerUnbook = upstream.hold("/unbook");
  // Its answer is lost with the Worker.
  const asked = post(first.url + undo, {}).catch(() => null);
  await eventually("the first to be taken back", () => upstream.requestsTo("/unbook")[before]);
  await first.kill("SIGKILL");
  expect(await asked).toBeNull();
  answerUnbook();

  await using second = await start(first.port);
  await expectTakenBack(numbers);
  const told = await eventually("an undo that is over", async () => {
    const { status, body } = await post(second.url + undo, {});
    return status === 200 ? body.undone : undefined;
  });
  const entry = (n: number) => expect.objectContaining({ id: `b${n}`, status: "success" });
  expect(told).toEqual([entry(7_022), entry(7_021)]);
  await expectTakenBack(numbers);
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { eventually } from "../support/eventually.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { HostileUpstream } from "../support/hostile-upstream.ts";
import { startRawSandbox } from "../support/sandbox.ts";
import { TestCaller } from "../support/test-caller.ts";
import type { Workerd } from "../support/workerd.ts";

const RUNS = 6;
const upstream = await HostileUpstream.start();
afterAll(() => upstream[Symbol.asyncDispose]());
const storageDir = await mkdtemp(join(tmpdir(), "volley-bulk-"));
afterAll(() => rm(storageDir, { recursive: true, force: true }));

const start = (port?: number): Promise<Workerd> =>
  startRawSandbox({
    storageDir,
    vars: { PROBE_ORIGIN: upstream.url },
    ...(port !== undefined && { port }),
  });

/** The runs that fit, when there are so many. */
const listed = (caller: TestCaller, query: string, count: number) =>
  eventually(`${count} runs of ${query}`, async () => {
    const { text } = await caller.get(`/v1/runs?${query}`);
    const { runs } = JSON.parse(text) as { readonly runs: readonly { readonly run_id: string }[] };
    return runs.length >= count ? runs : undefined;
  });
const rerunAll = async (caller: TestCaller): Promise<unknown> => {
  const { text } = await caller.send({
    path: "/v1/runs/rerun",
    body: JSON.stringify({ tag: "killed", status: "error" }),
  });
  return JSON.parse(text);
};

test("P5: killed in the middle of reruns of many, those that had begun ask a person, the others run, and no write is sent twice", async () => {
  const sent = () => upstream.requestsTo("/write");
  upstream.script("/write", (_, response) => void response.writeHead(400).end("{}"));
  const first = await start();
  const caller = new TestCaller(first.url);
  for (let n = 0; n < RUNS; n += 1)
    await caller.execute([{ id: "w", tool: "probe-write", args: { n } }], { tags: ["killed"] });
  const failed = await listed(caller, "tag=killed&status=error", RUNS);
  expect(sent()).toHaveLength(RUNS);

  // They take effect when they arrive, and no answer comes back.
  upstream.script("/write", () => {});
  const bulk = rerunAll(caller).catch(() => null);
  await eventually("some writes to be sent", () => (sent().length >= RUNS + 2 ? true : undefined));
  await first.kill("SIGKILL");
  await bulk;
  const begun = sent().length - RUNS;
  upstream.script("/write", (_, response) => void response.writeHead(200).end("{}"));

  await using second = await start(first.port);
  const after = new TestCaller(second.url);
  expect(await rerunAll(after)).toEqual({ runs: RUNS - begun });
  await listed(after, "tag=killed&status=success", RUNS - begun);
  expect(await rerunAll(after)).toEqual({ runs: 0 });
  expect(sent()).toHaveLength(2 * RUNS);

  const asked = await Promise.all(
    failed.map(async ({ run_id: id }) => {
      const { text } = await after.send({ path: `/v1/runs/${id}/rerun`, body: "{}" });
      return (JSON.parse(text) as WireEnvelope).results[0]!.status;
    }),
  );
  expect(asked.filter((status) => status === "pending_confirmation")).toHaveLength(begun);
  expect(sent()).toHaveLength(2 * RUNS);
  const numbers = sent().map(({ body }) => (JSON.parse(body) as { readonly n: number }).n);
  for (let n = 0; n < RUNS; n += 1) expect(numbers.filter((one) => one === n)).toHaveLength(2);
});

test("T56: a rerun after a kill in the middle of a yes asks, and says that the action may have happened", async () => {
  const deleted = () => upstream.requestsTo("/item");
  // It takes effect when it arrives, and no answer comes back.
  upstream.script("/item", () => {});
  const first = await start();
  const caller = new TestCaller(first.url);
  const { batch_id: id, results } = await caller.execute(
    [{ id: "gone", tool: "probe-delete", args: { id: "item-1" } }],
    { tags: ["yes"] },
  );
  await listed(caller, "tag=yes", 1);
  const yes = caller
    .send({
      path: `/v1/confirmations/${results[0]!.confirmation!.id}`,
      body: JSON.stringify({ decision: "approve" }),
    })
    .catch(() => null);
  await eventually("the delete to be sent", () => deleted()[0]);
  await first.kill("SIGKILL");
  await yes;

  await using second = await start(first.port);
  const after = new TestCaller(second.url);
  const { text } = await after.send({ path: `/v1/runs/${id}/rerun`, body: "{}" });
  const [again] = (JSON.parse(text) as WireEnvelope).results;
  expect(again).toMatchObject({
    status: "pending_confirmation",
    confirmation: { message: expect.stringContaining("It may have taken effect in an earlier run") },
  });
  expect(again!.confirmation!.id).not.toBe(results[0]!.confirmation!.id);
  const shown = await after.get(`/v1/confirmations/${again!.confirmation!.id}`);
  expect(shown.text).toContain("It may have taken effect in an earlier run");
  expect(deleted()).toHaveLength(1);
});

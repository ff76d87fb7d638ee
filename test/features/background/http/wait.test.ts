import * as z from "zod";
import { describe, expect, test } from "vitest";

import { awaitChange } from "../../../../src/cloudflare/http/await-change.ts";
import * as LIMITS from "../../../../src/core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../../../src/core/contract/refusal.ts";
import { defineTool } from "../../../../src/core/catalog/define-tool.ts";
import { err, ok, type Result } from "../../../../src/core/kit/result.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { background } from "../../../../src/features/background/index.ts";
import { confirmations } from "../../../../src/features/confirmations/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { flows } from "../../../../src/features/flows/index.ts";
import { createTestVolley } from "../../../../src/package/testing.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";
import { trial } from "../../../support/trial.ts";

const START = Date.UTC(2026, 0, 2);

/** Ask to wait for a thing whose status the test sets. */
function ask(
  waitS: string,
  {
    tenant = "acme",
    status = "running",
    signal,
  }: { tenant?: string; status?: string; signal?: AbortSignal } = {},
) {
  const clock = new VirtualClock(START);
  const thing = { status: status as string | Refusal };
  const looks: number[] = [];
  const look = async (): Promise<Result<string, Refusal>> => {
    looks.push(clock.now() - START);
    return typeof thing.status === "string" ? ok(thing.status) : err(thing.status);
  };
  const answer = awaitChange(look, {
    request: new Request(`https://volley.test/v1/jobs/1?wait_s=${waitS}`, { ...(signal && { signal }) }),
    context: { caller: { tenant }, ports: { clock } } as never,
    liveStatus: (status) => (status === "done" ? null : status),
  });
  const answered = { at: null as number | null };
  void answer.then(() => (answered.at = clock.now() - START));
  return { clock, thing, looks, answer, answered };
}

describe("A request with wait_s", () => {
  test("is answered when the status changes, and not before", async () => {
    const { clock, thing, answer, answered } = ask("45");
    await clock.advance(5_000);
    expect(answered.at).toBeNull();
    thing.status = "retrying";
    await clock.advance(LIMITS.waitLookMaxMs);
    expect(await answer).toEqual(ok("retrying"));
    expect(answered.at).toBeLessThanOrEqual(8_000);
  });

  test("is answered at once where the thing is over, and where it says nothing", async () => {
    const { answer, looks } = ask("45", { status: "done" });
    expect(await answer).toEqual(ok("done"));
    expect(looks).toEqual([0]);
    const without = ask("0");
    expect([await without.answer, without.looks]).toEqual([ok("running"), [0]]);
  });

  test("is answered with the status as it is after its time, with a look about each second at first", async () => {
    const { clock, looks, answer, answered } = ask("45");
    await clock.advance(45_000);
    expect(await answer).toEqual(ok("running"));
    expect(answered.at).toBe(45_000);
    expect(looks.slice(0, 3)).toEqual([0, 1_000, 2_200]);
    expect(looks.length).toBeLessThan(23);
  });

  test("ends with its client, and looks no more", async () => {
    const gone = new AbortController();
    const { clock, looks, answer } = ask("45", { signal: gone.signal });
    await clock.advance(1_500);
    gone.abort();
    await answer;
    await clock.advance(45_000);
    expect(looks).toEqual([0, 1_000]);
  });

  test("is refused where a look fails", async () => {
    const { clock, thing, answer } = ask("10");
    await clock.advance(500);
    thing.status = makeRefusal("UNAVAILABLE", "Ask again.");
    await clock.advance(10_000);
    expect(await answer).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
  });

  test.each(["46", "-1", "1.5", "abc", ""])("is refused with wait_s=%s", async (waitS) => {
    expect(await ask(waitS).answer).toMatchObject({ ok: false, error: { code: "INVALID_QUERY" } });
  });

  test("is answered at once where as many of its tenant wait as may; another tenant's waits", async () => {
    const held = Array.from({ length: LIMITS.waitsOfTenant }, () => ask("5"));
    await Promise.all(held.map(({ clock }) => clock.advance(1)));
    const more = ask("5");
    expect([await more.answer, more.looks]).toEqual([ok("running"), [0]]);
    const other = ask("5", { tenant: "other" });
    await other.clock.advance(100);
    expect(other.answered.at).toBeNull();
    await Promise.all([...held, other].map(({ clock }) => clock.advance(5_000)));
    const next = ask("5");
    await next.clock.advance(100);
    expect(next.answered.at).toBeNull();
    await next.clock.advance(5_000);
  });
});

describe("wait_s over HTTP", () => {
  const DECLARATION = {
    summary: "Drop it",
    description: "Drop it.",
    category: "test",
    actions: ["delete"],
    isWrite: true,
    hosts: [],
    orchestration: { mode: "sequential-only" },
    input: z.strictObject({ n: z.number() }),
    run: async ({ n }: { n: number }) => ({ n }),
  } as const;
  const drop = defineTool({ ...DECLARATION, name: "drop_it", execution: "sync" });
  const late = defineTool({
    ...DECLARATION,
    name: "send_later",
    actions: ["create"],
    execution: "fire-and-forget",
  });
  const start = () =>
    createTestVolley({
      tools: [drop, late],
      features: [discovery(), confirmations(), addedTools(), flows(), background()],
      key: { flags: ["approve"] },
    });

  trial("answers a job's end, and counts as one request that runs nothing", async () => {
    const volley = await start();
    const runAt = new Date(volley.now() + 10_000).toISOString();
    const { results } = await volley.run({
      actions: [{ tool: "send_later", args: { n: 1 }, run_at: runAt }],
    });
    const begun = volley.now();
    const path = `/v1/jobs/${(results[0] as { job_id: string }).job_id}`;
    const left = async (query = "") => {
      const answer = await volley.fetch(`${path}${query}`);
      const remaining = /r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")![1];
      return { job: await answer.json(), remaining: Number(remaining) };
    };
    const first = await left();
    expect(first.job).toMatchObject({ status: "retrying" });
    const waited = await left("?wait_s=2");
    expect(waited.job).toMatchObject({ status: "retrying" });
    expect(first.remaining - waited.remaining).toBeLessThanOrEqual(1);
    const ended = await left("?wait_s=30");
    expect((ended.job as { status: string }).status).not.toBe("retrying");
    expect(volley.now() - begun).toBeLessThan(20_000);
    expect((await volley.fetch(`${path}?wait_s=99`)).status).toBe(400);
  });

  test("answers a question that is decided meanwhile", async () => {
    const volley = await start();
    const { results } = await volley.run({ actions: [{ tool: "drop_it", args: { n: 1 } }] });
    const { id } = (results[0] as { confirmation: { id: string } }).confirmation;
    const waiting = volley.fetch(`/v1/confirmations/${id}?wait_s=45`);
    await volley.fetch(`/v1/confirmations/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"decision":"approve"}',
    });
    expect(await (await waiting).json()).toMatchObject({ status: "done" });
    const again = await volley.fetch(`/v1/confirmations/${id}?wait_s=45`);
    expect(await again.json()).toMatchObject({ status: "done" });
  });
});

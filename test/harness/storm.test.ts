import { describe, expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import type { WireEnvelope } from "../support/execute-batch.ts";
import { eventually, sleep } from "../support/eventually.ts";
import type { Answer } from "../support/hostile-answers.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, caller } = await setUpSandbox();

/** Make a path fail with 500 until the returned function is called. */
function down(path: string): () => void {
  let healed = false;
  const answer: Answer = (_, response) => {
    response.writeHead(healed ? 200 : 500, { "content-type": "application/json" }).end('{"fine":true}');
  };
  upstream.script(path, answer);
  return () => (healed = true);
}

const batch = (tool: string, argsOf: (n: number) => object): object[] =>
  Array.from({ length: 50 }, (_, n) => ({ tool, args: argsOf(n) }));
const flaky = batch("probe-flaky", (n) => ({ key: `storm-${n}`, fail: 0 }));
const codesOf = ({ results }: WireEnvelope) => results.map(({ status, error }) => error?.code ?? status);

describe("F05 A storm of 500s", () => {
  test("of 1,000 reads that may be retried costs at most 1,200 calls, and is over after one probe", async () => {
    const heal = down("/flaky");
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => caller.execute(flaky)));

    const requests = upstream.requestsTo("/flaky").length;
    expect(requests).toBeLessThanOrEqual(300);
    const codes = answers.flatMap(codesOf);
    expect(codes).toHaveLength(1_000);
    expect(new Set(codes)).toEqual(new Set(["UPSTREAM_ERROR", "CIRCUIT_OPEN"]));
    const refused = answers
      .flatMap(({ results }) => results)
      .find(({ error }) => error?.code === "CIRCUIT_OPEN");
    expect(refused).toMatchObject({
      error: {
        retryable: true,
        retry_after_ms: expect.any(Number),
        hint: expect.stringContaining("not called"),
      },
    });

    heal();
    const { results } = await caller.execute(flaky.slice(0, 1));
    if (results[0]!.error?.code === "CIRCUIT_OPEN") {
      expect(results[0]).toMatchObject({ meta: { attempts: 0 } });
      expect(upstream.requestsTo("/flaky")).toHaveLength(requests);
      await sleep(LIMITS.breakerPauseMs);
      // A storm that a slow machine drew out has probed, and pauses for longer.
      const probing = await eventually("a probe", async () => {
        const codes = codesOf(await caller.execute(flaky.slice(0, 6)));
        return codes.includes("success") ? codes : undefined;
      });
      expect(probing.toSorted()).toEqual([...Array.from({ length: 5 }, () => "CIRCUIT_OPEN"), "success"]);
    } else {
      // A machine may be so slow that the pause is over by now, and this is the probe.
      expect(results[0]).toMatchObject({ status: "success" });
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(LIMITS.breakerPauseMs);
    }
    expect(upstream.requestsTo("/flaky")).toHaveLength(requests + 1);
    expect(new Set(codesOf(await caller.execute(flaky)))).toEqual(new Set(["success"]));
  });

  test("of 1,000 jobs costs at most 1,200 calls and kills none; they run once the upstream is back", async () => {
    const heal = down("/background");
    const answers: WireEnvelope[] = [];
    // One after the other: all at once, a slow machine may admit the last ones too late to record them.
    for (let at = 0; at < 20; at += 1)
      answers.push(await caller.execute(batch("probe-background", (n) => ({ n: at * 50 + n }))));
    const ids = answers.flatMap(({ results }) => results.map(({ job_id }) => job_id!));
    expect(new Set(ids).size).toBe(1_000);

    const statusesOf = (some: readonly string[]): Promise<string[]> =>
      Promise.all(
        some.map(async (id) => {
          const { status } = JSON.parse((await caller.get(`/v1/jobs/${id}`)).text) as { status: string };
          return status;
        }),
      );
    await sleep(6_000);
    for (const status of await statusesOf(ids.slice(0, 100))) expect(status).toMatch(/^(running|retrying)$/);
    // The isolate and each of the tenant's eight outbox objects find out for themselves.
    expect(upstream.requestsTo("/background").length).toBeLessThanOrEqual(600);

    heal();
    await eventually(
      "the first jobs to succeed",
      async () => (await statusesOf(ids.slice(0, 100))).includes("succeeded") || undefined,
      { withinMs: 80_000, everyMs: 500 },
    );
  }, 120_000);
});

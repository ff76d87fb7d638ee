import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";

import { createGateClient } from "../../src/cloudflare/gate-client/gate-client.ts";
import { systemClock } from "../../src/cloudflare/platform/system-ports.ts";
import { createLeasedAdmission, IsolateQuota } from "../../src/core/gate/leased-admission.ts";
import { countRows } from "./count-rows.ts";
import { makeRequest } from "./gate-requests.ts";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One isolate's admission of a tenant, on the real object, which counts the calls it makes. */
function createIsolate(tenant: string) {
  const gate = createGateClient(env.TENANT_GATE, tenant, { clock: systemClock, timeoutMs: 30_000 });
  const isolate = {
    calls: 0,
    admit: createLeasedAdmission({
      held: new IsolateQuota(),
      send: (request, wishes) => {
        isolate.calls += 1;
        return gate.admit(request, wishes);
      },
      clock: systemClock,
      defer: (work) => void work.catch(() => {}),
    }),
  };
  return isolate;
}

describe("createLeasedAdmission() on the Durable Object", () => {
  test("P3: T20 F19 3,000 parallel callers of ten isolates at limit 100: exactly 100", async () => {
    const isolates = Array.from({ length: 10 }, () => createIsolate("leased-3000"));
    const quota = { bucket: "key:small", limit: 100, windowS: 3_600 };
    const answers = await Promise.all(
      Array.from({ length: 3_000 }, (_, k) => isolates[k % 10]!.admit(makeRequest({ quota }))),
    );
    expect(answers.filter((answer) => answer.quota?.allowed)).toHaveLength(100);
  });

  test("1,000 batches at 200 a second: at most 0.1 calls and 0.06 rows written each", async () => {
    const isolate = createIsolate("leased-busy");
    const rows = await countRows(env.TENANT_GATE.getByName("leased-busy"));
    const quota = { bucket: "key:busy", limit: 100_000, windowS: 60 };
    // One after the other: a slow machine asks more slowly, and never in a burst that one lease is too small for.
    let admitted = 0;
    for (let sent = 0; sent < 1_000; sent += 1) {
      const { quota: draw } = await isolate.admit(makeRequest({ quota }));
      if (draw?.allowed === true) admitted += 1;
      await sleep(5);
    }
    expect(admitted).toBe(1_000);
    expect(isolate.calls).toBeGreaterThan(1);
    expect(isolate.calls / 1_000).toBeLessThanOrEqual(0.1);
    expect((await rows()) / 1_000).toBeLessThanOrEqual(0.06);
  });
});

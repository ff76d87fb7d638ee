import { expect, test } from "vitest";

import { addUsage, type UsageReport } from "../../../../src/core/contract/gate/usage.ts";

test("addUsage() adds jobs and backlog of all objects to those of the home, which alone knows the rest", () => {
  const report = (n: number) =>
    ({
      quotas: [{ remaining: n, resetMs: n }],
      jobs: { queued: n, dead: 0 },
      backlog: { jobs: n, webhooks: 1, runs: 0 },
    }) as unknown as UsageReport;
  expect(addUsage(report(1), [report(2), report(4)])).toEqual({
    quotas: [{ remaining: 1, resetMs: 1 }],
    jobs: { queued: 7, dead: 0 },
    backlog: { jobs: 7, webhooks: 3, runs: 0 },
  });
});

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import * as LIMITS from "../../src/core/contract/limits.ts";
import { HUNDRED_AN_HOUR, makeJobsRequest, makeRequest, makeSpec } from "./gate-requests.ts";

test("F25 of 100,000 jobs that have ended as many are kept as may be, and no entry removes more than a few", async () => {
  const stub = env.TENANT_GATE.getByName("many-jobs");
  await stub.admit(makeJobsRequest(makeSpec("model", [])));
  await stub.settle("model", 1, { kind: "succeeded", dataJson: "1" });
  const count = (): Promise<number> =>
    runInDurableObject(stub, (_gate, { storage }) =>
      storage.sql.exec<{ kept: number }>("SELECT COUNT(*) AS kept FROM jobs").one(),
    ).then(({ kept }) => kept);
  await runInDurableObject(stub, (_gate, { storage }) => {
    const names = storage.sql.exec("SELECT * FROM jobs LIMIT 1").columnNames.filter((name) => name !== "id");
    storage.sql.exec(
      `WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < 100000)
       INSERT INTO jobs (id, ${names.join(", ")})
       SELECT printf('old-%06d', k), ${names.map((name) => (name === "updated_at" ? "updated_at - k" : name)).join(", ")}
       FROM n, jobs WHERE jobs.id = 'model'`,
    );
  });
  await evictDurableObject(stub);
  const enter = () => stub.admit(makeRequest({ quota: HUNDRED_AN_HOUR }));
  await enter();
  expect(await count()).toBe(99_001);
  for (let entries = 1; entries < 95; entries += 1) await enter();
  const left = await count();
  expect(left).toBeLessThanOrEqual(1.1 * LIMITS.jobsKept);
  expect(left).toBeGreaterThanOrEqual(LIMITS.jobsKept);
  expect((await stub.job("model"))?.status).toBe("succeeded");
  expect(await stub.job("old-100000")).toBeNull();
}, 240_000);

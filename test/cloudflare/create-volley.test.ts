import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { makeJobsRequest, makeSpec } from "./gate-requests.ts";
import { limitedMail } from "./limited-mail.ts";

test("P3: F22 the alarm repeats no more of a tool's jobs than its limit allows", async () => {
  const stub = env.VOLLEY_GATE.getByName("limited");
  const ids = ["mail-0", "mail-1", "mail-2"];
  const specs = ids.map((id) => makeSpec(id, [], { tool: limitedMail.name, argsJson: "{}" }));
  await stub.admit(makeJobsRequest(...specs));
  // All three workers are gone.
  await runInDurableObject(stub, (_gate, { storage }) =>
    storage.sql.exec("UPDATE jobs SET due_at = 1").toArray(),
  );
  await evictDurableObject(stub);
  await runDurableObjectAlarm(stub);
  const statuses = () => Promise.all(ids.map(async (id) => (await stub.job(id))!.status));
  // Its own alarm may be ahead of this one: then the attempts are under way.
  await expect.poll(statuses, { timeout: 50_000 }).toEqual(["succeeded", "succeeded", "running"]);
});

import { expect, test } from "vitest";

import type { Configured } from "../../../../src/cloudflare/configured.ts";
import { workOfTenant } from "../../../../src/features/imports/http/tenant-work.ts";

const workOf = (configured: Configured, tenant: string) =>
  workOfTenant({ configured, caller: { tenant } } as Parameters<typeof workOfTenant>[0]);

test("P6: each tenant of a deployment has work of its own, and the same at its next import", () => {
  const [one, other] = [{}, {}] as Configured[];
  const work = workOf(one!, "acme");
  expect(workOf(one!, "acme")).toBe(work);
  expect(workOf(one!, "globex")).not.toBe(work);
  expect(workOf(other!, "acme")).not.toBe(work);
});

test("The work of a thousand tenants is remembered, and one more takes the place of the first", () => {
  const configured = {} as Configured;
  const [first, second] = [workOf(configured, "tenant 0"), workOf(configured, "tenant 1")];
  for (let n = 2; n <= 1_000; n += 1) workOf(configured, `tenant ${n}`);
  expect(workOf(configured, "tenant 1")).toBe(second);
  expect(workOf(configured, "tenant 0")).not.toBe(first);
});

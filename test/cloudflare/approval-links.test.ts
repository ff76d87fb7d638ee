import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { callConfirmations } from "../../src/features/confirmations/confirmation.ts";
import landedTenantGate from "../fixtures/landed-tenant-gate.sql?raw";
import { ask } from "./ask-confirmations.ts";
import { makeRequest } from "./gate-requests.ts";
import { replaceStorage, TENANT_TIMES } from "./replace-storage.ts";
import { trial } from "../support/trial.ts";

const LINK = {
  digest: "d",
  confirmationId: "c-pending",
  name: "Ada",
  expiresAt: Number.MAX_SAFE_INTEGER,
  edit: true,
};

test("F29 a question of the landed version takes a link, which stands after the object's end and is used once", async () => {
  const stub = env.TENANT_GATE.getByName("links-landed");
  await runInDurableObject(stub, (_gate, { storage }) =>
    replaceStorage(storage, landedTenantGate, TENANT_TIMES),
  );
  await evictDurableObject(stub);
  const { expiresAt } = (await ask(stub).confirmation("c-pending"))!;
  expect(await callConfirmations(stub, "addLink", LINK), "no longer than its question").toBe(expiresAt);
  expect(await callConfirmations(stub, "addLink", { ...LINK, confirmationId: "c-done" })).toBe("done");
  await evictDurableObject(stub);
  const open = () => callConfirmations(stub, "openLink", "d");
  expect(await open()).toMatchObject({
    link: { name: "Ada", edit: true, isUsed: false },
    record: { id: "c-pending", status: "pending" },
  });
  const decide = (id: string, by: string) => ask(stub).approve({ id, by, link: "d" }, makeRequest());
  expect(await decide("c-running", "mallory"), "of another question").toEqual({ refused: "link" });
  expect((await open())?.link.isUsed).toBe(false);
  expect(await decide("c-pending", "ann")).toMatchObject({ refused: null });
  await evictDurableObject(stub);
  expect(await open()).toMatchObject({ link: { isUsed: true }, record: { status: "running" } });
  expect(await ask(stub).approve({ id: "c-pending", by: "eve", link: "d" }, makeRequest())).toEqual({
    refused: "link",
  });
});

trial("a link is not used up by a yes that was not admitted: it says the next one", async () => {
  const stub = env.TENANT_GATE.getByName("links-given-back");
  await ask(stub).park([{ id: "c", groupJson: "{}" }]);
  await callConfirmations(stub, "addLink", { ...LINK, confirmationId: "c" });
  const quota = { bucket: "key:ci", limit: 1, windowS: 3_600 };
  await stub.admit(makeRequest({ quota }));
  const claim = { id: "c", by: "ann", link: "d" };
  expect(await ask(stub).approve(claim, makeRequest({ quota }))).toMatchObject({
    refused: null,
    admission: { quota: { allowed: false } },
  });
  await evictDurableObject(stub);
  expect(await callConfirmations(stub, "openLink", "d")).toMatchObject({
    link: { isUsed: false },
    record: { status: "pending" },
  });
  expect(await ask(stub).approve({ ...claim, by: "bob" }, makeRequest())).toMatchObject({ refused: null });
});

import { expect, test } from "vitest";

import type { Remembered } from "../../../src/features/confirmations/confirmation.ts";
import { keepStanding } from "../../../src/features/confirmations/recall.ts";
import { hashWhole } from "../../../src/features/confirmations/remembered.ts";
import { createCatalog } from "../../support/create-catalog.ts";
import { contractOf } from "../../support/fake-actions.ts";

const sha256 = async (text: string): Promise<string> => text;
const catalogOf = (host: string, version: number) =>
  createCatalog([]).extend([contractOf("pay", { hosts: [host], isWrite: true })], version);

test("A yes to a tool is not forgotten by an isolate that has not heard of the tool's change, and lets nothing through there", async () => {
  const [before, after] = [catalogOf("old.example.com", 1), catalogOf("new.example.com", 2)];
  const row = {
    id: "r1",
    tool: "pay",
    declaration: await hashWhole(after.get("pay")!, after, sha256),
    giver: { hash: "h" },
  } as Remembered;
  const forgotten: unknown[] = [];
  const standingIn = (catalog: typeof before, current: typeof before) => {
    const gate = { call: async (...given: unknown[]) => void forgotten.push(given) };
    const execution = {
      catalog,
      currentCatalog: async () => current,
      gate,
      ports: { sha256 },
      origin: { tenant: "acme" },
    };
    const callerOfHash = async () => ({ ok: true, value: { tenant: "acme", flags: ["approve"] } });
    return keepStanding([row], execution as never, { callerOfHash, features: [] } as never);
  };
  expect(await standingIn(after, after)).toEqual([row]);
  expect(await standingIn(before, after)).toEqual([]);
  expect(forgotten).toEqual([]);
  expect(await standingIn(before, before)).toEqual([]);
  expect(forgotten).toHaveLength(1);
});

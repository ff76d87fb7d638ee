import { describe, expect, test } from "vitest";

import {
  isCallName,
  keepCall,
  mayReadCall,
  nameCall,
  nameLeft,
} from "../../../../src/features/mcp/tasks/open-reply.ts";

const ID = "0b5e0b5e-0000-4000-8000-000000000001";
const REPLY = { name: "drop_it", json: "{}", failed: false };
const ASKER = { name: "asker", tools: ["shop", "read_it"], subject: "ada" };

test("A call's name is told from a job's id, and it and its mark are handles that an object keeps", () => {
  expect([nameCall(ID), ID, "call-", `call-${"x".repeat(60)}`, "call-a b"].map(isCallName)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  for (const handle of [nameCall(ID), nameLeft(nameCall(ID)), nameLeft(ID)])
    expect(handle).toMatch(/^[A-Za-z0-9_-]{1,47}$/);
});

describe("A kept call is read", () => {
  const kept = keepCall(REPLY, ASKER, 0);

  test.each([
    ["the same key", ASKER, true],
    ["a key that may call more", { ...ASKER, tools: ["read_it", "shop", "more"] }, true],
    ["a key that may call everything", { ...ASKER, tools: ["*"] }, true],
    ["a key that was narrowed since", { ...ASKER, tools: ["read_it"] }, false],
    ["a sign-in of the key", { ...ASKER, tools: ["tools:read shop", "tools:read read_it"] }, false],
    ["another key", { ...ASKER, name: "other", tools: ["*"] }, false],
    ["another subject", { ...ASKER, subject: "grace" }, false],
    ["no subject", { name: "asker", tools: ["*"] }, false],
  ])("by %s: %o %s", (_, caller, may) => {
    expect(mayReadCall(kept, caller)).toBe(may);
    expect(mayReadCall(JSON.parse(JSON.stringify(kept)) as typeof kept, caller)).toBe(may);
  });
});

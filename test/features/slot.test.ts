import { expect, test } from "vitest";

import type { Configured } from "../../src/cloudflare/configured.ts";
import { createSlot } from "../../src/cloudflare/slot.ts";

test("A slot makes a feature's state once in each deployment, when it is first asked for", () => {
  const [one, other] = [{ env: { NAME: "one" } }, { env: { NAME: "other" } }] as unknown as Configured[];
  const made: unknown[] = [];
  const stateOf = createSlot(({ env }) => {
    made.push(env["NAME"]);
    return { name: env["NAME"] };
  });
  expect(made).toEqual([]);
  const state = stateOf(one!);
  expect(stateOf(one!)).toBe(state);
  expect(stateOf(other!)).toEqual({ name: "other" });
  expect(stateOf(one!)).toBe(state);
  expect(made).toEqual(["one", "other"]);
});

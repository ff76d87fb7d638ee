import { describe, expect, test } from "vitest";

import { type Caller, mayDo, mostRequests } from "../../../../src/core/contract/gate/caller.ts";
import { SHIPPED_FLAGS } from "../../../../src/shipped.ts";

const KEY_FLAGS = Object.keys(SHIPPED_FLAGS);

const callerOf = (limit: number, windowS: number): Caller => ({
  name: `${limit} in ${windowS}`,
  tenant: "acme",
  tools: ["*"],
  quota: { limit, windowS },
  flags: [],
});

describe("mostRequests()", () => {
  test("is the caller that may send the most a second, and of those the most at once", () => {
    const [slow, fast, burst] = [callerOf(100, 60), callerOf(10, 1), callerOf(600, 60)];
    expect(mostRequests([slow, fast])).toBe(fast);
    expect(mostRequests([fast, slow])).toBe(fast);
    expect(mostRequests([fast, burst])).toBe(burst);
    expect(mostRequests([burst, fast, slow])).toBe(burst);
    expect(mostRequests([slow])).toBe(slow);
  });
});

describe("a caller", () => {
  test("may do what it has a flag for, and nothing else", () => {
    const caller = { ...callerOf(1, 1), flags: ["approve"] };
    expect(KEY_FLAGS.filter((flag) => mayDo(caller, flag))).toEqual(["approve"]);
  });
});

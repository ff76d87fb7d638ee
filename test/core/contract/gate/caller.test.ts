import { describe, expect, test } from "vitest";

import {
  type Caller,
  flagsOf,
  KEY_FLAGS,
  mostRequests,
  withFlags,
} from "../../../../src/core/contract/gate/caller.ts";

const callerOf = (limit: number, windowS: number): Caller => ({
  name: `${limit} in ${windowS}`,
  tenant: "acme",
  tools: ["*"],
  quota: { limit, windowS },
  skipApproval: false,
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

describe("flags of a caller", () => {
  test("are the same after they were given, one by one and together", () => {
    for (const flags of [[], ...KEY_FLAGS.map((flag) => [flag]), [...KEY_FLAGS]])
      expect(flagsOf({ ...callerOf(1, 1), ...withFlags(flags) })).toEqual(flags);
  });

  test("give nothing that was not asked for", () => {
    expect(withFlags([])).toEqual({ skipApproval: false });
    expect(withFlags(["approve"])).toEqual({ skipApproval: false, approves: true });
    expect(withFlags(["skip_approval", "manage_tools", "manage_keys"])).toEqual({
      skipApproval: true,
      manageTools: true,
      manageKeys: true,
    });
  });
});

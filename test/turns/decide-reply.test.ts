import { describe, expect, test } from "vitest";

import { type Decisions, decideReply } from "../../src/turns/decide-reply.ts";

const WAITING = {
  id: "call-1",
  name: "transfer",
  failed: false,
  json: JSON.stringify({ status: "pending_confirmation", confirmation: { id: "q1" } }),
  waits: [{ confirmation: "q1", action: "a0" }],
};
const TIMES = { expiresAt: 2, decided: { at: 1 } };

const decide = (decision: object | null) => {
  const { json, failed } = decideReply(WAITING, new Map([["q1", decision]]) as unknown as Decisions);
  return { failed, ...(JSON.parse(json) as { status: string; error?: { hint: string } }) };
};

describe("decideReply()", () => {
  test("leaves what waits as it is", () => {
    expect(decide({ status: "pending", answerJson: null, ...TIMES })).toMatchObject({
      failed: false,
      status: "pending_confirmation",
    });
  });

  test("says of a question that expired that nothing happened", () => {
    const { failed, status, error } = decide({ status: "expired", answerJson: null, ...TIMES });
    expect([failed, status]).toEqual([true, "error"]);
    expect(error!.hint).toContain("so it did not happen");
  });

  test.each([
    ["had begun", { begun: { kind: "loop" } }, "error", "What it did before stays"],
    ["an earlier run may have done", { doubted: true }, "unknown", "may have happened"],
  ])("says of what %s that only the rest did not happen, where nobody said yes", (_, of, expected, said) => {
    const groupJson = JSON.stringify({ actions: [{ id: "other" }, { id: "a0", ...of }] });
    for (const status of ["expired", "rejected"]) {
      const decided = decide({ status, answerJson: null, groupJson, ...TIMES });
      expect([decided.failed, decided.status]).toEqual([true, expected]);
      expect(decided.error!.hint).toContain(said);
      expect(decided.error!.hint).not.toContain("did not happen");
    }
  });

  test("says of a question that is not kept any more that nothing is known: it may have been approved", () => {
    const { failed, status, error } = decide(null);
    expect([failed, status]).toEqual([true, "unknown"]);
    expect(error!.hint).toContain("Look before you repeat it.");
    expect(error!.hint).not.toContain("did not happen");
  });
});

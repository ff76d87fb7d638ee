import { expect, test } from "vitest";

import type { ListedConfirmation } from "../../../src/features/confirmations/confirmation.ts";
import {
  toDecidedEvent,
  toEndEvent,
  toRequestedEvent,
} from "../../../src/features/confirmations/question-events.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const ISO = "2026-01-02T03:04:05.006Z";
const QUESTION: ListedConfirmation = {
  status: "pending",
  id: "question-1",
  createdAt: AT,
  expiresAt: AT + 1_000,
  decided: null,
  head: {
    requestedBy: "agent",
    actions: ["mail", "move", "mail"].map((tool, at) => ({ id: `a${at}`, tool, gated: true })),
  },
};
const bodyOf = ({ json }: { json: string }) => JSON.parse(json) as unknown;

test("a question is told when it is asked and when it is decided, each tool once", () => {
  const question = {
    tenant: "acme",
    confirmation_id: "question-1",
    requested_by: "agent",
    tools: ["mail", "move"],
    created_at: ISO,
  };
  const requested = toRequestedEvent("acme", QUESTION, "https://volley.example/approvals/acme/x");
  expect(requested.id).toBe("confirmation-requested-question-1");
  expect(bodyOf(requested)).toEqual({
    type: "confirmation.requested",
    timestamp: ISO,
    data: {
      ...question,
      expires_at: "2026-01-02T03:04:06.006Z",
      url: "https://volley.example/approvals/acme/x",
    },
  });
  const decided = toDecidedEvent("acme", QUESTION, {
    decision: "reject",
    decided: { name: "Ada", via: "link", decision: "reject", at: AT + 500, reason: "Too much" },
    at: AT + 500,
  });
  expect(decided.id).toBe("confirmation-decided-question-1");
  expect(bodyOf(decided)).toEqual({
    type: "confirmation.decided",
    timestamp: "2026-01-02T03:04:05.506Z",
    data: { ...question, decision: "reject", decided_by: { name: "Ada", via: "link" }, reason: "Too much" },
  });
});

test.each(["expiring", "expired"] as const)(
  "a question that is %s is told under an id of its own",
  (told) => {
    const event = toEndEvent("acme", QUESTION, { told, at: AT + 750 });
    expect(event.id).toBe(`confirmation-${told}-question-1`);
    expect(bodyOf(event)).toMatchObject({
      type: `confirmation.${told}`,
      data: { tenant: "acme", confirmation_id: "question-1", expires_at: "2026-01-02T03:04:06.006Z" },
    });
  },
);

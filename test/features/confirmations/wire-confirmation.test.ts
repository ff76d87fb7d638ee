import type { JsonObject } from "../../../src/core/contract/json.ts";
import { describe, expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import type { ParkedAction, ParkedGroup } from "../../../src/features/confirmations/parked-group.ts";
import {
  type ConfirmationRecord,
  GROUP_FORMAT,
  refuseClaim,
  toHead,
} from "../../../src/features/confirmations/confirmation.ts";
import { type Decision, decisionSchema } from "../../../src/features/confirmations/decision.ts";
import {
  confirmationSchema,
  listedConfirmationSchema,
  toWireConfirmation,
  toWireListed,
} from "../../../src/features/confirmations/wire-confirmation.ts";

const AT = Date.parse("2026-01-02T03:04:05.006Z");
const URL = "https://volley.example.com/console";
const actionOf = (id: string, more: Partial<ParkedAction> = {}): ParkedAction => ({
  id,
  tool: "send_email",
  gated: true,
  needs: [],
  args: { kind: "call", input: { to: "a@example.com" } },
  timeoutMs: 1_000,
  select: null,
  ...more,
});
const groupOf = (more: Partial<ParkedGroup> = {}): ParkedGroup => ({
  format: GROUP_FORMAT,
  actions: [actionOf("a")],
  results: [],
  onError: "partial-success",
  deadlineMs: 5_000,
  maxTokens: null,
  requestedBy: "agent",
  argsHash: "hash",
  declarations: [],
  ...more,
});
const RECORD: ConfirmationRecord = {
  id: "question",
  status: "pending",
  createdAt: AT,
  expiresAt: AT + 1_000,
  groupJson: "",
  key: null,
  answerJson: null,
  decided: null,
  told: null,
};
const show = (
  group: ParkedGroup,
  record: Partial<ConfirmationRecord> = {},
  knows: (tool: string) => boolean = () => true,
) => toWireConfirmation({ ...RECORD, ...record }, group, { url: URL, knows });

describe("toWireConfirmation()", () => {
  test("shows everything that a yes would run, in the form that is described", () => {
    const actions = [
      actionOf("a", { callback: { url: "https://example.com/", secretName: "S" }, runAt: AT }),
      actionOf("b", {
        tool: "move",
        gated: false,
        needs: [0],
        args: { kind: "waiting", input: { of: { $ref: "a#" } }, forEach: [1, 2] },
      }),
      actionOf("c", { args: { kind: "waiting", input: {} } }),
      actionOf("d", {
        needs: [0, 2],
        args: { kind: "loop", elements: [{ input: { n: 1 } }, { error: makeFailure("INVALID_ARGS") }] },
      }),
    ];
    const shown = show(groupOf({ actions }));
    expect(confirmationSchema().parse(shown)).toEqual({
      id: "question",
      status: "pending",
      created_at: "2026-01-02T03:04:05.006Z",
      expires_at: "2026-01-02T03:04:06.006Z",
      requested_by: { key: "agent" },
      url: URL,
      actions: [
        {
          id: "a",
          tool: "send_email",
          gated: true,
          args: { to: "a@example.com" },
          resolved: true,
          callback_url: "https://example.com/",
          run_at: "2026-01-02T03:04:05.006Z",
          waits_for: [],
          followed_by: ["b", "d"],
        },
        {
          id: "b",
          tool: "move",
          gated: false,
          args: { of: { $ref: "a#" } },
          for_each: [1, 2],
          resolved: false,
          waits_for: ["a"],
          followed_by: [],
        },
        {
          id: "c",
          tool: "send_email",
          gated: true,
          args: {},
          resolved: false,
          waits_for: [],
          followed_by: ["d"],
        },
        {
          id: "d",
          tool: "send_email",
          gated: true,
          args_of_each: [{ n: 1 }, { error: "INVALID_ARGS" }],
          resolved: true,
          waits_for: ["a", "c"],
          followed_by: [],
        },
      ],
      args_hash: "hash",
    });
  });

  test("shows of a decided one what it was answered with, digit for digit", () => {
    const answerJson = '{"results":[{"id":"a","data":820982911946154508}],"stats":{}}';
    const { results } = show(groupOf(), { status: "done", answerJson });
    expect(JSON.stringify(results)).toBe('[{"id":"a","data":820982911946154508}]');
  });

  test.each([
    ["a key", { key: "agent", runId: "r" }, { key: "agent", run_id: "r" }],
    [
      "a key that ran a flow",
      { key: "agent", flow: "nightly", runId: "r" },
      { key: "agent", flow: "nightly", run_id: "r" },
    ],
    [
      "a clock",
      { trigger: "cron", flow: "nightly", runId: "r" },
      { trigger: "cron", flow: "nightly", run_id: "r" },
    ],
    ["what an earlier version recorded of a key", undefined, { key: "agent" }],
  ] as const)("says what asked: %s", (_, asker, said) => {
    const asked = asker === undefined ? {} : { asker };
    expect(show(groupOf(asked)).requested_by).toEqual(said);
  });

  test("names no flow to a key that may not call it, and no key where an earlier version recorded a trigger", () => {
    const asker = { key: "agent", flow: "nightly", runId: "r" };
    const knows = (tool: string) => tool !== "nightly";
    expect(show(groupOf({ asker }), {}, knows).requested_by).toEqual({ key: "agent", run_id: "r" });
    expect(show(groupOf({ requestedBy: "flow:" })).requested_by).toEqual({});
  });
});

test("toWireListed() shows arguments in one line, and no results", () => {
  const asker = { key: "agent", runId: "r" };
  const { id, status, createdAt, expiresAt } = RECORD;
  const head = toHead(groupOf({ asker }));
  const listed = toWireListed(
    { id, status, createdAt, expiresAt, head, decided: null },
    { url: URL, knows: () => true },
  );
  expect(listedConfirmationSchema().parse(listed)).toEqual({
    id: "question",
    status: "pending",
    created_at: "2026-01-02T03:04:05.006Z",
    expires_at: "2026-01-02T03:04:06.006Z",
    requested_by: { key: "agent", run_id: "r" },
    url: URL,
    actions: [{ id: "a", tool: "send_email", gated: true }],
    asks: [{ id: "a", tool: "send_email", args: '{"to":"a@example.com"}' }],
  });
  expect(toHead(groupOf())).toEqual({
    requestedBy: "agent",
    actions: [{ id: "a", tool: "send_email", gated: true, args: '{"to":"a@example.com"}' }],
  });
});

test("toHead() cuts a line at 300 characters, and hides nothing in it", () => {
  const [action] = groupOf().actions;
  const lineOf = (input: object) =>
    toHead(groupOf({ actions: [{ ...action!, args: { kind: "call", input: input as JsonObject } }] }))
      .actions[0]!.args!;
  expect(lineOf({ to: "a\u202eb\nc" })).toBe('{"to":"a\\u{202e}b\\nc"}');
  const long = lineOf({ body: "x".repeat(1_000) });
  expect([long.length, long.at(-1)]).toEqual([300, "…"]);
});

test("toWireListed() says who decided, why, and whether other arguments ran, but not which", () => {
  const { id, status, createdAt, expiresAt } = RECORD;
  const head = toHead(groupOf());
  const decided = { decision: "approve", name: "Ada", via: "link", at: createdAt, reason: "fine" } as const;
  const list = (args?: Decision["args"]) =>
    listedConfirmationSchema().parse(
      toWireListed(
        { id, status, createdAt, expiresAt, head, decided: { ...decided, ...(args && { args }) } },
        { url: URL, knows: () => true },
      ),
    );
  const said = {
    decided_by: { name: "Ada", via: "link" },
    decided_at: "2026-01-02T03:04:05.006Z",
    reason: "fine",
  };
  expect(list()).toMatchObject(said);
  expect(list()).not.toHaveProperty("edited");
  const edited = list({ a: { to: "geheim" } });
  expect(edited).toMatchObject({ ...said, edited: true });
  expect(JSON.stringify(edited)).not.toContain("geheim");
});

test("a decision is a yes or a no, about a hash that was shown or about none", () => {
  const fits = (value: object) => decisionSchema().safeParse(value).success;
  const hash = "0123456789abcdef".repeat(4);
  for (const decision of ["approve", "reject"]) {
    expect(fits({ decision })).toBe(true);
    expect(fits({ decision, args_hash: hash })).toBe(true);
  }
  for (const args_hash of [`${hash}0`, hash.slice(1), hash.toUpperCase(), ` ${hash}`, "0", ""])
    expect(fits({ decision: "approve", args_hash })).toBe(false);
  for (const wrong of [{}, { decision: "" }, { decision: "maybe" }, { decision: "approve", more: 1 }])
    expect(fits(wrong)).toBe(false);
});

test("a decision that came too late says why; one about nothing says no more than that", () => {
  expect(refuseClaim("unknown").code).toBe("NOT_FOUND");
  for (const found of ["running", "done", "rejected", "expired"] as const)
    expect(refuseClaim(found).code).toBe("CONFIRMATION_INVALID");
});

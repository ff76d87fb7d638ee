import { describe, expect, test } from "vitest";

import type { RunHead } from "../../../src/features/runs/run.ts";
import { seeRun } from "../../../src/features/runs/see-run.ts";

const HEAD: RunHead = {
  id: "run",
  source: "http",
  key: "owner",
  request: "r",
  startedAt: 0,
  durationMs: 5,
  tools: [
    { tool: "seen", ends: [1, 1, 1, 0, 0, 0], failed: { at: 3, action: "late", code: "TIMEOUT" } },
    { tool: "secret", ends: [0, 1, 0, 0, 0, 1], failed: { at: 0, action: "first", code: "TOOL_FAILED" } },
  ],
};
const see = (head: RunHead, tools: readonly string[] | undefined, key = "other") =>
  seeRun(head, { look: { sight: { key, tools } }, answerOf: () => undefined, nowMs: 0 })?.run;

describe("A run as a key sees it", () => {
  test("has every action for a key that may call everything", () => {
    expect(see(HEAD, undefined)).toMatchObject({
      actions: 5,
      status: "unknown",
      summary: { total: 5, ok: 1, error: 2, initiated: 1, unknown: 1 },
      tools: ["seen", "secret"],
      error: { action: "first", code: "TOOL_FAILED" },
    });
  });

  test("shows another key nothing of a hidden tool: no name, no count, no failure, no status of it", () => {
    expect(see(HEAD, ["seen"])).toMatchObject({
      actions: 3,
      status: "partial",
      summary: { total: 3, ok: 1, error: 1, initiated: 1, unknown: 0 },
      tools: ["seen"],
      error: { action: "late", code: "TIMEOUT" },
    });
  });

  test("does not exist for another key that sees no action of it; it does for the key that sent it", () => {
    expect(see(HEAD, ["elsewhere"])).toBeUndefined();
    expect(see(HEAD, ["elsewhere"], "owner")).toMatchObject({ actions: 0, tools: [], status: "success" });
  });

  test("names its flow to a key that may call the flow", () => {
    const flow: RunHead = { ...HEAD, source: "flow", flow: "nightly" };
    expect(see(flow, ["nightly"])).toMatchObject({ flow: "nightly", actions: 0 });
    expect(see(flow, ["seen"])).not.toHaveProperty("flow");
  });

  test("goes on where an action that waited for a person is under way, and is in doubt where that broke off", () => {
    const waits = [{ question: "q", until: 9, actions: 1 }];
    const head: RunHead = { ...HEAD, tools: [{ tool: "seen", ends: [1, 0, 0, 0, 1, 0], waits }] };
    const statusOf = (answering?: Record<string, boolean>) => {
      const look = { sight: { key: "owner" }, open: [], answering, jobs: [] };
      return seeRun(head, { look, answerOf: () => undefined, goes: false, nowMs: 0 })?.run.status;
    };
    expect([statusOf({ q: true }), statusOf({ q: false }), statusOf()]).toEqual([
      "running",
      "unknown",
      "partial",
    ]);
  });

  test("counts what goes on in the background as success", () => {
    const head: RunHead = { ...HEAD, tools: [{ tool: "seen", ends: [0, 0, 2, 0, 0, 0] }] };
    expect(see(head, undefined)).toMatchObject({ status: "success" });
  });
});

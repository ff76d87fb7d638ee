import type { WireRun } from "../../../../src/features/runs/console/wire-runs.ts";

type Action = WireRun["actions"][number];

/** An action that ran from a time for a time. */
export function ranAt(id: string, started_ms: number, duration_ms: number, more: object = {}): Action {
  return { id, tool: "look", status: "success", args: { id }, started_ms, duration_ms, ...more };
}

/** A run of actions. */
export function someRun(actions: readonly Action[], more: Partial<WireRun> = {}): WireRun {
  return {
    run_id: "run-1",
    source: "http",
    key: "assistant",
    request_id: "request-1",
    started_at: "2026-12-01T08:00:00.000Z",
    duration_ms: 100,
    status: "success",
    summary: {
      total: actions.length,
      ok: actions.length,
      error: 0,
      initiated: 0,
      skipped: 0,
      pending_confirmation: 0,
      unknown: 0,
    },
    tools: ["look"],
    plan: { edges: [] },
    actions: [...actions],
    children: [],
    ...more,
  };
}

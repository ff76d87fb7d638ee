import { describe, expect, test } from "vitest";

import type { Outcome } from "../../src/core/contract/outcome.ts";
import { drawBatch, drawLine } from "../../src/cloudflare/develop.ts";
import type { Plan } from "../../src/core/plan/step.ts";

const planOf = (...ids: readonly string[]) =>
  ({ steps: ids.map((id, index) => ({ id, index, toolName: "get_weather" })) }) as unknown as Plan;
const outcome = (value: object) => ({ meta: {}, ...value }) as unknown as Outcome;
const DONE = outcome({ status: "success", meta: { durationMs: 249 } });

describe("A batch on a terminal", () => {
  test("is one line: what became of each action, by its id, or by its tool where it was given none", () => {
    const failed = { code: "INVALID_ARGS", issues: [{ path: "/args/year" }] };
    const outcomes = [DONE, outcome({ status: "error", error: failed }), outcome({ status: "initiated" })];
    expect(drawBatch(planOf("a0", "recalls", "mail"), outcomes)).toBe(
      "✓ get_weather 249 ms  ✗ recalls INVALID_ARGS /args/year  → mail goes on as a job",
    );
  });

  test("shows a dozen actions and counts the rest", () => {
    const line = drawBatch(planOf(...Array<string>(50).fill("x")), Array<Outcome>(50).fill(DONE));
    expect(line.match(/✓/g)).toHaveLength(12);
    expect(line).toMatch(/ {2}… and 38 more$/);
  });

  test("cannot be broken or coloured by what a caller wrote", () => {
    const path = "/args/\u001b[31m\n\u202e";
    const failed = outcome({ status: "error", error: { code: "INVALID_ARGS", issues: [{ path }] } });
    expect(drawBatch(planOf("x"), [failed])).toBe("✗ x INVALID_ARGS /args/\\u{1b}[31m\\u{a}\\u{202e}");
  });
});

describe("Another line on a terminal", () => {
  test.each([
    [
      { event: "request_refused", status: 401, code: "UNAUTHORIZED", route: "POST /v1/execute_actions" },
      "✗ 401 UNAUTHORIZED POST /v1/execute_actions",
    ],
    [
      {
        event: "job_attempt",
        tool: "send_email",
        end: "succeeded",
        attempt: 1,
        max_attempts: 5,
        duration_ms: 7,
      },
      "✓ job send_email succeeded, attempt 1 of 5, 7 ms",
    ],
    [{ event: "tool_log", tool: "t", message: "a\u001b[2J", fields: { n: 1 } }, '· t: a\\u{1b}[2J {"n":1}'],
    [{ event: "tool_failed", tool: "t" }, "✗ t threw"],
  ])("says %j in words", (line, drawn) => {
    expect(drawLine(JSON.stringify(line))).toBe(drawn);
  });

  test.each(['{"event":"bug","request_id":"x"}', "{no JSON"])("stays %s where it was not drawn", (text) => {
    expect(drawLine(text)).toBe(text);
  });
});

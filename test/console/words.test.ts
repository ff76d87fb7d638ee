import { describe, expect, test } from "vitest";

import type { WireJob } from "../../src/console/kit/wire.ts";
import { explainReference } from "../../src/console/parts/explain-reference.ts";
import { readFilter, sayRedriven, toQuery } from "../../src/console/jobs/job-filter.ts";
import { tellJob } from "../../src/console/jobs/job-timeline.ts";
import { groupTools, sayContract } from "../../src/console/tools/tool-words.ts";

const JOB: WireJob = {
  job_id: "j1",
  tool: "mail",
  key: "ci",
  status: "succeeded",
  attempts: 1,
  tries: [],
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:05.000Z",
  next_attempt_at: null,
};

describe("A filter of jobs", () => {
  test("is read from an address without what the API would refuse", () => {
    const query = new URLSearchParams("status=gone&tool=a%26b&since=1y");
    expect(readFilter(query)).toEqual({ status: "", tool: "a&b", since: "" });
  });

  test("is written as the API reads it", () => {
    const query = toQuery({ status: "dead", tool: "a&b", since: "1h" }, Date.UTC(2026, 0, 1, 12));
    expect(query).toBe("status=dead&tool=a%26b&since=2026-01-01T11%3A00%3A00.000Z&limit=25");
  });
});

test("sayRedriven() says what stays dead, and why", () => {
  expect(
    sayRedriven({ redriven: 1, not_redriven: 0, tools_gone: [], backlog_full: false, more: false }),
  ).toBe("1 job runs again.");
  const left = { redriven: 3, not_redriven: 2, tools_gone: ["fax", "mail"], backlog_full: true, more: true };
  expect(sayRedriven(left)).toBe(
    "3 jobs run again. 2 stay as they are. Not deployed any more: fax, mail. The backlog is full: retry the rest when others have ended. There are more.",
  );
});

describe("tellJob()", () => {
  const tell = (job: Partial<WireJob>): readonly string[] =>
    tellJob({ ...JOB, ...job }).map(({ what }) => what);

  test("tells who asked and how it ended", () => {
    expect(tell({ duration_ms: 5_000 })).toEqual(["Created by ci", "Succeeded, 5.00 s after it could begin"]);
  });

  test("says of a job that was cancelled before its time that it could not have begun, and of another when", () => {
    const cancelled = { status: "cancelled", attempts: 0 } as const;
    expect(tell({ ...cancelled, duration_ms: 0 })).toContain("Cancelled before it could begin");
    expect(tell({ ...cancelled, duration_ms: 5_000 })).toContain("Cancelled, 5.00 s after it could begin");
    expect(tell({ ...cancelled, attempts: 1, duration_ms: 0 })).toContain(
      "Cancelled, 0 ms after it could begin",
    );
  });

  test("counts the attempts that failed before, not the one that succeeded", () => {
    expect(tell({ attempts: 3 })).toEqual(["Created by ci", "2 attempts failed", "Succeeded"]);
    expect(tell({ status: "dead", attempts: 5 })).toContain("5 attempts failed");
  });

  test("tells of each attempt that its tries have when it failed, and with what", () => {
    const at = "2026-01-01T00:00:01.000Z";
    const tries = [
      { at, duration_ms: 2_000, code: "UPSTREAM_ERROR", upstream_status: 503 },
      { at, duration_ms: 70 },
    ];
    expect(tellJob({ ...JOB, attempts: 3, tries })).toMatchObject([
      { what: "Created by ci" },
      { what: "1 attempt failed", at: null },
      { what: "Attempt failed with UPSTREAM_ERROR after 2.00 s, answered 503", at, tone: "bad" },
      { what: "Succeeded" },
    ]);
  });

  test("tells the attempt to come, and how the callback fares", () => {
    expect(
      tell({
        status: "retrying",
        next_attempt_at: "2026-01-01T00:00:09.000Z",
        callback: { status: "pending", attempts: 2, last_status: 500, next_attempt_at: null },
      }),
    ).toEqual([
      "Created by ci",
      "1 attempt failed",
      "Due next: attempt 2",
      "Callback pending after 2 attempts, last answered 500",
    ]);
  });
});

test("explainReference() says what a reference stands for, and nothing of other values", () => {
  expect(explainReference({ $ref: "shops#/places/0/id" })).toBe("/places/0/id of the result of shops");
  expect(explainReference({ $ref: "shops#" })).toBe("The whole result of shops");
  expect(explainReference({ $ref: "item#/id" })).toBe("/id of each element");
  expect(explainReference({ $template: "Hi {{a#}}" })).toBe("Text made when it runs: Hi {{a#}}");
  for (const other of [null, "x", [], {}, { $ref: 1 }, { $ref: "a#", b: 1 }, { $literal: "x" }])
    expect(explainReference(other)).toBeNull();
});

describe("sayContract()", () => {
  const tool = (contract: Record<string, unknown>) => ({
    name: "t",
    description: "",
    input_schema: {},
    "x-orchestration": contract,
  });

  test("says each promise in a sentence", () => {
    const contract = {
      mode: "fan-out-bounded",
      max_concurrency: 2,
      rate_limit: { limit: 5, window_s: 10, scope: "global" },
      depends_on: [{ tool: "find", required_fields: ["id"] }],
    };
    expect(sayContract({ is_write: false, actions: ["search"] }, tool(contract))).toEqual([
      "Reads: it changes nothing.",
      "At most 2 calls at once in a batch.",
      "At most 5 calls in 10 s, of all tenants.",
      "Takes id from find where it stands before.",
    ]);
  });

  test("says that a deleting write needs a yes, unless its contract takes that back", () => {
    const listed = { is_write: true, actions: ["delete"] };
    expect(sayContract(listed, tool({}))).toContain("Needs approval.");
    expect(sayContract(listed, tool({ confirm: "never" }))).not.toContain("Needs approval.");
    const of = (confirm: object) => sayContract(null, tool({ confirm }))[0];
    expect(of({ needs: 2 })).toBe("Needs approval by 2 people.");
    expect(of({ when: {} })).toBe("Needs approval, depending on its arguments.");
  });
});

test("groupTools() puts tools into categories by the alphabet", () => {
  const tools = ["b", "a", "c"].map((name) => ({
    name,
    summary: "",
    category: name === "c" ? "a-first" : "z-last",
    actions: [],
    is_write: false,
  }));
  expect(groupTools(tools).map(([category, found]) => [category, found.map(({ name }) => name)])).toEqual([
    ["a-first", ["c"]],
    ["z-last", ["a", "b"]],
  ]);
});

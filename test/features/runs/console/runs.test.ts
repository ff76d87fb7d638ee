import { describe, expect, test } from "vitest";

import type { WireJob } from "../../../../src/console/kit/wire.ts";
import { countRuns } from "../../../../src/features/runs/console/count-runs.ts";
import { isNarrow, readFilter, toQuery } from "../../../../src/features/runs/console/run-filter.ts";
import {
  countEnds,
  isOfKey,
  nameRun,
  RUN_SOURCES,
  RUN_STATUSES,
  sayWay,
  sayWrites,
} from "../../../../src/features/runs/console/run-words.ts";
import { incompleteOf, sayTypescript, toBatch } from "../../../../src/features/runs/console/to-batch.ts";
import type { ListedRun } from "../../../../src/features/runs/console/wire-runs.ts";
import * as run from "../../../../src/features/runs/run.ts";
import { parseRunQuery } from "../../../../src/features/runs/run-query.ts";
import { ranAt, someRun } from "./some-run.ts";

test("a run that a person's link began is said to be so, and is no key's", () => {
  const byLink = { source: "approval", key: "link:" } as const;
  expect([sayWay(byLink), isOfKey(byLink)]).toEqual(["approval by link", false]);
  const byKey = { source: "approval", key: "person" } as const;
  expect([sayWay(byKey), isOfKey(byKey)]).toEqual(["approval", true]);
  const byClock = { source: "cron", key: "cron:morning" } as const;
  expect([sayWay(byClock), isOfKey(byClock)]).toEqual(["schedule", false]);
});

describe("The filter of the list", () => {
  test("knows every source and status that the API knows", () => {
    expect(RUN_SOURCES.toSorted()).toEqual(run.RUN_SOURCES.toSorted());
    expect(RUN_STATUSES.toSorted()).toEqual(run.RUN_STATUSES.toSorted());
  });

  test("is read from an address, written as the API reads it, and leaves out what that would refuse", () => {
    const all = "source=webhook&status=error&since=1h&tool=look&flow=f&key=k&tag=t&subject=ada&request_id=r";
    const filter = readFilter(new URLSearchParams(all));
    const query = new URLSearchParams(toQuery(filter, Date.parse("2026-12-01T08:00:00Z")));
    expect(query.get("since")).toBe("2026-12-01T07:00:00.000Z");
    expect(parseRunQuery(query)).toMatchObject({
      ok: true,
      value: { source: "webhook", tag: "t", subject: "ada", request: "r" },
    });
    const wrong = readFilter(new URLSearchParams("source=fax&status=odd&since=1y"));
    expect(isNarrow(wrong)).toBe(false);
    expect(parseRunQuery(new URLSearchParams(toQuery(wrong, 0))).ok).toBe(true);
  });
});

test("A run is named by its flow or its tools, of which a row has three", () => {
  expect(nameRun({ flow: "report", tools: ["a"], actions: 1, status: "running" })).toBe("report");
  expect(nameRun({ tools: ["a", "b", "c", "d", "e"], actions: 9, status: "success" })).toBe(
    "a, b, c and 2 more",
  );
  expect(nameRun({ tools: [], actions: 0, status: "error" })).toBe("no action");
  expect(nameRun({ tools: [], actions: 0, status: "running" })).toBe("Batch in the background");
  expect(nameRun({ tools: ["a"], actions: 1, status: "running" })).toBe("a");
  const tools = ["(unknown)", "a"];
  expect(nameRun({ tools, unknown_tools: ["x", "y"], actions: 3, status: "error" })).toBe(
    "x (no such tool), y (no such tool), a",
  );
  expect(nameRun({ tools, actions: 2, status: "error" })).toBe("no such tool, a");
});

test("What a rerun does about writes is true of those that were undone, which it sends again", () => {
  const say = (...undone: (boolean | "unknown" | undefined)[]): string =>
    sayWrites(
      someRun(undone.map((one, at) => ranAt(`a${at}`, 0, 1, one === undefined ? {} : { undone: one }))),
    );
  expect(say(undefined, false, "unknown")).toBe("A write that succeeded is not sent again.");
  expect(say(true, true)).toBe("A write that was undone is sent again.");
  expect(say(true, false)).toBe("A write that succeeded is not sent again, one that was undone is.");
  expect(sayWrites(someRun([ranAt("a", 0, 1, { status: "error", undone: true })]))).toBe("");
});

describe("A run with jobs", () => {
  const run = someRun([
    ranAt("a", 0, 1),
    ranAt("b", 0, 1, { status: "initiated", job_id: "1" }),
    ranAt("c", 0, 1, { status: "initiated", job_id: "2" }),
  ]);
  const jobs = (...each: readonly (readonly [WireJob["status"], number])[]) =>
    each.map(([status, attempts], at) => ({ job_id: String(at + 1), status, attempts }));

  test.each([
    [jobs(["succeeded", 1], ["running", 1]), { running: 1, success: 2 }],
    [jobs(["succeeded", 1], ["retrying", 0]), { scheduled: 1, success: 2 }],
    [jobs(["succeeded", 1], ["failed", 1]), { failed: 1, success: 2 }],
    [jobs(["succeeded", 1], ["succeeded", 2]), { success: 3 }],
    [[], { initiated: 2, success: 1 }],
  ])("counts its actions as they ended: %j", (known, ends) => {
    expect(Object.fromEntries(countEnds(run, known))).toEqual(ends);
  });

  test("names the gravest end first", () => {
    expect(countEnds(run, jobs(["dead", 1], ["failed", 1]))[0]).toEqual(["failed", 1]);
  });
});

describe("toBatch()", () => {
  const batchOf = (...given: Parameters<typeof someRun>) =>
    JSON.parse(toBatch(someRun(...given))) as {
      actions: { id: string; args: unknown; depends_on?: string[] }[];
    };

  test("uses the accounts that the run used", () => {
    const actions = [ranAt("a", 0, 1)];
    const batch = batchOf(actions, { subject: "ada", connections: { google: "work" } });
    expect(batch).toMatchObject({ subject: "ada", connections: { google: "work" } });
    expect(batchOf(actions, { subject: "ada", connections: {} })).not.toHaveProperty("connections");
    expect(batchOf(actions)).not.toHaveProperty("subject");
  });

  test("keeps what the batch said of failures", () => {
    const plan = { edges: [], on_error: "undo", undo: "what-can" };
    const batch = batchOf([ranAt("a", 0, 1)], { plan });
    expect(batch).toMatchObject({ on_error: "undo", undo: "what-can" });
    expect(batchOf([ranAt("a", 0, 1)])).toEqual({ actions: batch.actions });
  });

  test("keeps ids and references, and says in depends_on what no reference says", () => {
    const { actions } = batchOf(
      [ranAt("a", 0, 1), ranAt("b", 1, 1, { args: { of: { $ref: "a#/id" } } }), ranAt("c", 1, 1)],
      {
        plan: {
          edges: [
            { from: "a", to: "b", reason: "reference" },
            { from: "a", to: "c", reason: "depends_on" },
            { from: "b", to: "c", reason: "hazard: mail" },
          ],
        },
      },
    );
    expect(actions.map(({ id, depends_on: needs }) => [id, needs])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["c", ["a"]],
    ]);
    expect(actions[1]!.args).toEqual({ of: { $ref: "a#/id" } });
  });

  test("gives fresh ids where rounds have used one twice, or a provider gave one that a batch may not have", () => {
    const { actions } = batchOf([ranAt("a0", 0, 1), ranAt("a0", 1, 1), ranAt("call:1", 2, 1)]);
    expect(actions.map(({ id }) => id)).toEqual(["a0", "a0-2", "a2"]);
  });

  test("keeps what an action was sent with besides its arguments, but for the key that would answer with the first run", () => {
    const others = { for_each: { $ref: "a#/items" }, select: ["/id"], idempotency_key: "once" };
    const { actions } = batchOf([ranAt("a", 0, 1), ranAt("b", 1, 1, { with: others })], {
      plan: { edges: [{ from: "a", to: "b", reason: "reference" }] },
    });
    expect(actions[1]).toEqual({
      id: "b",
      tool: "look",
      args: { id: "b" },
      for_each: { $ref: "a#/items" },
      select: ["/id"],
    });
  });

  test("keeps every digit of an argument", () => {
    expect(toBatch(someRun([ranAt("a", 0, 1, { args: { n: 12345678901234567890n } })]))).toContain(
      "12345678901234567890",
    );
  });

  test("says of which actions the arguments were not kept as they were sent", () => {
    const actions = [
      ranAt("a", 0, 1),
      ranAt("b", 0, 1, { redacted: ["args"] }),
      ranAt("c", 0, 1, { cut: ["args"] }),
      ranAt("d", 0, 1, { private: true }),
      ranAt("e", 0, 1, { cut: ["data"] }),
    ];
    expect(incompleteOf(someRun(actions))).toEqual(["b", "c", "d"]);
  });
});

test("A program in TypeScript has the batch and reads the key from the environment", () => {
  const program = sayTypescript("https://volley.example", '{"actions":[]}');
  expect(program).toContain('client.execute({"actions":[]})');
  expect(program).toContain("process.env.VOLLEY_KEY");
});

test("countRuns() counts by hour, and by tool and day; what is older than the first day is not counted", () => {
  const at = (time: string, status: ListedRun["status"] = "success", tools = ["look"]) =>
    ({ started_at: time, status, tools }) as unknown as ListedRun;
  const { hours, tools } = countRuns(
    [
      at("2026-12-02T10:30:00Z", "partial", ["look", "send"]),
      at("2026-12-02T10:59:00Z"),
      at("2026-12-01T23:00:00Z", "error"),
      at("2026-11-30T23:00:00Z"),
    ],
    {
      nowMs: Date.parse("2026-12-02T10:45:00Z"),
      dayStarts: ["2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"].map((day) => Date.parse(day)),
    },
  );
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toMatchObject({ runs: 2, failed: 1 });
  expect(hours.reduce((sum, { runs }) => sum + runs, 0)).toBe(3);
  expect(tools).toEqual([
    { tool: "look", days: [1, 2], total: 3 },
    { tool: "send", days: [0, 1], total: 1 },
  ]);
});

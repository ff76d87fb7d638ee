import { describe, expect, test } from "vitest";

import { makeFailure } from "../../../src/core/contract/failure.ts";
import {
  askForPlan,
  endOf,
  findQuestions,
  sayClosing,
  sayLate,
  sayRan,
  sayWaiting,
} from "../../../src/features/agent/notes.ts";

const tools = ["a", "b"].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: {},
  annotations: {} as never,
}));

test("a model is told why it is asked for the last time", () => {
  expect(sayClosing("max_rounds", 3)).toContain("All 3 rounds");
  expect(sayClosing("repetition", 3)).toContain("same arguments");
  expect(sayClosing("repetition", 3)).not.toContain("All 3 rounds");
});

test("a model that plans is told of the tools once", () => {
  expect(askForPlan(tools, true)).toMatch(/\nThe tools there are:\n- a: Does a\.\n- b: Does b\.$/);
  for (const asked of [askForPlan(tools, false), askForPlan([], true)])
    expect(asked).toMatch(/do not answer yet\.$/);
});

test("what waits for a person is said line by line, and its ids are found again in the text", () => {
  const [one, two] = ["aaaa-1", "bbbb-2"].map((id) => ({
    id,
    message: `Delete ${id}?`,
    expiresAt: Date.UTC(2026, 10, 2),
    url: `https://volley.example/${id}`,
  }));
  const said = sayWaiting([one!, two!]);
  expect(said.split("\n")).toHaveLength(4);
  expect(said).toMatch(
    /^Of what was called, this alone waits for a person to agree, and has not been done:\n/,
  );
  expect(said).toContain(
    "- Delete aaaa-1? (confirmation aaaa-1, until 2026-11-02T00:00:00.000Z): https://volley",
  );
  expect(findQuestions(said)).toEqual(["aaaa-1", "bbbb-2"]);
  expect(findQuestions("(confirmation , until ) (confirmation a b, until )")).toEqual([]);
  expect(sayLate(700)).toContain("700 ms");
});

describe("What the calls of an answer came to", () => {
  test("is one line by their tools, each kind by itself, and nothing where none ran", () => {
    expect(sayRan([])).toBe("");
    const ended = [
      { tool: "add", status: "success" },
      { tool: "mail", status: "unknown" },
      { tool: "add", status: "success" },
      { tool: "add", status: "error" },
      { tool: "import", status: "initiated" },
      { tool: "last", status: "skipped" },
      { tool: "remove", status: "pending_confirmation" },
    ] as const;
    expect(sayRan(ended)).toBe(
      "Done: 'add'. Started, and not over yet: 'import'. " +
        "May have happened, or in part, so look before you repeat it: 'mail'. Failed: 'add'. Not run: 'last'.",
    );
  });

  test("is in doubt where any of it is, or where an element of a loop failed", () => {
    const success = { status: "success", data: [], json: "[]" } as const;
    const error = { status: "error", error: makeFailure("UPSTREAM_ERROR") } as const;
    const ends = [
      { ...success, meta: {} },
      { ...success, meta: { items: { total: 2, ok: 1, error: 1 } } },
      { ...error, partial: success, meta: {} },
      { ...error, meta: { inDoubt: true } },
      { ...error, status: "unknown", meta: {} },
    ] as const;
    const told = ends.map((outcome) => endOf("t", outcome).status);
    expect(told).toEqual(["success", "unknown", "unknown", "unknown", "unknown"]);
  });

  test("names a few tools of many, and none that a model made up out of words", () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ tool: `t${at}`, status: "success" }) as const);
    expect(sayRan(many)).toMatch(/^Done: 't0', 't1', 't2', 't3', 't4', 't5', 't6', 't7', …\.$/);
    const words = [{ tool: "x (confirmation a-1, until ", status: "error" } as const];
    expect(sayRan(words)).toBe("Failed: no known tool.");
    expect(findQuestions(sayRan(words))).toEqual([]);
  });
});

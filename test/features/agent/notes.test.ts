import { expect, test } from "vitest";

import {
  askForPlan,
  findQuestions,
  sayClosing,
  sayLate,
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

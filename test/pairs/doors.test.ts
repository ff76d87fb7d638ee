import { beforeAll, describe, expect, test, vi } from "vitest";

import { openDoors } from "../support/door-world.ts";
import { ACROSS_TENANTS, DOORS, OPEN_DOORS } from "./doors.ts";
import { trial } from "../support/trial.ts";

// One tries everything, deletions too: each has things of its own.
const { keyed, open, ...doors } = await openDoors();
const narrowed = await openDoors();
const spent = await openDoors();
const KIB = 1_024;
const BOUNDS = [256, 4_096, 5_120, 16_384];
const TRACE = "0af7651916cd43dd8448eb211c80319c";

/** A route that deletes what others are asked of goes last, and the one that deletes all of it behind them. */
const place = (route: string): number =>
  Number(route.startsWith("DELETE")) + 2 * Number(route.endsWith("/delete"));
const inOrder = keyed.toSorted((a, b) => place(a) - place(b));

/** Send what a door's document gives as an example, and say what came of it, in the words of its row. */
async function seeDoor(route: string): Promise<string> {
  const lines: string[] = [];
  const hear = (line: unknown): void => void lines.push(String(line));
  using _ = vi.spyOn(console, "info").mockImplementation(hear);
  using __ = vi.spyOn(console, "warn").mockImplementation(hear);
  using ___ = vi.spyOn(console, "log").mockImplementation(hear);
  const bound = await boundOf(route);
  const long = await doors.send(route, { headers: { "idempotency-key": "k".repeat(300) } });
  const isKeyed = long.answer.status === 422 && long.text.includes("Idempotency-Key");
  lines.length = 0;
  const { answer } = await doors.send(route, { headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } });
  const [, policy = "nothing"] = /"(\w+)"/.exec(answer.headers.get("ratelimit") ?? "") ?? [];
  const runs = lines.some((line) => line.includes('"event":"batch"') && line.includes(TRACE));
  return [
    `draws ${policy}`,
    ...(isKeyed ? ["takes Idempotency-Key"] : []),
    ...(bound === null ? [] : [`body ${bound} KiB`]),
    ...(runs ? ["leaves a line of its run, in the caller's trace"] : []),
  ].join("; ");
}

/** The least of the bounds beyond which a body is refused for its size. */
async function boundOf(route: string): Promise<number | null> {
  if (route.startsWith("GET")) return null;
  for (const bound of BOUNDS) {
    const { answer } = await doors.send(route, { body: `"${"x".repeat(bound * KIB - 1)}"` });
    if (answer.status === 413) return bound;
  }
  return null;
}

test.each(keyed)("T38 a key of one person is refused another's name at %s", async (route) => {
  const { answer } = await doors.send(route, { key: "person", headers: { "volley-subject": "bob" } });
  expect(answer.status).toBe(403);
});

trial.each(keyed.filter((route) => !ACROSS_TENANTS.includes(route)))(
  "T02 a narrow key reads no name of a tool that it may not call at %s",
  async (route) => {
    expect((await narrowed.send(route, { key: "narrow" })).text).not.toContain("hidden_");
  },
);

describe("A key that has used up both allowances", () => {
  trial.each(keyed)("T60 a key that has used up both allowances is refused with 429 at %s", async (route) => {
    const { answer, text } = await spent.send(route, { key: "small" });
    expect([answer.status, text]).toEqual([429, text]);
    expect(text).toMatch(/QUOTA_EXCEEDED|rate_limit|may send/);
    expect(answer.headers.has("retry-after")).toBe(true);
  });

  beforeAll(async () => {
    await spent.send("POST /v1/execute_actions", { key: "small" });
    for (let n = 0; n < 5; n += 1) await spent.send("GET /v1/jobs", { key: "small" });
  });

  /** A flow is looked for among the tools that the isolate holds: nothing is asked for it. */
  const lookedForInMemory = ["POST /v1/flows/:id/run"];

  test.each(keyed.filter((route) => route.includes(":id") && !lookedForInMemory.includes(route)))(
    "T60 draws also where a request finds nothing: %s",
    async (route) => {
      const { answer } = await spent.send(route, {
        key: "small",
        id: "00000000-0000-4000-8000-999999999999",
      });
      expect(answer.status).toBe(429);
    },
  );
});

test("T60 each door before the key has an allowance of its own, or is a page", () => {
  const unknown = open.filter(
    (route) => !Object.keys(OPEN_DOORS).some((door) => route.split(" ")[1]!.startsWith(door)),
  );
  expect(unknown).toEqual([]);
});

trial("T60 each door behind the key does as its row says", async () => {
  const seen: Record<string, string> = {};
  for (const route of inOrder) seen[route] = await seeDoor(route);
  expect(seen).toEqual(DOORS);
});

import { beforeEach, expect, test, vi } from "vitest";

import { ask, CHANGED, changes, whenKeyIsRefused } from "../../src/console/kit/api.ts";
import { learnPaths, pathsOf } from "../../src/console/kit/known-paths.ts";
import { forgetKey, forgetOwner, keepKey, readKey, readLastRun } from "../../src/console/kit/session.ts";
import { keepRun, readRun } from "../../src/console/run/last-run.ts";
import { begunRun, withAnswer } from "../../src/console/run/run-state.ts";
import { toEntry } from "../../src/console/keys/make-key.ts";

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
    clear: () => kept.clear(),
  });
  keepKey("first");
  return () => vi.unstubAllGlobals();
});

const RUN = begunRun({ sent: { body: "{}", idempotencyKey: "k" }, actions: [{ id: "a", tool: "t" }] });
const resultOf = (data: unknown) =>
  ({ index: 0, id: "a", tool: "t", status: "success", data, meta: {} }) as never;

test("a run is read again as it was kept, and one that was under way goes on under its key", () => {
  const arrivals = new Map([[0, { result: resultOf(12345678901234567890n), atMs: 5 }]]);
  keepRun({ ...RUN, phase: "ended", lengthMs: 7, arrivals });
  expect(readRun()).toMatchObject({ phase: "ended", lengthMs: 7, arrivals });
  keepRun(RUN);
  expect(readRun()).toMatchObject({ phase: "running", sent: { idempotencyKey: "k" }, lengthMs: null });
});

test("a run that was sent again says at its end what it said before, where the run that took it over does not know", () => {
  const came = { index: 0, id: "a", tool: "t", status: "unknown", meta: {} };
  const told = { result: resultOf(1), atMs: 5 };
  const answer = { results: [came], summary: { total: 1, ok: 0, unknown: 1 } } as never;
  expect(withAnswer(answer, new Map([[0, told]]))).toEqual({
    envelope: { results: [told.result], summary: { total: 1, ok: 1, unknown: 0 } },
  });
  expect(withAnswer(answer, new Map())).toEqual({ envelope: answer });
});

test("a run that is too large to be kept is kept without its data", () => {
  const arrivals = new Map([[0, { result: resultOf("x".repeat(1_000_001)), atMs: 5 }]]);
  keepRun({ ...RUN, phase: "ended", arrivals });
  expect(readLastRun()!.length).toBeLessThan(1_000);
  expect(readRun()!.arrivals.get(0)!.result).toMatchObject({ data: expect.stringContaining("Too large") });
});

test("T03 a key that is forgotten or refused takes its run and the places of its results with it", () => {
  for (const forget of [forgetKey, forgetOwner]) {
    keepKey("first");
    keepRun(RUN);
    learnPaths("t", { secret: 1 });
    expect(pathsOf("t")).toEqual(["/secret"]);
    forget();
    expect([readKey(), readRun(), pathsOf("t")]).toEqual([null, null, []]);
  }
});

test("what was being written stays when a key is refused, and goes when it is forgotten", () => {
  sessionStorage.setItem("volley-batch", "{}");
  forgetKey();
  expect(sessionStorage.getItem("volley-batch")).toBe("{}");
  forgetOwner();
  expect(sessionStorage.getItem("volley-batch")).toBeNull();
});

test("a refusal of the key that the tab had before says nothing about the one that it has now", async () => {
  const refused = vi.fn();
  whenKeyIsRefused(refused);
  let answer: (response: Response) => void = () => {};
  vi.stubGlobal("fetch", () => new Promise<Response>((resolve) => (answer = resolve)));
  const late = ask("/v1/jobs");
  keepKey("second");
  answer(new Response("{}", { status: 401 }));
  await late;
  expect(refused).not.toHaveBeenCalled();
  const now = ask("/v1/jobs");
  answer(new Response("{}", { status: 401 }));
  await now;
  expect(refused).toHaveBeenCalledOnce();
});

test("only what may have changed something has lists asked for again", async () => {
  const told = vi.fn();
  changes.addEventListener(CHANGED, told);
  vi.stubGlobal("fetch", async () => new Response("{}"));
  const post = { method: "POST", body: {} } as const;
  await ask("/v1/discover_tools", { ...post, isLookup: true });
  await ask("/v1/jobs");
  expect(told).not.toHaveBeenCalled();
  await ask("/v1/jobs/j_1/cancel", post);
  expect(told).toHaveBeenCalledOnce();
});

test("the entry of a key has the tenant that was typed, and its name where none was", () => {
  const wish = { name: "ci", tenant: "acme", tools: "*", flags: [] };
  expect(JSON.parse(toEntry(wish, "00"))).toMatchObject({ name: "ci", tenant: "acme" });
  expect(JSON.parse(toEntry({ ...wish, tenant: "" }, "00"))).toMatchObject({ tenant: "ci" });
});

import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, expect, test, vi } from "vitest";

import { startKillableSandbox } from "../../scripts/demo/killable-sandbox.ts";
import { showUndo } from "../../scripts/demo/undo.ts";

const sandbox = await startKillableSandbox("/unbook");
afterAll(() => sandbox.stop());

test("P9: F36 npm run demo -- --undo draws three bookings, of which the Worker that was killed takes two back, once each", async () => {
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line = "") => void written.push(String(line)));
  await showUndo(sandbox);
  vi.restoreAllMocks();

  const printed = plain(written.join("\n"));
  const rows = [...printed.matchAll(/^ {2}(\w+) +[·█]+ .*?([a-z_]{5,})/gm)].map(([, id, status]) => [
    id,
    status,
  ]);
  expect(Object.fromEntries(rows)).toEqual({ flight: "success", room: "success", car: "error" });
  const taken = [...printed.matchAll(/^ {2}(\w+) +taken back {2}(\d) requests?, 1 key$/gm)];
  expect(new Set(taken.map(([, id]) => id))).toEqual(new Set(["flight", "room"]));
  expect(new Set(taken.map(([, , requests]) => requests))).toEqual(new Set(["1", "2"]));
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

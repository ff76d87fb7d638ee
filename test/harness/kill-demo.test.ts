import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, expect, test, vi } from "vitest";

import { startKillableSandbox } from "../../scripts/demo/killable-sandbox.ts";
import { showSurvival } from "../../scripts/demo/survive.ts";

const sandbox = await startKillableSandbox();
afterAll(() => sandbox.stop());

test("F10 npm run demo -- --kill draws five results, the job that outlives its Worker, and the yes, within 80 columns", async () => {
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line = "") => void written.push(String(line)));
  await showSurvival(sandbox);
  vi.restoreAllMocks();

  const printed = plain(written.join("\n"));
  const rows = [...printed.matchAll(/^ {2}(\w+) +[·█]+ .*?([a-z_]{5,})/gm)].map(([, id, status]) => [
    id,
    status,
  ]);
  expect(Object.fromEntries(rows)).toEqual({
    shops: "success",
    reviews: "success",
    recalls: "error",
    book: "initiated",
    cancel: "pending_confirmation",
  });
  expect(printed).toMatch(/\/v1\/jobs\/\w{8}… {2}succeeded {2}attempt 2, 2 requests, 1 key$/m);
  expect(printed).toMatch(/\/v1\/confirmations\/\w{8}… {2}approve {2}success$/m);
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

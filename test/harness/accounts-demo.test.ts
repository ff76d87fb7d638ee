import { stripVTControlCharacters as plain } from "node:util";

import { expect, test, vi } from "vitest";

import { showAccounts } from "../../scripts/demo/accounts.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();

test("npm run demo -- --accounts draws two people whom one agent serves, each with her own mail only", async () => {
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line = "") => void written.push(String(line)));
  await showAccounts(volley.url);
  vi.restoreAllMocks();

  const printed = plain(written.join("\n"));
  expect(printed.match(/^ {2}(?:ada|grace) +search_outlook {2}CONNECTION_REQUIRED$/gm)).toHaveLength(2);
  expect(printed.match(/^ {2} +http\S+\/connect\/\S+…$/gm)).toHaveLength(2);
  expect(printed).toContain("ada     connected ada@outlook.sandbox.test");
  expect(printed).toContain("grace   connected grace@outlook.sandbox.test");
  const [, after = ""] = printed.split("for both at once");
  expect(after.match(/^ {2}(?:ada|grace) .*$/gm)).toEqual([
    '  ada     search_outlook  success  "Timesheet of ada"',
    '  grace   search_outlook  success  "Timesheet of grace"',
  ]);
  expect(after).toContain("Here it is: Timesheet of ada.");
  expect(after).toContain("Here it is: Timesheet of grace.");
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

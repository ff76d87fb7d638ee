import { stripVTControlCharacters as plain } from "node:util";

import { afterAll, expect, test, vi } from "vitest";

import { showConversation } from "../../scripts/demo/agent-conversation.ts";
import { openModelWindow } from "../../scripts/demo/agent-model.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const window = await openModelWindow(null);
afterAll(() => window.close());
const { volley } = await setUpSandbox({ LLM_BASE_URL: window.baseUrl });

test("npm run demo -- --agent draws three rounds, the answer and the totals, within 80 columns", async () => {
  const written: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line = "") => void written.push(`${String(line)}\n`));
  vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  await showConversation(volley.url, "sandbox-model", window);
  vi.restoreAllMocks();

  const printed = plain(written.join(""));
  const headings = [...printed.matchAll(/^(Round \d|The model says|All of it)$/gm)].map(([line]) => line);
  expect(headings).toEqual(["Round 1", "Round 2", "Round 3", "The model says", "All of it"]);
  expect(printed.match(/^ {2}the model {2}[\d,]+ ms, [\d,]+ tokens in, [\d,]+ out$/gm)).toHaveLength(4);
  expect(printed.match(/^ {2}(?:[\w-]+) +[·█]+ .*(?:success|initiated)/gm)).toHaveLength(8);
  expect(printed).toContain("For the oil change I suggest");
  expect(printed).toContain("3 rounds with 8 actions, 4 answers of the model; stopped: answer.");
  expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

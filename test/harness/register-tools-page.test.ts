import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const run = promisify(execFile);
const { upstream, volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/register-tools.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/^```bash\n(.*?)^```$/gms)]
  .map(([, text]) => text!)
  .filter((text) => text.includes("$VOLLEY/"));

test("the commands of docs/register-tools.md do what the page says, in its order", async () => {
  const answers: unknown[] = [];
  for (const command of commands) answers.push(await answerOf(command));
  const [added, ran, shown, deleted, imported] = answers;
  expect(added).toMatchObject({ name: "find_item", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(ran).toMatchObject({ results: [{ tool: "find_item", status: "success", data: { id: "pump-1" } }] });
  expect(upstream.requestsTo("/item").map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=",
  ]);
  expect(shown).toMatchObject(added as object);
  expect(deleted).toBeNull();
  expect(imported).toMatchObject({ tools: [{ name: "shop_findItems" }], skipped: [], removed: [] });
  expect(answers).toHaveLength(5);
});

test("the import of docs/first-tool.md makes a tool that its next command calls", async () => {
  const firstTool = await readFile(new URL("../../docs/first-tool.md", import.meta.url), "utf8");
  const [, section = ""] = /^## Bring your API\n(.*)/ms.exec(firstTool) ?? [];
  const answers: unknown[] = [];
  for (const [, command] of section.matchAll(/^```bash\n(.*?)^```$/gms))
    answers.push(await answerOf(command!.replaceAll("http://127.0.0.1:8787", volley.url)));
  expect(answers).toMatchObject([
    { tools: [{ name: "shop_findItems" }], skipped: [] },
    { results: [{ tool: "shop_findItems", status: "success", data: { items: [{}, {}, {}] } }] },
  ]);
});

/** Run a command of a page in a shell, and read what it prints. */
async function answerOf(command: string): Promise<unknown> {
  const env = { ...process.env, VOLLEY: volley.url };
  const sent = command.replaceAll("https://probe.sandbox.test", upstream.url);
  const { stdout } = await run("bash", ["-c", sent], { env });
  return stdout === "" ? null : JSON.parse(stdout);
}

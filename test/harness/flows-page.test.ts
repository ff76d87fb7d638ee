import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const run = promisify(execFile);
const { volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/flows.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/^```bash\n(.*?)^```$/gms)]
  .map(([, text]) => text!)
  .filter((text) => text.includes("$VOLLEY/"));

test("the commands of docs/flows.md do what the page says, in its order", async () => {
  const answers: unknown[] = [];
  for (const command of commands) {
    const env = { ...process.env, VOLLEY: volley.url };
    const { stdout } = await run("bash", ["-c", command], { env });
    answers.push(stdout === "" ? null : JSON.parse(stdout));
  }
  const [kept, ran, listed, shown, deleted] = answers as [Record<string, unknown>, ...unknown[]];
  const { name, summary, is_write, fingerprint } = kept;
  expect([name, is_write]).toEqual(["first_item", false]);
  expect(ran).toMatchObject({
    results: [{ status: "success" }, { status: "success" }],
    answer: { item: { id: "pump-1" }, said: "The first item for pump" },
  });
  expect(listed).toEqual({ flows: [{ name, summary, is_write, fingerprint }] });
  expect(shown).toMatchObject({ ...kept, plan: { waves: [["found"], ["first"]] } });
  expect(deleted).toBeNull();
  expect(answers).toHaveLength(5);
});

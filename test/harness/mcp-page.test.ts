import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { volley } = await setUpSandbox();
const page = await readFile(new URL("../../docs/mcp.md", import.meta.url), "utf8");
const [batch, task] = [...page.matchAll(/^```bash\n(curl .*?)^```$/gms)].map(([, text]) => text!);
const [created] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
  ([, text]) => JSON.parse(text!) as Record<string, unknown>,
);

/** Run a command as a reader does, at this sandbox; the result of its message. */
async function run(command: string): Promise<Record<string, unknown>> {
  const here = command.replaceAll("http://127.0.0.1:8787", volley.url);
  const { stdout } = await promisify(execFile)("bash", ["-c", here]);
  return (JSON.parse(stdout) as { readonly result: Record<string, unknown> }).result;
}

test("the commands of docs/mcp.md do what the page says", async () => {
  expect(await run(batch!)).toMatchObject({ structuredContent: { summary: { total: 2, ok: 2 } } });
  const { _meta: _, ...answered } = await run(task!);
  expect(Object.keys(answered)).toEqual(Object.keys(created!));
  const { ttlMs, pollIntervalMs, resultType } = created!;
  expect(answered).toMatchObject({ ttlMs, pollIntervalMs, resultType });
});

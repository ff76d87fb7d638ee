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
  const answers: string[] = [];
  for (const command of commands) {
    const { stdout } = await run(
      "bash",
      ["-c", command.replaceAll("https://probe.sandbox.test", upstream.url)],
      {
        env: { ...process.env, VOLLEY: volley.url },
      },
    );
    answers.push(stdout);
  }
  const [added, ran, shown, deleted, imported] = answers.map((text) =>
    text === "" ? null : (JSON.parse(text) as object),
  );
  expect(added).toMatchObject({ name: "find_item", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(ran).toMatchObject({ results: [{ tool: "find_item", status: "success", data: { id: "pump-1" } }] });
  expect(upstream.requestsTo("/item").map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=",
  ]);
  expect(shown).toEqual(added);
  expect(deleted).toBeNull();
  expect(imported).toMatchObject({ tools: [{ name: "shop_findItems" }], skipped: [], removed: [] });
  expect(answers).toHaveLength(5);
});

test("the README's import makes a tool that batches call", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, body = ""] = /\/v1\/tools\/import[^']*'[^']*'[^']*'[^']*'[^']*'(.*?)'\n```/s.exec(readme) ?? [];
  const [, action = ""] = /^Now `(.*?)`/m.exec(readme) ?? [];
  const send = async (path: string, json: string): Promise<unknown> => {
    const headers = { authorization: "Bearer sandbox-admin-key", "content-type": "application/json" };
    const sent = json.replaceAll("https://probe.sandbox.test", upstream.url);
    return (await fetch(volley.url + path, { method: "POST", headers, body: sent })).json();
  };
  expect(await send("/v1/tools/import", body)).toMatchObject({ tools: [{ name: "shop_findItems" }] });
  expect(await send("/v1/execute_actions", `{ "actions": [${action}] }`)).toMatchObject({
    results: [{ tool: "shop_findItems", status: "success", data: { items: [{}, {}, {}] } }],
  });
});

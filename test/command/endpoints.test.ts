import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";

/** A deployment with two pages of endpoints. */
const asked: string[] = [];
const server = createServer(({ url = "", headers }, response) => {
  asked.push(url);
  if (headers.authorization !== "Bearer right") return void response.writeHead(401).end("{}");
  if (url.includes("state=x"))
    return void response.writeHead(400).end('{"code":"C","detail":"state: expected"}');
  const isFirst = !url.includes("cursor=");
  const endpoint = {
    id: isFirst ? "a" : "b",
    ...(isFirst && { customer: "c_1" }),
    state: "active",
    url: "https://x\u202e",
  };
  response.end(JSON.stringify({ endpoints: [endpoint], next_cursor: isFirst ? "more" : null }));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());
const VOLLEY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function run(words: string, key = "right"): Promise<[number, string]> {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const code = await runCommand(words.split(" "), { VOLLEY_URL, VOLLEY_KEY: key });
  for (const spy of spies) spy.mockRestore();
  return [code, printed.join("\n")];
}

test("volley endpoints list reads every page, and shows what would move the cursor", async () => {
  expect(await run("endpoints list --customer c_1")).toEqual([
    0,
    "a  c_1  active  https://x\\u{202e}\nb  –  active  https://x\\u{202e}\n2 endpoints.",
  ]);
  expect(asked).toEqual(["/v1/endpoints?customer=c_1", "/v1/endpoints?customer=c_1&cursor=more"]);
  const [code, text] = await run("endpoints list --json");
  expect([code, JSON.parse(text)]).toMatchObject([0, { endpoints: [{ id: "a" }, { id: "b" }] }]);
});

test("volley endpoints list says what the deployment refuses, and that it does not know the key", async () => {
  expect(await run("endpoints list --state x")).toEqual([
    1,
    `${VOLLEY_URL} refuses /v1/endpoints?state=x (400): state: expected`,
  ]);
  expect(await run("endpoints list", "wrong")).toEqual([
    1,
    `${VOLLEY_URL} does not know the key in VOLLEY_KEY (401).`,
  ]);
});

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeEach, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";

/** A deployment that seals a part with each request, and has no endpoints until it is said. */
const answers: Record<string, { sealed: number; unreadable: number; done: boolean }[]> = {};
const asked: string[] = [];
const server = createServer(({ method, url }, response) => {
  asked.push(`${method} ${url}`);
  const answer = answers[url!]?.shift();
  response.statusCode = answer === undefined ? 404 : 200;
  response.end(JSON.stringify(answer ?? { code: "NOT_FOUND", detail: "No such path." }));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());

beforeEach(() => {
  asked.length = 0;
  answers["/v1/connections/reseal"] = [
    { sealed: 500, unreadable: 0, done: false },
    { sealed: 3, unreadable: 1, done: true },
  ];
});

async function rotate(): Promise<readonly unknown[]> {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  const VOLLEY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const code = await runCommand(["vault", "rotate"], { VOLLEY_URL, VOLLEY_KEY: "operator" });
  log.mockRestore();
  return [code, printed];
}

test("volley vault rotate asks until everything is sealed under the first key", async () => {
  answers["/v1/endpoints/reseal"] = [{ sealed: 20, unreadable: 2, done: true }];
  expect(await rotate()).toEqual([0, ["Sealed anew: 523. That no key opens: 3."]]);
  expect(asked).toEqual([
    "POST /v1/connections/reseal",
    "POST /v1/connections/reseal",
    "POST /v1/endpoints/reseal",
  ]);
});

test("volley vault rotate passes over what the Worker does not have", async () => {
  expect(await rotate()).toEqual([0, ["Sealed anew: 503. That no key opens: 1."]]);
});

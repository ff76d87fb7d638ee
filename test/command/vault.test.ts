import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";

/** A deployment that seals a part with each request. */
const answers = [
  { sealed: 500, unreadable: 0, done: false },
  { sealed: 3, unreadable: 1, done: true },
];
const asked: string[] = [];
const server = createServer(({ method, url }, response) => {
  asked.push(`${method} ${url}`);
  response.end(JSON.stringify(answers.shift()));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => void server.close());

test("volley vault rotate asks until everything is sealed under the first key", async () => {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  const VOLLEY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const code = await runCommand(["vault", "rotate"], { VOLLEY_URL, VOLLEY_KEY: "operator" });
  log.mockRestore();
  expect([code, printed]).toEqual([0, ["Sealed anew: 503. That no key opens: 1."]]);
  expect(asked).toEqual(["POST /v1/connections/reseal", "POST /v1/connections/reseal"]);
});

import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";

import { setUpSandbox } from "../support/set-up-sandbox.ts";

const { upstream, volley } = await setUpSandbox();

/** Send a body exactly as it is written, and read what comes back until the connection ends. */
async function sendRaw(headers: string, body: string, path = "/v1/execute_actions"): Promise<string> {
  const { hostname, port } = new URL(volley.url);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.end(
    `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer sandbox-key\r\ncontent-type: application/json\r\nconnection: close\r\n${headers}\r\n\r\n${body}`,
  );
  await once(socket, "close");
  return answer;
}

const BATCH = JSON.stringify({ actions: [{ tool: "probe-echo", args: { n: 1 } }] });
const CHUNKED = "transfer-encoding: chunked";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

test("A body in chunks is read", async () => {
  expect(await sendRaw(CHUNKED, `${chunk(BATCH.slice(0, 5))}${chunk(BATCH.slice(5))}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 /,
  );
});

test.each([
  ["a length that is no number", `zz\r\n${BATCH}\r\n0\r\n\r\n`],
  ["a second length that is no number", `${chunk(BATCH.slice(0, 5))}xyz\r\n${BATCH.slice(5)}\r\n0\r\n\r\n`],
  ["a length that is too short", `3\r\n${BATCH}\r\n0\r\n\r\n`],
  ["no last chunk", chunk(BATCH)],
  ["an end in the middle of a chunk", `ffff\r\n${BATCH}`],
])("T29 A body with %s is malformed, not our fault", async (_, body) => {
  const seen = upstream.requests.length;
  for (const path of ["/v1/execute_actions", "/v1/discover_tools", "/api/orchestration/batch"]) {
    const answer = await sendRaw(CHUNKED, body, path);
    expect([path, answer]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 400 /)]);
    if (path.startsWith("/v1/")) expect(answer).toContain('"code":"MALFORMED_JSON"');
  }
  expect(upstream.requests.length).toBe(seen);
});

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { Webhook } from "standardwebhooks";
import { afterAll, expect, test, vi } from "vitest";

import { runCommand } from "../../scripts/command/run-command.ts";
import { trial } from "../support/trial.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(words: string, VOLLEY_URL: string): Promise<[number, string[]]> {
  const printed: string[] = [];
  const spies = (["log", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line)),
  );
  const code = await runCommand(`listen ${words}`.split(" "), { VOLLEY_URL, VOLLEY_KEY: "right" });
  for (const spy of spies) spy.mockRestore();
  return [code, printed];
}

const event = (n: string, type: string) =>
  `event: event\ndata: {"event_id":"evt_${n}","type":"${type}","timestamp":"2026-01-01T00:00:00.000Z","data":{"n":${n}}}\nid: ${n}\n\n`;

trial(
  "volley listen hands each event over once, signed as an endpoint gets it, and goes on where it was when the stream ends",
  async () => {
    const asked: unknown[] = [];
    // The stream ends, once in the middle of an event; then the key has ended, and so does the command.
    const volley = await serve(({ url, headers }, response) => {
      asked.push([url, headers["last-event-id"], headers.authorization]);
      if (asked.length === 1)
        return void response.end(`: hi\n\n${event("9007199254740993", "order.paid")}id: 8\n\nevent: ev`);
      if (asked.length === 2) return void response.end(event("9", "order.sent"));
      response.writeHead(401).end("{}");
    });
    const got: { readonly body: string; readonly headers: Record<string, string> }[] = [];
    const receiver = await serve((request, response) => {
      void text(request).then((body) => {
        got.push({ body, headers: request.headers as Record<string, string> });
        response.writeHead(got.length === 1 ? 204 : 500).end();
      });
    });
    const [code, printed] = await run(`--to ${receiver}/hooks --events order.* --customer c_1`, volley);
    expect(code).toBe(1);
    expect(asked).toEqual([
      ["/v1/events/stream?type=order.*&customer=c_1", undefined, "Bearer right"],
      ["/v1/events/stream?type=order.*&customer=c_1", "8", "Bearer right"],
      ["/v1/events/stream?type=order.*&customer=c_1", "9", "Bearer right"],
    ]);
    const [, secret] = /signed with (whsec_\S+)/.exec(printed[0]!)!;
    // The library looks at the real clock, and so does the command.
    for (const { body, headers } of got)
      expect(() => void new Webhook(secret!).verify(body, headers)).not.toThrow();
    expect(got.map(({ body }) => body)).toEqual([
      '{"type":"order.paid","timestamp":"2026-01-01T00:00:00.000Z","data":{"n":9007199254740993}}',
      '{"type":"order.sent","timestamp":"2026-01-01T00:00:00.000Z","data":{"n":9}}',
    ]);
    expect(printed.slice(1).map((line) => line.replace(/\d+ ms$/, "… ms"))).toEqual([
      "order.paid  evt_9007199254740993  204  … ms",
      "order.sent  evt_9  500  … ms",
      `${volley} does not know the key (401).`,
    ]);
  },
);

trial("volley listen says why the receiver did not answer, and goes on", async () => {
  let streams = 0;
  const volley = await serve((_, response) => {
    streams += 1;
    return streams === 1 ? response.end(event("1", "a")) : response.writeHead(401).end("{}");
  });
  const [, printed] = await run("--to http://127.0.0.1:1/", volley);
  expect(printed[1]).toMatch(/^a {2}evt_1 {2}(?:the connection|no answer)/);
});

test.each([
  ["--to nowhere", 2, "--to is no address"],
  ["--to http://127.0.0.1:9/ --url http://127.0.0.1:1", 2, "Cannot reach http://127.0.0.1:1"],
])("volley listen %s says what it needs", async (words, code, says) => {
  expect(await run(words, "http://127.0.0.1:1")).toEqual([
    code,
    expect.arrayContaining([expect.stringContaining(says)]),
  ]);
});

test("volley listen ends where the deployment refuses the stream, with its reason", async () => {
  const volley = await serve((_, response) => {
    response.writeHead(403).end('{"code":"FORBIDDEN","detail":"It takes manage_endpoints."}');
  });
  const [code, printed] = await run("--to http://127.0.0.1:9/", volley);
  expect([code, printed.at(-1)]).toEqual([
    1,
    `${volley} refuses the stream (403): It takes manage_endpoints.`,
  ]);
});

import assert from "node:assert/strict";

import list from "../../test/fixtures/mcp-server.json" with { type: "json" };
import type { Answer } from "../../test/support/hostile-answers.ts";
import type { Attack } from "./attack.ts";
import { countCode, times } from "./hostile-data.ts";

/** A Worker with the tools of MCP servers at the upstream. */
const config = "test/mcp/mcp-tools.toml";

const CALLS = { actions: times(50, (n) => ({ tool: "new_greet", args: { name: `${n}` } })) };

interface Message {
  readonly id: number;
  readonly method: string;
}

/** A server that finds itself of revision 2026-07-28 and answers one method with this text, as it is. */
function answeringMethod(
  method: string,
  type: string,
  answerTo: (message: Message) => Iterable<string>,
): Answer {
  return (_query, response, _path, { body }) => {
    const message = JSON.parse(body) as Message;
    const isIt = message.method === method;
    response.writeHead(200, { "content-type": isIt ? type : "application/json" });
    if (isIt) for (const piece of answerTo(message)) response.write(piece);
    else if (message.method === "tools/list")
      response.write(JSON.stringify(wrap(message, { tools: list.tools })));
    else response.write(JSON.stringify(wrap(message, { supportedVersions: ["2026-07-28"] })));
    response.end();
  };
}

function wrap({ id }: Message, result: object): object {
  return { jsonrpc: "2.0", id, result };
}

const STREAM = "text/event-stream";
const MEBIBYTE = 1024 * 1024;

/** Answers that a server may send to a client that asks it for its list, or calls a tool of it. */
export const MCP_ATTACKS: readonly Attack[] = [
  ...(
    [
      ["a stream of empty lines", () => ["\n".repeat(MEBIBYTE - 1)]],
      ["a stream of carriage returns in small pieces", () => times(8_000, () => "\r".repeat(100))],
      ["a stream of one line in small pieces", () => times(8_000, () => "data: x".repeat(16))],
      ["a stream of lines of data that no event ends", () => ["data:\n".repeat(MEBIBYTE / 6 - 1)]],
      ["a stream of tiny events", () => ["data:0\n\n".repeat(MEBIBYTE / 8 - 1)]],
      [
        "a stream of progress",
        ({ id }: Message) => [progress(id).repeat(Math.floor(MEBIBYTE / progress(id).length))],
      ],
    ] as const
  ).map(([what, answerTo]): Attack => ({
    title: `mcp: 50 calls answered by ${what}`,
    config,
    run: async ({ execute, upstream }) => {
      upstream.script("/mcp-server", answeringMethod("tools/call", STREAM, answerTo));
      const answer = await execute(CALLS);
      assert.equal(answer.status, 200);
      assert.equal(countCode(answer, "TOOL_CHANGED"), 0);
    },
  })),
  {
    title: "mcp: 50 calls of a server whose list has a megabyte of deep and wide schemas",
    config,
    run: async ({ execute, upstream }) => {
      const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
      const tool = (n: number): string =>
        `{"name":"t${n}","inputSchema":{"type":"object","properties":{${times(60, (p) => `"p${p}":{"type":"string"}`).join(",")}}}}`;
      const text = ({ id }: Message): string =>
        `{"jsonrpc":"2.0","id":${id},"result":{"tools":[{"name":"deep","inputSchema":{"type":"object","x":${deep}}},${times(400, tool).join(",")}]}}`;
      upstream.script(
        "/mcp-server",
        answeringMethod("tools/list", "application/json", (message) => [text(message)]),
      );
      assert.equal(countCode(await execute(CALLS), "TOOL_CHANGED"), 50);
    },
  },
];

function progress(token: number): string {
  const params = { progressToken: token, progress: 1, total: 2, message: "m" };
  return `data:${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n\n`;
}

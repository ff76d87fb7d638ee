/**
 * Print the tools of an MCP server as JSON, for `mcpTools`: a Worker that starts can ask no server, so the list is data.
 *
 *   npm run --silent mcp:list -- https://mcp.example.com/mcp [--bearer VARIABLE]
 *
 * `--basic VARIABLE`, `--header NAME=VARIABLE` and `--query NAME=VARIABLE` are the other ways to say who asks. The secret is
 * read from the environment variable of that name. Tools that cannot be called are left out, and told on the error output.
 */
import * as z from "zod";

import type { Auth } from "../src/features/added-tools/declared/declaration.ts";
import { defineTool } from "../src/core/catalog/define-tool.ts";
import { type Listing, listServer } from "../src/features/added-tools/mcp/list-tools.ts";
import { ToolFailure } from "../src/core/catalog/tool-failure.ts";
import { CODES } from "../src/core/contract/failure-codes.ts";
import * as LIMITS from "../src/core/contract/limits.ts";
import { systemClock } from "../src/cloudflare/platform/system-ports.ts";
import { CallClock } from "../src/core/egress/call-clock.ts";
import { createEgress } from "../src/core/egress/egress.ts";
import { ByteBudget, CallBytes } from "../src/core/egress/byte-budget.ts";
import { UpstreamHealth } from "../src/core/egress/upstream-health.ts";
import { Semaphore } from "../src/core/kit/semaphore.ts";
import { CommandError } from "./command/command-error.ts";
import { endScript, readScript } from "./command/read-script.ts";

const secret = (value: string, about: string) => ({ type: "string", value, about }) as const;

const { values, positionals } = readScript({
  call: "npm run --silent mcp:list --",
  summary: "Print the tools of an MCP server as JSON, for mcpTools",
  about: [
    "Tools that cannot be called are left out, and told on the error output. The options say who asks; each names the variable of the environment that has the secret.",
  ],
  positionals: [{ name: "URL", about: "the address of the server" }],
  options: {
    bearer: secret("VARIABLE", "send the secret as a bearer token"),
    basic: secret("VARIABLE", "send it as user:password"),
    header: secret("NAME=VARIABLE", "send it in this header"),
    query: secret("NAME=VARIABLE", "send it in this parameter of the address"),
  },
  examples: ["https://mcp.example.com/mcp --bearer MCP_TOKEN"],
});

async function main(): Promise<void> {
  const url = URL.parse(positionals[0]!);
  if (url === null)
    throw new CommandError(`'${positionals[0]}' is no address; one looks like https://mcp.example.com/mcp.`);
  const ways = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (ways.length > 1)
    throw new CommandError(`A server takes one secret: ${ways.map(([way]) => `--${way}`).join(" or ")}.`);
  const auth = ways.map(([way, value]) => toAuth(way, value))[0];

  const { tools, unusable } = await list(url, auth);
  for (const { operation, reason } of unusable) console.error(`left out '${operation}': ${reason}`);
  console.log(JSON.stringify({ tools: tools.map(({ entry }) => entry) }, null, 2));
}

function toAuth(way: string, value: string): Auth {
  if (way === "bearer" || way === "basic") return { secret: value, as: way };
  const [, name, secret] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (name === undefined || secret === undefined)
    throw new CommandError(`--${way} takes NAME=VARIABLE, received '${value}'.`);
  return { secret, as: way === "header" ? { header: name } : { query: name } };
}

/** Ask as a tool would, through the same guards; what is typed here may be a server on this machine. */
async function list(url: URL, auth: Auth | undefined): Promise<Listing> {
  const tool = defineTool({
    name: "mcp-list",
    summary: "List an MCP server's tools",
    description: "List an MCP server's tools.",
    category: "mcp",
    actions: ["list"],
    isWrite: false,
    execution: "sync",
    input: z.strictObject({}),
    hosts: [url.origin],
    maxResponseBytes: LIMITS.maxResponseBytes,
    orchestration: { mode: "parallel-safe" },
    run: async () => null,
  });
  const clock = new CallClock(systemClock, LIMITS.maxDeadlineMs);
  const fetchAsTool = createEgress({
    tool,
    clock,
    time: systemClock,
    slots: new Semaphore(1),
    tenant: "",
    held: new CallBytes(new ByteBudget(LIMITS.requestResponseBytes, LIMITS.responseReserveBytes), false),
    fetch: (href, init) => fetch(href, init),
    options: {
      ...LIMITS,
      requestResponseBytes: LIMITS.requestResponseBytes,
      trustedOrigins: new Set([url.origin]),
    },
    trace: { sent: false, reached: false, status: null, retryAfterMs: null },
    health: new UpstreamHealth(systemClock),
    hasItsTime: true,
  });
  const secret = (name: string): string => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`The environment has no variable ${name}`);
    return value;
  };
  const connection = (): never => {
    throw new Error("Only a deployment has connections.");
  };
  try {
    return await listServer(
      { url: url.href, ...(auth && { auth }) },
      { fetch: fetchAsTool, secret, connection },
    );
  } finally {
    clock.stop();
  }
}

try {
  await main();
} catch (error) {
  endScript(error instanceof ToolFailure ? new CommandError(say(error)) : error);
}

function say({ failure: { code, hint = "", upstreamStatus } }: ToolFailure): string {
  const status = upstreamStatus === undefined ? "" : ` (status ${upstreamStatus})`;
  return `${code}${status}: ${CODES[code].message} ${hint}`;
}

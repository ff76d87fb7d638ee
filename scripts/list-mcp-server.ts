/**
 * Print the tools of an MCP server as JSON, for `mcpTools`: a Worker that starts can ask no server, so the list is data.
 *
 *   npm run --silent mcp:list -- https://mcp.example.com/mcp [--bearer VARIABLE]
 *
 * `--basic VARIABLE`, `--header NAME=VARIABLE` and `--query NAME=VARIABLE` are the other ways to say who asks. The secret is
 * read from the environment variable of that name. Tools that cannot be called are left out, and told on the error output.
 */
import { parseArgs } from "node:util";

import * as z from "zod";

import type { Auth } from "../src/features/added-tools/declared/declaration.ts";
import { defineTool } from "../src/core/catalog/define-tool.ts";
import { type Listing } from "../src/features/added-tools/mcp/list-tools.ts";
import { listServer } from "../src/features/added-tools/mcp/list-server.ts";
import { ToolFailure } from "../src/core/catalog/tool-failure.ts";
import { CODES } from "../src/core/contract/failure-codes.ts";
import * as LIMITS from "../src/core/contract/limits.ts";
import { systemClock } from "../src/core/edge/platform/system-ports.ts";
import { CallClock } from "../src/core/egress/call-clock.ts";
import { createEgress } from "../src/core/egress/egress.ts";
import { ByteBudget, CallBytes } from "../src/core/egress/read-body.ts";
import { UpstreamHealth } from "../src/core/egress/upstream-health.ts";
import { Semaphore } from "../src/core/kit/semaphore.ts";

const USAGE =
  "Usage: npm run mcp:list -- URL [--bearer VARIABLE | --basic VARIABLE | --header NAME=VARIABLE | --query NAME=VARIABLE]";

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      bearer: { type: "string" },
      basic: { type: "string" },
      header: { type: "string" },
      query: { type: "string" },
    },
  });
  const url = URL.parse(positionals[0] ?? "");
  const ways = Object.entries(values);
  if (url === null || positionals.length > 1 || ways.length > 1) throw new Error(USAGE);
  const auth = ways.map(([way, value]) => toAuth(way, value))[0];

  const { tools, unusable } = await list(url, auth);
  for (const { operation, reason } of unusable) console.error(`left out '${operation}': ${reason}`);
  console.log(JSON.stringify({ tools: tools.map(({ entry }) => entry) }, null, 2));
}

function toAuth(way: string, value: string): Auth {
  if (way === "bearer" || way === "basic") return { secret: value, as: way };
  const [, name, secret] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  if (name === undefined || secret === undefined) throw new Error(USAGE);
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
    trace: { sent: false, status: null, retryAfterMs: null },
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
  console.error(
    error instanceof ToolFailure ? say(error) : error instanceof Error ? error.message : String(error),
  );
  process.exitCode = 1;
}

function say({ failure: { code, hint = "", upstreamStatus } }: ToolFailure): string {
  const status = upstreamStatus === undefined ? "" : ` (status ${upstreamStatus})`;
  return `${code}${status}: ${CODES[code].message} ${hint}`;
}

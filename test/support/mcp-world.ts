import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

import { callMcpTool, type McpContext } from "../../src/features/added-tools/mcp/call-mcp-tool.ts";
import { KnownServers } from "../../src/features/added-tools/mcp/known-servers.ts";
import { listServer } from "../../src/features/added-tools/mcp/list-tools.ts";
import { toMcpDeclarations } from "../../src/features/added-tools/mcp/to-mcp-declarations.ts";
import type { Auth, Declaration } from "../../src/features/added-tools/declared/declaration.ts";
import type { ProgressReport } from "../../src/core/catalog/define-tool.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { CallClock } from "../../src/core/egress/call-clock.ts";
import { createEgress } from "../../src/core/egress/egress.ts";
import { ByteBudget, CallBytes } from "../../src/core/egress/byte-budget.ts";
import { UpstreamHealth } from "../../src/core/egress/upstream-health.ts";
import { Semaphore } from "../../src/core/kit/semaphore.ts";
import { FakeToolContext, type LoggedLine } from "./fake-tool-context.ts";
import { FakeUpstream, type OutgoingRequest } from "./fake-upstream.ts";
import { declareTool } from "./sample-tools.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const URL_OF_SERVER = "https://mcp.example.com/mcp";

/** The request to a server, in short: the method of JSON-RPC or of HTTP. */
interface Asked {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly url: string;
}

interface ContextOptions {
  readonly tenant?: string;
  /** Calls of one request have the same. */
  readonly request?: object;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly maxResponseBytes?: number;
}

/** An isolate that calls the tools of one server, over the real `fetch` of tools, in a time that stands still unless it is moved. */
export class McpWorld {
  readonly clock = new VirtualClock();
  readonly servers = new KnownServers();
  readonly upstream: FakeUpstream;
  readonly reports: ProgressReport[] = [];
  readonly logged: LoggedLine[] = [];

  constructor(answer: (request: OutgoingRequest) => Response | Promise<Response>) {
    this.upstream = new FakeUpstream(answer);
  }

  /** A world whose server is made by the official library, for each request anew. */
  static of(make: () => McpServer, options: Parameters<typeof createMcpHandler>[1] = {}): McpWorld {
    const handler = createMcpHandler(make, options);
    return new McpWorld(({ url, method, headers, body }) =>
      handler.fetch(new Request(url, { method, headers, ...(body !== undefined && { body }) })),
    );
  }

  get asked(): Asked[] {
    return this.upstream.requests.map(({ method, headers, body, url }) => {
      const message = JSON.parse(body ?? "{}") as Asked["body"];
      return { method: (message["method"] as string | undefined) ?? method, headers, body: message, url };
    });
  }

  get methods(): string[] {
    return this.asked.map(({ method }) => method);
  }

  context({
    tenant = "acme",
    request = {},
    secrets = {},
    maxResponseBytes,
  }: ContextOptions = {}): McpContext {
    const names = Object.keys(secrets);
    const hosts = [new URL(URL_OF_SERVER).host];
    const tool = defineTool(
      declareTool({ hosts, secrets: names, ...(maxResponseBytes !== undefined && { maxResponseBytes }) }),
    );
    const fake = new FakeToolContext(tool, {
      answer: () => Response.error(),
      secrets,
      caller: { tenant, key: "tester" },
      request,
      now: () => this.clock.now(),
    });
    const call = new CallClock(this.clock, 10_000);
    const fetch = createEgress({
      tool,
      clock: call,
      time: this.clock,
      slots: new Semaphore(6),
      tenant: "acme",
      held: new CallBytes(new ByteBudget(16_000_000), false),
      fetch: this.upstream.fetch,
      options: {
        headerSlots: 6,
        headersTimeoutMs: 10_000,
        idleTimeoutMs: 5_000,
        requestResponseBytes: 16_000_000,
        trustedOrigins: new Set(),
      },
      trace: { sent: false, reached: false, status: null, retryAfterMs: null },
      health: new UpstreamHealth(this.clock),
      hasItsTime: true,
    });
    return {
      fetch,
      secret: (name) => fake.secret(name),
      connection: (connector) => fake.connection(connector),
      caller: fake.caller,
      time: fake.time,
      request: fake.request,
      log: Object.assign(fake.log, {
        warn: (message: string, fields?: LoggedLine["fields"]) =>
          void this.logged.push({ level: "warn", message, ...(fields && { fields }) }),
      }),
      report: (report) => void this.reports.push(report),
      idempotencyKey: fake.idempotencyKey,
    };
  }

  list(auth?: Auth, options?: ContextOptions) {
    return listServer({ url: URL_OF_SERVER, ...(auth && { auth }) }, this.context(options));
  }

  /** The server's tools as an import declares them, by the server's own names. */
  async import(auth?: Auth, options?: ContextOptions): Promise<Map<string, Declaration>> {
    const listing = await this.list(auth, options);
    const source = { prefix: "srv", url: URL_OF_SERVER, ...(auth && { auth }) };
    const { declarations } = toMcpDeclarations(listing, source);
    return new Map(declarations.map((declaration) => [declaration.mcp!.tool, declaration]));
  }

  call(declaration: Declaration, args: Readonly<Record<string, unknown>> = {}, options?: ContextOptions) {
    return callMcpTool(declaration.mcp!, args, this.context(options), this.servers);
  }
}

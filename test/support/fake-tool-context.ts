import { createHmac } from "node:crypto";

import type {
  ProgressReport,
  Tool,
  ToolCaller,
  ToolAccount,
  ToolContext,
  ToolLog,
  ToolTime,
  UpstreamRequest,
  UpstreamResponse,
  WriteLog,
} from "../../src/core/catalog/define-tool.ts";
import { PUBLIC_HOSTS, toOrigin } from "../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../src/core/catalog/tool-failure.ts";
import { INSTANT_PORTS } from "./instant-ports.ts";

/** A request as the fake context saw it leave. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

interface FakeToolContextOptions {
  /** Answers every request the tool sends. */
  readonly answer: (request: Request) => Promise<Response> | Response;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly bindings?: Readonly<Record<string, unknown>>;
  /** The subject's accounts, by connector: their tokens, and whose they are. */
  readonly connections?: Readonly<Record<string, { readonly token: string; readonly account?: string }>>;
  readonly caller?: ToolCaller;
  readonly idempotencyKey?: string;
  /** Milliseconds since the epoch; the stand-ins' time unless said. */
  readonly now?: () => number;
  /** Calls of one request have the same; a request of its own unless said. */
  readonly request?: object;
}

/** A line of the log as the tool wrote it. */
export interface LoggedLine {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

type FakedTool = Pick<Tool, "hosts" | "secrets"> & Partial<Pick<Tool, "bindings">>;

/**
 * The tool's view of the world, without a world: requests go to `answer` and are kept in `requests`, reports in `reports` and
 * lines of the log in `logged`; a status outside 2xx, an undeclared host and an undeclared or unset secret or binding are refused
 * as the real context refuses them.
 */
export class FakeToolContext implements ToolContext {
  readonly requests: SentRequest[] = [];
  readonly reports: ProgressReport[] = [];
  readonly idempotencyKey: string;
  readonly signal: AbortSignal = new AbortController().signal;
  /** The lines that the tool logged, oldest first. */
  readonly logged: LoggedLine[] = [];
  readonly caller: ToolCaller;
  readonly log: ToolLog;
  readonly binding: ToolContext["binding"];
  readonly request: object;
  /** The texts that it asked to be kept out of its answers. */
  readonly concealed: string[] = [];
  /** The bytes that it held, in that order. */
  readonly held: number[] = [];
  /** Stands still: a tool that sleeps does so for good. A tool that waits is tested with a `TestWorld`. */
  readonly time: ToolTime;
  readonly #tool: FakedTool;
  readonly #options: FakeToolContextOptions;

  constructor(tool: FakedTool, options: FakeToolContextOptions) {
    this.#tool = tool;
    this.#options = options;
    this.idempotencyKey = options.idempotencyKey ?? "key-1";
    const now = options.now ?? (() => INSTANT_PORTS.now());
    this.time = { now, askedAt: now, leftMs: () => 10_000, sleep: () => new Promise(() => {}) };
    this.request = options.request ?? {};
    this.caller = options.caller ?? { tenant: "acme", key: "tester" };
    const bind = (name: string): unknown => this.#bind(name);
    this.binding = bind as ToolContext["binding"];
    const at =
      (level: LoggedLine["level"]): WriteLog =>
      (message, fields) =>
        void this.logged.push({ level, message, ...(fields && { fields }) });
    this.log = Object.assign(at("info"), { info: at("info"), warn: at("warn"), error: at("error") });
  }

  async fetch(url: string | URL, request: UpstreamRequest = {}): Promise<UpstreamResponse> {
    const target = new URL(url);
    const { hosts } = this.#tool;
    const isAllowed =
      hosts === PUBLIC_HOSTS
        ? target.protocol === "https:"
        : hosts.some((host) => toOrigin(host) === target.origin);
    if (!isAllowed) throw new ToolFailure("EGRESS_DENIED");

    const { method = "GET", body } = request;
    const headers = new Headers(request.headers);
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    if (text !== undefined && typeof body !== "string") headers.set("content-type", "application/json");
    this.requests.push({ method, url: target, headers, body: text ?? "" });

    const response = await this.#options.answer(
      new Request(target, { method, headers, ...(text !== undefined && { body: text }) }),
    );
    const bytes = new Uint8Array(await response.arrayBuffer());
    const answer = new TextDecoder().decode(bytes);
    if (!response.ok && request.alsoReads?.includes(response.status) !== true) throw toFailure(response);
    if (response.headers.get("content-type")?.startsWith("text/event-stream") === true)
      request.onEvents?.(answer, parseJson);
    return {
      status: response.status,
      headers: response.headers,
      url: target.href,
      text: () => answer,
      bytes: () => (request.reads === "bytes" ? bytes : new Uint8Array()),
      json: () => parseJson(answer),
    };
  }

  connection(connector: string): ToolAccount {
    const connected = this.#options.connections?.[connector];
    return {
      isConnected: connected !== undefined,
      account: connected?.account ?? null,
      accountId: connected?.account ?? null,
      site: null,
      fetch: (url, request = {}) => {
        if (connected === undefined) throw new ToolFailure("CONNECTION_REQUIRED");
        const headers = { ...request.headers, authorization: `Bearer ${connected.token}` };
        return this.fetch(url, { ...request, headers });
      },
    };
  }

  secret(name: string): string {
    if (this.#tool.hosts === PUBLIC_HOSTS) throw new Error(`Cannot read secret '${name}': it only signs`);
    return this.#secret(name);
  }

  async sign(name: string, text: string): Promise<readonly string[]> {
    const key = Buffer.from(this.#secret(name).replace("whsec_", ""), "base64");
    return [createHmac("sha256", key).update(text).digest("base64")];
  }

  #secret(name: string): string {
    const value = this.#tool.secrets.includes(name) ? this.#options.secrets?.[name] : undefined;
    if (value === undefined) throw new ToolFailure("MISCONFIGURED", { hint: `'${name}' is not set.` });
    return value;
  }

  conceal(secret: string): void {
    this.concealed.push(secret);
  }

  async hold(bytes: number): Promise<void> {
    this.held.push(bytes);
  }

  #bind(name: string): unknown {
    if (this.#tool.bindings?.includes(name) !== true)
      throw new Error(`Cannot use binding '${name}': the tool does not declare it`);
    const binding = this.#options.bindings?.[name];
    if (binding === undefined) throw new ToolFailure("MISCONFIGURED", { hint: `'${name}' is missing.` });
    return binding;
  }

  report(report: ProgressReport): void {
    this.reports.push(report);
  }
}

function toFailure({ status, headers }: Response): ToolFailure {
  const retryAfterS = Number(headers.get("retry-after") ?? Number.NaN);
  if (status === 404) return new ToolFailure("NOT_FOUND", { upstreamStatus: status });
  if (status === 429)
    return new ToolFailure("RATE_LIMITED", {
      upstreamStatus: status,
      ...(Number.isFinite(retryAfterS) && { retryAfterMs: retryAfterS * 1_000 }),
    });
  return new ToolFailure("UPSTREAM_ERROR", { upstreamStatus: status, retryable: status >= 500 });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ToolFailure("BAD_UPSTREAM_RESPONSE");
  }
}

import type {
  ProgressReport,
  Tool,
  ToolContext,
  UpstreamRequest,
  UpstreamResponse,
} from "../../src/catalog/define-tool.ts";
import { toOrigin } from "../../src/catalog/define-tool.ts";
import { ToolFailure } from "../../src/catalog/tool-failure.ts";

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
  readonly idempotencyKey?: string;
}

/**
 * What a tool sees of the world, without a world: requests go to `answer` and are kept in `requests`, reports in `reports`; a status outside
 * 2xx, an undeclared host and an undeclared or unset secret are refused as the real context refuses them.
 */
export class FakeToolContext implements ToolContext {
  readonly requests: SentRequest[] = [];
  readonly reports: ProgressReport[] = [];
  readonly idempotencyKey: string;
  readonly signal: AbortSignal = new AbortController().signal;
  readonly #tool: Pick<Tool, "hosts" | "secrets">;
  readonly #options: FakeToolContextOptions;

  constructor(tool: Pick<Tool, "hosts" | "secrets">, options: FakeToolContextOptions) {
    this.#tool = tool;
    this.#options = options;
    this.idempotencyKey = options.idempotencyKey ?? "key-1";
  }

  async fetch(url: string | URL, request: UpstreamRequest = {}): Promise<UpstreamResponse> {
    const target = new URL(url);
    if (!this.#tool.hosts.some((host) => toOrigin(host) === target.origin))
      throw new ToolFailure("EGRESS_DENIED");

    const { method = "GET", body } = request;
    const headers = new Headers(request.headers);
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    if (text !== undefined && typeof body !== "string") headers.set("content-type", "application/json");
    this.requests.push({ method, url: target, headers, body: text ?? "" });

    const response = await this.#options.answer(
      new Request(target, { method, headers, ...(text !== undefined && { body: text }) }),
    );
    const answer = await response.text();
    if (!response.ok) throw toFailure(response);
    return {
      status: response.status,
      headers: response.headers,
      text: () => answer,
      json: () => parseJson(answer),
    };
  }

  secret(name: string): string {
    const value = this.#tool.secrets.includes(name) ? this.#options.secrets?.[name] : undefined;
    if (value === undefined) throw new ToolFailure("MISCONFIGURED", { hint: `'${name}' is not set.` });
    return value;
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

import type * as z from "zod";

import type { OnError } from "../contract/batch.ts";
import type { Delivery } from "../contract/gate/job.ts";
import { LIMITS } from "../contract/limits.ts";
import { isOrchestration, type Orchestration, orchestrationSchema } from "../contract/orchestration.ts";
import type { GlobalLimits } from "../contract/gate/permit.ts";

/** What a tool may send. Headers are checked: no line breaks, nothing that only a proxy may set. */
export interface UpstreamRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is; anything else as JSON with its content type. */
  readonly body?: unknown;
}

/** A successful (2xx) answer, already read within its limits. Every other status, and 206, is thrown as a `ToolFailure`. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Headers;
  text(): string;
  /**
   * The body as JSON; throws `BAD_UPSTREAM_RESPONSE` when it is not. A number that a double would change is a `RawNumber`,
   * which is written with the digits it came with.
   */
  json(): unknown;
}

/** How far a call has come, in whatever the tool counts. */
export interface ProgressReport {
  readonly progress: number;
  /** What `progress` will be in the end, where that is known. */
  readonly total?: number;
  /** A short sentence for whoever waits. */
  readonly message?: string;
}

/** All that a tool sees of the world. */
export interface ToolContext {
  /** Send a request to one of the declared hosts, under the action's clock and byte limits. */
  readonly fetch: (url: string | URL, request?: UpstreamRequest) => Promise<UpstreamResponse>;
  /** The value of a declared secret; throws `MISCONFIGURED` (naming it) when it is not set. */
  readonly secret: (name: string) => string;
  /** The same on every attempt of this action: send it upstream where the provider takes one. */
  readonly idempotencyKey: string;
  /** Aborted when the action's time is over. `fetch` obeys it by itself; long computations should look. */
  readonly signal: AbortSignal;
  /** Say how far the call has come. It reaches an MCP client that asked; otherwise it goes nowhere and costs nothing. */
  readonly report: (report: ProgressReport) => void;
}

/** What a tool's author writes. */
export interface ToolDeclaration<Input extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** About 15 tokens: what `discover_tools` lists. */
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  /** Hazards are ordered per domain; a tool's category unless it names another. */
  readonly domain?: string;
  /** Verbs such as `search`, `create`, `delete`. */
  readonly actions: readonly string[];
  readonly isWrite: boolean;
  readonly execution: "sync" | "fire-and-forget";
  readonly input: Input;
  /** Hosts it may reach over https, e.g. `api.example.com`; or whole origins, e.g. `https://api.example.com:8443`. */
  readonly hosts: readonly string[];
  readonly secrets?: readonly string[];
  /** Milliseconds for one call; 10,000 unless said. */
  readonly timeoutMs?: number;
  /** Decompressed bytes of one response; 1 MiB unless said. */
  readonly maxResponseBytes?: number;
  /** What its output usually takes of a model's context, in tokens, for `dry_run`; 200 unless said. */
  readonly typicalTokens?: number;
  /**
   * A write that may be sent twice: `true` when the same arguments twice do what they do once, `with-key` when only the
   * same `ctx.idempotencyKey` makes them. Reads always may.
   */
  readonly idempotent?: boolean | "with-key";
  /** What a lost background attempt means; `at-least-once` unless said. */
  readonly delivery?: Delivery;
  /**
   * Whether a read is called although the limiter does not answer, so that nobody counts it. `refuse` unless said when it
   * declares a `rate_limit`, else `run`. A write never is.
   */
  readonly whenLimiterDown?: "run" | "refuse";
  readonly orchestration: Orchestration;
  run(args: z.output<Input>, context: ToolContext): Promise<unknown>;
}

/** A declared tool with its defaults filled in. */
export interface Tool {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  /** A sync write and the other sync actions of its domain never overlap. */
  readonly domain: string;
  readonly actions: readonly string[];
  readonly isWrite: boolean;
  readonly execution: "sync" | "fire-and-forget";
  readonly input: z.ZodType;
  readonly hosts: readonly string[];
  readonly secrets: readonly string[];
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly typicalTokens: number;
  /** Whoever calls it twice with the same arguments has done nothing more than once. */
  readonly idempotent: boolean;
  /** One action of it may be sent again after a failure that leaves its effect in doubt. */
  readonly repeatable: boolean;
  readonly delivery: Delivery;
  /** Called or not while the limiter does not answer; `refuse` for every write. */
  readonly whenLimiterDown: "run" | "refuse";
  readonly orchestration: Orchestration;
  /** What one failed element means for a loop over this tool; the contract's, or by default what it is: read or write. */
  readonly onError: OnError;
  /** Calls of this tool that may be under way at once within a batch. */
  readonly concurrency: number;
  /** What its calls share with those of every other batch and tenant; null when nothing. */
  readonly globalLimits: GlobalLimits | null;
  /** Needs a person's yes before it runs. */
  readonly confirm: boolean;
  run(args: unknown, context: ToolContext): Promise<unknown>;
}

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const WORD = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * Declare a tool. Bad declarations throw at start-up and name the tool: a contract that is wrong must never be
 * discovered by a model.
 *
 * @example
 * const ping = defineTool({
 *   name: "ping",
 *   summary: "Say whether the status page is up",
 *   description: "Fetch the status page and report its state.",
 *   category: "status",
 *   actions: ["read"],
 *   isWrite: false,
 *   execution: "sync",
 *   input: z.strictObject({ page: z.string() }),
 *   hosts: ["status.example.com"],
 *   orchestration: { mode: "parallel-safe" },
 *   run: async ({ page }, ctx) => (await ctx.fetch(`https://status.example.com/${encodeURIComponent(page)}`)).json(),
 * });
 */
export function defineTool<Input extends z.ZodType>(declaration: ToolDeclaration<Input>): Tool {
  const { name, isWrite, idempotent = false } = declaration;
  const require = (condition: boolean, problem: string): void => {
    if (!condition) throw new Error(`Cannot define tool '${name}': ${problem}`);
  };

  require(TOOL_NAME.test(name), `'name' must match ${TOOL_NAME}`);
  require(declaration.summary.trim() !== "", "'summary' must not be empty");
  require(declaration.description.trim() !== "", "'description' must not be empty");
  require(WORD.test(declaration.category), `'category' must match ${WORD}`);
  const domain = declaration.domain ?? declaration.category;
  require(WORD.test(domain), `'domain' must match ${WORD}`);
  require(declaration.actions.length > 0 &&
    declaration.actions.every((action) =>
      WORD.test(action),
    ), `'actions' must be one or more words matching ${WORD}`);

  const { orchestration } = declaration;
  if (!isOrchestration(orchestration)) {
    const { error } = orchestrationSchema().safeParse(orchestration);
    const problems = error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    require(problems === undefined, `'orchestration' is invalid: ${problems?.join("; ")}`);
  }
  require(orchestration.mode !== "fan-out-bounded" ||
    orchestration.max_concurrency !== undefined, "mode 'fan-out-bounded' needs 'max_concurrency'");
  require(orchestration.mode !== "sequential-only" ||
    (orchestration.max_concurrency ?? 1) === 1, "mode 'sequential-only' means 'max_concurrency' 1");
  require(orchestration.mode !== "dependent" ||
    orchestration.depends_on !== undefined, "mode 'dependent' needs 'depends_on'");
  require(declaration.execution === "sync" ||
    isWrite, "a fire-and-forget tool must be a write: nobody would see what it read");
  require(orchestration.cache_ttl_s === undefined ||
    !isWrite, "'cache_ttl_s' is for reads: a write must be made every time");

  require(!isWrite ||
    declaration.whenLimiterDown !==
      "run", "'whenLimiterDown' 'run' is for reads: a write is never sent uncounted");

  const timeoutMs = declaration.timeoutMs ?? LIMITS.toolTimeoutMs;
  const longestMs = declaration.execution === "sync" ? LIMITS.maxDeadlineMs : LIMITS.firstAttemptMs;
  require(Number.isInteger(timeoutMs) &&
    timeoutMs >= 1 &&
    timeoutMs <= longestMs, `'timeoutMs' must be an integer from 1 to ${longestMs}, received ${timeoutMs}`);
  const maxResponseBytes = declaration.maxResponseBytes ?? LIMITS.responseBytes;
  require(Number.isInteger(maxResponseBytes) &&
    maxResponseBytes >= 1 &&
    maxResponseBytes <=
      LIMITS.maxResponseBytes, `'maxResponseBytes' must be an integer from 1 to ${LIMITS.maxResponseBytes}, received ${maxResponseBytes}`);
  for (const host of declaration.hosts)
    require(isHostDeclaration(
      host,
    ), `host '${host}' must be a host name or an origin, without path, user or wildcard`);

  return {
    name,
    summary: declaration.summary,
    description: declaration.description,
    category: declaration.category,
    domain,
    actions: declaration.actions,
    isWrite,
    execution: declaration.execution,
    input: declaration.input,
    hosts: declaration.hosts,
    secrets: declaration.secrets ?? [],
    timeoutMs,
    maxResponseBytes,
    typicalTokens: declaration.typicalTokens ?? 200,
    idempotent: !isWrite || idempotent === true,
    repeatable: !isWrite || idempotent !== false,
    delivery: declaration.delivery ?? "at-least-once",
    whenLimiterDown: isWrite
      ? "refuse"
      : (declaration.whenLimiterDown ?? (orchestration.rate_limit === undefined ? "run" : "refuse")),
    orchestration,
    // A read that failed leaves the others as good as they were; a write that failed leaves a half-applied state.
    onError: orchestration.on_error ?? (isWrite ? "fail-fast" : "partial-success"),
    concurrency: orchestration.mode === "sequential-only" ? 1 : batchCapOf(orchestration),
    globalLimits: globalLimitsOf(orchestration),
    confirm:
      orchestration.confirm === "always" ||
      (orchestration.confirm === undefined && isWrite && declaration.actions.includes("delete")),
    // The runner passes only what `input` parsed, so the author's narrower parameter type holds.
    run: declaration.run.bind(declaration),
  };
}

/** No batch asks for more permits at once than there are: which of its calls goes next stays its own choice. */
function batchCapOf({ max_concurrency, global_concurrency }: Orchestration): number {
  return Math.min(
    max_concurrency ?? Number.POSITIVE_INFINITY,
    global_concurrency ?? Number.POSITIVE_INFINITY,
  );
}

function globalLimitsOf({ global_concurrency, rate_limit }: Orchestration): GlobalLimits | null {
  const rate =
    rate_limit?.scope === "global" ? { limit: rate_limit.limit, windowS: rate_limit.window_s } : null;
  const concurrency = global_concurrency ?? null;
  return concurrency === null && rate === null ? null : { concurrency, rate };
}

function isHostDeclaration(host: string): boolean {
  const origin = toOrigin(host);
  // A URL parser takes `*` for a letter, and gives `ftp:` and `ws:` origins too.
  if (origin === null || host.includes("*") || !/^https?:/.test(origin)) return false;
  return origin === host || origin === `https://${host}`;
}

/** The origin a host declaration stands for (`api.example.com` means https), or null when it is not one. */
export function toOrigin(host: string): string | null {
  const text = host.includes("://") ? host : `https://${host}`;
  return URL.canParse(text) ? new URL(text).origin : null;
}

import type * as z from "zod/mini";

import type { Batch, OnError } from "../contract/batch.ts";
import type { Delivery, Retries } from "../contract/gate/job.ts";
import * as LIMITS from "../contract/limits.ts";
import { isJsonObject, isFlag, listOf, matches, oneOf, upTo } from "../contract/json.ts";
import { toIssues } from "../contract/issues.ts";
import {
  type BroughtFields,
  type DeclaredContract,
  isOrchestration,
  type Orchestration,
  orchestrationSchema,
  splitContract,
} from "../contract/orchestration.ts";
import type { GlobalLimits } from "../contract/gate/permit.ts";
import { visibleText } from "../kit/visible-text.ts";
import { type Defaults, fillDefaults, noteCosts } from "./tool-defaults.ts";
import {
  findMisfits,
  must,
  names,
  optional,
  refuseDeclaration,
  type Rule,
  writtenText,
} from "./check-declaration.ts";

/** A request that a tool may send. Headers are checked: no line breaks, nothing that only a proxy may set. */
export interface UpstreamRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is; anything else as JSON with its content type. */
  readonly body?: unknown;
  /**
   * It changes nothing at the service, such as asking for a token or looking before a write. A write of which only such
   * requests were sent has not happened, whatever became of them.
   */
  readonly changesNothing?: boolean;
  /** Statuses besides 2xx whose body is an answer to be read, because the protocol says in it what went wrong. */
  readonly alsoReads?: readonly number[];
  /** Reads an answer that is an event stream (`text/event-stream`) as it comes. Any other answer is read as always. */
  readonly onEvents?: ReadEvents;
  /**
   * The part of a 2xx that is read: its text unless said; its bytes, where the tool finds out the encoding; or nothing but its
   * status, where no redirect is followed either.
   */
  readonly reads?: "text" | "bytes" | "status";
  /** Milliseconds for this request alone, from when it is sent: what it exceeds costs the call nothing else. */
  readonly timeoutMs?: number;
}

/**
 * Told each piece of an event stream, as text, when it comes; true when no more of it is needed, and then it is left. Only the
 * call's time ends a silent stream: a server that answers in events sends one when it has something to say.
 *
 * @param parse parses JSON that stands in it, as `UpstreamResponse.json` does and within the same limits
 */
export type ReadEvents = (piece: string, parse: (json: string) => unknown) => boolean;

/**
 * A successful (2xx) answer, already read within its limits. Every other status, and 206, is thrown as a `ToolFailure`, unless the
 * request says that it is read too.
 */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The address that answered: the last one, where there were redirects. */
  readonly url: string;
  text(): string;
  /** The body as it came, of a request that `reads` bytes. */
  bytes(): Uint8Array;
  /**
   * The body as JSON; throws `BAD_UPSTREAM_RESPONSE` when it is not. A number that a double would change is a `RawNumber`,
   * which is written with the digits it came with.
   */
  json(): unknown;
}

/** How far a call has come, in whatever the tool counts. */
export interface ProgressReport {
  readonly progress: number;
  /** The final value of `progress`, where that is known. */
  readonly total?: number;
  /** A short sentence for the waiting caller. */
  readonly message?: string;
}

/** Whose call it is, by their configured names. */
export interface ToolCaller {
  readonly tenant: string;
  readonly key: string;
  /** The person whose accounts the call uses; absent where the request names none. */
  readonly subject?: string | undefined;
}

/** A call's time, for a tool that waits by itself, or says when what it tells of happened. */
export interface ToolTime {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** The same at which the call was asked for: of a job one moment for all of its attempts, else when the call began. */
  askedAt(): number;
  /** Milliseconds that the call still has. */
  leftMs(): number;
  /** Wait; rejects when the call is over first. */
  sleep(ms: number): Promise<void>;
}

/** Hosts of a tool whose caller says where it goes: every one that is public. */
export const PUBLIC_HOSTS = "public";

/** Write one line of the Worker's log. Fields that do not fit its limits are left out, and a line says so. */
export type WriteLog = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A tool's log: lines for its author, without its secrets, that say which call they belong to. Called itself it informs. */
export interface ToolLog extends WriteLog {
  readonly info: WriteLog;
  readonly warn: WriteLog;
  readonly error: WriteLog;
}

/** An account of a call's subject. */
export interface ToolAccount {
  /** There is one that the call may use. Always, unless the tool runs without it too. */
  readonly isConnected: boolean;
  /** Whose it is at the provider, an address or a login; null where that is not known. */
  readonly account: string | null;
  /** The id that the provider has for it, or null. */
  readonly accountId: string | null;
  /** The account's own part of the provider's addresses, such as its shop; or null. */
  readonly site: string | null;
  /** As `fetch` of the context, with the account's token, which goes to the connector's hosts only. */
  readonly fetch: ToolContext["fetch"];
}

/** All that a tool sees of the world. */
export interface ToolContext {
  /** Send a request to one of the declared hosts, under the action's clock and byte limits. */
  readonly fetch: (url: string | URL, request?: UpstreamRequest) => Promise<UpstreamResponse>;
  /**
   * The value of a declared secret: the tenant's own where the deployment looks secrets up by tenant. Throws
   * `MISCONFIGURED` (naming it) when it is not set.
   */
  readonly secret: (name: string) => string;
  /**
   * Sign a text with a declared secret that is a Standard Webhooks one (`whsec_…`): HMAC-SHA-256 as base64, one for each
   * while it is being replaced by another. The secret itself stays out of the tool's hands.
   */
  readonly sign: (secret: string, text: string) => Promise<readonly string[]>;
  /**
   * A declared binding of the Worker, such as a database, a bucket or another Worker; `MISCONFIGURED` when it has none of that
   * name. The platform carries its traffic: only the call's time limits it there, and the bytes that the tool counts with `hold`.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what a binding is only its author knows
  readonly binding: <T = unknown>(name: string) => T;
  /**
   * Hold so many bytes of what the batch may hold, for what bindings answer, in place of what the call held for that before. Resolves
   * when there is room for them; throws `RESPONSE_TOO_LARGE` or `OVERLOADED` where there is none. The call gives them back when it ends.
   * Answers of `fetch` are counted by `fetch` itself.
   */
  readonly hold: (bytes: number) => Promise<void>;
  /** The account of the subject at a declared connector. */
  readonly connection: (connector: string) => ToolAccount;
  /** Who calls; after a confirmation the key that said yes. */
  readonly caller: ToolCaller;
  readonly log: ToolLog;
  /** The same on every attempt of this action: send it upstream where the provider takes one. */
  readonly idempotencyKey: string;
  /** The id of the run that the call is of. */
  readonly runId?: string | undefined;
  /**
   * Keep a text out of everything that the call answers or logs from now on, as its declared secrets are: a secret that was
   * made with one, such as an access token.
   */
  readonly conceal: (secret: string) => void;
  /**
   * The same object for every call of one request, and for no other: the key of a `WeakMap` of what its calls share. A
   * promise may be awaited by the request that made it only; what a later request is to find has to be a value.
   */
  readonly request: object;
  /** Aborted when the action's time is over. `fetch` obeys it by itself; long computations should look. */
  readonly signal: AbortSignal;
  readonly time: ToolTime;
  /** Say how far the call has come. It reaches an MCP client that asked; otherwise it goes nowhere and costs nothing. */
  readonly report: (report: ProgressReport) => void;
}

/** The declaration that a tool's author writes: `name`, `description`, `input` and `run`, and whatever else is to be known of it. */
export interface ToolDeclaration<Input extends z.core.$ZodType = z.core.$ZodType> {
  readonly name: string;
  /** About 15 tokens: what `discover_tools` lists; the description's first sentence unless said. */
  readonly summary?: string;
  readonly description: string;
  /** `general` unless said. */
  readonly category?: string;
  /** Hazards are ordered per domain; a tool's category unless it names another. */
  readonly domain?: string;
  /** Verbs such as `search`, `create`, `delete`; `read` or `write` unless said. */
  readonly actions?: readonly string[];
  /** It changes something: `true` unless said. */
  readonly isWrite?: boolean;
  /** `sync` unless said. */
  readonly execution?: "sync" | "fire-and-forget";
  /** The schema of its arguments. As a function it is made when it is first used: a start then does not pay for it, nor checks it. */
  readonly input: Input | (() => Input);
  /**
   * Hosts it may reach over https, e.g. `api.example.com`; or whole origins, e.g. `https://api.example.com:8443`. `public`
   * is every public host, for a tool whose caller says where it goes: it may sign with its secrets and read none. None unless said.
   */
  readonly hosts?: readonly string[] | typeof PUBLIC_HOSTS;
  readonly secrets?: readonly string[];
  /** Names of the Worker's bindings that it may use, as the Worker's configuration gives them. */
  readonly bindings?: readonly string[];
  /**
   * The connectors whose accounts it uses, of the subject that a request names; with the scopes that it needs. A call without one is
   * `CONNECTION_REQUIRED`, and the tool does not run.
   */
  readonly connection?: string | Readonly<Record<string, readonly string[]>>;
  /** It runs without a connection too, and `ctx.connection()` says so. */
  readonly connectionOptional?: boolean;
  /** Milliseconds for one call; 10,000 unless said. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds until an upstream has to begin its answer; 10,000 unless said. For one that only answers when its work is
   * done: the call holds one of the few slots for requests without an answer meanwhile.
   */
  readonly headersTimeoutMs?: number;
  /** Decompressed bytes of one response; 1 MiB unless said. */
  readonly maxResponseBytes?: number;
  /** Usual size of its output in a model's context, in tokens, for `dry_run`; 200 unless said. */
  readonly typicalTokens?: number;
  /**
   * A write that may be sent twice: `true` when the same arguments twice do what they do once, `with-key` when only the
   * same `ctx.idempotencyKey` makes them. Reads always may.
   */
  readonly idempotent?: boolean | "with-key";
  /** The meaning of a lost background attempt; `at-least-once` unless said. */
  readonly delivery?: Delivery;
  /**
   * When a background attempt that failed, and may be repeated, is: `backoff` unless said, a few times within minutes;
   * `standard-webhooks`, ten times in three days, for what its receiver has to get although it is down for a day.
   */
  readonly retries?: Retries;
  /**
   * Whether a read is called although the limiter does not answer, so that the call is not counted. `refuse` unless said when it
   * declares a `rate_limit`, else `run`. A write never is.
   */
  readonly whenLimiterDown?: "run" | "refuse";
  /** Its arguments and results are in no record of what ran: `true` for what must not be kept anywhere else. */
  readonly private?: boolean;
  /** The service's words about a refusal reach callers, as data in `error.upstream`; with `false` they do not. */
  readonly upstreamErrors?: boolean;
  /** A write runs alone, and reads run together, unless said. */
  readonly orchestration?: DeclaredContract;
  run(args: z.output<Input>, context: ToolContext): Promise<unknown>;
}

/** The accounts that a tool uses: the scopes that it needs, by connector, and whether it runs without them too. */
export interface ToolAccounts {
  readonly scopes: Readonly<Record<string, readonly string[]>>;
  readonly isOptional: boolean;
}

/** The batch that a tool is. */
export interface InnerBatch {
  readonly batch: Batch;
  /** The value made of its results that is the answer, with references; undefined for none. */
  readonly answer: unknown;
  /** Names or categories of the tools that the key which kept it may call, or `*`. */
  readonly tools: readonly string[];
}

/** A tool's declaration as it is kept: its JSON, and what that amounts to. */
export interface KeptDeclaration {
  readonly json: string;
  readonly fingerprint: string;
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
  readonly input: z.core.$ZodType;
  /** Its input is made, and can be checked, only when it is first used. */
  readonly hasLateInput: boolean;
  readonly hosts: readonly string[] | typeof PUBLIC_HOSTS;
  readonly secrets: readonly string[];
  readonly bindings: readonly string[];
  /** The accounts of a subject that it uses; absent where it uses none. */
  readonly accounts?: ToolAccounts | undefined;
  readonly timeoutMs: number;
  /** Undefined for the deployment's own limit. */
  readonly headersTimeoutMs?: number | undefined;
  readonly maxResponseBytes: number;
  readonly typicalTokens: number;
  /** True if two calls with the same arguments do nothing more than one. */
  readonly idempotent: boolean;
  /** One action of it may be sent again after a failure that leaves its effect in doubt. */
  readonly repeatable: boolean;
  /** It writes by ways of its own, such as a library's: once it has begun, only it can say that nothing came of it. */
  readonly actsUnseen?: true | undefined;
  readonly delivery: Delivery;
  readonly retries: Retries;
  /** Called or not while the limiter does not answer; `refuse` for every write. */
  readonly whenLimiterDown: "run" | "refuse";
  /** Its arguments and results are in no record of what ran. */
  readonly private?: true | undefined;
  /** Callers do not get the service's words about a refusal. */
  readonly upstreamErrors?: false | undefined;
  readonly orchestration: Orchestration;
  /** The fields of its contract that features bring. */
  readonly brought?: BroughtFields | undefined;
  /** The meaning of one failed element for a loop over this tool: the contract's, or by default that of a read or a write. */
  readonly onError: OnError;
  /** Calls of this tool that may be under way at once within a batch. */
  readonly concurrency: number;
  /** The limits that its calls share with those of every other batch and tenant; null when there are none. */
  readonly globalLimits: GlobalLimits | null;
  /** Needs a person's yes before it runs; where the contract has a condition, only for arguments that fit it. */
  readonly confirm: boolean;
  /** The tenant's declaration, where a tenant added the tool while running. */
  readonly added?: KeptDeclaration;
  /** The batch that it is: then it is run as that, and never by `run`. */
  readonly inner?: InnerBatch | undefined;
  run(args: unknown, context: ToolContext): Promise<unknown>;
}

/** How a tool is named, so that every format can offer it under that name. */
export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** The same, as somebody is told who wrote it otherwise. */
export const NAME_IN_WORDS = "a letter, then letters, digits, '_' or '-', at most 64 in all";
const WORD = /^[a-z][a-z0-9_-]{0,63}$/;
const WORD_IN_WORDS = `in lower case: ${NAME_IN_WORDS}`;
const word = must(`be ${WORD_IN_WORDS}`, matches(WORD));

/** The rule of each field of a declaration by itself. */
const RULES: Readonly<Record<keyof ToolDeclaration, Rule>> = {
  name: must(`be ${NAME_IN_WORDS}`, matches(TOOL_NAME)),
  summary: optional(writtenText),
  description: writtenText,
  category: optional(word),
  domain: optional(word),
  actions: optional(must(`be one or more words, each ${WORD_IN_WORDS}`, listOf(matches(WORD)))),
  isWrite: optional(must("be true or false", isFlag)),
  execution: optional(must("be 'sync' or 'fire-and-forget'", oneOf("sync", "fire-and-forget"))),
  input: must(
    "be a Zod 4 schema, or a function that makes one",
    // How Zod 4 marks its schemas, those of its smaller edition among them.
    (value) => (isJsonObject(value) && isJsonObject(value["_zod"])) || typeof value === "function",
  ),
  hosts: optional(
    must(
      `be an array of host names, or '${PUBLIC_HOSTS}'`,
      (value) => value === PUBLIC_HOSTS || listOf((host) => typeof host === "string", { min: 0 })(value),
    ),
  ),
  secrets: optional(names),
  bindings: optional(names),
  connection: optional(
    must(
      "be a connector's name, or scopes by connectors' names",
      (value) => typeof value === "string" || isJsonObject(value),
    ),
  ),
  connectionOptional: optional(must("be true or false", isFlag)),
  // How many depends on `execution`.
  timeoutMs: optional(must("be a number of milliseconds", (value) => typeof value === "number")),
  headersTimeoutMs: optional(
    must(`be an integer from 1 to ${LIMITS.maxDeadlineMs}`, upTo(LIMITS.maxDeadlineMs)),
  ),
  maxResponseBytes: optional(
    must(`be an integer from 1 to ${LIMITS.maxResponseBytes}`, upTo(LIMITS.maxResponseBytes)),
  ),
  typicalTokens: optional(must("be a positive integer", upTo(Number.MAX_SAFE_INTEGER))),
  idempotent: optional(
    must("be true, false or 'with-key'", (value) => isFlag(value) || value === "with-key"),
  ),
  delivery: optional(must("be 'at-least-once' or 'at-most-once'", oneOf("at-least-once", "at-most-once"))),
  retries: optional(must("be 'backoff' or 'standard-webhooks'", oneOf("backoff", "standard-webhooks"))),
  whenLimiterDown: optional(must("be 'run' or 'refuse'", oneOf("run", "refuse"))),
  private: optional(must("be true or false", isFlag)),
  upstreamErrors: optional(must("be true or false", isFlag)),
  orchestration: optional(must("be an object", isJsonObject)),
  run: must("be a function", (value) => typeof value === "function"),
};

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
export function defineTool<Input extends z.core.$ZodType>(brief: ToolDeclaration<Input>): Tool {
  // Rules between fields are checked only once each field meets its own.
  const declared: unknown = brief;
  const misfits = findMisfits(declared, RULES);
  if (misfits.length > 0) {
    const { name: named, orchestration: contract } = isJsonObject(declared) ? declared : {};
    // An author reads these at once; the other rules need fields that are right.
    const own = isJsonObject(contract) ? splitContract(contract).own : undefined;
    refuseDeclaration(named, [...misfits, ...(own ? findContractProblems(own as Orchestration) : [])]);
  }
  const declaration = fillDefaults(brief);
  const { name, isWrite, idempotent = false, input, connection } = declaration;
  const { own, brought } = splitContract(declaration.orchestration);
  const orchestration = own as Orchestration;
  refuseDeclaration(name, [
    ...findContractProblems(orchestration),
    ...findContradictions(declaration),
    ...listHosts(declaration).flatMap(findHostProblems),
  ]);

  const isLate = typeof input === "function";
  const tool: Tool = {
    name,
    summary: declaration.summary,
    description: declaration.description,
    category: declaration.category,
    domain: declaration.domain ?? declaration.category,
    actions: declaration.actions,
    isWrite,
    execution: declaration.execution,
    input: isLate ? (NOT_MADE_YET as z.core.$ZodType) : input,
    hasLateInput: isLate,
    hosts: declaration.hosts,
    secrets: declaration.secrets ?? [],
    bindings: declaration.bindings ?? [],
    ...(connection !== undefined && {
      accounts: {
        scopes: typeof connection === "string" ? { [connection]: [] } : connection,
        isOptional: declaration.connectionOptional === true,
      },
    }),
    timeoutMs: declaration.timeoutMs ?? LIMITS.toolTimeoutMs,
    headersTimeoutMs: declaration.headersTimeoutMs,
    maxResponseBytes: declaration.maxResponseBytes ?? LIMITS.responseBytes,
    typicalTokens: declaration.typicalTokens ?? 200,
    idempotent: !isWrite || idempotent === true,
    repeatable: !isWrite || idempotent !== false,
    ...(isWrite && hasNoWay(declaration) && { actsUnseen: true as const }),
    delivery: declaration.delivery ?? "at-least-once",
    retries: declaration.retries ?? "backoff",
    whenLimiterDown: isWrite
      ? "refuse"
      : (declaration.whenLimiterDown ?? (orchestration.rate_limit === undefined ? "run" : "refuse")),
    ...(declaration.private === true && { private: true as const }),
    ...(declaration.upstreamErrors === false && { upstreamErrors: false as const }),
    orchestration,
    ...(brought !== undefined && { brought }),
    // A read that failed leaves the others as good as they were; a write that failed leaves a half-applied state.
    onError: orchestration.on_error ?? (isWrite ? "fail-fast" : "partial-success"),
    concurrency: orchestration.mode === "sequential-only" ? 1 : batchCapOf(orchestration),
    globalLimits: globalLimitsOf(orchestration),
    confirm:
      (orchestration.confirm ?? "never") !== "never" ||
      (orchestration.confirm === undefined && isWrite && declaration.actions.includes("delete")),
    // The runner passes only what `input` parsed, so the author's narrower parameter type holds.
    run: brief.run.bind(brief),
  };
  if (isLate) makeWhenUsed(tool, input);
  noteCosts(tool, brief);
  return tool;
}

/** A tool that may reach nothing through its context, and yet changes something, does so without it. */
function hasNoWay({ hosts, bindings = [], connection }: Omit<ToolDeclaration & Defaults, "run">): boolean {
  return hosts.length === 0 && bindings.length === 0 && connection === undefined;
}

const NOT_MADE_YET: unknown = undefined;

/** Have a tool's input made when somebody reads it, and then be a field like any other. */
function makeWhenUsed(tool: Tool, make: () => z.core.$ZodType): void {
  const get = (): z.core.$ZodType => {
    const value = make();
    Object.defineProperty(tool, "input", { value });
    return value;
  };
  Object.defineProperty(tool, "input", { get });
}

/** No batch asks for more permits at once than there are: which of its calls goes next stays its own choice. */
function batchCapOf({ max_concurrency = Infinity, global_concurrency = Infinity }: Orchestration): number {
  return Math.min(max_concurrency, global_concurrency);
}

function globalLimitsOf({ global_concurrency, rate_limit }: Orchestration): GlobalLimits | null {
  const rate =
    rate_limit?.scope === "global" ? { limit: rate_limit.limit, windowS: rate_limit.window_s } : null;
  const concurrency = global_concurrency ?? null;
  return concurrency === null && rate === null ? null : { concurrency, rate };
}

/** Say what is wrong with a contract, taken by itself. */
function findContractProblems(orchestration: Orchestration): string[] {
  if (!isOrchestration(orchestration)) {
    const { error } = orchestrationSchema().safeParse(orchestration);
    const issues = error === undefined ? [] : toIssues(error, orchestration);
    const problems = issues.map(
      ({ path, expected, received }) =>
        `${path.slice(1).replaceAll("/", ".")}: expected ${expected}, received ${received}`,
    );
    if (problems.length > 0) return [`'orchestration' is invalid: ${problems.join("; ")}`];
  }
  const { mode, max_concurrency, depends_on } = orchestration;
  return present([
    mode === "fan-out-bounded" &&
      max_concurrency === undefined &&
      "mode 'fan-out-bounded' needs 'max_concurrency'",
    mode === "sequential-only" &&
      (max_concurrency ?? 1) !== 1 &&
      "mode 'sequential-only' means 'max_concurrency' 1",
    mode === "dependent" && depends_on === undefined && "mode 'dependent' needs 'depends_on'",
  ]);
}

/** Say which fields of a declaration cannot hold together. */
function findContradictions(declaration: Omit<ToolDeclaration & Defaults, "run">): string[] {
  const { execution, isWrite, orchestration, bindings = [], timeoutMs = LIMITS.toolTimeoutMs } = declaration;
  const longestMs = execution === "sync" ? LIMITS.maxDeadlineMs : LIMITS.firstAttemptMs;
  const own = bindings.find((name) => OWN_BINDINGS.has(name));
  return present([
    execution !== "sync" &&
      !isWrite &&
      "a fire-and-forget tool must be a write: the result of a read would reach no caller",
    execution === "sync" &&
      declaration.retries !== undefined &&
      "'retries' is for fire-and-forget tools: a batch does not wait for days",
    orchestration.cache_ttl_s !== undefined &&
      (isWrite || declaration.connection !== undefined) &&
      "'cache_ttl_s' is for reads without a 'connection': others must be made every time",
    isWrite &&
      declaration.whenLimiterDown === "run" &&
      "'whenLimiterDown' 'run' is for reads: a write is never sent uncounted",
    !upTo(longestMs)(timeoutMs) &&
      `'timeoutMs' must be an integer from 1 to ${longestMs}, received ${timeoutMs}`,
    own !== undefined && `the binding '${own}' is Volley's own: every tenant's jobs and quotas are behind it`,
  ]);
}

/** Where Volley keeps its own state. */
const OWN_BINDINGS = new Set(["TENANT_GATE", "TOOL_GATE"]);

function present(problems: readonly (string | false)[]): string[] {
  return problems.filter((problem) => problem !== false);
}

/** Say what is wrong with how a host is written; whether it can be reached is known where it runs. */
function findHostProblems(host: string): string[] {
  const origin = toOrigin(host);
  // A URL parser takes `*` for a letter, and gives `ftp:` and `ws:` origins too.
  const isOrigin = origin !== null && /^https?:[^*]+$/.test(origin) && !origin.endsWith(":0");
  const written = origin?.replace("https://", "");
  if (isOrigin && [origin, written].includes(host)) return [];
  const meant = isOrigin ? `; write '${written}'` : "";
  const rule = "must be a host name or an origin, without path, user or wildcard, and a port from 1 to 65535";
  return [`host '${visibleText(host, 100)}' ${rule}${meant}`];
}

/** The hosts that a tool names, empty if it may go to every public one. */
export function listHosts({ hosts }: Pick<Tool, "hosts">): readonly string[] {
  return hosts === PUBLIC_HOSTS ? [] : hosts;
}

/** The origin a host declaration stands for (`api.example.com` means https), or null when it is not one. */
export function toOrigin(host: string): string | null {
  const text = host.includes("://") ? host : `https://${host}`;
  return URL.parse(text)?.origin ?? null;
}

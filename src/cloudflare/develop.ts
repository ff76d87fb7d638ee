import { checkDescribable } from "../core/catalog/check-describable.ts";
import type { Tool } from "../core/catalog/define-tool.ts";
import { makeRefusal } from "../core/contract/refusal.ts";
import { attempt, attemptNow } from "../core/kit/result.ts";
import type { App } from "./app.ts";
import { checkSettings, declare } from "./declared.ts";
import { checkWebhookSecrets, hidesUnconfigured, readDevelopmentOrigins, readKeys } from "./configuration.ts";
import type { Env } from "./configured.ts";
import type { VolleyOptions } from "./deployment.ts";
import { respondRefusal, setBaseHeaders } from "./http/respond.ts";
import { beginDevelopment } from "./platform/development.ts";
import type { ObjectClass } from "./platform/object-class.ts";
import { DurableObject } from "./platform/durable-object.ts";
import { drawLinesBy } from "./platform/system-ports.ts";
import { say } from "./platform/log-bug.ts";
import { isFailure, isMet, type Outcome, OUTCOME_STATUSES } from "../core/contract/outcome.ts";
import { visibleText } from "../core/kit/visible-text.ts";
import type { Plan, Step } from "../core/plan/step.ts";

/** The exports of a Worker's entry: the app, and classes of objects by their names. */
export interface Served {
  readonly default: App;
  readonly [className: string]: unknown;
}

/** The same, with a class for every name: one that the Worker lacks stands idle. */
interface Standing {
  readonly default: App;
  readonly [className: Capitalize<string>]: ObjectClass<object>;
}

/** Wrangler writes this word into what it bundles: `production` where it deploys, unless the shell says another. */
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/**
 * Serve a Worker on a development server: say in the terminal what it is made of, and what is missing; where it cannot
 * start, say why, there and to every request, until the mended file is loaded. Nothing that is deployed comes through here:
 * there a Worker that cannot start throws, and the platform refuses the upload. An entry of development that is deployed by
 * mistake throws too, because it would obey `VOLLEY_DEV_ORIGINS`.
 *
 * @param load import what is served. Only in here, because a tool that cannot be declared throws while it is imported
 * @example
 * const served = await develop(env, () => import("../edge/worker.ts"));
 * export default served.default;
 * export const TenantGate = served.TenantGate;
 */
export async function develop(given: object, load: () => Promise<Served>): Promise<Standing> {
  if (process.env.NODE_ENV === "production")
    throw new Error(
      "Cannot deploy an entry of development: deploy the entry that it loads, such as src/worker.ts. On your machine, start Wrangler without NODE_ENV=production.",
    );
  const env: Env = { ...given };
  const started = await attempt(async () => {
    const origins = readDevelopmentOrigins(env);
    // Wrangler's word for a server that a person started; tests read JSON.
    const isRead = process.env.NODE_ENV === "development";
    if (isRead) drawLinesBy(drawLine);
    beginDevelopment({ origins, drawBatch: isRead ? drawBatch : null });
    const served = await load();
    const { options } = served.default;
    for (const tool of options.tools) checkDescribable(tool);
    say("log", describeStart(env, options, origins));
    return standBy(served);
  });
  return started.ok ? started.value : serveProblem(started.error);
}

/** Answer every request with why there is no Worker. */
function serveProblem(error: unknown): Standing {
  const problem = error instanceof Error ? error.message : String(error);
  // With its stack: the development server puts the lines of the sources in.
  say("error", `Volley cannot start. ${error instanceof Error ? error.stack : problem}`);
  const hint = `Volley cannot start, and tries again when a source is saved; a variable needs a restart. ${problem}`;
  const refusal = makeRefusal("UNAVAILABLE", hint);
  const answer = (): Response => {
    const requestId = crypto.randomUUID();
    const response = respondRefusal(refusal, { requestId, dialect: null });
    setBaseHeaders(response, requestId);
    return response;
  };
  return standBy({ default: { fetch: answer, options: { tools: [] } } });
}

/** Stands in for an object that cannot be made. Its storage stays as it is, and an alarm that comes is tried again later. */
class Idle extends DurableObject<Record<string, unknown>> {
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + RETRY_MS);
  }
}

const RETRY_MS = 10_000;

/** Stand by for the objects that a Worker does not have, or cannot make. */
function standBy(served: Served): Standing {
  return new Proxy(served, {
    get: (own, name) => own[name as string] ?? (/^[A-Z]/.test(String(name)) ? Idle : undefined),
  }) as Standing;
}

/** Say how many tools and keys there are, and what is missing. */
function describeStart(
  env: Env,
  { tools, features = [], secretOf }: VolleyOptions,
  origins: readonly string[],
): string {
  const keys = attemptNow(() => readKeys(env, declare(features)).callers);
  const count = keys.ok ? keys.value.length : 0;
  const names = keys.ok ? keys.value.slice(0, 5).map(({ name }) => name) : [];
  const named = count === 0 ? "" : `: ${names.join(", ")}${count > names.length ? ", …" : ""}`;
  const lines = [`Volley has ${plural(tools.length, "tool")} and ${plural(count, "key")}${named}.`];
  const callers = keys.ok ? keys.value : [];
  const signs = attemptNow(() => checkWebhookSecrets(env, callers, tools));
  const listed = attemptNow(() => checkSettings(env, callers, features));
  const hides = attemptNow(() => hidesUnconfigured(env));
  const faults = [keys, signs, listed, hides].flatMap((read) =>
    read.ok ? [] : [(read.error as Error).message],
  );
  if (keys.ok && count === 0)
    faults.unshift("`npx volley key --name me --tools '*'` prints a key and its line for .dev.vars.");
  lines.push(...faults.map((fault) => `No request can be answered: ${fault}`));
  const fate = hides.ok && hides.value ? "be hidden" : "answer MISCONFIGURED";
  // A secret that a tenant may have of its own hides nothing.
  const fateOfSecrets = secretOf === undefined ? fate : "answer MISCONFIGURED";
  const namesOf = ({ secrets }: Tool): readonly string[] => secrets;
  lines.push(...listMissing(env, tools, { what: "secret", namesOf, fate: fateOfSecrets }));
  if (secretOf !== undefined) lines.push("A tenant's own tools are looked up when a tool is called.");
  lines.push(...listMissing(env, tools, { what: "binding", namesOf: ({ bindings }) => bindings, fate }));
  if (origins.length > 0) lines.push(`Tools and callbacks may reach ${origins.join(", ")}.`);
  return lines.join("\n  ");
}

interface Missing {
  readonly what: string;
  readonly namesOf: (tool: Tool) => readonly string[];
  /** The consequence for tools that lack it. */
  readonly fate: string;
}

function listMissing(env: Env, tools: readonly Tool[], { what, namesOf, fate }: Missing): string[] {
  const names = new Set(tools.flatMap(namesOf));
  const missing = [...names].filter((name) => env[name] === undefined || env[name] === "");
  const usersOf = (name: string): string =>
    tools.flatMap((tool) => (namesOf(tool).includes(name) ? [tool.name] : [])).join(", ");
  return [...Map.groupBy(missing, usersOf)].map(
    ([users, [one, ...more]]) =>
      `Missing ${what}${more.length === 0 ? "" : "s"} ${[one, ...more].join(", ")}: ${users} will ${fate}.`,
  );
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Actions of a batch that a line shows; more do not fit a terminal. */
const SHOWN = 12;

/** Characters of a line that a tool wrote. */
const LONGEST = 4_000;

/** The mark of each status, in the order of `OUTCOME_STATUSES`. */
const MARKS = "✓✗→–?!";

/**
 * Draw a batch as one line for the terminal of a development server, such as `✓ get_weather 249 ms  ✗ recalls INVALID_ARGS
 * /args/year`. An action has its own id, or its tool's name where it was given none. Only here a line has words of the caller.
 */
export function drawBatch({ steps }: Plan, outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return `· planned: ${steps.map(nameOf).slice(0, SHOWN).join(", ")}`;
  const drawn = outcomes.slice(0, SHOWN).map((outcome, at) => drawOutcome(steps[at]!, outcome));
  const left = outcomes.length - drawn.length;
  return [...drawn, ...(left > 0 ? [`… and ${left} more`] : [])].join("  ");
}

function drawOutcome(step: Step, outcome: Outcome): string {
  const words = [MARKS[OUTCOME_STATUSES.indexOf(outcome.status)]!, nameOf(step)];
  if (!isMet(outcome) && !isFailure(outcome)) words.push("waits for a person's yes");
  if (outcome.status === "initiated") words.push("goes on as a job");
  if ("error" in outcome) words.push(outcome.error.code);
  const path = "error" in outcome ? outcome.error.issues?.[0]?.path : undefined;
  if (path !== undefined) words.push(visibleText(path, 80));
  if (outcome.meta.durationMs !== undefined) words.push(`${outcome.meta.durationMs} ms`);
  return words.join(" ");
}

function nameOf({ id, index, toolName }: Step): string {
  return visibleText(id === `a${index}` && toolName !== null ? toolName : id);
}

/** A line of the log, as far as it is drawn. */
interface Line {
  readonly event?: string;
  readonly tool?: string;
  readonly message?: unknown;
  readonly [field: string]: unknown;
}

/** Draw another line of the log: its message, without its tenant and key. Text that is no such line stays as it is. */
export function drawLine(json: string): string {
  const drawn = drawKnown(json);
  return drawn === null ? json : visibleText(drawn, LONGEST);
}

/** Draw a line; null for a line that is shown as it came. */
function drawKnown(json: string): string | null {
  const read = attemptNow(() => JSON.parse(json) as Line);
  if (!read.ok) return null;
  const line = read.value;
  switch (line.event) {
    case "request_refused":
      return `✗ ${line["status"]} ${line["code"]} ${line["route"]}`;
    case "job_attempt":
      return `${line["end"] === "succeeded" ? "✓" : "✗"} job ${line.tool} ${line["end"]}${line["code"] === undefined ? "" : ` ${line["code"]}`}, attempt ${line["attempt"]} of ${line["max_attempts"]}, ${line["duration_ms"]} ms`;
    case "tool_log": {
      const fields = line["fields"] === undefined ? "" : ` ${JSON.stringify(line["fields"])}`;
      return `· ${line.tool}: ${typeof line.message === "string" ? line.message : JSON.stringify(line.message)}${fields}`;
    }
    case "tool_failed":
      // Its stack follows, with the same words and the lines of the sources.
      return `✗ ${line.tool} threw`;
    default:
      return null;
  }
}

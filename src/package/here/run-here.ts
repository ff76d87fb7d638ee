import type { Tool } from "../../core/catalog/define-tool.ts";
import type { Clock } from "../../core/kit/clock.ts";
import type { ClientOptions, KeyedOptions } from "../client/transport.ts";
import type { BatchRequest, Envelope } from "../client/wire-types.ts";
import type { TellLog } from "./local-call.ts";
import type { Part } from "./remote-parts.ts";

export interface HereOptions extends ClientOptions {
  /** The tools of this process: those of `defineTool()`, and of `volley/from`. One goes before a tool of its name at `url`. */
  readonly tools: readonly Tool[];
  /** Hears of their lines of the log, and of the error of one that breaks; the console unless given. */
  readonly log?: TellLog;
}

/** The answer to a batch of which parts were sent to `url`: the id of each such part, by which its run is found there. */
export type HereEnvelope = Envelope & { readonly parts: readonly Part[] };

/** Runs a batch, and answers as Volley does. */
export type RunBatch = (batch: BatchRequest, options?: KeyedOptions) => Promise<HereEnvelope>;

export interface HerePorts {
  readonly clock: Clock;
  readonly newId: () => string;
}

const PORTS: HerePorts = {
  clock: {
    now: () => Date.now(),
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  },
  newId: () => crypto.randomUUID(),
};

/**
 * Make the function that runs batches whose actions call tools of this process and tools of a Volley at `url`, in one order. It plans here, by the
 * planner of Volley itself: references lead both ways, and loops, `select`, domains and caps of the tools here hold. Actions for `url` that are
 * ready at one moment go there as one batch, with values in the place of references.
 *
 * - Each part is a run and a unit of the quota there. Nothing is asked beforehand: a fault of an action for `url` is known when it is its turn, also
 *   under `fail-fast`. Writes for `url` that are in different parts have the order that references and `depends_on` give them.
 * - A part whose connection breaks is sent again under a key of its own, which does nothing twice; without an answer its actions are `unknown`. A
 *   tool of this process is called once. With `idempotencyKey` a repeat of the batch repeats nothing at `url`; a tool here finds the key in `ctx`.
 * - An action that waits for a yes at `url` says so with its link, and its dependents are skipped.
 * - A batch rejects with a `VolleyError` if it is not well formed, and with the reason of a signal that was aborted before it. Aborted later, it
 *   begins nothing more, and its results say what was sent.
 * - Actions go by the names of the contract. A handle of an earlier result is refused in its place, because only `url` keeps these.
 *
 * For Node 22 and browsers of 2025.
 *
 * @example
 * const run = runHere({ url: "https://volley.example.com", key, tools: fromAiSdk({ findInvoice }) });
 * const { results } = await run({
 *   actions: [
 *     { id: "invoice", tool: "findInvoice", args: { customer: "Ada" } },
 *     { tool: "send_email", args: { to: [{ $ref: "invoice#/email" }], subject: "Your invoice", body: { $template: "You owe {{invoice#/total}}." } } },
 *   ],
 * });
 */
export function runHere(
  { tools, log = (level, ...said) => console[level](...said), ...client }: HereOptions,
  ports: HerePorts = PORTS,
): RunBatch {
  const here = checkTools(tools);
  let runner: Promise<RunBatch> | undefined;
  return async (batch, given) => {
    // A program that only asks a Volley has no use for a planner.
    runner ??= import("./create-runner.ts").then(({ createRunner }) =>
      createRunner({ here, log, ...client, ...ports }),
    );
    return (await runner)(batch, given);
  };
}

/** Refuse a tool that needs more than a process has, where the program starts. */
function checkTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const here = new Map<string, Tool>();
  for (const tool of tools) {
    const { name, hosts, secrets, bindings, accounts, execution, orchestration } = tool;
    const needs = [
      hosts.length > 0 && "hosts",
      secrets.length > 0 && "secrets",
      bindings.length > 0 && "bindings",
      accounts !== undefined && "a connection",
      execution !== "sync" && "jobs",
      orchestration.rate_limit !== undefined && "a rate limit",
    ].filter((need) => need !== false);
    if (here.has(name)) throw new Error(`Cannot run here: two tools are named '${name}'`);
    if (needs.length > 0)
      throw new Error(
        `Cannot run '${name}' here: it declares ${needs.join(", ")}, which a Worker gives and a process does not`,
      );
    here.set(name, tool);
  }
  return here;
}

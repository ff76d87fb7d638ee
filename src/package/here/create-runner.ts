import * as z from "zod/mini";

import { failUnsent } from "../../core/answer/failed-outcome.ts";
import { toEnvelopeJson, toResultJson } from "../../core/answer/envelope.ts";
import { Selections } from "../../core/answer/select-fields.ts";
import { defineTool, type Tool } from "../../core/catalog/define-tool.ts";
import { type Batch, parsePlainBatch } from "../../core/contract/batch.ts";
import { makeFailure } from "../../core/contract/failure.ts";
import { parseIdempotencyKey } from "../../core/contract/idempotency-key.ts";
import { isJsonObject } from "../../core/contract/json.ts";
import { toHint } from "../../core/contract/issues.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import { err } from "../../core/kit/result.ts";
import { layPlan, type PlanCatalog } from "../../core/plan/make-plan.ts";
import type { Call, Plan } from "../../core/plan/step.ts";
import { runLoop } from "../../core/run/run-loop.ts";
import { runPlan } from "../../core/run/run-plan.ts";
import type { StartStep } from "../../core/run/start-step.ts";
import type { Ticket } from "../../core/run/ticket.ts";
import { ToolCaps } from "../../core/run/tool-caps.ts";
import { Turn } from "../../core/run/turn.ts";
import { type ClientOptions, createTransport, VolleyError } from "../client/transport.ts";
import type { BatchRequest } from "../client/wire-types.ts";
import { callHere, type Here, type TellLog } from "./local-call.ts";
import { RemoteParts } from "./remote-parts.ts";
import type { HereEnvelope, HerePorts, RunBatch } from "./run-here.ts";

/** Fields of a batch that go with each of its parts. */
const PASSED = ["subject", "connections", "on_connection", "return_to"];
/** Fields that only a Volley which has the whole batch can keep. */
const WHOLE = ["background", "undo", "dry_run", "plan_receipt", "max_tokens"];

interface RunnerOptions extends ClientOptions, HerePorts {
  /** The tools here, by their names. */
  readonly here: ReadonlyMap<string, Tool>;
  readonly log: TellLog;
}

/** Create the function that runs batches of these tools and those at `url`. */
export function createRunner({ here, log, clock, newId, ...options }: RunnerOptions): RunBatch {
  const transport = createTransport(options);
  let strangers = 0;
  /** Each action for `url` has a domain of its own: their order is decided there. */
  const find = (name: string): Tool =>
    here.get(name) ?? { ...ELSEWHERE, name, domain: `url ${(strangers += 1)}` };
  const catalog: PlanCatalog = {
    get: find,
    callable: find,
    resolve: (entries) => entries,
    sayUnknown: () => "",
    hidden: new Set(),
    version: 0,
    asks: () => false,
    mayChange: () => false,
  };

  return async (sent, { idempotencyKey, signal } = {}) => {
    signal?.throwIfAborted();
    const key = idempotencyKey === undefined ? undefined : readKey(idempotencyKey);
    const { batch, fields } = readBatch(sent, here);
    const planned = layPlan(batch, catalog);
    if (!planned.ok) throw refuse(planned.error.hint);
    const plan = planned.value;
    const batchId = newId();
    const startedAt = clock.now();
    const parallelism = { active: 0, max: 0 };
    const scope: Here = {
      clock,
      startedAt,
      request: parallelism,
      runId: batchId,
      subject: fields.subject ?? options.subject,
      log,
      count(more) {
        parallelism.active += more;
        parallelism.max = Math.max(parallelism.max, parallelism.active);
      },
    };
    const endsAt = startedAt + plan.deadlineMs;
    const parts = new RemoteParts({ ...scope, transport, signal, endsAt, key, newId, fields });
    const start = createStarter(plan, { scope, parts, here, key: key ?? batchId });
    const { outcomes } = await runPlan(plan, start, {
      clock,
      signal: signal ?? null,
      park: () => Promise.reject(new Error("Cannot park here")),
      recalling: Promise.resolve(new Map(plan.handles.map((handle) => [handle, { refused: NO_HANDLES }]))),
      onOutcome: () => {},
    });
    const json = toEnvelopeJson(plan, outcomes, {
      batchId,
      durationMs: clock.now() - startedAt,
      maxParallelism: parallelism.max,
      members: `,"parts":${JSON.stringify(parts.sent)}`,
      toResult: (step, outcome) => parts.results.get(outcome) ?? toResultJson(step, outcome),
    });
    return JSON.parse(json) as HereEnvelope;
  };
}

const NO_HANDLES = makeFailure("BAD_REFERENCE", {
  hint: "It refers to a result by its handle, and only 'url' keeps these: put the value itself here.",
});

const ELSEWHERE = defineTool({
  name: "elsewhere",
  description: "It runs at url.",
  // Digits stay as they are.
  input: Object.assign(z.unknown(), { takesExact: true as const }),
  timeoutMs: LIMITS.maxDeadlineMs,
  run: () => Promise.reject(new Error("Cannot run it here")),
});

/** Create what starts the steps of a plan: a call here under its tool's cap, a loop of such calls, or an action of the next part. */
function createStarter(
  plan: Plan,
  {
    scope,
    parts,
    here,
    key,
  }: {
    readonly scope: Here;
    readonly parts: RemoteParts;
    readonly here: ReadonlyMap<string, Tool>;
    readonly key: string;
  },
): StartStep {
  const { clock, startedAt } = scope;
  const caps = new ToolCaps(clock, new Turn());
  const selections = new Selections({ room: Number.POSITIVE_INFINITY, refuse: (outcome) => outcome });
  return (ticket, step, prepare) => {
    if (!step.task.ok) return;
    const task = step.task.value;
    const prepared = prepare(task);
    if (!prepared.ok) return ticket.end(failUnsent(prepared.error));
    const { tool, select } = task;
    if (!here.has(tool.name)) {
      const isNeeded = plan.steps.some(({ needs }) => needs.includes(step.index));
      return parts.add(ticket, step, { task, prepared: prepared.value, isNeeded });
    }
    const begin = (own: Ticket, call: Call, element?: number): void => {
      if (select !== null) own.shape((outcome) => selections.show(outcome, select, tool.isWrite));
      const position = step.index + (element ?? 0) / (LIMITS.loopElements + 1);
      const ownKey = step.keyed?.key ?? `${key}:${step.id}`;
      const idempotencyKey = element === undefined ? ownKey : `${ownKey}:${element}`;
      caps.enqueue(own, { tool, remaining: step.remaining, position }, () =>
        callHere(own, call, { ...scope, idempotencyKey }),
      );
    };
    if (prepared.value.kind === "call") return begin(ticket, prepared.value.call);
    runLoop(ticket, prepared.value.calls, {
      clock,
      batchStartedAt: startedAt,
      inOrder: tool.isWrite,
      failFast: tool.onError === "fail-fast",
      repeatable: tool.idempotent,
      begin,
    });
  };
}

/** Read a batch, and the fields that go with each of its parts. */
function readBatch(
  sent: BatchRequest,
  here: ReadonlyMap<string, Tool>,
): { readonly batch: Batch; readonly fields: Omit<BatchRequest, "actions"> } {
  if (!isJsonObject(sent)) throw refuse("A batch is an object with actions.");
  const { actions: _, deadline_ms: __, progress: ___, ...fields } = sent;
  const asked = Object.entries(fields).filter(([, value]) => (value ?? false) !== false);
  const whole =
    fields["on_error"] === "undo" ? "on_error" : asked.find(([name]) => WHOLE.includes(name))?.[0];
  if (whole !== undefined)
    throw refuse(`'${whole}' works only where one Volley runs the whole batch; leave it out.`);
  const own = Object.entries(sent).filter(([name]) => ![...PASSED, ...WHOLE].includes(name));
  const parsed = parsePlainBatch(Object.fromEntries(own), {
    bodyBytes: Number.POSITIVE_INFINITY,
    taken: PASSED,
  });
  if (!parsed.ok) throw refuse(parsed.error.hint);
  const entries = parsed.value.entries.map((entry) =>
    here.get(entry.tool ?? "")?.confirm === true ? { ...entry, action: ASKS } : entry,
  );
  return { batch: { ...parsed.value, entries }, fields: Object.fromEntries(asked) };
}

const ASKS = err(
  makeFailure("MISCONFIGURED", {
    hint: "It needs a person's approval, for which a process cannot ask; nothing was sent. Move its tool to the Worker.",
  }),
);

/** Ids follow the key, and an element's place. */
const KEY_CHARACTERS = LIMITS.idempotencyKeyCharacters - 70;

function readKey(sent: string): string {
  const key = parseIdempotencyKey(sent, "idempotencyKey");
  if (!key.ok) throw refuse(toHint([key.error]));
  if (key.value.length > KEY_CHARACTERS)
    throw refuse(
      `The idempotency key may have ${KEY_CHARACTERS} characters here: each action's id is put behind it.`,
    );
  return key.value;
}

function refuse(hint: string): VolleyError {
  return new VolleyError("INVALID_BATCH", hint, { arrived: false });
}

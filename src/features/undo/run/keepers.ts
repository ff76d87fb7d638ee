import * as z from "zod/mini";

import type { DeclaredKeepers } from "../../../cloudflare/declared.ts";
import type { Catalog, Tool } from "../../../feature/tool.ts";
import { failureSchema } from "../../../core/contract/failure.ts";
import { explainMisfit } from "../../../core/contract/issues.ts";
import type { KeptAs } from "../../../core/contract/batch.ts";
import { isJsonObject, lazySchema, nearest, strictSchema } from "../../../feature/schema.ts";
import { pendingSchema, trySchema } from "../../../core/contract/outcome.ts";
import { err, makeRefusal, ok, type Refusal } from "../../../feature/refuse.ts";
import type { Execution, Keeper, KeptLater, KeptRun } from "../../../core/gate/execution.ts";
import type { Plan } from "../../../core/plan/step.ts";
import { wayBackOf } from "../resolve-reversal.ts";
import { type NoWayBack, type Seal, UNDO, UNDONE_STATUSES } from "../undo-run.ts";
import { answerDecision } from "./follow-undo.ts";
import { KeptWrites, namesElements } from "./keep-writes.ts";

/** Refuse a batch with a write that cannot be taken back. */
function refuseIrreversible({ steps }: Plan, { catalog }: Pick<Execution, "catalog">): Refusal | null {
  for (const { id, index, toolName, task } of steps) {
    const flaw = task.ok ? findIrreversible(task.value.tool, catalog) : null;
    if (flaw === null) continue;
    const hint = `'${id}' calls '${toolName}', and '${flaw.tool}' ${flaw.why}. Leave it out. Who sends the batch may also choose on_error "fail-fast", or "undo": "what-can" to take back what can be.`;
    const expected = "a write whose contract has 'compensate'";
    const issue = { path: `/actions/${index}`, expected, received: `'${toolName}'` };
    return makeRefusal("INVALID_BATCH", hint, { issue });
  }
  return null;
}

/** Find a tool that writes what cannot be taken back; a flow is what its actions are. */
function findIrreversible(tool: Tool, catalog: Catalog): (NoWayBack & { readonly tool: string }) | null {
  const { name, isWrite, inner } = tool;
  if (!isWrite) return null;
  if (inner === undefined) {
    const way = wayBackOf(tool, catalog);
    return way.why === undefined ? null : { ...way, tool: name };
  }
  for (const { action } of inner.batch.entries) {
    const called = action.ok ? catalog.callable(action.value.tool) : undefined;
    const flaw = called === undefined ? GONE : findIrreversible(called, catalog);
    if (flaw !== null) return { tool: name, ...flaw };
  }
  return null;
}

const GONE: NoWayBack = { why: "calls a tool that does not exist" };

const MODES = ["partial-success", "fail-fast", UNDO] as const;

const modeSchema = lazySchema(() =>
  z
    ._default(z.enum(MODES), "partial-success")
    .check(z.describe("undo: where an action fails, the writes that succeeded are taken back")),
);

function withUndo(schema: z.ZodMiniObject): z.ZodMiniObject {
  return z.strictObject({
    ...schema.shape,
    on_error: modeSchema(),
    undo: z
      .optional(z.literal(WHAT_CAN))
      .check(z.describe('Beside "on_error": "undo": writes without a way back stay')),
  });
}

const placeFields = () => ({
  id: z.string().check(z.describe("Of the action")),
  round: z.optional(z.int()).check(z.describe("Of a run with rounds")),
  action: z.optional(z.string()).check(z.describe("Of a flow: its own action")),
  element: z.optional(z.int()).check(z.describe("Of a loop")),
  tool: z.string().check(z.describe("It takes the write back; the write's own where none does")),
});

/** A write, and what became of it. */
export const undoneSchema = strictSchema("UndoneWrite", () => ({
  ...placeFields(),
  status: z.enum(UNDONE_STATUSES),
  data: z.optional(z.unknown()),
  error: z.optional(failureSchema()),
  confirmation: z.optional(pendingSchema()),
}));

/** A write, and what would be sent to take it back. */
export const plannedSchema = strictSchema(() => ({
  ...placeFields(),
  args: z.optional(z.record(z.string(), z.unknown())),
  asks: z.boolean().check(z.describe("A person is asked first")),
}));

/** The fields of answers that tell of it. */
export const ANSWERS = () => {
  const withUndone = (schema: z.ZodMiniType, about: string): z.ZodMiniObject =>
    z.object({ undone: z.optional(schema).check(z.describe(about)) });
  const answer = withUndone(
    z.array(undoneSchema()),
    "The writes that are taken back, in that order; as events also `event: undone` for each",
  );
  const action = withUndone(
    z.union([z.boolean(), z.literal("unknown")]),
    "Whether all that the action did is taken back",
  );
  const shown = z.strictObject({
    ...undoneSchema().shape,
    started_ms: z.optional(z.number()).check(z.describe("Counted from the run's start")),
    duration_ms: z.optional(z.number()),
    tries: z.optional(z.array(trySchema())),
    job_id: z.optional(z.string()),
  });
  return {
    Envelope: answer,
    FlowAnswer: answer,
    RerunAnswer: answer,
    ResultMeta: action,
    RunAction: action,
    Run: withUndone(
      z.array(shown),
      "What became of its writes since, in the order in which they were taken back",
    ),
    DecidedBy: z.object({ via: z.enum(["key", "link", "approver", UNDO]) }),
  };
};

/** Batches that ask to have their writes taken back. */
export const KEEPERS: Omit<DeclaredKeepers, "open"> = {
  fields: ["undo"],
  // A body that says no such rule, as a run of a flow, has no such fields.
  extend: (schema) => ("on_error" in schema.shape ? withUndo(schema) : schema),
  read(sent) {
    if (!isJsonObject(sent)) return ok({ rest: sent });
    const { undo: asked, ...rest } = sent;
    // Core would name its own modes only.
    const mode = modeSchema().safeParse(sent["on_error"] ?? undefined);
    if (!mode.success) {
      const { issues, hint } = explainMisfit(mode.error, sent["on_error"], { known: [], base: ["on_error"] });
      // A body may stand in a field of another.
      const meant = nearest(String(sent["on_error"]), MODES, 1).map((near) => ` Did you mean '${near}'?`);
      const said = [hint.replace("/on_error", '"on_error"'), ...meant].join("");
      return err(makeRefusal("INVALID_BATCH", said, { issue: issues[0] }));
    }
    const isAsked = mode.data === UNDO;
    const undo = asked ?? undefined;
    if (undo !== undefined && (undo !== WHAT_CAN || !isAsked)) {
      const received = JSON.stringify(undo).slice(0, 80);
      const issue = { path: "/undo", expected: `"${WHAT_CAN}", beside "on_error": "undo"`, received };
      const hint = `"undo" is "${WHAT_CAN}", and only beside "on_error": "undo": then writes without a way back stay.`;
      return err(makeRefusal("INVALID_BATCH", hint, { issue }));
    }
    if (!isAsked) return ok({ rest });
    const keptAs = { on_error: "undo", ...(undo !== undefined && { undo }) };
    return ok({ rest: { ...rest, on_error: "fail-fast" }, keptAs });
  },
};

/** The fields by which a batch asked for it, or those of a part that runs later. */
interface Asked extends Partial<KeptLater> {
  readonly undo?: string;
}

/** Make the keeper of a batch. */
export function createKeeper(keptAs: Asked, seal: Seal): Keeper {
  const { undo, run, unseen } = keptAs;
  if (run !== undefined && unseen === true) return answerDecision(run);
  const open = (around: KeptRun): KeptWrites => {
    // A run of a tool that is a job has the id of the job.
    const { tool, runId = around.batchId } = around.execution.within?.runOf ?? {};
    const batchId = run ?? (tool === undefined ? around.batchId : runId);
    return new KeptWrites({ ...around, batchId }, seal, run !== undefined);
  };
  let whole: KeptWrites | undefined;
  return {
    take(plan, execution) {
      const isLooked = undo === WHAT_CAN || run !== undefined;
      const refusal = isLooked ? null : refuseIrreversible(plan, execution);
      // A job of an unfinished action would go on after the batch was undone.
      const own = run === undefined && { keptAs: keptAs as KeptAs };
      return refusal === null ? ok({ ...plan, demotes: false, ...own }) : err(refusal);
    },
    open(plan, around) {
      if (whole !== undefined && namesElements(plan)) return whole.keepElements(plan, around);
      whole = open(around);
      return whole.start(plan);
    },
    facts(plan, around) {
      if (whole !== undefined && namesElements(plan)) return whole.keepElements(plan).facts;
      return open({ ...around, endsAt: 0 }).keep(plan).facts;
    },
  };
}

const WHAT_CAN = "what-can";

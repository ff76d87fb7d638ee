import type { Catalog } from "../../feature/tool.ts";
import { parseCall } from "../../core/catalog/parse-args.ts";
import { makeFailure } from "../../core/contract/failure.ts";
import { err, type Failure, ok, type Result } from "../../feature/refuse.ts";
import * as LIMITS from "../../core/contract/limits.ts";
import type { OrchestrationCall, Partition } from "./calls.ts";
import { visibleText } from "../../feature/schema.ts";
import { findHazards } from "../../core/plan/hazards.ts";
import { remainingPaths } from "../../core/plan/remaining-paths.ts";
import type { Edge, Plan, Step, Task } from "../../core/plan/step.ts";

/** Everything is in one domain: the caller has said nothing about what could touch what. */
const DOMAIN = "all";

/**
 * Plan the calls of a partition: the hazards of a single domain, with what the caller was told is mutating as its writes.
 *
 * Unlike in a batch, a write that failed stops everything after it, so each call after a write needs it to have succeeded. A read
 * that failed stops no call.
 */
export function makeSerialPlan({ batches }: Partition, catalog: Catalog): Plan {
  const calls = batches.flatMap(({ tools }) => tools);
  const writes = calls.map((call) => call.class === "mutating");
  const effects = writes.map((isWrite) => ({ domain: DOMAIN, isWrite }));
  const hazards = findHazards(
    effects,
    calls.map(() => []),
  );
  const remaining = remainingPaths(hazards);
  const steps = calls.map(({ call }, index): Step => {
    const before = hazards[index]!;
    return {
      index,
      id: call.entry.id,
      toolName: call.toolName,
      needs: before.filter((earlier) => writes[earlier]),
      after: before.filter((earlier) => !writes[earlier]),
      edges: before.map((from): Edge => ({ from, reason: `hazard: ${DOMAIN}` })),
      parking: null,
      remaining: remaining[index]!,
      task: makeTask(call, catalog),
    };
  });
  return {
    steps,
    onError: "partial-success",
    deadlineMs: LIMITS.maxDeadlineMs,
    // This API has no word for a job that began as a call, and its caller could not ask for the job's data.
    demotes: false,
    maxTokens: null,
    handles: [],
    sharesReads: false,
    ...(calls.some(
      ({ call: { entry } }) => entry.action.ok && catalog.mayChange(entry.action.value.tool),
    ) && {
      toolsVersion: catalog.version,
    }),
  };
}

/** This API has no references: what looks like one is data. */
function makeTask({ entry }: OrchestrationCall, catalog: Catalog): Result<Task, Failure> {
  if (!entry.action.ok) return entry.action;
  const { tool: name, args: input } = entry.action.value;
  const tool = catalog.get(name);
  if (tool === undefined) {
    return err(makeFailure("UNKNOWN_TOOL", { hint: `No tool is named '${visibleText(name)}' here.` }));
  }
  const parsed = parseCall(tool, input);
  if (catalog.asks(tool, parsed.ok ? parsed.value : null) === true) {
    const hint = `'${tool.name}' runs only after a person's yes, which this API cannot ask for; nothing was sent. POST /v1/execute_actions can.`;
    return err(makeFailure("CONFIRMATION_INVALID", { hint }));
  }
  if (!parsed.ok) return parsed;
  const { timeoutMs } = tool;
  const call = { tool, ...parsed.value, timeoutMs };
  return ok({ tool, timeoutMs, input, call, forEach: undefined, select: null });
}

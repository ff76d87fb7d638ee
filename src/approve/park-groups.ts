import { attempt } from "../kit/result.ts";
import type { Tool } from "../catalog/define-tool.ts";
import type { Caller } from "../contract/gate/caller.ts";
import {
  type ParkedGroup,
  GROUP_FORMAT,
  type ParkAnswer,
  type ParkedAction,
  type ParkedArgs,
} from "../contract/gate/confirmation.ts";
import { type Failure, makeFailure } from "../contract/failure.ts";
import { utf8Length } from "../contract/json.ts";
import { LIMITS } from "../contract/limits.ts";
import { type Outcome, toConfirmationUrl } from "../contract/outcome.ts";
import { ITEM } from "../contract/reference.ts";
import { pickPointers } from "../kit/json/pick-pointers.ts";
import { hashArgs, hashDeclaration } from "./confirmation-digests.ts";
import { findGroups } from "./parked-groups.ts";
import { type DataOf, findReferences } from "../plan/references.ts";
import type { Plan } from "../plan/step.ts";
import { describeParkedGroup } from "./describe-group.ts";
import { failParkedGroup } from "./fail-group.ts";
import type { Park, ParkedStep } from "./parked-step.ts";
import type { Gate } from "../contract/gate/tenant-gate-methods.ts";
import type { Ports } from "../egress/ports.ts";

export interface GroupParkingOptions {
  readonly caller: Caller;
  readonly ports: Ports;
  readonly gate: Gate;
  /** The address that the request was sent to; undefined where there was none. */
  readonly requestUrl: string | undefined;
}

/** One question to a person, on its way to the gate. */
interface Draft {
  readonly id: string;
  readonly steps: readonly ParkedStep[];
  readonly group: ParkedGroup;
  readonly groupJson: string;
}

/**
 * Create what records a batch's parked steps as groups, all of them in one call: each under an id of its own, or not at
 * all. A group that could not be recorded fails at its gated actions, and what waits for those is skipped like after any
 * failure: nothing of it happened.
 */
export function createGroupParking(plan: Plan, options: GroupParkingOptions): Park {
  return async (parked, dataOf) => {
    const byIndex = new Map(parked.map((one) => [one.step.index, one]));
    const needs = plan.steps.map((step) => step.needs);
    const groups = findGroups([...byIndex.keys()], needs);
    const drafts = await Promise.all(
      groups.map((group) =>
        draft(
          group.map((index) => byIndex.get(index)!),
          plan,
          dataOf,
          options,
        ),
      ),
    );
    const small = drafts.filter(({ groupJson }) => isSmall(groupJson));
    const answer = await record(small, options.gate);
    const origin = options.requestUrl === undefined ? undefined : new URL(options.requestUrl).origin;
    return new Map(
      drafts.flatMap((one) => {
        const recorded = answer?.find(({ id }) => id === one.id);
        return recorded === undefined
          ? toFailures(one, isSmall(one.groupJson) ? (answer === null ? UNREACHABLE : FULL) : TOO_LARGE)
          : toPending(one, {
              expiresAt: recorded.expiresAt,
              url: toConfirmationUrl(one.id, origin),
              skipDenied: plan.skipDenied === true,
            });
      }),
    );
  };
}

/** Null when nothing is recorded for certain. */
async function record(drafts: readonly Draft[], gate: Gate): Promise<ParkAnswer | null> {
  if (drafts.length === 0) return [];
  const asked = await attempt(() => gate.park(drafts.map(({ id, groupJson }) => ({ id, groupJson }))));
  return asked.ok ? asked.value : null;
}

async function draft(
  steps: readonly ParkedStep[],
  { onError, deadlineMs, maxTokens }: Plan,
  dataOf: DataOf,
  { caller, ports }: GroupParkingOptions,
): Promise<Draft> {
  const position = new Map(steps.map(({ step }, at) => [step.index, at]));
  const actions = steps.map(({ step, task, prepared }): ParkedAction => ({
    id: step.id,
    tool: task.tool.name,
    gated: step.parking === "gated",
    needs: step.needs.flatMap((needed) => position.get(needed) ?? []),
    args: toParkedArgs({ step, task, prepared }),
    timeoutMs: task.timeoutMs,
    select: task.select,
    ...(task.callback !== undefined && { callback: task.callback }),
    ...(task.runAt !== undefined && { runAt: task.runAt }),
  }));
  const tools = new Map(steps.map(({ task: { tool } }) => [tool.name, tool]));
  const group: ParkedGroup = {
    format: GROUP_FORMAT,
    actions,
    results: pickResults(actions, dataOf),
    onError,
    deadlineMs,
    maxTokens,
    requestedBy: caller.name,
    argsHash: await hashArgs(actions, ports.sha256),
    declarations: await Promise.all([...tools.values()].map((tool) => declare(tool, ports))),
  };
  return { id: ports.newId(), steps, group, groupJson: JSON.stringify(group) };
}

async function declare(tool: Tool, { sha256 }: Ports): Promise<readonly [string, string]> {
  return [tool.name, await hashDeclaration(tool, sha256)];
}

function toParkedArgs({ task, prepared }: ParkedStep): ParkedArgs {
  // What refers to nothing is known, whatever it waits for.
  if (prepared === null && task.call !== null) return { kind: "call", input: task.call.input };
  if (prepared === null) return { kind: "waiting", input: task.input, forEach: task.forEach };
  if (prepared.kind === "call") return { kind: "call", input: prepared.call.input };
  const elements = prepared.calls.map((call) =>
    call.ok ? { input: call.value.input } : { error: call.error },
  );
  return { kind: "loop", elements };
}

/** What the waiting actions refer to outside the group, by id; only the parts that they refer to. */
function pickResults(actions: readonly ParkedAction[], dataOf: DataOf): [string, unknown][] {
  const inside = new Set([ITEM, ...actions.map(({ id }) => id)]);
  const references = actions.flatMap(({ args }) => {
    if (args.kind !== "waiting") return [];
    const found = findReferences([args.input, args.forEach], []);
    return found.ok ? found.value.filter(({ id }) => !inside.has(id)) : [];
  });
  return [...Map.groupBy(references, ({ id }) => id)].flatMap(([id, wanted]): [string, unknown][] => {
    const source = dataOf(id);
    const pointers = wanted.map(({ tokens }) => tokens);
    return source === undefined || "refused" in source ? [] : [[id, pickPointers(source.data, pointers)]];
  });
}

/** A UTF-16 unit is one byte at least: what is surely too large is not encoded to be measured. */
function isSmall(json: string): boolean {
  const { confirmationBytes } = LIMITS;
  return json.length <= confirmationBytes && utf8Length(json) <= confirmationBytes;
}

function toPending(
  { id, steps, group }: Draft,
  {
    expiresAt,
    url,
    skipDenied,
  }: { readonly expiresAt: number; readonly url: string; readonly skipDenied: boolean },
): [number, Outcome][] {
  const messages = describeParkedGroup(group, { skipDenied });
  return steps.map(({ step }, at) => {
    const confirmation = { id, expiresAt, message: messages[at]!, url };
    return [step.index, { status: "pending_confirmation", confirmation, meta: {} }];
  });
}

function toFailures({ steps, group }: Draft, failure: Failure): [number, Outcome][] {
  return failParkedGroup(group.actions, failure).map((outcome, at) => [steps[at]!.step.index, outcome]);
}

const UNREACHABLE = makeFailure("OVERLOADED", {
  hint: "The question to a person could not be recorded; nothing was sent. Send this action again.",
});

const FULL = makeFailure("OVERLOADED", {
  hint: `${LIMITS.confirmationsPending} confirmations, or as many as there is room for, wait for a person already; nothing was sent. Have some of them decided first.`,
});

const TOO_LARGE = makeFailure("CONFIRMATION_INVALID", {
  hint: `An action that needs a person's yes, with what waits for it and what that refers to, may take ${LIMITS.confirmationBytes} bytes as JSON; nothing was sent. Refer to less of it, or send it in smaller batches.`,
});

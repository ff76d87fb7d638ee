import { fromStoredOutcome, toStoredOutcome } from "../../../core/answer/stored-outcome.ts";
import {
  type BegunFlow,
  declareTools,
  pickResults,
  toParkedActions,
} from "../../confirmations/parked-actions.ts";
import type { Park, ParkedStep } from "../../../core/plan/parked-step.ts";
import { givenOf } from "../declaration/flow-schema.ts";
import { findReferences, type JsonObject } from "../../../feature/schema.ts";
import type { Outcome } from "../../../feature/tool.ts";
import type { Ports } from "../../../feature/outside.ts";
import type { ByteBudget } from "../../../core/egress/byte-budget.ts";
import { pickPointers } from "../../../core/kit/json/json-pointer.ts";
import type { DataOf } from "../../../core/plan/references.ts";
import type { Plan, Step } from "../../../core/plan/step.ts";
import type { Ran } from "./first-cause.ts";

/** The actions of a flow, and what its answer may refer to besides them. */
export interface FlowSteps extends Pick<Plan, "given"> {
  readonly steps: readonly Pick<Step, "id">[];
}

/**
 * The questions that a flow asks while it runs as an action of a batch. Its questions are recorded with that action, which goes
 * on with the rest of the flow after a person's approval: an answer of its own would be too late for the flow's caller.
 */
export class FlowQuestions {
  #parked: readonly ParkedStep[] = [];
  #dataOf: DataOf = () => undefined;

  get areAsked(): boolean {
    return this.#parked.length > 0;
  }

  /** Take what waits for a person, as parking does. */
  readonly take: Park = (parked, dataOf) => {
    this.#parked = parked;
    this.#dataOf = dataOf;
    return Promise.resolve(new Map(parked.map(({ step }) => [step.index, WAITING])));
  };

  /**
   * Say what is left of a flow that has run as far as it could.
   *
   * @param before what had been left of it when it ran now; null where it ran from its beginning
   */
  async leave(ran: Ran, before: BegunFlow | null, ports: Pick<Ports, "sha256">): Promise<BegunFlow> {
    const { plan, outcomes, answer } = ran;
    const isParked = new Set(this.#parked.map(({ step }) => step.index));
    const ended = plan.steps.filter(({ index }) => !isParked.has(index));
    const actions = toParkedActions(this.#parked);
    return {
      kind: "flow",
      actions,
      results: pickResults(actions, this.#dataOf),
      onError: plan.onError,
      declarations: await declareTools(this.#parked, ports),
      over: [
        ...(before?.over ?? []),
        ...ended.map(({ id, index }) => [id, keep(outcomes[index]!, id, answer)] as const),
      ],
      written: writtenIn(ran, before),
    };
  }
}

/** List the writes of a flow that took effect, of a loop also where only some of its elements did. */
export function writtenIn(
  { plan, outcomes }: Pick<Ran, "plan" | "outcomes">,
  before: BegunFlow | null,
): readonly string[] {
  const now = plan.steps.filter(
    ({ task, index }) => task.ok && task.value.tool.isWrite && hasEffect(outcomes[index]!),
  );
  return [...(before?.written ?? []), ...now.map(({ id }) => id)];
}

function hasEffect({ status, meta }: Outcome): boolean {
  return status === "success" || status === "initiated" || (meta.items?.ok ?? 0) > 0;
}

/** Its place is taken by the question of the action that the flow is. */
const WAITING: Outcome = {
  status: "pending_confirmation",
  confirmation: { id: "", expiresAt: 0, message: "", url: "" },
  meta: {},
};

/** Keep of an outcome what the flow's end depends on: how it ended, and of its data what the answer refers to. */
function keep(outcome: Outcome, id: string, answer: unknown): string {
  // A skipped action fails the flow like a failed one.
  if (outcome.status === "skipped")
    return toStoredOutcome({ status: "error", error: outcome.error, meta: {} });
  if (outcome.status !== "success") return toStoredOutcome(outcome);
  const found = findReferences(answer, []);
  const wanted = found.ok ? found.value.filter((reference) => reference.id === id) : [];
  const pointers = wanted.map(({ tokens }) => tokens);
  const data = pointers.length === 0 ? null : pickPointers(outcome.data, pointers);
  return toStoredOutcome({ status: "success", data, json: JSON.stringify(data), meta: {} });
}

/** Put what a flow did before it asked beside what it did after the yes: its answer is made of both. */
export function joinBegun(
  { plan, outcomes }: Pick<Ran, "plan" | "outcomes">,
  { over }: BegunFlow,
  { input, budget }: { readonly input: JsonObject; readonly budget: ByteBudget },
): { readonly plan: FlowSteps; readonly outcomes: readonly Outcome[] } {
  const steps = [...over.map(([id]) => ({ id })), ...plan.steps];
  return {
    plan: { steps, given: givenOf(steps, { input, hook: null }) },
    outcomes: [...over.map(([, json]) => fromStoredOutcome(json, budget)), ...outcomes],
  };
}

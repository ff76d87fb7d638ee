import type { KeptResult, Shelf } from "../../src/core/contract/gate/kept-result.ts";
import type {
  AdmissionAnswer,
  AdmissionRequest,
  ClaimedAdmission,
  PartClaim,
} from "../../src/core/contract/gate/admission.ts";
import type { ParkedGroup } from "../../src/features/confirmations/parked-group.ts";
import {
  type ClaimRefusal,
  type ConfirmationMethods,
  refuseClaim,
} from "../../src/features/confirmations/confirmation.ts";
import type {
  IdempotencyAnswer,
  IdempotencyClosing,
  IdempotencyRenewal,
  IdempotencyRequest,
} from "../../src/core/contract/gate/idempotency.ts";
import type { FlowMethods, KeptStep } from "../../src/features/flows/flow-run.ts";
import type { AttemptEnd } from "../../src/core/contract/gate/job.ts";
import type { Gate } from "../../src/core/contract/gate/tenant-gate-methods.ts";
import { narrowToClaimed } from "../../src/core/gate/state/narrow-to-claimed.ts";

/** When everything that a fake gate parks expires. */
export const PARKED_UNTIL = Date.UTC(2026, 10, 2, 15, 0);

/** Each may answer later, or never. */
type FakeConfirmations = {
  -readonly [Name in keyof ConfirmationMethods]: (
    ...args: Parameters<ConfirmationMethods[Name]>
  ) => ReturnType<ConfirmationMethods[Name]> | Promise<ReturnType<ConfirmationMethods[Name]>>;
};

/** A gate that admits everything, remembers what it was asked, and answers otherwise where a test says so. */
export class FakeGate implements Gate {
  readonly requests: AdmissionRequest[] = [];
  readonly settled = new Map<string, AttemptEnd>();
  /** Jobs that were ever recorded. */
  readonly recordedIds = new Set<string>();
  readonly closings: IdempotencyClosing[] = [];
  /** Its answer about a request's keys; unless a test says otherwise, all of them are fresh. */
  claim: (asked: IdempotencyRequest) => IdempotencyAnswer = claimAll;
  /** Whose results they are, where that was said. */
  readonly keptTools = new Map<string, string>();
  /** Results it keeps, by handle. */
  readonly kept = new Map<string, string>();
  /** Handles it was asked for. */
  readonly recalled: string[] = [];
  /** Indexes to deny, with their wait. */
  denied: readonly { readonly index: number; readonly retryAfterMs: number }[] = [];
  quotaAllowed = true;
  refuseJobsWith: "BACKLOG_FULL" | "OUTBOX_UNAVAILABLE" | null = null;
  down = false;
  /** Whether one more that it did not answer for is within what it has seen by itself. */
  aloneAllowed = true;
  /** Awaited before each answer; what it does may depend on what was asked. */
  beforeAnswer: (request: AdmissionRequest) => Promise<void> = () => Promise.resolve();

  async admit(request: AdmissionRequest): Promise<AdmissionAnswer> {
    this.requests.push(request);
    await this.beforeAnswer(request);
    if (this.down) throw new Error("The gate is down");
    const quota = request.quota && {
      allowed: this.quotaAllowed,
      remaining: this.quotaAllowed ? request.quota.limit - 1 : 0,
      resetMs: 500,
      retryAfterMs: this.quotaAllowed ? 0 : 1_500,
    };
    const { denied, refuseJobsWith } = this;
    const { idempotency } = request;
    const claimed = idempotency && this.claim(idempotency);
    if (!this.quotaAllowed && quota !== null)
      return { ...(claimed && { idempotency: claimed }), quota, denied: [], recorded: [], refusedJobs: [] };
    const narrowed =
      idempotency && claimed ? narrowToClaimed(request, idempotency, claimed).jobs : request.jobs;
    const jobs =
      request.allOrNothing && denied.length > 0
        ? []
        : narrowed.filter(({ index }) => !denied.some((other) => other.index === index));
    return {
      ...(claimed !== undefined && { idempotency: claimed }),
      quota,
      denied,
      recorded: refuseJobsWith === null ? jobs.map((job) => this.#record(job)) : [],
      refusedJobs: refuseJobsWith === null ? [] : jobs.map(({ index }) => ({ index, code: refuseJobsWith })),
    };
  }

  #record({ index, spec, retaken }: AdmissionRequest["jobs"][number]) {
    const isTheirs = retaken === true && this.recordedIds.has(spec.id);
    this.recordedIds.add(spec.id);
    return { index, fence: isTheirs ? null : 1 };
  }

  /** The renewals of runs that are alive, oldest first. */
  readonly renewals: IdempotencyRenewal[] = [];

  async renew(renewal: IdempotencyRenewal): Promise<boolean> {
    this.renewals.push(renewal);
    if (this.down) throw new Error("The gate is down");
    return true;
  }

  async complete(closing: IdempotencyClosing): Promise<void> {
    this.closings.push(closing);
    if (this.down) throw new Error("The gate is down");
  }

  readonly job = unasked;
  readonly jobs = unasked;
  readonly cancel = unasked;
  readonly redrive = unasked;
  readonly usage = unasked;
  readonly reportOpening = unasked;
  readonly erase = unasked;
  /** Steps of runs, by their jobs, as an object keeps them. */
  readonly #steps = new Map<string, Map<string, string | null>>();
  /** The fence of the attempt that has its run. */
  runFence = 1;

  /** Answer as the object's parts for runs and confirmations do; a batch calls no other part. */
  async call(feature: string, method: string, ...args: readonly unknown[]): Promise<unknown> {
    if (this.down) throw new Error("The gate is down");
    const part = feature === "confirmations" ? this.confirmations : this.#runs;
    return (part as Readonly<Record<string, (...args: readonly unknown[]) => unknown>>)[method]!(...args);
  }

  readonly #runs: Pick<FlowMethods, "runSteps" | "beginStep" | "endStep"> = {
    runSteps: (jobId) => Array.from(this.stepsOf(jobId), ([id, outcomeJson]) => ({ id, outcomeJson })),
    beginStep: (jobId, fence, stepId, ended = []) =>
      this.#runs.endStep(jobId, fence, ...ended, { id: stepId, outcomeJson: null }),
    endStep: (jobId, fence, ...steps: KeptStep[]) => {
      if (fence === this.runFence)
        for (const { id, outcomeJson } of steps) this.stepsOf(jobId).set(id, outcomeJson);
      return fence === this.runFence;
    },
  };

  stepsOf(jobId: string): Map<string, string | null> {
    const known = this.#steps.get(jobId);
    if (known !== undefined) return known;
    const steps = new Map<string, string | null>();
    this.#steps.set(jobId, steps);
    return steps;
  }

  /** Groups it parked, by id. */
  readonly parked = new Map<string, ParkedGroup>();
  readonly concluded: string[] = [];
  /** How many more groups it takes. */
  roomForGroups = Number.POSITIVE_INFINITY;
  claimRefusedWith: ClaimRefusal | null = null;

  /** The methods of its part for confirmations; a test may answer otherwise. */
  readonly confirmations: FakeConfirmations = {
    park: (groups, holder) => {
      if (holder !== undefined && "fence" in holder && holder.fence !== this.runFence) return null;
      const taken = groups.slice(0, this.roomForGroups);
      return taken.map(({ id, groupJson, again = [] }) => {
        const asked = [...this.parked].flatMap(([of, group]) =>
          group.names?.some((name) => again.includes(name)) === true
            ? { id: of, expiresAt: PARKED_UNTIL, groupJson: JSON.stringify(group) }
            : [],
        );
        if (asked.length > 0) return { id, expiresAt: PARKED_UNTIL, asked };
        this.parked.set(id, JSON.parse(groupJson) as ParkedGroup);
        return { id, expiresAt: PARKED_UNTIL };
      });
    },
    conclude: ({ id }) => void this.concluded.push(id),
    confirmation: unasked,
    confirmations: unasked,
    answering: unasked,
    reject: unasked,
    pin: unasked,
    expire: unasked,
    addLink: unasked,
    dropLinks: unasked,
    openLink: unasked,
    countYes: unasked,
    recall: () => [],
    remembered: unasked,
    rememberedOne: unasked,
    forget: unasked,
  };

  async admitClaimed(_claim: PartClaim, request: AdmissionRequest): Promise<ClaimedAdmission> {
    if (this.claimRefusedWith !== null) return { refused: refuseClaim(this.claimRefusedWith) };
    return { refused: null, admission: await this.admit(request) };
  }

  settle(jobId: string, _fence: number, end: AttemptEnd): Promise<boolean> {
    this.settled.set(jobId, end);
    return Promise.resolve(true);
  }

  async keep(results: readonly KeptResult[], shelf: Shelf = "results"): Promise<string[]> {
    if (this.down) throw new Error("The gate is down");
    for (const { handle, json, tool } of results) {
      const isOther = shelf === "turns" && (this.kept.get(handle) ?? json) !== json;
      this.kept.set(handle, isOther ? "" : json);
      if (tool !== undefined) this.keptTools.set(handle, tool);
    }
    return results.map(({ handle }) => handle);
  }

  async recall(handles: readonly string[]): Promise<KeptResult[]> {
    this.recalled.push(...handles);
    if (this.down) throw new Error("The gate is down");
    return handles.flatMap((handle) => {
      const json = this.kept.get(handle);
      const tool = this.keptTools.get(handle);
      return json === undefined ? [] : [{ handle, json, ...(tool !== undefined && { tool }) }];
    });
  }
}

/** A method that no batch asks of its gate. */
function unasked(): never {
  throw new Error("Cannot answer: a batch does not ask this");
}

/** Every key is new, and this run's. */
function claimAll({ batch, actions }: IdempotencyRequest): IdempotencyAnswer {
  const claimed = ({ seed }: { readonly seed: string }) =>
    ({ kind: "claimed", seed, inDoubt: false }) as const;
  return {
    batch: batch && claimed(batch),
    actions: actions.map((action) => ({ index: action.index, state: claimed(action) })),
  };
}

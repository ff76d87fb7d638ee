import type { ObjectPart, OpenPart, PartMethods, PartWorld } from "../../../feature/tenant.ts";
import * as LIMITS from "../limits.ts";
import type { PartHost } from "../../../cloudflare/durable/object-part.ts";
import type { AddedToolsPart } from "../../added-tools/index.ts";
import type { FlowMethods, KeptStep } from "../flow-run.ts";
import { BROUGHT_TOKENS, BroughtTokens } from "./brought-tokens.ts";
import { FlowClocks } from "./flow-clocks.ts";
import {
  createRunKind,
  InputTable,
  RUN_BACKLOGS,
  type RunAttempts,
  type RunBacklogs,
  RunTable,
} from "./stored-runs.ts";

const TABLES = `
  CREATE TABLE IF NOT EXISTS run_causes (
    flow TEXT NOT NULL, cause TEXT NOT NULL, job_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
    PRIMARY KEY (flow, cause)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS run_steps (
    job_id TEXT NOT NULL, step_id TEXT NOT NULL, outcome_json TEXT, PRIMARY KEY (job_id, step_id)
  ) WITHOUT ROWID, STRICT;
  CREATE TABLE IF NOT EXISTS clocks (
    flow TEXT PRIMARY KEY, cron TEXT NOT NULL, timezone TEXT NOT NULL, next_at INTEGER
  ) WITHOUT ROWID, STRICT;`;

const INPUTS = `
  CREATE TABLE IF NOT EXISTS run_inputs (
    job_id TEXT NOT NULL, at INTEGER NOT NULL, piece TEXT NOT NULL, PRIMARY KEY (job_id, at)
  ) WITHOUT ROWID, STRICT;`;

/** Make the part of a tenant's object that keeps runs of flows and their clocks. */
export function createFlowsPart(
  attemptsOf: (host: PartHost) => RunAttempts,
  backlogs: RunBacklogs = RUN_BACKLOGS,
): ObjectPart {
  return {
    name: "flows",
    steps: [TABLES, INPUTS, BROUGHT_TOKENS],
    createKind: (host) => createRunKind(backlogs, attemptsOf(host)),
    open: openFlows,
  };
}

function openFlows({ storage, tenant, outbox, random, onDue, part }: PartWorld): OpenPart {
  const runs = new RunTable(storage.sql);
  const inputs = new InputTable(storage.sql);
  const tokens = new BroughtTokens(storage.sql);
  const added = part("added-tools") as AddedToolsPart;
  const clocks = new FlowClocks(storage.sql, { tenant, tools: added.tools, runs, outbox });
  added.onChanged((change, changed) => {
    clocks.follow(change, changed);
    for (const name of changed.removed) tokens.forget(name);
    const { nextAt } = clocks;
    if (nextAt !== null) onDue(nextAt);
  });
  const keepSteps = (jobId: string, fence: number, steps: readonly KeptStep[]): boolean => {
    const isIts = outbox.holds(jobId, fence);
    if (isIts) for (const step of steps) runs.keepStep(jobId, step);
    return isIts;
  };
  const methods: PartMethods<FlowMethods> = {
    recordRun(now, { cause, spec, takes, closes = false }) {
      const flow = spec.tool;
      if (closes) tokens.close(now, flow);
      const known = runs.causedBy(now, { flow, cause });
      if (known !== null) {
        // Its sender tries once more what has failed for good: what succeeded of it is not run again.
        const again = outbox.redrive(known, now, { failedToo: true });
        return again?.change === "backlog-full"
          ? { kind: "backlog-full" }
          : { kind: "recorded", jobId: known, fence: null };
      }
      if (runs.isFull) return { kind: "backlog-full" };
      const recorded = outbox.recordOne(now, {
        spec: inputs.toRow(spec),
        takes: takes ? { atOnce: LIMITS.runsByRequests } : null,
        beside() {
          runs.keepCause(now, { flow, cause, jobId: spec.id });
          inputs.keep(spec);
        },
      });
      return recorded === null
        ? { kind: "backlog-full" }
        : { kind: "recorded", jobId: spec.id, fence: recorded.fence };
    },
    bringToken: (now, flow, token) => tokens.bring(now, flow, token),
    broughtToken: (now, flow) => tokens.find(now, flow),
    settleRun(now, jobId, fence, end, report) {
      const envelopeJson = report?.envelopeJson;
      const job = outbox.settle(now, { jobId, fence, end, random: random(), envelopeJson });
      if (job !== null && report !== undefined) runs.take(job, report);
      return job !== null;
    },
    runInput: (_, jobId) => inputs.input(jobId),
    runSteps: (_, jobId) => runs.steps(jobId),
    beginStep: (_, jobId, fence, stepId, ended = []) =>
      keepSteps(jobId, fence, [...ended, { id: stepId, outcomeJson: null }]),
    endStep: (_, jobId, fence, ...steps) => keepSteps(jobId, fence, steps),
  };
  return {
    methods,
    get nextAt() {
      return clocks.nextAt;
    },
    take: (now) => clocks.take(now),
    prune: (now) => runs.prune(now),
    forget(jobIds) {
      runs.forget(jobIds);
      inputs.forget(jobIds);
    },
  };
}

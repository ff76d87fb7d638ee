import * as z from "zod/mini";

import { envelopeSchema } from "../../../core/answer/result-schema.ts";
import { parseExact } from "../../../core/contract/json.ts";
import { lazySchema } from "../../../core/contract/lazy-schema.ts";
import * as LIMITS from "../../../core/contract/limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { askGate } from "../../../core/edge/http/ask-gate.ts";
import { readRequest } from "../../../core/edge/http/read-request-body.ts";
import { respondDocument } from "../../../core/edge/http/respond-run.ts";
import type { Endpoint } from "../../../core/edge/openapi/endpoint.ts";
import { err } from "../../../core/kit/result.ts";
import { decideRerun } from "../rerun/decide-rerun.ts";
import type { KeptRun } from "../rerun/kept-run.ts";
import { runRerun } from "../rerun/run-rerun.ts";
import type { ListedRun } from "../run.ts";
import { sees } from "../see-run.ts";
import { NO_RUN, openLog, sightOf } from "./open-log.ts";

/** `POST /v1/runs/{id}/rerun`: run again what ran, without a write that is sent twice. */
export const rerunRun: Endpoint = {
  route: "POST /v1/runs/:id/rerun",
  async handle(request, context, id) {
    const opened = openLog(context);
    if (!opened.ok) return opened;
    const log = opened.value;
    const body = await readRequest(request, rerunSchema());
    if (!body.ok) return body;
    const sight = { sight: sightOf(context) };
    const found = await askGate(async () => {
      const run = await log.find(id, sight);
      return run === null ? null : { ...run, ...(await log.reruns(id)) };
    }, "The tenant's runs could not be read; nothing ran, so ask again.");
    if (!found.ok) return found;
    if (found.value === null) return err(NO_RUN);
    const { run, body: text, root, earlier } = found.value;
    const refused = refuseRun(run, earlier.length);
    if (refused !== null) return err(refused);
    const kept = parseExact(text) as KeptRun;
    const fates = decideRerun({
      actions: kept.actions.filter(({ tool }) => sees(sight, tool)),
      earlier: earlier.map((one) => ({
        writes: one.writes,
        actions: one.body === null ? null : (parseExact(one.body) as KeptRun).actions,
      })),
      onlyFailed: body.value.parsed.only === "failed",
      toolOf: (name) => context.catalog.get(name),
    });
    if (!fates.ok) return err(refuseActions(fates.error));
    const asking = fates.value.flatMap(({ kind, action }) => (kind === "ask" ? [action.id] : []));
    if (asking.length > 0 && context.brought?.asking === undefined) return err(refuseUnasked(asking));
    const of = { runId: id, root, earlier: earlier.length, kept, log };
    return respondDocument(
      ({ signal, listener }) =>
        runRerun(fates.value, of, { ...context, signal, ...(listener !== undefined && { listener }) }),
      request,
      context,
    );
  },
  describe: () => ({
    id: "rerunRun",
    summary: "Run again what ran: a write that succeeded is answered, one that may have happened asks first",
    tag: "Runs",
    body: { schema: rerunSchema(), example: { only: "failed" } },
    answer: {
      description: "One result for every action of the run, in its order, and the run that was run again",
      schema: rerunAnswerSchema(),
    },
    refusals: ["INVALID_REQUEST", "NOT_FOUND", "MISCONFIGURED", "UNAVAILABLE"],
    counted: true,
    keyed: true,
  }),
};

const rerunSchema = lazySchema(() =>
  z
    .strictObject({
      only: z
        .optional(z.literal("failed"))
        .check(z.describe("Reads that succeeded are answered too, and not run")),
    })
    .register(z.globalRegistry, { id: "Rerun" }),
);

const rerunAnswerSchema = lazySchema(() =>
  z
    .extend(envelopeSchema(), { parent: z.string().check(z.describe("The run that was run again")) })
    .register(z.globalRegistry, { id: "RerunAnswer" }),
);

/** Say why a run cannot be run again at all; null where it can. */
function refuseRun({ job_id: job, source }: ListedRun, earlier: number): Refusal | null {
  if (job !== undefined)
    return makeRefusal(
      "INVALID_REQUEST",
      `This run is an attempt of the job '${job}', which makes its own; redrive it with POST /v1/jobs/${job}/redrive.`,
    );
  if (source === "agent")
    return makeRefusal("INVALID_REQUEST", "A model wrote this run round by round; send its request again.");
  if (earlier < LIMITS.runReruns) return null;
  return makeRefusal(
    "INVALID_REQUEST",
    `A run is run again ${LIMITS.runReruns} times at most; send its actions anew.`,
  );
}

function refuseActions(ids: readonly string[]): Refusal {
  const hint = `Not everything that ${say(ids)} sent is kept: it was private, too large, had a secret in it, or VOLLEY_RUNS keeps no content. Nothing ran; send the actions anew.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function refuseUnasked(ids: readonly string[]): Refusal {
  const hint = `Whether ${say(ids)} happened is not certain, and this deployment asks no person. Nothing ran; look before you send it again.`;
  return makeRefusal("INVALID_REQUEST", hint);
}

function say(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(", ");
}

import * as z from "zod/mini";
import { readSentKey, underKey } from "../../../cloudflare/http/read-request-body.ts";
import { readRequest, respondDocument } from "../../../feature/answer.ts";
import { answerUnrun } from "../../../cloudflare/http/respond-list.ts";
import type { Route } from "../../../feature/route.ts";
import { envelopeSchema } from "../../../core/answer/result-schema.ts";
import { lazySchema, strictSchema } from "../../../feature/schema.ts";
import { onlyField } from "./bulk-request.ts";
import { refuseGoing } from "./look-at-run.ts";
import { openLog } from "./open-log.ts";
import { prepareRerun, withToolsOfNow } from "./prepare-rerun.ts";
import { IN_CHANGE, NOT_OVER } from "./refuse-rerun.ts";
import { findRecorded } from "../rerun/run-rerun.ts";

/** `POST /v1/runs/{id}/rerun`: run again what ran, without a write that is sent twice. */
export const rerunRun: Route = {
  route: "POST /v1/runs/:id/rerun",
  runs: true,
  async handle(request, received, id) {
    const key = readSentKey(request);
    if (!key.ok) return key;
    const opened = openLog(received);
    if (!opened.ok) return opened;
    const body = await readRequest(request, rerunSchema());
    if (!body.ok) return body;
    const current = await withToolsOfNow(received);
    if (!current.ok) return current;
    const context = current.value;
    const prepared = await prepareRerun(
      id,
      { log: opened.value, only: body.value.parsed.only, request },
      context,
    );
    if (!prepared.ok && prepared.error === IN_CHANGE && key.value !== null) {
      const asked = { ...context, ...underKey(key.value, [id, body.value.value]), signal: request.signal };
      // By the rerun that this request has begun, perhaps.
      const recorded = await findRecorded(asked);
      if (recorded?.ok === true) return respondDocument(() => Promise.resolve(recorded), request, context);
    }
    if (!prepared.ok) {
      const of = { log: opened.value, wish: "run again" };
      const going = prepared.error === NOT_OVER ? await refuseGoing(id, of, context) : prepared;
      return answerUnrun(context, going.ok ? prepared : going);
    }
    const { fates, run, context: own } = prepared.value;
    return respondDocument(
      ({ signal, listener }) =>
        run({
          ...own,
          ...underKey(
            key.value,
            [id, body.value.value],
            fates.some(({ kind }) => kind === "answer"),
          ),
          signal,
          ...(listener !== undefined && { listener }),
        }),
      request,
      context,
    );
  },
  describe: () => ({
    id: "rerunRun",
    summary: "Run again what ran: a write that succeeded is answered, one that may have happened asks first",
    tag: "Runs",
    body: { schema: rerunSchema(), example: { only: "failed" }, optional: true },
    answer: {
      description: "One result for every action of the run, in its order, and the run that was run again",
      schema: rerunAnswerSchema(),
    },
    recorded: {
      description: "A run that was a job runs again as one",
      schema: recordedSchema(),
    },
    refusals: ["INVALID_REQUEST", "FORBIDDEN", "NOT_FOUND", "MISCONFIGURED", "UNAVAILABLE"],
    counted: "always",
    keyed: true,
  }),
};

const rerunSchema = strictSchema("Rerun", () => ({ only: onlyField() }));

const recordedSchema = strictSchema("RecordedRerun", () => ({ run_id: z.string(), job_id: z.string() }));

const rerunAnswerSchema = lazySchema("RerunAnswer", () =>
  z.extend(envelopeSchema(), { parent: z.string().check(z.describe("The run that was run again")) }),
);

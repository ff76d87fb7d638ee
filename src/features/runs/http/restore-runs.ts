import * as z from "zod/mini";

import { JOB_STATUSES } from "../../../feature/tool.ts";
import { subjectField } from "../../../feature/caller.ts";
import { parseExact, parseRequest, strictSchema } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { attemptNow, err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { askGate, respondJson } from "../../../feature/answer.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import { ENDS, RUN_SOURCES } from "../run.ts";
import { routeOf } from "./open-log.ts";

/**
 * `PUT /v1/runs`: take back runs of an export, and the reruns that later ones go by. Those that are there stay what they are, and those that are
 * too old are left out. It is for keys that could have sent all of it: it writes what is said to have run.
 */
export const restoreRuns = routeOf(
  "PUT /v1/runs",
  async (log, { request, context }) => {
    if (!context.caller.tools.includes("*")) return err(FORBIDDEN);
    const body = await readRequestBody(request, BODY);
    if (!body.ok) return body;
    const parsed = parseRequest(restoreSchema(), body.value.value);
    if (!parsed.ok) return parsed;
    // As they were sent: a number that is read and written again may have other digits.
    const { runs } = parsed.value.value as { readonly runs: readonly object[] };
    const kept = runs.flatMap((run) => {
      if (!("head" in run) || !("body" in run)) return [];
      const { at, head, body: content } = run as { at: number; head: unknown; body: unknown };
      return { at, head: JSON.stringify(head), body: JSON.stringify(content) };
    });
    const reruns = parsed.value.parsed.runs.flatMap((run) => ("rerun" in run ? [run] : []));
    const restored = await askGate(
      () => log.restore(kept, reruns),
      "Whether they were taken back is not certain; send the same request again.",
    );
    return restored.ok ? ok(respondJson(JSON.stringify({ restored: restored.value }))) : restored;
  },
  () => ({
    id: "restoreRuns",
    summary: "Take back runs of an export, with what reruns need",
    body: { schema: restoreSchema(), example: { runs: [] } },
    answer: {
      description: "How many were not there",
      schema: z.strictObject({ restored: z.int().check(z.minimum(0)) }),
    },
    refusals: ["FORBIDDEN", "INVALID_REQUEST", "UNAVAILABLE"],
  }),
);

/** Results may nest as deep as an answer, and stand inside of a run. */
const BODY = { bodyBytes: LIMITS.runReportBytes, nesting: 2 * LIMITS.nesting, parse: parseExact };

const FORBIDDEN = makeRefusal("FORBIDDEN", "Runs are taken back by a key that may call every tool.");

const restoreSchema = strictSchema("RestoreRuns", () => {
  const id = z.string().check(z.regex(/^\S{1,300}$/));
  const time = z.int().check(z.minimum(0));
  const count = z.int().check(z.minimum(0));
  const job = z.looseObject({
    job: id,
    run: id,
    request: z.string(),
    tool: z.string(),
    status: z.enum(JOB_STATUSES),
    at: z.number(),
    code: z.optional(z.string()),
    inDoubt: z.optional(z.literal(true)),
  });
  const counts = { gone: count, stands: count, unsure: count, going: count, waits: count };
  const became = z.strictObject({ tool: z.string(), ...counts });
  const head = z.looseObject({
    id,
    source: z.enum(RUN_SOURCES),
    key: z.string(),
    request: z.string(),
    startedAt: z.number(),
    durationMs: z.number(),
    flow: z.optional(z.string()),
    parent: z.optional(id),
    job: z.optional(id),
    answers: z.optional(id),
    tags: z.optional(z.array(z.string())),
    subject: z.optional(subjectField("Whose accounts its tools used")),
    connections: z.optional(z.record(z.string(), z.string())),
    code: z.optional(z.string()),
    jobs: z.optional(z.array(job)),
    since: z.optional(z.array(z.looseObject({ id, tools: z.array(became) }))),
    tools: z.array(
      z.looseObject({
        tool: z.string(),
        ends: z.array(count).check(z.length(ENDS.length)),
        jobs: z.optional(count),
        asked: z.optional(z.array(z.string())),
        failed: z.optional(z.strictObject({ at: count, action: z.string(), code: z.string() })),
        waits: z.optional(z.array(z.strictObject({ question: id, until: z.number(), actions: count }))),
      }),
    ),
  });
  const action = z.looseObject({ id: z.string(), tool: z.string(), status: z.enum(ENDS) });
  const edge = z.strictObject({ from: z.string(), to: z.string(), reason: z.string() });
  const json = z.string().check(z.refine((text) => attemptNow(() => parseExact(text)).ok, "JSON as text"));
  const tries = z.array(z.looseObject({ at: z.number(), durationMs: z.number() }));
  const after = z.looseObject({
    id: z.string(),
    tool: z.string(),
    status: z.string(),
    dataJson: z.optional(json),
    tries: z.optional(tries),
  });
  const run = z.strictObject({
    at: time,
    head,
    body: z.looseObject({
      plan: z.looseObject({ edges: z.array(edge) }),
      actions: z.array(action),
      after: z.optional(z.array(after)),
      lines: z.optional(z.array(z.looseObject({ job: z.string(), at_ms: z.number(), text: z.string() }))),
    }),
  });
  const rerun = z.strictObject({ at: time, rerun: id, root: id, writes: z.array(z.string()) });
  return { runs: z.array(z.union([run, rerun])).check(z.describe("As an export has them")) };
});

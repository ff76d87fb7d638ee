import { BATCH_TOOL } from "../../../core/catalog/alias.ts";
import { isJsonObject } from "../../../core/contract/json.ts";
import { awaitChange, liveStatusOf } from "../../../cloudflare/http/await-change.ts";
import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { Later } from "../../../core/gate/execution.ts";
import { ok } from "../../../core/kit/result.ts";
import { callBackground } from "../batch-job.ts";
import { recordBatch } from "../record-batch.ts";

const PREFERENCE = "respond-async";

/** Batches in the background, by the field or by the header that asks for it (RFC 7240). */
export const later: Later = {
  read: (headers, sent) =>
    isPreferred(headers) && isJsonObject(sent) ? { ...sent, background: true } : undefined,
  awaitJob: (look, request, context) => awaitChange(look, { request, context, liveStatus: liveStatusOf }),
  async mayReach({ id, tool }, { gate, caller: { tools } }) {
    if (!tool.startsWith(`${BATCH_TOOL}:`) || tools.includes("*")) return true;
    const asker = await callBackground(gate, "asker", id);
    return asker !== null && asker.tools.every((grant) => tools.includes(grant));
  },
  async record(batch, execution) {
    const recorded = await recordBatch(batch, execution);
    if (!recorded.ok) return recorded;
    const { jobId, ...answer } = recorded.value;
    return ok({
      ...answer,
      respond: (request, headers) =>
        respondJson(answer.json, {
          status: 202,
          headers: {
            ...headers,
            location: `/v1/jobs/${jobId}`,
            ...(isPreferred(request.headers) && { "preference-applied": PREFERENCE }),
          },
        }),
    });
  },
};

function isPreferred(headers: Headers): boolean {
  const preferences = (headers.get("prefer") ?? "").toLowerCase().split(/[,;]/);
  return preferences.some((preference) => preference.trim() === PREFERENCE);
}

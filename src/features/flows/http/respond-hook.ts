import { respondJson } from "../../../cloudflare/http/respond.ts";
import type { QuestionAnswer } from "../hooks/accept-delivery.ts";
import type { HookForm } from "../hooks/read-form.ts";

/** How a sender wants its answers. */
export interface Answering {
  readonly form: HookForm;
  /** The delivery was fields of a form. */
  readonly isOfFields: boolean;
}

/** Answer a delivery whose run is recorded, now or before. */
export function respondAccepted(answering: Answering, jobId: string): Response {
  const { status, isEmpty } = wayOf(answering);
  const headers = { "volley-job-id": jobId };
  return isEmpty
    ? new Response(null, { status, headers })
    : respondJson(JSON.stringify({ job_id: jobId }), { status, headers });
}

/** Answer one that starts nothing: all is well, so that the sender goes on sending. */
export function respondUnwanted(answering: Answering, reason: string): Response {
  const { status, isEmpty } = wayOf(answering);
  return isEmpty ? new Response(null, { status }) : respondJson(JSON.stringify({ accepted: false, reason }));
}

/** Answer a sender's signed question. */
export function respondQuestion({ status, json, text }: QuestionAnswer): Response {
  if (text !== undefined) return respondText(text);
  return json === undefined ? new Response(null, { status }) : respondJson(JSON.stringify(json), { status });
}

/** Answer with text that a browser shows as nothing else. */
export function respondText(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

/** Slack shows a body to the person who typed the command. */
function wayOf({ form: { status, fieldsAlone }, isOfFields }: Answering): {
  readonly status: number;
  readonly isEmpty: boolean;
} {
  if (status === 204) return { status, isEmpty: true };
  return fieldsAlone && isOfFields ? { status: 200, isEmpty: true } : { status, isEmpty: false };
}

import * as LIMITS from "../limits.ts";
import { readBytes } from "../../../cloudflare/http/read-request-body.ts";
import { redirect, respondPage } from "../../../cloudflare/page/respond-page.ts";
import { attempt } from "../../../core/kit/result.ts";
import { CALLBACK_PATH } from "../link-token.ts";
import { NO_LINK } from "../page/link-page.ts";

/** The fields of a provider's answer that are read. */
const FIELDS = ["state", "code", "error", "iss"];

/** Lead a browser that came back by a form to the same address by a link: only with that it sends what shows that it is the one that began. */
export async function leadOnForm(request: Request): Promise<Response> {
  const read = await attempt(() => readBytes(request, LIMITS.providerAnswerBytes));
  if (!read.ok || read.value === null) return respondPage(NO_LINK);
  const form = new URLSearchParams(new TextDecoder().decode(read.value));
  const kept = FIELDS.flatMap((name) => (form.has(name) ? [[name, form.get(name)!]] : []));
  return redirect(`${CALLBACK_PATH}?${new URLSearchParams(kept).toString()}`);
}

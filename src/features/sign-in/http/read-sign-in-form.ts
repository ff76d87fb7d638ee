import * as LIMITS from "../limits.ts";
import { readBytes } from "../../../cloudflare/http/read-request-body.ts";
import { makePlainPage } from "../../../cloudflare/page/plain-page.ts";
import type { Page } from "../../../cloudflare/page/respond-page.ts";
import { attempt, err, ok, type Result } from "../../../core/kit/result.ts";
import { AGAIN } from "./visit-steps.ts";

/** A form as it was sent, or the page that says why it is not taken. */
type Sent = Result<URLSearchParams, Page>;

/**
 * Read a form of ours. A browser says where a form comes from, and another site's is refused; the handle and its cookie are looked at by
 * the library.
 */
export async function readForm(request: Request): Promise<Sent> {
  const { headers } = request;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "");
  if (!isForm || !["same-origin", null].includes(headers.get("sec-fetch-site"))) return err(FOREIGN);
  const read = await attempt(() => readBytes(request, LIMITS.signInBodyBytes));
  if (!read.ok || read.value === null) return err(TOO_LONG);
  return ok(new URLSearchParams(new TextDecoder().decode(read.value)));
}

const FOREIGN = makePlainPage(
  403,
  "This form came from elsewhere",
  "It did not come from this page, so nothing was done.",
  AGAIN,
);

const TOO_LONG = makePlainPage(413, "The form is too long", "Nothing was done.", AGAIN);

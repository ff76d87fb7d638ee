import type { AuthRequest } from "@cloudflare/workers-oauth-provider";

import type { Caller } from "../../../core/contract/gate/caller.ts";
import { respondPage } from "../../../cloudflare/page/respond-page.ts";
import { makeChoicePage, type Offer } from "../page/choice-page.ts";
import { type SignedKey, toCaller } from "../sign-in.ts";
import { describeClient } from "./describe-client.ts";
import { formOriginOf } from "./form-origin.ts";
import { showFirst } from "./show-consent.ts";
import { FAULT, type Step, type Visit } from "./visit-steps.ts";

interface Choosing {
  readonly asked: AuthRequest;
  readonly signed: SignedKey;
  readonly cookies: readonly string[];
  readonly wrong?: string;
}

/** Answer with the page on which the person chooses what a program may do. */
export async function showChoice(step: Step, { asked, signed, cookies, wrong }: Choosing): Promise<Response> {
  const key = await step.desk.keyOf(signed);
  if (!key.ok) return respondPage(FAULT, { cookies });
  if (key.value === null) return showFirst(step, asked, cookies, ENDED);
  const client = await describeClient(step, asked);
  const offer = await readOffer(step, toCaller(key.value, ["tools"], signed.subject));
  // Sealed under the form's own handle, so that what was found out once need not be asked again, and the key is nowhere.
  const { state: handle, headers } = await step.oauth.beginUpstream(asked, { data: signed });
  const { tenant, key: name, subject } = signed;
  const page = makeChoicePage({
    client,
    handle,
    key: name,
    tenant,
    subject,
    offer,
    asked: asked.scope,
    wrong,
  });
  return respondPage(page, {
    formLeadsTo: [formOriginOf(asked)!],
    cookies: [...cookies, ...headers.getSetCookie()],
  });
}

/** Count what a key may call, added tools included. */
export async function readOffer(
  { deployment, request, watch, defer }: Visit,
  caller: Caller,
): Promise<Offer> {
  const asked = { requestId: watch.requestId, requestUrl: request.url, defer, watch };
  const context = deployment.contextOf(caller, asked);
  const { tools, byCategory } = await context.currentCatalog();
  return {
    tools: tools.length,
    reads: tools.filter(({ isWrite }) => !isWrite).length,
    categories: new Map([...byCategory].map(([name, { length }]) => [name, length])),
  };
}

export const ENDED = "The key has ended since; use another.";

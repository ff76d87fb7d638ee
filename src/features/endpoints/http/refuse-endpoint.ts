import type { Issue } from "../../../core/contract/failure.ts";
import { utf8Length } from "../../../core/contract/json.ts";
import * as LIMITS from "../limits.ts";
import { makeRefusal, type Refusal } from "../../../core/contract/refusal.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import { err, ok, type Result } from "../../../core/kit/result.ts";
import { visibleText } from "../../../core/kit/visible-text.ts";
import type { KeepRefusal } from "../directory-methods.ts";
import { ENDPOINT_ID_IN_WORDS } from "../endpoint-schema.ts";

/** Read an endpoint as it is sent, or the fields of one. */
export async function readEndpoint(request: Request): Promise<Result<unknown, Refusal>> {
  const body = await readRequestBody(request);
  if (!body.ok) return body;
  const { value, bytes } = body.value;
  return bytes > LIMITS.endpointBytes ? err(refuseSize(bytes)) : ok(value);
}

/** The bytes of an endpoint, as it would be sent. */
export function sizeOf(settings: object): number {
  return utf8Length(JSON.stringify(settings));
}

/** Refuse one that is too large. */
export function refuseSize(bytes: number): Refusal {
  return refuseBound(
    { expected: `at most ${LIMITS.endpointBytes} bytes`, received: `${bytes} bytes` },
    `An endpoint has at most ${LIMITS.endpointBytes} bytes as JSON; ask for fewer types, or take a shorter filter.`,
  );
}

function refuseBound(bound: Omit<Issue, "path">, hint: string): Refusal {
  const issue = { path: "", ...bound };
  return makeRefusal("INVALID_ENDPOINT", hint, { issue, issues: [{ ...issue, hint }] });
}

export const CHANGED = makeRefusal(
  "NAME_TAKEN",
  "The endpoint was changed by somebody else just now; look at it and ask again.",
);

/** Say why an endpoint was not kept. */
export function refuseKept(
  refusal: KeepRefusal,
  { id, most }: { readonly id: string; readonly most: number },
): Refusal {
  switch (refusal) {
    case "changed":
      return CHANGED;
    case "taken":
      return makeRefusal(
        "NAME_TAKEN",
        `There is an endpoint '${visibleText(id)}' already; nothing was changed.`,
      );
    case "unknown":
      return makeRefusal(
        "NOT_FOUND",
        `There is no endpoint '${visibleText(id)}'; POST /v1/portal/endpoints makes one, and its id.`,
      );
    case "too-many":
      return refuseBound(
        { expected: `at most ${LIMITS.endpoints} endpoints of a tenant`, received: "another one" },
        `The tenant has as many endpoints as it may (${LIMITS.endpoints}); delete some first.`,
      );
    case "too-many-of-customer":
      return refuseBound(
        { expected: `at most ${most} endpoints of a customer`, received: "another one" },
        `There are as many endpoints as there may be (${most}); delete one first.`,
      );
  }
}

/** Refuse an id that is none. */
export function badName(id: string): Refusal {
  const issue = { path: "/id", expected: ENDPOINT_ID_IN_WORDS, received: visibleText(id) };
  return makeRefusal("INVALID_ENDPOINT", `The endpoint's id in the path must be ${ENDPOINT_ID_IN_WORDS}.`, {
    issue,
    issues: [{ ...issue, hint: "Take another id." }],
  });
}

import type { ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import * as LIMITS from "./limits.ts";
import { objectKey } from "../../core/kit/object-key.ts";
import { attempt } from "../../core/kit/result.ts";

/** The methods of an R2 bucket that a tool uses. Source: https://developers.cloudflare.com/r2/api/workers/workers-api-reference/ */
interface Bucket {
  put(
    key: string,
    value: Uint8Array | string,
    options: { readonly httpMetadata: { readonly contentType: string } },
  ): Promise<unknown>;
}

/** A file that a tool has made for its caller to fetch. */
export interface MadeObject {
  readonly bytes: Uint8Array | string;
  /** Media type, with its parameters. */
  readonly contentType: string;
  /** The ending of the file's name, without the dot. */
  readonly extension: string;
}

/** A kept object, as a tool's output says it. */
export interface KeptObject {
  /** Its name: `GET /v1/objects/{object}` answers only the tenant that it was made for. */
  readonly object: string;
  readonly content_type: string;
  /** How many it has. */
  readonly bytes: number;
  /**
   * Where it is read, relative to the Worker that was asked: a Worker has any number of addresses, a job's alarm knows none of
   * them, and only a caller with a key, and so an address, can read it anyway.
   */
  readonly url: string;
}

/**
 * Keep what a tool has made in the bucket `OBJECTS`, which the tool must declare as a binding, for its caller's tenant.
 *
 * The name comes from `ctx.idempotencyKey`: as hard to guess as the random id that it is made of, and the same on every
 * attempt, so a retry overwrites what it may have left and never leaves a second one. A tool keeps one object a call.
 *
 * @throws {ToolFailure} `RESPONSE_TOO_LARGE` over `LIMITS.objectBytes`; `UPSTREAM_ERROR`, retryable, when the bucket fails;
 * `MISCONFIGURED` when there is none
 * @example
 * const kept = await keepObject(ctx, { bytes: "a,b\r\n", contentType: "text/csv; charset=utf-8", extension: "csv" });
 * // { object: "9f1c….csv", content_type: "text/csv; charset=utf-8", bytes: 5, url: "/v1/objects/9f1c….csv" }
 */
export async function keepObject(
  ctx: Pick<ToolContext, "binding" | "caller" | "idempotencyKey">,
  { bytes, contentType, extension }: MadeObject,
): Promise<KeptObject> {
  const content = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  if (content.length > LIMITS.objectBytes)
    throw new ToolFailure("RESPONSE_TOO_LARGE", {
      hint: `An object has at most ${LIMITS.objectBytes} bytes, and this one would have ${content.length}; ask for less.`,
    });
  const bucket = ctx.binding<Bucket>("OBJECTS");
  // A call's key joins ids by colons, which none of them has; a dot is in none of them either.
  const name = `${ctx.idempotencyKey.replaceAll(/[^A-Za-z0-9_-]/g, ".")}.${extension}`;
  const key = objectKey(ctx.caller.tenant, name);
  if (key === null) throw new Error(`Cannot keep object: '${name}' is no name`);
  const kept = await attempt(() => bucket.put(key, content, { httpMetadata: { contentType } }));
  if (!kept.ok)
    throw new ToolFailure("UPSTREAM_ERROR", {
      hint: "The object could not be stored just now; try again later.",
    });
  return { object: name, content_type: contentType, bytes: content.length, url: `/v1/objects/${name}` };
}

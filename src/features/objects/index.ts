import { defineFeature } from "../../feature/define.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { askGate, objectKey } from "../../feature/answer.ts";
import type { Route } from "../../feature/route.ts";

/** `GET /v1/objects/{key}`: files that tools have made, for their tenant only. */
export function objects() {
  return defineFeature({
    name: "objects",
    bindings: ["OBJECTS"],
    routes: [{ for: "any key", paths: [showObject] }],
  });
}

type Bucket = Pick<R2Bucket, "get" | "head">;

/**
 * `GET /v1/objects/{id}`: what a tool has made and kept, to its tenant only. Another tenant's object does not exist.
 *
 * The content that tools make may be anything, so no browser shows it as a page of this origin: it is a download of the type it
 * was made with, unsniffed. It is streamed, so its size takes no memory.
 */
const showObject: Route = {
  route: "GET /v1/objects/:id",
  async handle(request, { ports, caller }, id) {
    const bucket = ports.binding("OBJECTS") as Bucket | undefined;
    const key = objectKey(caller.tenant, id);
    if (bucket === undefined) return err(NO_BUCKET);
    if (key === null) return err(NO_OBJECT);
    const found = await read(bucket, key, request.method);
    if (!found.ok) return found;
    const object = found.value;
    if (object === null) return err(NO_OBJECT);
    const headers = {
      etag: object.httpEtag,
      "cache-control": "private, no-cache",
    };
    const body = "body" in object ? object.body : null;
    if (isNamed(object.httpEtag, request.headers.get("if-none-match"))) {
      void attempt(() => body?.cancel());
      return ok(new Response(null, { status: 304, headers }));
    }
    return ok(
      new Response(body, {
        headers: {
          ...headers,
          "content-type": object.httpMetadata?.contentType ?? "application/octet-stream",
          "content-length": String(object.size),
          "content-disposition": `attachment; filename="${id}"`,
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        },
      }),
    );
  },
  describe: () => ({
    id: "getObject",
    summary: "Read a file that a tool has made",
    tag: "Objects",
    answer: { description: "The file, of the type that the tool's output says", file: true },
    refusals: ["NOT_FOUND"],
  }),
};

/** @param method a HEAD needs no body, and an unread one would be kept open */
function read(
  bucket: Bucket,
  key: string,
  method: string,
): Promise<Result<R2Object | R2ObjectBody | null, Refusal>> {
  const hint = "The object could not be read just now; ask again.";
  return askGate(() => (method === "HEAD" ? bucket.head(key) : bucket.get(key)), hint);
}

/** Whether `If-None-Match` (RFC 9110, 13.1.2) names an object's tag; compared weakly, as it says. */
function isNamed(etag: string, ifNoneMatch: string | null): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}

const NO_OBJECT = makeRefusal(
  "NOT_FOUND",
  "There is no object of that name; a tool that makes one says its url, and its tenant's keys read it.",
);
const NO_BUCKET = makeRefusal(
  "NOT_FOUND",
  "This deployment keeps no objects; its operator has to bind an R2 bucket as OBJECTS.",
);

import type { Ports, SpanAttributes } from "../egress/ports.ts";

/**
 * Put each request that is sent into a span of the platform's trace, from its dispatch to its status line. It says where the
 * request goes by host alone: a path or a query may hold what a caller or a secret put there.
 *
 * @param attributesOf what else the span says, asked when a request is sent
 */
export function traceFetch(
  { fetch, inSpan }: Pick<Ports, "fetch" | "inSpan">,
  attributesOf: () => SpanAttributes,
): Ports["fetch"] {
  if (inSpan === undefined) return fetch;
  return (url, init) =>
    inSpan(
      "volley.upstream",
      {
        ...attributesOf(),
        "server.address": URL.parse(url)?.host ?? "",
        "http.request.method": init.method ?? "GET",
      },
      async (add) => {
        const response = await fetch(url, init);
        add({ "http.response.status_code": response.status });
        return response;
      },
    );
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * Read the id of the trace that a request is part of; null where its `traceparent` is not of the strict form. A malformed header
 * counts as not sent, so nothing but 32 hexadecimal digits ever gets any further.
 *
 * Source: W3C Trace Context, 3.2.2
 */
export function readTraceId(traceparent: string): string | null {
  const [, version, traceId, parentId, more] = FORM.exec(traceparent) ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined) return null;
  // A later version may say more behind what this one knows; this one may not.
  if (version === "ff" || (version === "00" && more !== undefined)) return null;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? null : traceId;
}

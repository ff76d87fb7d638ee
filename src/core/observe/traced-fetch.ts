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

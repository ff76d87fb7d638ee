/** A list of header names, as browsers send it; the official clients have a dozen of their own. */
const HEADER_NAMES = /^[\w-]{1,64}(?: *, *[\w-]{1,64}){0,63}$/;

/** How long a browser need not ask again, in seconds: two hours is the most that Chromium keeps. */
const MAX_AGE_S = 7_200;

/** Whether a browser asks what a page may send, before it sends it. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === "OPTIONS" && headers.has("access-control-request-method");
}

/**
 * Say what a page may send. It is asked without a key, and says nothing about which paths there are. A page sends its key in a
 * header, never a cookie, so no credentials are allowed, and none are needed.
 *
 * Source: https://fetch.spec.whatwg.org/#http-cors-protocol
 *
 * @param origin `*` for pages of every origin
 */
export function answerPreflight({ headers }: Request, origin: string, methods: string): Response {
  const names = headers.get("access-control-request-headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      ...(HEADER_NAMES.test(names) && { "access-control-allow-headers": names }),
      "access-control-max-age": String(MAX_AGE_S),
      "x-request-id": crypto.randomUUID(),
      vary: `${origin === "*" ? "" : "origin, "}access-control-request-method, access-control-request-headers`,
    },
  });
}

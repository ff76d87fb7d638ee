import type { Ports } from "../../core/egress/ports.ts";

/** A request that a tool sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; undefined without one. */
  readonly body: string | undefined;
  /** The body as JSON. */
  json(): unknown;
}

export interface Answering {
  /** Wait in virtual time. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** The answer of a route: a `Response`, any other value as JSON, or a function of the request. */
export type Answer =
  | Response
  | { readonly [field: string]: unknown }
  | readonly unknown[]
  | string
  | number
  | boolean
  | null
  | ((request: SentRequest, answering: Answering) => unknown);

/** Answers by `METHOD https://host/path`, without a query. A path that ends in `*` stands for all that begin with it. */
export type Routes = Readonly<Record<string, Answer>>;

/**
 * Create a network that only knows these routes. Like the real one it rejects the moment a request's signal aborts. A request that no
 * route is for gets no answer, and is told to `onUnknown`.
 */
export function createScriptedUpstream(
  routes: Routes,
  { sleep, onUnknown }: Answering & { readonly onUnknown: (problem: Error) => void },
) {
  const sent: SentRequest[] = [];
  const fetch: Ports["fetch"] = async (url, init) => {
    const body = typeof init.body === "string" ? init.body : undefined;
    const request: SentRequest = {
      method: init.method ?? "GET",
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      body,
      json: () => JSON.parse(body ?? "null") as unknown,
    };
    sent.push(request);
    const answer = findAnswer(routes, request);
    if (answer === undefined) {
      const problem = new Error(
        `Cannot answer '${request.method} ${url}': no route is for it. There are: ${Object.keys(routes).join(", ") || "none"}`,
      );
      onUnknown(problem);
      throw problem;
    }
    const work: unknown = typeof answer === "function" ? answer(request, { sleep }) : answer;
    return toResponse(await Promise.race([work, aborted(init.signal)]));
  };
  return { sent, fetch };
}

function findAnswer(routes: Routes, { method, url }: SentRequest): Answer | undefined {
  const wanted = `${method} ${url.replace(/[?#].*/s, "")}`;
  if (Object.hasOwn(routes, wanted)) return routes[wanted];
  const pattern = Object.keys(routes).find(
    (route) => route.endsWith("*") && wanted.startsWith(route.slice(0, -1)),
  );
  return pattern === undefined ? undefined : routes[pattern];
}

/** A `Response` can be read once, and a route answers as often as it is asked. */
function toResponse(answer: unknown): Response {
  return answer instanceof Response ? answer.clone() : Response.json(answer);
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new DOMException("Aborted", "AbortError"));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
  });
}

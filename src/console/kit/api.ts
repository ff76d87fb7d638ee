import { parseExact, writeExact } from "./exact-json.ts";
import { currentOwner, readKey } from "./session.ts";
import type { WireProblem } from "./wire.ts";

/** The reason why a request was not answered: a problem document, or a network that did not reach the API. */
export interface Problem extends Pick<WireProblem, "title" | "detail"> {
  /** A code of the API, or one of the two below. */
  readonly code: WireProblem["code"] | "OFFLINE" | "UNREADABLE";
  readonly status: number;
  readonly issues?: WireProblem["issues"];
  readonly changed?: WireProblem["changed"];
  readonly requestId: string | null;
}

export type Answer<T> =
  | { readonly ok: true; readonly data: T; readonly headers: Headers }
  | { readonly ok: false; readonly problem: Problem };

export interface Asking {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Read integers that a number cannot hold as `bigint`: for answers that carry data of tools. */
  readonly isExact?: boolean;
  /** It changes nothing, though it is not sent by GET: no list is asked for again after it. */
  readonly isLookup?: boolean;
}

/** Tells, by an event, that something was sent and may have changed what is shown. */
export const changes = new EventTarget();
export const CHANGED = "changed";

/** Told when the key that the tab has was refused, so that the console can ask for another. */
let onRefusedKey: () => void = () => {};

export function whenKeyIsRefused(told: () => void): void {
  onRefusedKey = told;
}

/** Ask the API of this origin, with this tab's key. Never throws: what went wrong is in the answer. */
export async function ask<T>(path: string, asking: Asking = {}): Promise<Answer<T>> {
  const opened = await open(path, asking);
  if (!opened.ok) return opened;
  const response = opened.data;
  const data = response.status === 204 ? null : await readJson(response, asking);
  const { method = "GET", isLookup = method === "GET" } = asking;
  if (!isLookup) changes.dispatchEvent(new Event(CHANGED));
  if (data === undefined) return { ok: false, problem: unreadable(response) };
  return { ok: true, data: data as T, headers: response.headers };
}

/** The same for an answer that is read as it comes: the response itself, once it is known to be no refusal. */
export async function open(path: string, asking: Asking): Promise<Answer<Response>> {
  const { method = "GET", body, headers, signal } = asking;
  const owner = currentOwner();
  const sent = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${readKey() ?? ""}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : writeExact(body) }),
    ...(signal && { signal }),
  }).catch(() => null);
  if (sent === null) return { ok: false, problem: NOT_REACHED };
  if (sent.ok) return { ok: true, data: sent, headers: sent.headers };
  // A refusal that comes late is about a key that the tab does not have any more.
  if (sent.status === 401 && owner === currentOwner()) onRefusedKey();
  return { ok: false, problem: await readProblem(sent) };
}

/** The problem of a connection that was lost before the answer, or not made. */
export function makeOffline(detail: string, title = "Interrupted"): Problem {
  return { code: "OFFLINE", title, detail, status: 0, requestId: null };
}

const NOT_REACHED = makeOffline(
  "Volley cannot be reached. Nothing is known about what was asked; try again.",
  "Not reached",
);

async function readProblem(response: Response): Promise<Problem> {
  const body = (await readJson(response)) as Partial<WireProblem> | undefined;
  if (typeof body?.code !== "string") return unreadable(response);
  const { code, title = "", detail = "", path, expected = "", received = "", changed } = body;
  const { request_id: requestId = null } = body;
  // One fault stands beside the detail, which says the same.
  const one = path === undefined ? undefined : [{ path, expected, received, hint: detail }];
  const issues = body.issues ?? one;
  const more = { ...(issues && { issues }), ...(changed && { changed }) };
  return { code, title, detail, status: response.status, requestId, ...more };
}

/** A proxy's page, or an answer that was cut off. */
function unreadable(response: Response): Problem {
  const { status, headers } = response;
  const detail = `The answer has the status ${status} and is not what this API answers.`;
  const requestId = headers.get("x-request-id");
  return { code: "UNREADABLE", title: "Not readable", detail, status, requestId };
}

function readJson(response: Response, { isExact = false }: Asking = {}): Promise<unknown> {
  const read = isExact ? response.text().then(parseExact) : response.json();
  return read.catch(() => undefined);
}

import {
  PUBLIC_HOSTS,
  type Tool,
  type ToolContext,
  toOrigin,
  type UpstreamRequest,
  type UpstreamResponse,
} from "../catalog/define-tool.ts";
import type { Failure } from "../contract/failure.ts";
import * as LIMITS from "../contract/limits.ts";
import { leavesInDoubt } from "../contract/outcome.ts";
import { ToolFailure } from "../catalog/tool-failure.ts";
import type { Clock } from "../kit/clock.ts";
import { attempt, type Result } from "../kit/result.ts";
import type { Release, Semaphore } from "../kit/semaphore.ts";
import type { CallClock } from "./call-clock.ts";
import { findSocketFault, makeStatusFailure, readRefusal } from "./upstream-failure.ts";
import { guardHeaders, markHeaders, PLAIN_HEADERS, PLAIN_READ } from "./guard-headers.ts";
import { createPublicGuard, createUrlGuard, type UrlGuard } from "./guard-url.ts";
import { HeaderSlots } from "./header-slots.ts";
import { type Hop, nextHop } from "./next-hop.ts";
import type { Ports, RunOptions } from "./ports.ts";
import { type CallBytes } from "./byte-budget.ts";
import { declaredLength, isSmallBody, parseJsonBody, readBody, readBytes, readEvents } from "./read-body.ts";
import { judge, type Leave, type OnOpened, type UpstreamHealth } from "./upstream-health.ts";

/** The fate of a call's requests: a failed write may have happened once something was sent. */
export interface CallTrace {
  /** A request that may change something was handed to the network. Goes back to false only where none ever left. */
  sent: boolean;
  /** A request, of a read too, was handed to the network. Goes back likewise. */
  reached: boolean;
  /** A request may have taken effect although it failed: what came after it proves nothing. Never goes back either. */
  inDoubt?: true;
  /** The last status line received; null while the latest request has none, which is when its effect is in doubt. */
  status: number | null;
  /** How long the upstream asked to be left alone; null when it did not. */
  retryAfterMs: number | null;
}

/** Everything a tool call's requests go through. */
export interface EgressCall {
  readonly tool: Tool;
  readonly clock: CallClock;
  readonly time: Clock;
  /** Requests that may wait for response headers at once, shared by all calls of one request. */
  readonly slots: Semaphore;
  /** Those that gave up no request are lent to the next one of the same calls: to make one costs more than to use it. */
  readonly idle?: AbortController[] | undefined;
  /** The bytes and values that it holds of those that its request may read. */
  readonly held: CallBytes;
  readonly fetch: Ports["fetch"];
  readonly options: RunOptions;
  readonly trace: CallTrace;
  readonly health: UpstreamHealth;
  /** Whose call it is. */
  readonly tenant: string;
  /** Told when a request of this call opens a breaker. */
  readonly onOpened?: OnOpened | undefined;
  /** The call has all the time that its tool is given, so running out of it is the upstream's doing. */
  readonly hasItsTime: boolean;
  /**
   * A request that is given up may go on until the platform ends it with the invocation: no other request waits for its slot.
   * Then it needs no signal, which costs more than the rest of sending it.
   */
  readonly mayLinger?: boolean;
}

/** A request that has its status line. */
interface Sent {
  readonly response: Response;
  /** As the response has them: each look at it costs as much as a promise. */
  readonly status: number;
  readonly headers: Headers;
  /** The length that its body is declared to have; not a number where none is. */
  readonly length: number;
  /** Tells the upstream's breaker how it ended. */
  readonly leave: Leave;
  /** Gives its slot back, where it still has it. */
  readonly release: Release;
  /** Gives it up; null where it lingers then. */
  readonly abort: AbortController | null;
}

/**
 * Create the one `fetch` a tool has. Every request and every redirect hop passes the same guards, waits for a slot and
 * obeys the call's clock and byte limits; nothing else in the system reaches an upstream.
 *
 * Only a 2xx that was read whole is returned, and no 206, which is a part of what was asked for; everything else is a
 * `ToolFailure`, whose text is ours.
 */
export function createEgress(call: EgressCall): ToolContext["fetch"] {
  const { tool, clock, options } = call;
  const guard = urlGuardOf(tool, options.trustedOrigins);

  const requests: Requests = { active: 0, left: 0, sent: 0, turns: null };

  // In one function: a promise for each step costs as much as the step.
  return async (url, request = PLAIN) => {
    if (clock.ended !== null) throw clock.ended;
    let hop = toHop(url, request, guard);
    // A clock has one phase at a time, so each further request of the call at once has a clock for its own.
    const hasOwn = request.timeoutMs !== undefined || requests.active > 0;
    const own = hasOwn ? clock.fork(request.timeoutMs) : null;
    const way: Way = { call, requests, request, clock: own ?? clock };
    requests.active += 1;
    requests.turns?.enter();
    try {
      for (let redirects = 0; ; redirects += 1) {
        const sent = await send(hop, way);
        const { response, status, leave, release } = sent;
        const next = isOk(status) || request.reads === "status" ? null : nextHop(hop, response, guard);
        if (next === null) return await receive(sent, hop.href, way);
        leave("ok");
        release();
        discard(response);
        if (redirects === LIMITS.redirects) throw tooManyRedirects(status);
        hop = unwrap(next);
      }
    } finally {
      own?.stop();
      requests.active -= 1;
      requests.turns?.leave();
    }
  };
}

/** The requests of one call that are under way. */
interface Requests {
  active: number;
  /** Those that left. */
  left: number;
  /** Those of them that may change something. */
  sent: number;
  /** Once one of them had to wait for a slot; null before. */
  turns: HeaderSlots | null;
}

/** Wait for a slot, which stops the call's clock while all of its requests wait. */
function awaitSlot(requests: Requests, { slots, clock }: EgressCall): Promise<Release> {
  if (requests.turns === null) {
    requests.turns = new HeaderSlots(slots, clock);
    for (let counted = 0; counted < requests.active; counted += 1) requests.turns.enter();
  }
  return requests.turns.acquire();
}

const PLAIN: UpstreamRequest = {};

function toHop(url: string | URL, request: UpstreamRequest, guard: UrlGuard): Hop {
  const { method = "GET", headers, body, changesNothing = false } = request;
  if (method === "GET" && body !== undefined) throw new TypeError("Cannot send a body with a GET request");
  const { href, origin } = toTarget(url, guard);
  const checked = headers === undefined ? PLAIN_HEADERS : markHeaders(unwrap(guardHeaders(headers)));
  if (body === undefined || typeof body === "string")
    return { href, origin, method, headers: checked, body, changesNothing };
  const withType = { "content-type": "application/json", ...checked };
  return { href, origin, method, headers: withType, body: JSON.stringify(body, writeLong), changesNothing };
}

/** A schema may make a bigint of an integer beyond 2^53, which JSON writes as it is. */
function writeLong(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;
}

/** The address as text, which cannot change after it was checked. */
function toTarget(url: string | URL, guard: UrlGuard): { readonly href: string; readonly origin: string } {
  const origin = guard.originOf(url);
  return origin === null ? unwrap(guard(url)) : { href: String(url), origin };
}

interface Way {
  readonly call: EgressCall;
  readonly requests: Requests;
  readonly request: UpstreamRequest;
  /** The call's, or the request's own. */
  readonly clock: CallClock;
}

/**
 * Send one request and wait for its status line. Its slot is free again when this returns, but where others wait for one and the body is
 * small: such a body comes with its headers, and the next request then finds a socket that is free. To open another costs more than
 * the rest of the call.
 */
async function send(hop: Hop, { call, requests, clock }: Way): Promise<Sent> {
  const { trace, options } = call;
  // The request's own clock stands still while the request waits, and again while a redirect of it does.
  if (clock !== call.clock) clock.pause();
  const release = call.slots.tryAcquire() ?? (await awaitSlot(requests, call));
  let isKept = false;
  try {
    if (clock !== call.clock) clock.resume();
    if (clock.ended !== null) throw clock.ended;
    // After the wait for a slot: what others found out meanwhile decides.
    const leave = call.health.enter(call.tool, hop.origin, call);
    clock.enter("headers", call.tool.headersTimeoutMs ?? options.headersTimeoutMs);
    requests.left += 1;
    trace.reached = true;
    if (!hop.changesNothing) {
      requests.sent += 1;
      trace.sent = true;
      trace.status = null;
    }
    // One request of a call at most: two that are given up would take more slots than the call had a right to.
    const lingers = call.mayLinger === true && requests.active === 1 && clock === call.clock;
    const abort = lingers ? null : (call.idle?.pop() ?? new AbortController());
    const sending = dispatch(hop, call, abort);
    try {
      const response = await clock.orEnd(sending, discard);
      const { status, headers } = response;
      if (!hop.changesNothing) {
        trace.status = status;
        if (leavesInDoubt(status)) trace.inDoubt = true;
      }
      const length = declaredLength(headers);
      isKept = call.slots.isAwaited && isSmallBody(length);
      if (isKept) call.time.after(LIMITS.slotKeptMs, release);
      return { response, status, headers, length, leave, release, abort };
    } catch (error) {
      const neverLeft = findSocketFault(error) !== null;
      if (neverLeft) trace.reached = (requests.left -= 1) > 0;
      if (!hop.changesNothing) {
        if (neverLeft) trace.sent = (requests.sent -= 1) > 0;
        else trace.inDoubt = true;
      }
      // The platform's slot is taken as long as the request goes on, even after it was given up.
      if (lingers) {
        isKept = true;
        void sending.then(release, release);
      }
      // Nothing of what the runtime said is passed on: it may hold addresses and queries.
      const hint = "The service could not be reached, or hung up before it answered; trying again may help.";
      const failure = clock.ended ?? new ToolFailure("UPSTREAM_ERROR", { hint });
      abort?.abort(failure);
      leave(judge(failure.failure, call.hasItsTime));
      throw failure;
    } finally {
      clock.leave();
    }
  } finally {
    if (!isKept) release();
  }
}

function dispatch(
  { href, method, headers, body }: Hop,
  call: EgressCall,
  abort: AbortController | null,
): Promise<Response> {
  if (headers === PLAIN_HEADERS && method === "GET" && abort === null) return call.fetch(href, PLAIN_READ);
  const init: RequestInit = { method, headers: headers as Record<string, string>, redirect: "manual" };
  if (body !== undefined) init.body = body;
  if (abort !== null) init.signal = abort.signal;
  return call.fetch(href, init);
}

async function receive(sent: Sent, url: string, way: Way): Promise<UpstreamResponse> {
  const { call } = way;
  const { status, headers, leave, release, abort } = sent;
  try {
    const body = await readAnswer(sent, way);
    leave("ok");
    if (abort !== null) call.idle?.push(abort);
    const isText = typeof body === "string";
    const text = isText ? () => body : () => new TextDecoder().decode(body);
    const bytes = isText ? noBytes : () => body;
    return { status, headers, url, text, bytes, json: () => parseHeld(text(), headers, call) };
  } catch (error) {
    abort?.abort(error);
    leave(error instanceof ToolFailure ? judge(error.failure, call.hasItsTime) : "unknown");
    throw error;
  } finally {
    release();
  }
}

function parseHeld(json: string, headers: Headers, { held }: EgressCall): unknown {
  held.keepValues(json);
  return parseJsonBody(json, headers);
}

const PARTIAL_CONTENT = 206;

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

const NOTHING = new Uint8Array();
const noBytes = (): Uint8Array => NOTHING;

/** Read a 2xx that is all of the answer; throw what any other status means, unless it is to be read. */
function readAnswer(
  { response, status, headers, length }: Sent,
  { call, clock, request }: Way,
): Promise<string | Uint8Array> | string {
  const { tool, held, options } = call;
  const { reads, alsoReads, onEvents } = request;
  const isWhole = isOk(status) && (status !== PARTIAL_CONTENT || reads === "status");
  if (!isWhole && alsoReads?.includes(status) !== true) {
    const refusal = makeStatusFailure(response, tool, call.time.now());
    call.trace.retryAfterMs = refusal.failure.retryAfterMs ?? call.trace.retryAfterMs;
    if (tool.upstreamErrors !== false) return refuse(response, refusal.failure, call);
    discard(response);
    throw refusal;
  }
  if (reads === "status") {
    discard(response);
    return "";
  }
  const limits = { maxBytes: tool.maxResponseBytes, held, clock, idleTimeoutMs: options.idleTimeoutMs };
  if (reads === "bytes") return readBytes(response, limits);
  if (onEvents === undefined || !isEventStream(headers))
    return readBody(response, limits, { headers, length });
  const parse = (json: string): unknown => parseHeld(json, headers, call);
  return readEvents(response, limits, (piece) => onEvents(piece, parse));
}

/** Throw a refusal with what the service said of it, where that comes in time. */
async function refuse(response: Response, failure: Failure, { clock, time }: EgressCall): Promise<never> {
  const read = await attempt(() => clock.orEnd(readRefusal(response, time)));
  const isSaid = read.ok && (read.value.message ?? read.value.code) !== undefined;
  throw new ToolFailure(failure.code, isSaid ? { ...failure, upstream: read.value } : failure);
}

function isEventStream(headers: Headers): boolean {
  return /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
}

const guards = new WeakMap<ReadonlySet<string>, WeakMap<Tool, UrlGuard>>();

/** The guard of a tool's addresses, worked out once for every set of trusted origins. */
function urlGuardOf(tool: Tool, trustedOrigins: ReadonlySet<string>): UrlGuard {
  let byTool = guards.get(trustedOrigins);
  if (byTool === undefined) {
    byTool = new WeakMap();
    guards.set(trustedOrigins, byTool);
  }
  let guard = byTool.get(tool);
  if (guard === undefined) {
    guard = makeUrlGuard(tool, trustedOrigins);
    byTool.set(tool, guard);
  }
  return guard;
}

function makeUrlGuard({ hosts }: Tool, trustedOrigins: ReadonlySet<string>): UrlGuard {
  if (hosts === PUBLIC_HOSTS) return createPublicGuard(trustedOrigins);
  return createUrlGuard(new Set(hosts.map(toOrigin).filter((origin) => origin !== null)), trustedOrigins);
}

/** Give up an unread body, so that its socket is not kept. */
function discard(response: Response): void {
  void attempt(() => response.body?.cancel());
}

function tooManyRedirects(upstreamStatus: number): ToolFailure {
  const hint = `The service redirected more than ${LIMITS.redirects} times.`;
  return new ToolFailure("UPSTREAM_ERROR", { retryable: false, upstreamStatus, hint });
}

/** A refusal inside a tool call travels as the exception that the catch around it turns back into a value. */
function unwrap<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new ToolFailure(result.error.code, result.error);
  return result.value;
}

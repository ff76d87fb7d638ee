import { askGate, type RequestContext } from "../../../feature/answer.ts";
import { enterWait } from "../../../cloudflare/http/await-change.ts";
import { type EventStream, openEventStream, STREAM_HEADERS } from "../../../cloudflare/http/event-stream.ts";
import { parseExact } from "../../../feature/schema.ts";
import { countStatuses, type Outcome, type OutcomeMeta } from "../../../core/contract/outcome.ts";
import { attempt, err, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { sha256, sleep } from "../../../feature/kit.ts";
import { givenBy, type Gives } from "../../../feature/gives.ts";
import { findRun, type SeenRun } from "./look-at-run.ts";
import { NO_RUN, sightOf, UNREADABLE } from "./open-log.ts";
import { readKeptRun } from "./read-kept-run.ts";
import { toKeptEnvelope, toResults } from "../results-of-run.ts";
import * as LIMITS from "../limits.ts";
import { isLive } from "../live-run.ts";
import type { RunLog } from "../run-log-methods.ts";
import { sees } from "../see-run.ts";

interface Followed {
  readonly id: string;
  readonly log: RunLog;
}

/** The events of a run that are known by now. */
interface Known {
  /** Results as JSON, at most one for each action. */
  readonly results: readonly string[];
  /** The whole answer; null while the run goes on, or something becomes of it. */
  readonly envelope: string | null;
  /** Events of what became of it since, without their ids. */
  readonly events?: readonly string[];
}

/**
 * Answer with the events of a run: `result` for each result, and last `done` with the envelope. All that is known is told at once, and the
 * rest when it happens. A stream of which nothing more is told, or that is open for long, ends without `done`, and its client goes on
 * where it was: the id of an event says which were told.
 */
export async function followRun(
  followed: Followed,
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  const lastId = request.headers.get("last-event-id") ?? "";
  // A client that follows by itself stops at this status.
  if (lastId === TOLD_ALL) return ok(new Response(null, { status: 204 }));
  const { clock } = context.ports;
  let seen = await lookAt(followed, context);
  const awaitedUntil = clock.now() + LIMITS.runAwaitedMs;
  while (seen.ok && seen.value === null && clock.now() < awaitedUntil) {
    if (!(await attempt(() => sleep(clock, LIMITS.waitLookMs, request.signal))).ok) break;
    seen = await lookAt(followed, context);
  }
  if (!seen.ok) return seen;
  if (seen.value === null) return err(NO_RUN);
  const stream = openEventStream(request.signal, clock);
  context.defer(tell(stream, { ...followed, told: new Told(lastId), first: seen.value }, context));
  return ok(new Response(stream.readable, { headers: STREAM_HEADERS }));
}

function lookAt({ id, log }: Followed, context: RequestContext): Promise<Result<SeenRun | null, Refusal>> {
  return askGate(() => findRun(id, log, context), UNREADABLE);
}

async function tell(
  stream: EventStream,
  { told, first, ...followed }: Followed & { readonly told: Told; readonly first: SeenRun },
  context: RequestContext,
): Promise<void> {
  const { clock } = context.ports;
  const endsAt = clock.now() + LIMITS.runStreamMs;
  const leave = enterWait({ tenant: context.caller.tenant, endsAt }, clock.now());
  const stopKeepAlive = stream.keepAlive();
  let seen: SeenRun | null = first;
  let progress = "";
  for (let pause = LIMITS.waitLookMs; seen !== null; pause += LIMITS.waitLookStepMs) {
    const { job } = seen;
    const now = JSON.stringify([job?.status, job?.progress]);
    const known = now === progress ? NO_NEWS : await attempt(() => knownSince(seen!, followed.id, context));
    if (!known.ok) break;
    const { results, envelope, events } = known.value;
    // The job of a run that is over makes no progress by what becomes of it.
    progress = events === undefined ? now : "";
    for (const json of results) {
      const id = told.add(json);
      if (id !== null) stream.send(`event: result\ndata: ${json}\nid: ${id}\n\n`);
    }
    for (const event of events ?? []) {
      const id = told.addSince(event);
      if (id !== null) stream.send(`${event}\nid: ${id}\n\n`);
    }
    if (envelope !== null) {
      stream.send(`event: done\ndata: ${envelope}\nid: ${TOLD_ALL}\n\n`);
      break;
    }
    const ms = Math.min(pause, LIMITS.waitLookMaxMs, endsAt - clock.now());
    if (leave === null || ms <= 0 || !(await attempt(() => sleep(clock, ms, stream.signal))).ok) break;
    const again = await lookAt(followed, context);
    seen = again.ok ? again.value : null;
  }
  stopKeepAlive();
  leave?.();
  await stream.close();
}

/** The same with the actions that the results are of, and what an export kept of these. */
interface KnownActions extends Known {
  readonly of: { readonly actions: SinceActions; readonly after?: unknown };
}

type SinceActions = Parameters<Gives["afterRuns"]["show"]>[0]["actions"];

const NO_NEWS: Result<Known, never> = ok({ results: [], envelope: null });

/** The same with what became of a run since it was over, also before the log has heard of that. */
async function knownSince(seen: SeenRun, id: string, context: RequestContext): Promise<Known> {
  const [since] = givenBy(context.configured.features, "afterRuns");
  const { of, ...known } = await knownOf(seen, context);
  if (since === undefined || known.envelope === null) return known;
  const { after: names = [], run } = seen.found ?? {};
  const startedAt = Date.parse(run?.started_at ?? "");
  const asked = { names: names.length === 0 ? [id] : names, startedAt, actions: of.actions, kept: of.after };
  const { isSettled, ...told } = await since.tell(asked, known.envelope, context);
  return { ...known, ...told, ...(!isSettled && { envelope: null }) };
}

async function knownOf({ found, job, jobRuns }: SeenRun, context: RequestContext): Promise<KnownActions> {
  const going = { envelope: null, of: { actions: [] } };
  if (job !== null && isLive(job)) return { ...going, results: (await jobRuns?.results(job, context)) ?? [] };
  // The answer that its job keeps has more of its data than the log.
  if (job?.envelopeJson !== undefined) return fromEnvelope(job.envelopeJson, context);
  if (found === null) return { ...going, results: [] };
  const kept = readKeptRun(found, context);
  const results = toResults(kept.actions);
  return { results, envelope: toKeptEnvelope(found.run, kept, results), of: kept };
}

/** The same of an answer, with the results of tools that the key may call. */
function fromEnvelope(json: string, context: RequestContext): KnownActions {
  const sight = { sight: sightOf(context) };
  const whole = parseExact(json) as { readonly results: readonly WireResult[] };
  const seen = whole.results.filter(({ tool }) => tool === null || sees(sight, tool));
  const results = seen.map((result) => JSON.stringify(result));
  if (seen.length === whole.results.length) return { results, envelope: json, of: { actions: seen } };
  const envelope = JSON.stringify({ ...whole, results: seen, summary: summarise(seen) });
  return { results, envelope, of: { actions: seen } };
}

interface WireResult extends Pick<Outcome, "status"> {
  readonly id: string;
  readonly tool: string | null;
  readonly data?: unknown;
  readonly meta: Pick<OutcomeMeta, "items">;
}

function summarise(results: readonly WireResult[]): object {
  const { success: ok, ...others } = countStatuses(results);
  return { total: results.length, ok, ...others };
}

/** The id of a stream's last event: everything was told. */
const TOLD_ALL = "done";

const FORM = /^([0-9a-f]{1,500})((?:\.[0-9a-f]{8}){0,200})$/;
const INDEX = /^\{"index":(\d{1,4}),/;

/**
 * The events of a run that a client was told of. As the id of an event it is a number in hexadecimal, with a bit for the result of each action:
 * whatever order results came in, and whichever stream told them, it says what is missing. The names of the events of what became of it
 * since follow, each behind a dot.
 */
class Told {
  #bits: bigint;
  readonly #since: string[];

  /** @param lastId the id of the last event that a client has seen; one that no stream wrote begins anew */
  constructor(lastId: string) {
    const [, bits = "0", since = ""] = FORM.exec(lastId) ?? [];
    this.#bits = BigInt(`0x${bits}`);
    this.#since = since.split(".").slice(1);
  }

  /** Take a result, as it is on the wire, that is about to be told; the id of its event, or null where it was told before. */
  add(json: string): string | null {
    const bit = 1n << BigInt(INDEX.exec(json)?.[1] ?? 0);
    if ((this.#bits & bit) !== 0n) return null;
    this.#bits |= bit;
    return this.#id;
  }

  /** Take an event of what became of it since. */
  addSince(event: string): string | null {
    const name = sha256(event).slice(0, 8);
    if (this.#since.includes(name)) return null;
    this.#since.push(name);
    return this.#id;
  }

  get #id(): string {
    return [this.#bits.toString(16), ...this.#since.slice(-LIMITS.runEventsNamed)].join(".");
  }
}

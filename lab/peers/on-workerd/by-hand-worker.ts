import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import * as z from "zod";

// The Worker that a careful engineer writes for the same task. It has: a key, known by its digest; a quota in a Durable Object, one call a
// request; a schema of the batch and one of the tool; a cap for the tool; two signals for each call, its timeout and the request's end; no
// redirects followed; a bound on the answer; one result for each action; a request id; one line of the log. It lacks: references between
// actions, retries, breakers, redaction, leases of the quota, runs, idempotency, planning, shared reads, and everything in the background.

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 10_000;
const CAP = 6;

export class Limiter extends DurableObject {
  #used = 0;
  #endsAt = 0;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as Cloudflare.Env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS quota (id INTEGER PRIMARY KEY, used INTEGER, ends INTEGER)",
    );
  }

  take(units: number, limit: number, windowMs: number): boolean {
    const now = Date.now();
    if (now >= this.#endsAt) {
      this.#used = 0;
      this.#endsAt = now + windowMs;
      this.ctx.storage.sql.exec("REPLACE INTO quota VALUES (1, 0, ?)", this.#endsAt);
    }
    this.#used += units;
    return this.#used <= limit;
  }
}

interface Variables {
  readonly LIMITER: DurableObjectNamespace<Limiter>;
  readonly UPSTREAM_ORIGIN: string;
}

const Action = z.strictObject({
  id: z.string().max(64).optional(),
  tool: z.string().min(1).max(64),
  args: z.record(z.string(), z.unknown()).default({}),
});
const Batch = z.strictObject({ actions: z.array(Action).min(1).max(50) });
const EchoArgs = z.strictObject({ n: z.int(), d: z.int().min(0).max(60_000).default(0) });

class CallFailure extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Lets so many calls of a tool run at once. */
class Cap {
  #free = CAP;
  readonly #waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, { signal, redirect: "manual", headers: { "user-agent": "by-hand" } });
  if (!response.ok) throw new CallFailure("UPSTREAM_ERROR");
  if (Number(response.headers.get("content-length") ?? 0) > MAX_BYTES) throw new CallFailure("TOO_LARGE");
  const text = await response.text();
  if (text.length > MAX_BYTES) throw new CallFailure("TOO_LARGE");
  return JSON.parse(text);
}

interface Work {
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly cap: Cap;
}

async function runAction(action: z.infer<typeof Action>, index: number, { env, signal, cap }: Work) {
  const base = { index, id: action.id ?? `a${index}`, tool: action.tool };
  if (action.tool !== "bench-echo") return { ...base, status: "error", error: { code: "UNKNOWN_TOOL" } };
  const args = EchoArgs.safeParse(action.args);
  if (!args.success)
    return {
      ...base,
      status: "error",
      error: { code: "INVALID_ARGS", message: z.prettifyError(args.error) },
    };
  const startedAt = Date.now();
  try {
    const { n, d } = args.data;
    const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const data = await cap.run(() => getJson(`${env.UPSTREAM_ORIGIN}/echo?n=${n}&d=${d}`, either));
    return { ...base, status: "success", data, meta: { duration_ms: Date.now() - startedAt } };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    const code = error instanceof CallFailure ? error.code : isLate ? "TIMEOUT" : "FAILED";
    return { ...base, status: "error", error: { code }, meta: { duration_ms: Date.now() - startedAt } };
  }
}

const digests = new Map<string, string>();

async function digestOf(header: string | undefined): Promise<string | null> {
  const key = header?.startsWith("Bearer ") === true ? header.slice("Bearer ".length) : "";
  if (key === "") return null;
  let digest = digests.get(key);
  if (digest === undefined) {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
    digest = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    if (digests.size < 1_000) digests.set(key, digest);
  }
  return digest;
}

const app = new Hono<{ Bindings: Variables }>();

app.post("/v1/execute_actions", async (c) => {
  const id = crypto.randomUUID();
  const startedAt = Date.now();
  const digest = await digestOf(c.req.header("authorization"));
  if (digest === null) return c.json({ error: "unauthorized" }, 401);
  let body: unknown;
  try {
    body = await c.req.json();
  } catch {
    return c.json({ error: "not JSON" }, 400);
  }
  const batch = Batch.safeParse(body);
  if (!batch.success) return c.json({ error: z.prettifyError(batch.error) }, 422);
  const isAdmitted = await c.env.LIMITER.getByName(digest).take(1, 1e9, 60_000);
  if (!isAdmitted) return c.json({ error: "rate limited" }, 429);
  const work = { env: c.env, signal: new AbortController().signal, cap: new Cap() };
  const results = await Promise.all(
    batch.data.actions.map((action, index) => runAction(action, index, work)),
  );
  const ok = results.filter(({ status }) => status === "success").length;
  const summary = { total: results.length, ok, error: results.length - ok };
  const line = {
    level: "info",
    event: "batch",
    request_id: id,
    ...summary,
    duration_ms: Date.now() - startedAt,
  };
  console.log(JSON.stringify(line));
  return c.json({ batch_id: id, results, summary }, 200, { "x-request-id": id, "cache-control": "no-store" });
});

export default app;

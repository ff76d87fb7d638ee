import { createBeforeStep } from "../../src/features/confirmations/before-step.ts";
import { createHash, createHmac } from "node:crypto";

import { createCatalog } from "./create-catalog.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import type { WireFailure } from "../../src/core/contract/failure.ts";
import * as LIMITS from "../../src/core/contract/limits.ts";
import { execute } from "../../src/core/run/execute/executor.ts";
import type { Execution } from "../../src/core/gate/execution.ts";
import type { Ports } from "../../src/core/egress/ports.ts";
import { createReadCache, type ReadCache } from "../../src/core/egress/read-cache.ts";
import { UpstreamHealth } from "../../src/core/egress/upstream-health.ts";
import { FakeGate } from "./fake-gate.ts";
import { FakeToolGates } from "./fake-tool-gates.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Outside a Worker it is synchronous, which virtual time needs: it does not wait for threads. */
function sha256Of(text: string): Promise<string> {
  return Promise.resolve(createHash("sha256").update(text).digest("hex"));
}

/** A result as it goes over the wire. */
export interface WireResult {
  readonly index: number;
  readonly id: string;
  readonly tool: string | null;
  readonly status: string;
  readonly data?: unknown;
  readonly job_id?: string;
  readonly because?: string;
  readonly confirmation?: {
    readonly id: string;
    readonly expires_at: string;
    readonly message: string;
    readonly url: string;
  };
  readonly error?: WireFailure;
  readonly meta: {
    readonly started_ms?: number;
    readonly tries?: readonly {
      readonly started_ms: number;
      readonly duration_ms: number;
      readonly code?: string;
    }[];
    readonly duration_ms?: number;
    readonly queued_ms?: number;
    readonly attempts?: number;
    readonly bytes?: number;
  };
}

export interface WireEnvelope {
  readonly batch_id: string;
  readonly results: readonly WireResult[];
  readonly summary: Readonly<Record<string, number>>;
  readonly stats: Readonly<Record<string, number>>;
  readonly undone?: readonly unknown[];
}

/** A world for one batch: virtual time, predictable ids, a gate that can be told what to say. */
export class TestWorld {
  readonly clock = new VirtualClock();
  readonly gate = new FakeGate();
  readonly toolGates = new FakeToolGates(this.clock);
  /** Lasts as long as the world, as it does with an isolate. */
  readonly health = new UpstreamHealth(this.clock);
  readonly deferred: Promise<unknown>[] = [];
  readonly gone = new AbortController();
  readonly secrets = new Map<string, string>();
  readonly bindings = new Map<string, object>();
  /** The lines of the log. */
  readonly logged: { readonly level: string; readonly json: string; readonly stack: string | undefined }[] =
    [];
  fetch: Ports["fetch"] = () => Promise.reject(new Error("This test's tools send nothing"));
  #ids = 0;
  #cache: ReadCache | null = null;

  readonly ports: Ports = {
    clock: this.clock,
    random: () => 0.5,
    // A seed of job ids has to be a UUID.
    newId: () => `${(this.#ids += 1).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
    fetch: (url, init) => this.fetch(url, init),
    sha256: sha256Of,
    sign: (key, text) => Promise.resolve(createHmac("sha256", key).update(text).digest("base64")),
    outside: (work) => this.clock.outside(work),
    secret: (name) => this.secrets.get(name),
    binding: (name) => this.bindings.get(name),
    log: (level, json, stack) => void this.logged.push({ level, json, stack }),
  };

  /** Execute a batch of these tools to its end, in virtual time. */
  async execute(tools: readonly Tool[], body: unknown, overrides: Partial<Execution> = {}) {
    const batch = parseBatch(body, 1_000);
    if (!batch.ok) throw new Error(`Cannot execute: ${batch.error.hint}`);
    return this.clock.runUntil(execute(batch.value, this.execution(tools, overrides)));
  }

  /** The execution of a request of these tools' caller. */
  execution(tools: readonly Tool[], overrides: Partial<Execution> = {}): Execution {
    const catalog = createCatalog(tools);
    return {
      caller: {
        name: "tester",
        tenant: "acme",
        tools: ["*"],
        quota: { limit: 100, windowS: 60 },
        flags: [],
      },
      origin: { tenant: "acme", key: "tester", requestId: "request-1" },
      catalog,
      currentCatalog: () => Promise.resolve(catalog),
      ports: this.ports,
      gate: this.gate,
      countAlone: () => this.gate.aloneAllowed,
      upstreams: {
        toolGates: this.toolGates,
        health: this.health,
        cache: this.cacheOf(tools)?.of("acme") ?? null,
      },
      options: {
        headerSlots: LIMITS.headerSlots,
        headersTimeoutMs: LIMITS.headersTimeoutMs,
        idleTimeoutMs: LIMITS.idleTimeoutMs,
        requestResponseBytes: LIMITS.requestResponseBytes,
        trustedOrigins: new Set(),
      },
      hooks: { beforeStep: createBeforeStep() },
      signal: this.gone.signal,
      defer: (work) => void this.deferred.push(work),
      ...overrides,
    };
  }

  /** The cache of the first tools that allow one: it lasts as long as the world, as it does with an isolate. */
  cacheOf(tools: readonly Tool[]): ReadCache | null {
    this.#cache ??= createReadCache(tools, this.clock);
    return this.#cache;
  }

  /** Like `execute`, for batches that are not refused: the envelope as the caller reads it. */
  async run(
    tools: readonly Tool[],
    body: unknown,
    overrides: Partial<Execution> = {},
  ): Promise<WireEnvelope> {
    const answer = await this.execute(tools, body, overrides);
    if (!answer.ok) throw new Error(`The batch was refused: ${answer.error.refusal.hint}`);
    return JSON.parse(answer.value.json) as WireEnvelope;
  }

  /** Let everything that goes on after the answer come to its end. */
  async drain(): Promise<void> {
    await this.clock.runUntil(Promise.all(this.deferred));
  }
}

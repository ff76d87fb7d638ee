import type { App } from "../../../src/cloudflare/app.ts";
import { createVolley } from "../../../src/cloudflare/create-volley.ts";
import { objectsOf } from "../../../src/cloudflare/feature.ts";
import type { ObjectClass } from "../../../src/cloudflare/platform/object-class.ts";
import { signText } from "../../../src/cloudflare/platform/system-ports.ts";
import type { Tool } from "../../../src/core/catalog/define-tool.ts";
import type { Ports } from "../../../src/core/egress/ports.ts";
import { attempt } from "../../../src/core/kit/result.ts";
import { sha256 } from "../../../src/core/kit/sha256.ts";
import { createMemoryObjects, type MemoryNamespace } from "../../../src/package/testing/memory-objects.ts";
import { holdForCrypto, type VirtualClock } from "../../../src/package/testing/virtual-clock.ts";
import { getOrMake } from "../../../src/core/kit/get-or-make.ts";
import { ALL_FEATURES } from "../../support/all-features.ts";
import { KeptRows } from "./kept-rows.ts";

/** The answer of a process that is gone: there is none. */
export const KILLED = Symbol("killed");

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** It is a webhook's delivery of that id. */
  readonly delivery?: string;
}

export interface Answered {
  readonly status: number;
  readonly requestId: string | null;
  /** The requests that the quota of the key has left. */
  readonly left: number | null;
  readonly sentAt: number;
  readonly text: string;
}

interface Options {
  readonly tools: readonly Tool[];
  readonly send: Ports["fetch"];
  readonly clock: VirtualClock;
  /** Comes before each call that an isolate makes of an object: it may hold it, or reject. */
  readonly onCall?: (method: string, args: readonly unknown[]) => unknown;
  /** Whether the disk has no room for a statement. */
  readonly isFull?: (sql: string) => boolean;
}

/** By the names of the classes. */
const KEPT = new Map<string, KeptRows>();

type Classes = Readonly<Record<string, ObjectClass<object>>>;

/** Which process something belongs to. Nothing that belongs to one before the present one reaches anybody. */
class Lives {
  #now = 0;
  #end = Promise.withResolvers<typeof KILLED>();

  /** Cut off what lives now. */
  end(): void {
    this.#now += 1;
    this.#end.resolve(KILLED);
    this.#end = Promise.withResolvers();
  }

  /** Tell whether the present one still lives, whenever it is asked. */
  begin(): { readonly isAlive: () => boolean; readonly ended: Promise<typeof KILLED> } {
    const mine = this.#now;
    return { isAlive: () => mine === this.#now, ended: this.#end.promise };
  }
}

/**
 * Every feature, with the objects' rows in memory and time that is told to pass. `kill` is as `kill -9`: requests under way
 * have no answer, the process writes no row any more and nothing that it sends arrives; rows and alarms are there for the next one.
 */
export class KillableVolley {
  readonly #lives = new Lives();
  readonly #spaces: MemoryNamespace[] = [];
  readonly #options: Options;
  #app!: Pick<App, "fetch">;
  #classes!: Classes;
  #env: Record<string, unknown>;
  #ids = 0;
  /** The storage of each object whose alarm has come and is not over. */
  readonly #ringing = new Set<DurableObjectStorage>();
  readonly #ends: (() => void)[] = [];

  constructor(options: Options, env: Readonly<Record<string, unknown>>) {
    holdForCrypto();
    this.#options = options;
    this.#env = { VOLLEY_LOG: "off", ...env };
    const bindings = {
      TENANT_GATE: "TenantGate",
      TOOL_GATE: "ToolGate",
      ...Object.fromEntries(objectsOf(ALL_FEATURES).map(([name, { binding }]) => [binding, name])),
    };
    for (const [binding, name] of Object.entries(bindings)) this.#env[binding] = this.#open(name);
    this.#begin();
  }

  /** Load the libraries that are loaded when they are first used: no virtual time may pass while one is. */
  static async load(): Promise<void> {
    await Promise.all([import("chrono-node/en"), import("@cloudflare/workers-oauth-provider")]);
  }

  /** Send a request; `KILLED` where the process ended first. Time does not pass by itself. */
  async ask({ method, path, key, body, ...asked }: Asked): Promise<Answered | typeof KILLED> {
    const { ended } = this.#lives.begin();
    const request = new Request(new URL(path, "https://volley.test"), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...asked.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const ctx = { waitUntil: (work: Promise<unknown>) => void attempt(() => work) } as ExecutionContext;
    const sentAt = this.#options.clock.now();
    const answer = async (): Promise<Answered> => {
      const response = await this.#app.fetch(request, this.#env, ctx);
      const { status, headers } = response;
      const [, left = null] = /^"requests";r=(\d+)/.exec(headers.get("ratelimit") ?? "") ?? [];
      const told = { requestId: headers.get("x-request-id"), left: left === null ? null : Number(left) };
      return { status, ...told, sentAt, text: await response.text() };
    };
    return Promise.race([answer(), ended]);
  }

  kill(): void {
    this.#lives.end();
    for (const space of this.#spaces) space.evict();
    // The platform calls an alarm again that did not come to its end.
    for (const storage of this.#ringing) void this.#ringAgain(storage);
    this.#ringing.clear();
    this.#begin();
  }

  /** End it, and with it all that it has stored. */
  close(): void {
    this.#lives.end();
    for (const end of this.#ends) end();
  }

  async #ringAgain(storage: DurableObjectStorage): Promise<void> {
    if ((await storage.getAlarm()) === null)
      await storage.setAlarm(this.#options.clock.now() + ALARM_AGAIN_MS);
  }

  /** Take from the objects what they hold in memory, as the platform does with those that rest. */
  evict(): void {
    for (const space of this.#spaces) space.evict();
  }

  #begin(): void {
    const { isAlive } = this.#lives.begin();
    const { tools, send, clock } = this.#options;
    const volley = createVolley({
      tools,
      features: ALL_FEATURES,
      send: (url, init) => (isAlive() ? send(url, init) : new Promise(() => {})),
      standIns: {
        clock,
        random: () => 0.5,
        newId: () => `${(this.#ids += 1).toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`,
        sha256: (text) => Promise.resolve(sha256(text)),
        sign: (secret, text) => clock.outside(signText(secret, text)),
        outside: (work) => clock.outside(work),
        log: () => {},
      },
    });
    this.#app = volley.app;
    this.#classes = volley as unknown as Classes;
    // A process reads its configuration anew, and asks nothing through the bindings of the one before.
    this.#env = Object.fromEntries(
      Object.entries(this.#env).map(([name, value]) => [
        name,
        isSpace(value) ? fence(value, isAlive, this.#options.onCall) : value,
      ]),
    );
  }

  #open(name: string): MemoryNamespace {
    // oxlint-disable-next-line typescript/no-this-alias -- the class is made by others, and each of its objects asks for the present one
    const volley = this;
    const kept = getOrMake(KEPT, name, () => new KeptRows());
    const rowsOf = new Map<DurableObjectStorage, ReturnType<KeptRows["take"]>>();
    this.#ends.push(() => rowsOf.forEach((rows) => kept.giveBack(rows)));
    const Present = function (ctx: DurableObjectState): object {
      const { isAlive } = volley.#lives.begin();
      const isNew = !rowsOf.has(ctx.storage);
      const rows = getOrMake(rowsOf, ctx.storage, () => kept.take());
      // The alarm is the object's own.
      const { sql } = rows as unknown as DurableObjectStorage;
      const stored = { ...ctx.storage, sql, transactionSync: rows.transactionSync.bind(rows) };
      const storage = cut(stored, isAlive, volley.#options.isFull);
      const made = new volley.#classes[name]!({ ...ctx, id: ctx.id, storage }, volley.#env) as {
        alarm?: () => Promise<void>;
      };
      if (isNew) kept.hasBegun(rows);
      const alarm = made.alarm?.bind(made);
      if (alarm !== undefined)
        made.alarm = async () => {
          volley.#ringing.add(ctx.storage);
          await attempt(alarm);
          if (isAlive()) volley.#ringing.delete(ctx.storage);
        };
      return made;
    } as unknown as ObjectClass<object>;
    const space = createMemoryObjects(Present, this.#options.clock, () => this.#env);
    this.#spaces.push(space);
    return space;
  }
}

/** After its first try, as the platform's documentation of alarms says. */
const ALARM_AGAIN_MS = 2_000;
const TARGET = Symbol("target");
const SYNCHRONOUS: ReadonlySet<PropertyKey> = new Set(["exec", "transactionSync"]);

function isSpace(value: unknown): value is MemoryNamespace & { readonly [TARGET]?: MemoryNamespace } {
  return typeof value === "object" && value !== null && "idFromName" in value;
}

/** A namespace whose objects do not answer a process that is gone. */
function fence(
  space: MemoryNamespace & { readonly [TARGET]?: MemoryNamespace },
  isAlive: () => boolean,
  onCall: Options["onCall"],
): object {
  const target = space[TARGET] ?? space;
  return {
    ...target,
    [TARGET]: target,
    jurisdiction: (where: string) => fence(target.jurisdiction(where), isAlive, onCall),
    get: (id: Parameters<MemoryNamespace["get"]>[0]) =>
      new Proxy(target.get(id) as Record<string, (...args: unknown[]) => unknown>, {
        get: (stub, method: string) =>
          method === "then"
            ? undefined
            : async (...args: unknown[]) => {
                if (!isAlive()) return new Promise(() => {});
                await onCall?.(method, args);
                const answer = await stub[method]!(...args);
                return isAlive() ? answer : new Promise(() => {});
              },
      }),
  };
}

/** Storage that a process which is gone can no longer touch. */
function cut<Storage extends object>(
  storage: Storage,
  isAlive: () => boolean,
  isFull: Options["isFull"],
): Storage {
  const known = new Map<PropertyKey, unknown>();
  const cutOne = (target: object, name: PropertyKey): unknown => {
    const value = (target as Record<PropertyKey, unknown>)[name];
    if (typeof value === "object" && value !== null) return cut(value, isAlive, isFull);
    if (typeof value !== "function") return value;
    return (...args: unknown[]): unknown => {
      // A killed process waits for ever; a call that answers at once has to throw.
      if (!isAlive() && !SYNCHRONOUS.has(name)) return new Promise(() => {});
      if (!isAlive()) throw new Error("Cannot touch storage: the process was killed");
      if (name === "exec" && isFull?.(String(args[0])) === true) throw new Error("SQLITE_FULL");
      return (value as (...args: unknown[]) => unknown).apply(target, args);
    };
  };
  return new Proxy(storage, {
    get: (target, name) => getOrMake(known, name, () => cutOne(target, name)),
  });
}

import { type Jurisdiction, JURISDICTIONS } from "../core/contract/gate/caller.ts";
import type { BegunCalls, Remote } from "../core/contract/gate/tenant-gate-methods.ts";
import type { Clock } from "../core/kit/clock.ts";
import { attempt, attemptNow } from "../core/kit/result.ts";
import type { Configured, Env } from "./configured.ts";
import { ConfigurationError } from "./platform/configuration-error.ts";
import { createSlot } from "./slot.ts";
import { getOrMake, makeRoom } from "../core/kit/get-or-make.ts";

/** A binding of Durable Objects, as much of it as their clients use. */
export interface ObjectNamespace<Methods> {
  idFromName(name: string): object;
  get(id: object): Remote<Methods>;
  /** The namespace of the objects that are kept there: the same names are other objects. */
  jurisdiction?(jurisdiction: Jurisdiction): ObjectNamespace<Methods>;
}

/** The clock of a call, and how long it may take. */
export interface CallBounds {
  readonly clock: Clock;
  /** For one call, its retry included. */
  readonly timeoutMs: number;
}

/** How an object's methods are called. */
export interface Calling<Methods> extends CallBounds {
  /** Methods that are sent once, and not waited for in a bound: one that arrived and was not answered would count twice. */
  readonly once?: readonly (keyof Methods)[];
  /** When their work began, where the object is a tenant's: one that is deleted after that takes nothing more of it. */
  readonly begunAt?: number | undefined;
  /** Calls arrive in the order in which they are made. Only an object may hold such a client: no request keeps the stub of another. */
  readonly inOrder?: boolean;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Open an object by its name. Every method rejects where the object does not answer in time; what was asked may still take effect.
 *
 * A failure that the platform calls retryable is sent once more through a fresh stub, because the old one stays broken; but not to an
 * overloaded object, which a retry would only load more. Each answer is disposed of, so the object need not hold anything for it.
 */
export function openObject<Methods>(
  namespace: ObjectNamespace<Methods>,
  name: string,
  { once = [], inOrder = false, begunAt, ...bounds }: Calling<Methods>,
): Remote<Methods> {
  let kept: Remote<Methods> | null = null;
  const send = async (method: keyof Methods, args: unknown[]): Promise<unknown> => {
    const stub = kept ?? namespace.get(idOf(namespace, name));
    if (inOrder) kept = stub;
    const sent = await attempt(() => (stub[method] as Call)(...args));
    if (!sent.ok) {
      kept = null;
      throw sent.error;
    }
    release(sent.value);
    return sent.value;
  };
  const callOf =
    (method: keyof Methods): Call =>
    (...args) =>
      once.includes(method) ? send(method, args) : callBounded(() => send(method, args), bounds);
  const client = new Proxy({} as Remote<Methods>, {
    // A client is no promise, also where it is awaited.
    get: (_, method) => (method === "then" ? undefined : callOf(method as keyof Methods)),
  });
  return begunAt === undefined ? client : begunAs(client, begunAt);
}

/** Call the methods of a tenant's object for work that began then. Each rejects where the tenant was deleted since. */
export function begunAs<Methods>(object: Remote<Methods>, begunAt: number): Remote<Methods> {
  return new Proxy({} as Remote<Methods>, {
    get: (_, method) =>
      method === "then"
        ? undefined
        : async (...args: unknown[]) => {
            const taken = await (object as Remote<BegunCalls>).since(begunAt, method as string, ...args);
            if (taken !== null) return taken.answer;
            throw new Error(`Cannot call '${String(method)}': the tenant was deleted after this began`);
          },
  });
}

/** Dispose of an answer. An object that hands it on would ask its own caller for that again, so the answer forgets that it could be. */
function release(answer: unknown): void {
  const { [Symbol.dispose]: dispose } = (answer ?? {}) as Partial<Disposable>;
  if (dispose === undefined) return;
  dispose.call(answer);
  Reflect.deleteProperty(answer as object, Symbol.dispose);
}

/** Call a Durable Object, for so long at most. A failure that the platform calls retryable is sent once more. */
export function callBounded<T>(send: () => Promise<T>, { clock, timeoutMs }: CallBounds): Promise<T> {
  return new Promise((resolve, reject) => {
    let expired = false;
    const cancel = clock.after(timeoutMs, () => {
      expired = true;
      reject(new Error(`Cannot reach the gate: no answer within ${timeoutMs} ms`));
    });
    const call = async (): Promise<void> => {
      const first = await attempt(send);
      const sendsAgain = !first.ok && !expired && isWorthRetrying(first.error);
      const asked = sendsAgain ? await attempt(send) : first;
      cancel();
      if (asked.ok) resolve(asked.value);
      else reject(asked.error);
    };
    void call();
  });
}

/** The platform marks its own errors; see "Error handling" in the Durable Objects documentation. */
function isWorthRetrying(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}

/** Ids are remembered for so many objects of a namespace per isolate; computing one is a hash. */
const IDS_KEPT = 1_000;

const ids = new WeakMap<object, Map<string, object>>();

function idOf(namespace: Pick<ObjectNamespace<unknown>, "idFromName">, name: string): object {
  const known = getOrMake(ids, namespace, () => new Map<string, object>());
  return getOrMake(known, name, () => {
    makeRoom(known, IDS_KEPT);
    return namespace.idFromName(name);
  });
}

/** Read a binding of objects; null where it is missing. */
export function readNamespace<Methods>(env: Env, binding: string): ObjectNamespace<Methods> | null {
  const bound = env[binding];
  return typeof bound === "object" && bound !== null ? (bound as ObjectNamespace<Methods>) : null;
}

/**
 * Define how the objects of a feature are called, those of a tenant where its keys say. The function that it returns gives null where the
 * deployment does not bind them. Throws where the runtime cannot keep them there.
 *
 * @example
 * const logsOf = defineObject<RunLogMethods>({ binding: "RUNS", timeoutMs: 5_000 });
 * await logsOf(configured)?.(caller.tenant, caller).list(query);
 */
export function defineObject<Methods>({
  binding,
  isErased = false,
  ...calling
}: DefinedObject<Methods>): (
  configured: Configured,
) => ((name: string, where: Place) => Remote<Methods>) | null {
  const slot = createSlot(({ env, keys }) => {
    const anywhere = readNamespace<Methods>(env, binding);
    return { placed: anywhere && placeByKey(env, keys, anywhere) };
  });
  return (configured) => {
    const { placed } = slot(configured);
    const { clock } = configured.ports;
    return (
      placed &&
      ((name, { jurisdiction, begunAt = clock.now() }) =>
        openObject(placed(jurisdiction), name, {
          ...calling,
          clock,
          begunAt: isErased ? begunAt : undefined,
        }))
    );
  };
}

/** Where an object is, and when the work began that asks it: where that is not said, now, before anything of it is awaited. */
interface Place {
  readonly jurisdiction?: Jurisdiction | undefined;
  readonly begunAt?: number;
}

interface DefinedObject<Methods> extends Omit<Calling<Methods>, "clock" | "begunAt"> {
  readonly binding: string;
  /** Each is of one tenant, and its class is made by `refuseErased`. */
  readonly isErased?: boolean;
}

interface Placeable<N> {
  jurisdiction?(jurisdiction: Jurisdiction): N;
}

/** Place the objects of tenants: they are where the tenant's keys say. Throws where the runtime cannot keep them there. */
export function placeByKey<N extends Placeable<N>>(
  env: Env,
  { callers }: Pick<Configured["keys"], "callers">,
  anywhere: N,
): (jurisdiction?: Jurisdiction) => N {
  const usual = readJurisdiction(env);
  // Made once: ids are remembered by namespace.
  const placed = new Map(
    Array.from(new Set(callers.flatMap(({ jurisdiction }) => jurisdiction ?? [])), (jurisdiction) => {
      const setting = jurisdiction === usual ? "VOLLEY_JURISDICTION" : "VOLLEY_KEYS";
      return [jurisdiction, placeIn(anywhere, jurisdiction, setting)] as const;
    }),
  );
  return (jurisdiction) => (jurisdiction === undefined ? anywhere : placed.get(jurisdiction)!);
}

/** Place objects that no key places: they are where `VOLLEY_JURISDICTION` says. Throws where the runtime cannot keep them there. */
export function placeAsConfigured<N extends Placeable<N>>(env: Env, anywhere: N): N {
  const jurisdiction = readJurisdiction(env);
  return jurisdiction === undefined ? anywhere : placeIn(anywhere, jurisdiction, "VOLLEY_JURISDICTION");
}

/** Place objects in a jurisdiction. Throws where the runtime has none: only Cloudflare's network has. */
export function placeIn<N extends Placeable<N>>(
  namespace: N,
  jurisdiction: Jurisdiction,
  setting: string,
): N {
  const placed = attemptNow(() => namespace.jurisdiction!(jurisdiction));
  if (placed.ok) return placed.value;
  const reason = `this runtime cannot keep objects in '${jurisdiction}'; only Cloudflare's network can`;
  throw new ConfigurationError(setting, reason);
}

/** Never ignored: who names a jurisdiction promised somebody where data lies, so anything but a known one throws. */
export function readJurisdiction(env: Env): Jurisdiction | undefined {
  const value = env["VOLLEY_JURISDICTION"] ?? "";
  if (value === "") return undefined;
  const jurisdiction = JURISDICTIONS.find((known) => known === value);
  if (jurisdiction === undefined)
    throw new ConfigurationError("VOLLEY_JURISDICTION", "it must be 'eu', 'us' or empty");
  return jurisdiction;
}

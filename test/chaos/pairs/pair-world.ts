import { setTimeout as sleep } from "node:timers/promises";

import { configureKeys } from "../../support/configured-keys.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeProvider } from "../../support/fake-provider.ts";
import { createRandom } from "../../support/random.ts";
import { SANDBOX_CONFIG } from "../../support/sandbox.ts";
import { startVictim, type Victim } from "../victim.ts";
import { exchange } from "../volley-client.ts";

/** Two features that write at once. */
export interface Pair {
  readonly name: string;
  /** Make ready what is there once. */
  readonly arrange?: (world: PairWorld) => Promise<void>;
  /** Make ready one round, with numbers of its own from `n`: nothing is killed yet. */
  begin(world: PairWorld, n: number): Promise<Round>;
}

/** One time that the two write. */
export interface Round {
  /** The ids of its runs, jobs and questions. */
  readonly ids: readonly string[];
  /** Let both write at once, until each is answered or its connection is gone. */
  work(): Promise<unknown>;
  /** Go on as a caller does after a restart, until all is over. */
  settle(): Promise<void>;
  /** Find what went against the promises, in words, when all rounds are over. */
  judge(): Promise<readonly string[]>;
}

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many paths, each looked at where it is asked for
  readonly body: any;
}

/** The person that all runs are for. */
export const SUBJECT = "ada";
/** Another subject of the tenant, and another tenant. */
export const STRANGERS = ["bob", "neighbour"] as const;
/** How long after each other the two begin, and how long their upstream takes. */
const SPREAD_MS = 40;
/** An undo answers within 15 s. */
const TIMEOUT_MS = 30_000;
const quota = { limit: 1_000_000, window_s: 60 };
const flags = ["approve", "manage_tools", "manage_keys", "manage_endpoints", "manage_connections"];

/** A runtime that can be killed, an upstream that outlives it, and the callers. */
export class PairWorld implements AsyncDisposable {
  readonly victim: Victim & AsyncDisposable;
  readonly provider: FakeProvider;
  readonly random: () => number;
  /** Numbers of which the first write is refused. */
  readonly refusing = new Set<number>();

  private constructor(victim: Victim & AsyncDisposable, provider: FakeProvider, seed: number) {
    this.victim = victim;
    this.provider = provider;
    this.random = createRandom(seed);
    for (const path of ["/write", "/item", "/charge", "/mine", "/theirs", "/before", "/after"])
      provider.upstream.script(path, (query, response, _, { body }) => {
        const n = Number(query.get("id") ?? (JSON.parse(body || "{}") as { n?: number }).n);
        const status = this.refusing.delete(n) ? 400 : 200;
        const headers = { "content-type": "application/json" };
        setTimeout(() => response.writeHead(status, headers).end("{}"), this.random() * SPREAD_MS);
      });
  }

  static async start(seed: number): Promise<PairWorld> {
    const provider = await FakeProvider.start();
    const VOLLEY_KEYS = await configureKeys({
      owner: { name: "owner", tenant: "pairs", flags, quota },
      bob: { name: "bob", tenant: "pairs", subject: "bob", flags: ["approve", "manage_connections"], quota },
      neighbour: { name: "neighbour", tenant: "neighbour", flags, quota },
    });
    const vars = { ...provider.vars, VOLLEY_KEYS, VOLLEY_JOB_LEASE_MS: "1000", VOLLEY_LOG: "off" };
    return new PairWorld(await startVictim({ vars, config: SANDBOX_CONFIG }), provider, seed);
  }

  /** Ask once; null where the connection broke off. */
  async ask(
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: object,
    key = "owner",
  ): Promise<Answer | null> {
    const answer = await exchange(this.victim.current.url + path, {
      method,
      key,
      timeoutMs: TIMEOUT_MS,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    });
    return answer && { status: answer.status, body: answer.text === "" ? {} : JSON.parse(answer.text) };
  }

  /** Ask for what has to succeed, when nothing is killed; its body. */
  async must(...asked: Parameters<PairWorld["ask"]>): Promise<Answer["body"]> {
    const answer = await this.ask(...asked);
    if (answer === null || answer.status >= 300)
      throw new Error(`Cannot ${asked[0]} ${asked[1]}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
    return answer.body;
  }

  /** Ask again until an answer has what is wanted; its body. */
  async until(
    isWanted: (answer: Answer) => boolean,
    ...asked: Parameters<PairWorld["ask"]>
  ): Promise<Answer["body"]> {
    let last: Answer | null = null;
    const wanted = eventually(
      `${asked[0]} ${asked[1]}`,
      async () => {
        last = await this.ask(...asked);
        return last !== null && isWanted(last) ? last : undefined;
      },
      { everyMs: 50 },
    );
    const { body } = await wanted.catch((cause: unknown) => {
      throw new Error(`Its last answer: ${JSON.stringify(last)}`, { cause });
    });
    return body;
  }

  /** Ask a little later, as one of two that come at the same time. */
  async soon(...asked: Parameters<PairWorld["ask"]>): Promise<Answer | null> {
    await sleep(this.random() * SPREAD_MS);
    return this.ask(...asked);
  }

  /** The requests of a path that have a number in their body or query. */
  sent(path: string, n: number | string) {
    return this.provider.upstream
      .requestsTo(path)
      .filter(({ body, query }) => new RegExp(`\\b${n}\\b`).test(`${body} ${query}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.victim[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}

/** A run that is on record. */
export const isThere = ({ status }: Answer): boolean => status === 200;

import type { HostileUpstream } from "../../test/support/hostile-upstream.ts";

/** A hostile request, or an upstream that answers with one, and what must hold all the same. */
export interface Attack {
  /** The deed and the rule that must hold, as a sentence: `a loop of 25 copies of 1 MB stays within 16 MiB`. */
  readonly title: string;
  /** The target, as a Wrangler configuration; the sandbox unless said. */
  readonly config?: string;
  /** Variables besides the configured ones. */
  readonly vars?: Readonly<Record<string, string>>;
  /** Do it. Throws when what must hold does not. */
  readonly run: (target: Target) => Promise<void>;
}

/** A sandbox of its own in raw workerd, whose probe tools call an upstream that misbehaves. */
export interface Target {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  readonly upstream: HostileUpstream;
  /** Send a request with the sandbox's key, JSON unless the headers say otherwise, and read all of the answer. */
  readonly send: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answered>;
  /** A `GET` with the sandbox's key. */
  readonly get: (path: string) => Promise<Answered>;
  /** `send` to `/v1/execute_actions`. */
  readonly execute: (batch: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answered>;
}

/** An answer, read whole. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: number;
}

/** The cost of an attack to the process it was aimed at. */
export interface Cost {
  /** CPU of all its threads, of the dearest single request. */
  readonly cpuMs: number;
  /** The most memory it ever had resident, in MiB. */
  readonly peakMib: number;
  /** Bytes of the largest answer. */
  readonly answerBytes: number;
}

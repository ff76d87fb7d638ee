import type * as z from "zod";

import type { RefusalCode } from "../../contract/refusal.ts";

/** What a path answers with when it did what was asked: a JSON schema's source, or a stream of events beside it. */
export interface Answer {
  readonly description: string;
  readonly schema: z.ZodType;
  readonly events?: boolean;
}

/** One path and method, as the document describes it. */
export interface Operation {
  readonly summary: string;
  readonly tag: string;
  /** False only where nobody has to say who they are. */
  readonly keyed?: false;
  /** The schema that parses the query or, where it is parsed by hand, says the same. */
  readonly query?: z.ZodObject;
  /** Request headers that mean something here, and what. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  readonly answer: Answer;
  /** How a refusal is written: as a problem document unless said otherwise. */
  readonly refusal?: z.ZodType;
  /** Refusals that this path has beside those that every path of its kind has. */
  readonly refusals?: readonly RefusalCode[];
  /** Counted by the key's quota, and so refused without any. */
  readonly counted?: true;
}

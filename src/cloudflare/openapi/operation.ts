import type * as z from "zod/mini";
import type { RefusalCode } from "../../core/contract/failure-codes.ts";
import type { JsonObject } from "../../core/contract/json.ts";
import type { OwnCode } from "../../core/contract/refusal.ts";
import type { Dialect } from "../http/dialect.ts";
import type { Declared } from "../configured.ts";

/** The success answer of a path: a JSON schema's source, or a stream of events beside it. */
export interface Answer {
  readonly description: string;
  /** Null where it has no content. */
  readonly schema: z.core.$ZodType | null;
  /** Its events: those of a batch, or in words. */
  readonly events?: boolean | string;
  /** 200 unless said. */
  readonly statuses?: readonly number[];
}

/** Or bytes of any type, under a tag by which the next request need not be sent them again. */
export interface FileAnswer {
  readonly description: string;
  readonly file: true;
}

/** A JSON body: the schema that parses it, or says the same, and one that a sandbox answers with 200. */
export interface Body {
  readonly schema: z.core.$ZodType;
  /** It holds no `$ref`, because tools that read the document would follow it. */
  readonly example: unknown;
  /** No body is an object without fields. */
  readonly optional?: true;
}

/** One path and method, as the document describes it. */
export interface Operation extends Pick<Described, "flags"> {
  /** The name of the operation in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  /** The schema that parses the query or, where it is parsed by hand, says the same. */
  readonly query?: z.ZodMiniObject;
  /** Takes an `Idempotency-Key`. */
  readonly keyed?: true;
  readonly body?: Body;
  readonly answer: Answer | FileAnswer;
  /** The answer, by 202, of a request that is recorded and runs later: by a field of it, or by `Prefer: respond-async`. */
  readonly recorded?: Pick<Answer, "description"> & { readonly schema: z.core.$ZodType };
  /** How a refusal is written: as a problem document unless said otherwise. */
  readonly refusal?: Dialect;
  /** Refusals that this path has beside those that every path of its kind has. */
  readonly refusals?: readonly (RefusalCode | OwnCode)[];
  /**
   * Counted by one of the key's allowances, and so refused without any: once it runs, or (`always`) before it is looked at, and
   * then every answer says what is left. An operation that runs nothing need not say it.
   */
  readonly counted?: true | "always";
}

/** A route with its description, which is made when the document is asked for. */
export interface Described {
  /** Its method and path, such as `GET /v1/jobs/:id`. */
  readonly route: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  /** It may run something, which is counted where it runs. All others draw from the key's second allowance, whatever is asked. */
  readonly runs?: true;
  /** The flags that a key needs for it; where it is mounted says so. */
  readonly flags?: readonly string[];
  /** @param declared what the Worker lists, so that an example calls nothing else */
  readonly describe: (declared: Declared) => Operation;
}

/** A path with a protocol of its own, which describes its POST itself. */
export interface DescribedRoute {
  readonly path: `/${string}`;
  readonly describe: (write: DocumentWriter) => JsonObject;
}

/** Writes parts of the document, for a path that describes itself. */
export interface DocumentWriter {
  /** Write a schema as what is sent (`input`) or answered (`output`). */
  schema(schema: z.core.$ZodType, io: "input" | "output"): JsonObject;
  /** Write the fields of a query's schema as parameters. */
  query(schema: z.ZodMiniObject): readonly JsonObject[];
  /**
   * Write an answer of some content types, or one without content.
   *
   * @param headers those of what is counted, or of refusals with some codes
   */
  answer(description: string, content?: JsonObject, headers?: "counted" | readonly RefusalCode[]): JsonObject;
  /** Write a problem document with one of some codes. */
  problem(codes: readonly RefusalCode[]): JsonObject;
}

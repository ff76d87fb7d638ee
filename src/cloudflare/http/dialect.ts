import type { Refusal } from "../../core/contract/refusal.ts";
import type { LazySchema } from "../../core/contract/lazy-schema.ts";

/** An error as some API's clients read it. */
export interface DialectError {
  readonly status: number;
  readonly json: string;
}

/** How refusals are written on some paths: the clients of another API understand errors of that API only. */
export interface Dialect {
  /** Matches the whole address of each request that is answered so, known path or not. */
  readonly addresses: RegExp;
  /** Only requests with this header, where two APIs have one address. */
  readonly header?: string;
  /** A header that brings the caller's key there, besides `Authorization`. */
  readonly keyHeader?: "x-api-key";
  /**
   * Write a refusal.
   *
   * @param report JSON text of what ran before it; null where nothing did
   */
  write(refusal: Refusal, asked: AskedInDialect): DialectError;
  /** Refuses a path among its addresses that is not here, where it knows better than to name one that is. */
  readonly unknownPath?: Refusal;
  /** The answer to a fault of this system, where that is no refusal of its own. */
  readonly fault?: DialectError;
  /** How the document names and describes its errors. */
  readonly described: { readonly name: string; readonly schema: LazySchema };
}

export interface AskedInDialect {
  readonly requestId: string;
  readonly report: string | null;
}

/** Find the dialect of a request; null where refusals are problem documents (RFC 9457). */
export function dialectOf({ url, headers }: Request, dialects: readonly Dialect[]): Dialect | null {
  return (
    dialects.find(
      ({ addresses, header }) => addresses.test(url) && (header === undefined || headers.has(header)),
    ) ?? null
  );
}

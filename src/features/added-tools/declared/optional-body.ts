import { type HttpCall, placeholdersOf, type Sent } from "./declaration.ts";

/** The arguments of a call. */
export type Args = Readonly<Record<string, unknown>>;

/** A body that may be left out whole. */
export interface OptionalBody {
  readonly takes: (argument: string) => boolean;
  /** The arguments that it needs when it is not left out. */
  readonly required: readonly string[];
}

/** The body of a call, where it may be left out whole. */
export function optionalBodyOf(http: HttpCall | undefined): OptionalBody | undefined {
  if (http?.body_required === undefined) return undefined;
  const { method, url, query = [], headers = {}, body } = http;
  const named = new Set(Array.isArray(body) ? (body as readonly Sent[]).map(argumentOf) : []);
  const elsewhere = new Set([
    ...placeholdersOf(url),
    ...Object.values(headers).flatMap(placeholdersOf),
    ...query.map(argumentOf),
  ]);
  const takes = (argument: string): boolean =>
    named.has(argument) || (method !== "DELETE" && !elsewhere.has(argument));
  return { takes, required: http.body_required };
}

/**
 * The argument by which a body is given, undefined where none is. Serialisers write `null` in every optional field, so nulls alone
 * give a body only where it lacks nothing.
 */
export function givesBody({ takes, required }: OptionalBody, args: Args): string | undefined {
  const given = Object.keys(args).filter((name) => takes(name) && isSent(args, name));
  const said = given.find((name) => args[name] !== null);
  return said ?? (required.every((name) => isSent(args, name)) ? given[0] : undefined);
}

/** List what a given body lacks, with the argument that gives it. */
export function missingOf(
  body: OptionalBody,
  args: Args,
): readonly { readonly name: string; readonly given: string }[] {
  const given = givesBody(body, args);
  return given === undefined
    ? []
    : body.required.filter((name) => !isSent(args, name)).map((name) => ({ name, given }));
}

/** Whether an argument is given, as what it may be. */
export function isSent(args: Args, name: string): boolean {
  return Object.hasOwn(args, name) && args[name] !== undefined;
}

export function argumentOf(sent: Sent): string {
  return typeof sent === "string" ? sent : sent.argument;
}

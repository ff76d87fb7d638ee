import type { PatternWork } from "../json-schema/weigh-pattern.ts";
import type { Delivery } from "../../../core/contract/gate/job.ts";
import type { DeclaredContract } from "../../../core/contract/orchestration.ts";
import type { JsonSchema } from "../../../core/catalog/tool-schema.ts";
import type { ToolSecrets } from "./secret-bindings.ts";

/**
 * A tool as data: what `PUT /v1/tools/{name}` takes, what an import makes of a document or a server, and what an author
 * writes for `httpTool`. One compiler turns it into a tool, so the three can do the same.
 *
 * It has the wire's field names, because it is what was sent, what is kept and what is shown again.
 */
export interface Declaration {
  readonly name: string;
  /** About 15 tokens: what `discover_tools` lists. */
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly is_write: boolean;
  readonly execution?: "sync" | "fire-and-forget";
  readonly timeout_ms?: number;
  readonly idempotent?: boolean | "with-key";
  /** For a fire-and-forget tool, whether an attempt whose answer was lost is repeated; see `deliveryOf`. */
  readonly delivery?: Delivery;
  /** Its arguments and results are in no record of what ran. */
  readonly private?: boolean;
  /** Tell what the service says of a refusal; unless it is false. */
  readonly upstream_errors?: boolean;
  readonly orchestration?: DeclaredContract;
  /** JSON Schema 2020-12 of an object, complete in itself: each `$ref` is to a place inside it. */
  readonly input_schema: JsonSchema;
  /** One of these two says what a call does. */
  readonly http?: HttpCall;
  readonly mcp?: McpCall;
}

/**
 * A request made of arguments. An argument that is in neither `url`, `query`, `headers` nor `body` goes where the method usually
 * has it.
 */
export interface HttpCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{argument}` stands for one path segment, percent-encoded. */
  readonly url: string;
  readonly query?: readonly Sent[];
  /** A value may hold `{argument}`; a header whose argument is absent is left out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** All arguments, some of them as an object's fields, or one of them as the whole body. */
  readonly body?: "args" | readonly Sent[] | { readonly argument: string };
  /** The body may be left out whole, and needs these arguments where one of its fields is given. */
  readonly body_required?: readonly string[];
  readonly auth?: Auth | ConnectionAuth;
  /** RFC 6901 pointer to the part of the answer that is the tool's data. */
  readonly result?: string;
}

/** An argument, by its name or under another name than the model uses for it. */
export type Sent =
  | string
  | {
      readonly argument: string;
      readonly name: string;
      /**
       * How several values are written in a query or a form: `name=a&name=b` unless said, as one text with separators, or as JSON. In a
       * form an object is `name[field]=a`; `index` writes a list like one (`name[0]=a`), and `spread` an object's fields without its name.
       */
      readonly list?: "repeat" | "comma" | "space" | "pipe" | "json" | "index" | "spread";
    };

/** Which secret a call carries, and where. */
export interface Auth {
  readonly secret: string;
  /** `basic` takes the secret as `user:password`. */
  readonly as: "bearer" | "basic" | { readonly header: string } | { readonly query: string };
  /** Further secrets that the same call carries, elsewhere. */
  readonly also?: readonly Omit<Auth, "also">[];
}

/** All secrets that a call carries. */
export function secretsOf(auth: Auth | ConnectionAuth | undefined): readonly Omit<Auth, "also">[] {
  return auth === undefined || isConnection(auth) ? [] : [auth, ...(auth.also ?? [])];
}

/** Which account of the subject a call uses: that of one connector, where it is given an object with the scopes that it needs. */
export interface ConnectionAuth {
  readonly connection: string | Readonly<Record<string, readonly string[]>>;
}

/** Whether a call uses an account of a subject. */
export function isConnection(auth: Auth | ConnectionAuth | undefined): auth is ConnectionAuth {
  return auth !== undefined && "connection" in auth;
}

/** The connector whose account a call uses. */
export function connectorOf({ connection }: ConnectionAuth): string {
  return typeof connection === "string" ? connection : (Object.keys(connection)[0] ?? "");
}

export interface McpCall {
  /** The server's address (Streamable HTTP). */
  readonly url: string;
  /** The server's name of the tool. */
  readonly tool: string;
  /**
   * The server's description of the tool when it was imported, as SHA-256; a call of a tool that is described otherwise now is
   * `TOOL_CHANGED`.
   */
  readonly fingerprint: string;
  readonly auth?: Auth | ConnectionAuth;
}

/** Where APIs are served over https. An odd port is how a declaration has us knock on other services. */
export const HTTPS_PORTS: ReadonlySet<number> = new Set([443, 8443]);

/** The rules that the operator sets for declared tools. */
export interface DeclarationRules {
  /** Whose tool it is. */
  readonly tenant: string;
  /** Where secrets may go; null for the operator's own code, which needs no leave. */
  readonly secrets: ToolSecrets | null;
  /**
   * Finds where the credentials of a connector may go; null of one that the tenant may not use. Absent in a Worker without connections.
   */
  readonly originsOf?:
    | ((connector: string, tenant: string) => Pick<ReadonlySet<string>, "has"> | null)
    | undefined;
  /** Origins that may be plain http or a private address, on any port. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** The fields that contracts may have besides those of core; none where absent. */
  readonly contract?: readonly string[];
  /** Ports that may be called; `HTTPS_PORTS` where absent. */
  readonly ports?: ReadonlySet<number>;
  /** The work that the patterns of many declarations may take together; for one alone its schema's own bound is enough. */
  readonly patterns?: PatternWork;
}

/** The mark of an argument in a declaration's url and headers. */
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** The arguments that a text stands for, in order, each as often as it is named. */
export function placeholdersOf(text: string): string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!);
}

/** Put text in place of each argument. */
export function fillPlaceholders(text: string, fill: (argument: string) => string): string {
  return text.replaceAll(PLACEHOLDER, (_, argument: string) => fill(argument));
}

/** The url with plain text in place of its arguments: what its origin and its form are read from. */
export function sampleUrl(url: string): string {
  return fillPlaceholders(url, () => "x");
}

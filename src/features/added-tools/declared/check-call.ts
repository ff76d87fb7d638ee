import { type JsonObject, visibleText } from "../../../feature/schema.ts";
import { guardHeaders } from "../../../core/egress/guard-headers.ts";
import { checkAuth } from "./check-auth.ts";
import {
  type DeclarationRules,
  fillPlaceholders,
  type HttpCall,
  HTTPS_PORTS,
  isConnection,
  type McpCall,
  placeholdersOf,
  sampleUrl,
  secretsOf,
  type Sent,
} from "./declaration.ts";
import { optionalBodyOf } from "./optional-body.ts";
import { type Problems, suggestName } from "./problems.ts";
import { guardUrl } from "../../../core/egress/guard-url.ts";

interface CallCheck {
  /** The arguments there are; null where the schema does not say. */
  readonly known: readonly string[] | null;
  readonly rules: DeclarationRules;
  readonly problems: Problems;
  /** All of the declaration, whatever is wrong with the rest of it. */
  readonly declaration: JsonObject;
}

/** Find what is wrong with a request made of arguments, once its fields have the right shape. */
export function checkHttp(http: HttpCall, check: CallCheck): void {
  const { problems, rules } = check;
  const origin = checkUrl(["http", "url"], http.url, rules, problems);
  checkPlaceholders(["http", "url"], http.url, check);
  checkHeaders(http, check);
  if (http.method === "GET" && http.body !== undefined)
    problems.add(["http", "body"], "nothing for a GET", http.body, {
      hint: "A GET has no body; send the arguments in 'query', or make the method POST.",
    });
  checkSent(http, check);
  checkBodyRequired(http, check);
  checkAuth(http.auth, { path: ["http", "auth"], origin, rules, problems });
}

/** Find what is wrong with a call of an MCP server. */
export function checkMcp(mcp: McpCall, { rules, problems }: Pick<CallCheck, "rules" | "problems">): void {
  const origin = checkUrl(["mcp", "url"], mcp.url, rules, problems, "plain");
  checkAuth(mcp.auth, { path: ["mcp", "auth"], origin, rules, problems });
}

function checkPlaceholders(path: readonly PropertyKey[], text: string, check: CallCheck): void {
  for (const name of new Set(placeholdersOf(text))) checkKnown(path, name, check);
}

function checkKnown(path: readonly PropertyKey[], name: string, { known, problems }: CallCheck): void {
  if (known === null || known.includes(name)) return;
  problems.add(path, "an argument of 'input_schema'", name, { hint: suggestName(name, known, "argument") });
}

function checkHeaders(http: HttpCall, check: CallCheck): void {
  const { problems, declaration } = check;
  const authHeaders = isConnection(http.auth)
    ? ["authorization"]
    : secretsOf(http.auth).map(({ as }) =>
        typeof as === "string" ? "authorization" : "header" in as ? as.header.toLowerCase() : null,
      );
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(http.headers ?? {})) {
    const path = ["http", "headers", name];
    const lower = name.toLowerCase();
    const guarded = guardHeaders({ [name]: fillPlaceholders(value, () => "x") });
    if (!guarded.ok)
      problems.add(path, "a header that a tool may set, without a line break", value, {
        hint: guarded.error.hint,
      });
    else if (authHeaders.includes(lower))
      problems.add(path, "nothing, because 'auth' sets this header", value, {
        hint: "'auth' sets this header; take it out of 'headers'.",
      });
    else if (lower === "idempotency-key" && declaration["idempotent"] === "with-key")
      problems.add(path, "nothing, because 'with-key' sets this header", value, {
        hint: "A tool that is idempotent with a key sends this header by itself; take it out of 'headers'.",
      });
    else if (seen.has(lower)) problems.add(path, "a header that is not set twice", name);
    seen.add(lower);
    checkPlaceholders(path, value, check);
  }
}

/** Every argument is sent in one place, and no two under one name. */
function checkSent(http: HttpCall, check: CallCheck): void {
  const { problems } = check;
  const places = new Map<string, string>();
  for (const name of placeholdersOf(http.url)) places.set(name, "the url");
  for (const value of Object.values(http.headers ?? {}))
    for (const name of placeholdersOf(value)) places.set(name, "a header");

  const take = (path: readonly PropertyKey[], argument: string, place: string): void => {
    checkKnown(path, argument, check);
    const other = places.get(argument);
    if (other !== undefined)
      problems.add(path, "an argument that is not sent already", argument, {
        hint: `The argument is sent in ${other} already; an argument is sent once, so take it out of one of the two.`,
      });
    places.set(argument, place);
  };
  const takeAll = (sent: readonly Sent[], place: "query" | "body"): void => {
    const names = new Set(place === "query" ? takenNames(http) : []);
    for (const [index, each] of sent.entries()) {
      const path = ["http", place, index];
      const { argument, name } = typeof each === "string" ? { argument: each, name: each } : each;
      take(typeof each === "string" ? path : [...path, "argument"], argument, `'${place}'`);
      if (names.has(name))
        problems.add(path, "a name that nothing else is sent under", name, {
          hint: `Something else is sent in '${place}' under this name; give one of them another 'name'.`,
        });
      names.add(name);
    }
  };
  takeAll(http.query ?? [], "query");
  if (Array.isArray(http.body)) takeAll(http.body as readonly Sent[], "body");
  else if (typeof http.body === "object")
    take(["http", "body", "argument"], (http.body as { readonly argument: string }).argument, "'body'");
  checkLeft(http, places, check);
}

/** Only a body of fields is left out whole, and what it needs is among them. */
function checkBodyRequired(http: HttpCall, check: CallCheck): void {
  const { method, body, body_required: required } = http;
  if (required === undefined) return;
  const path = ["http", "body_required"];
  const isOfFields = Array.isArray(body) || (body === undefined && method !== "DELETE");
  if (method === "GET" || !isOfFields)
    check.problems.add(path, "nothing, because the body is not one of named fields", required, {
      hint: "'body_required' is for a body that is made of arguments by their names; leave it out.",
    });
  const { takes } = optionalBodyOf(http)!;
  for (const [index, name] of required.entries()) {
    checkKnown([...path, index], name, check);
    if (!takes(name)) check.problems.add([...path, index], "an argument that is sent in the body", name);
  }
}

/** An argument without a place in the declaration keeps its name; no other may have that name there. */
function checkLeft(
  http: HttpCall,
  places: ReadonlyMap<string, string>,
  { known, problems }: CallCheck,
): void {
  const { method, body } = http;
  const left = (known ?? []).filter((name) => !places.has(name));
  const isBody = method !== "GET" && method !== "DELETE" && (body === undefined || Array.isArray(body));
  if (body === "args") return;
  const sent = isBody ? ((body ?? []) as readonly Sent[]) : (http.query ?? []);
  const taken = new Set([
    ...sent.flatMap((each) => (typeof each === "string" ? [] : [each.name])),
    ...(isBody ? [] : takenNames(http)),
  ]);
  const stray = left.find((name) => taken.has(name));
  if (stray === undefined) return;
  const place = isBody ? "body" : "query";
  problems.add(["http", place], "names that no argument without a place has", stray, {
    hint: `The argument '${visibleText(stray)}' is sent in the ${place} under its own name, which something else has there; name it in '${place}', under another 'name'.`,
  });
}

/** Names of a query that the url and `auth` have. */
function takenNames({ url, auth }: HttpCall): string[] {
  const inUrl = [...(URL.parse(url)?.searchParams.keys() ?? [])];
  const inAuth = secretsOf(auth).flatMap(({ as }) =>
    typeof as === "object" && "query" in as ? [as.query] : [],
  );
  return [...inUrl, ...inAuth];
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;

/**
 * Find what is wrong with a declared address, and give its origin, or null if it has none that may be called.
 *
 * It has to be written as a URL parser writes it, so that what is shown and what is called are the same; then an argument
 * in a segment of its path can change nothing but that segment.
 *
 * @param kind whether it may have arguments in it
 */
function checkUrl(
  path: readonly PropertyKey[],
  url: string,
  { trustedOrigins, ports = HTTPS_PORTS }: Pick<DeclarationRules, "trustedOrigins" | "ports">,
  problems: Problems,
  kind: "template" | "plain" = "template",
): string | null {
  const refuse = (expected: string, hint: string): null => {
    problems.add(path, expected, url, { hint });
    return null;
  };
  const hasBraces = /[{}]/.test(url);
  if (kind === "plain" && hasBraces)
    return refuse("an address without arguments", "This address stands for itself; take the braces out.");
  if (hasBraces) {
    const [, authority = ""] = AUTHORITY.exec(url) ?? [];
    if (/[{}]/.test(authority) || !AUTHORITY.test(url))
      return refuse(
        "a host without arguments",
        "Write the host out: an argument may be a segment of the path only.",
      );
    const [beforeQuery = ""] = url.split(/[?#]/, 1);
    if (/[{}]/.test(url.slice(beforeQuery.length)))
      return refuse("arguments in the path only", "Send arguments of the query in 'query'.");
    if (beforeQuery.split("/").some((segment) => /[{}]/.test(segment.replaceAll(/\{[^{}]+\}/g, ""))))
      return refuse(
        "{argument} in a segment of the path",
        "An argument stands in a segment, such as /customers/{id} or /orders/{id}.json; close each brace where it was opened, with a name between.",
      );
  }
  const sample = sampleUrl(url);
  const target = URL.parse(sample);
  if (target === null)
    return refuse(
      "an absolute https URL",
      "Write the whole address, such as https://api.example.com/customers.",
    );
  const guarded = guardUrl(target, new Set([target.origin]), trustedOrigins);
  if (!guarded.ok) return refuse("an https URL of a public host", guarded.error.hint!);
  if (!trustedOrigins.has(target.origin) && !ports.has(Number(target.port || 443))) {
    const listed = `port ${[...ports].join(" or ")}`;
    return refuse(
      `an https URL on ${listed}`,
      `Declared tools may call ${listed}; leave the port out, or ask the operator to list it in VOLLEY_TOOL_PORTS.`,
    );
  }
  if (target.hash !== "" || url.includes("#"))
    return refuse("a URL without a fragment", "Take the '#' and what is behind it out: it is never sent.");
  if (target.href !== sample && target.href !== `${sample}/`) {
    const meant =
      placeholdersOf(url).length === 0
        ? ` as ${visibleText(target.href, 200)}`
        : ", without dots as segments, and with what is not ASCII percent-encoded";
    return refuse("a URL in its normal form", `Write the address in its normal form${meant}.`);
  }
  return target.origin;
}

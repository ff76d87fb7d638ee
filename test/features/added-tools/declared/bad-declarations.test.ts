import { describe, expect, test } from "vitest";

import type { HttpCall } from "../../../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../../../src/features/added-tools/declared/parse-declaration.ts";
import type { DeclarationIssue } from "../../../../src/features/added-tools/declared/problems.ts";
import { declareCustomers, RULES } from "../../../support/sample-declarations.ts";
import { trial } from "../../../support/trial.ts";

type Changes = Readonly<Record<string, unknown>>;

function issuesOf(value: unknown): readonly DeclarationIssue[] {
  const parsed = parseDeclaration(value, RULES);
  return parsed.ok ? [] : parsed.error;
}

const declare = (changes: Changes): unknown => ({ ...declareCustomers(), ...changes });
const http = (changes: Partial<Record<keyof HttpCall, unknown>>): unknown =>
  declare({ http: { ...declareCustomers().http, ...changes } });
const property = (schema: unknown, more: Changes = {}): unknown =>
  declare({
    input_schema: {
      type: "object",
      properties: { email: schema, limit: {}, region: {} },
      ...more,
    },
  });
const contract = (orchestration: Changes): unknown => declare({ orchestration });

/** The fault, the declaration, the issue's path, and a part of its text. */
const BAD: readonly [what: string, declaration: unknown, path: string, said: RegExp][] = [
  ["text", "GET https://api.example.com", "", /must be an object/],
  ["a list", [], "", /must be an object/],
  ["an unknown field", declare({ sumary: "x" }), "/sumary", /did you mean 'summary'/],
  ["an unknown field of http", http({ querry: [] } as object), "/http/querry", /did you mean 'query'/],
  [
    "an unknown field of auth",
    http({ auth: { secret: "CRM_TOKEN", as: "bearer", scheme: "x" } }),
    "/http/auth/scheme",
    /no field|There is no/,
  ],
  ["no name", declare({ name: undefined }), "/name", /must be a string, received nothing/],
  ["a name with a space", declare({ name: "find it" }), "/name", /a letter, then letters/],
  ["a name of 65 characters", declare({ name: "a".repeat(65) }), "/name", /a letter, then letters/],
  ["an empty summary", declare({ summary: " " }), "/summary", /text/],
  ["a summary that is a page", declare({ summary: "a".repeat(201) }), "/summary", /at most 200/],
  ["a category of two words", declare({ category: "Customer relations" }), "/category", /a lower-case word/],
  ["no actions", declare({ actions: [] }), "/actions", /at least 1 item/],
  ["an action that is no word", declare({ actions: ["search", "Do It"] }), "/actions/1", /a lower-case word/],
  ["is_write that is text", declare({ is_write: "no" }), "/is_write", /a boolean/],
  [
    "an execution that there is not",
    declare({ execution: "async" }),
    "/execution",
    /"sync", "fire-and-forget"/,
  ],
  ["a fire-and-forget read", declare({ execution: "fire-and-forget" }), "/execution", /'sync'/],
  ["a timeout of no time", declare({ timeout_ms: 0 }), "/timeout_ms", /at least 1/],
  ["a timeout over a minute", declare({ timeout_ms: 60_001 }), "/timeout_ms", /at most 60000/],
  [
    "a timeout that outlives an attempt",
    declare({ is_write: true, execution: "fire-and-forget", timeout_ms: 30_000 }),
    "/timeout_ms",
    /at most 25000/,
  ],
  ["an idempotent that is text", declare({ idempotent: "yes" }), "/idempotent", /'with-key'/],
  [
    "a cap that is missing",
    contract({ mode: "fan-out-bounded" }),
    "/orchestration/max_concurrency",
    /needs 'max_concurrency'/,
  ],
  [
    "a cap of five one after another",
    contract({ mode: "sequential-only", max_concurrency: 5 }),
    "/orchestration/max_concurrency",
    /1, or nothing/,
  ],
  [
    "a dependent tool of nothing",
    contract({ mode: "dependent" }),
    "/orchestration/depends_on",
    /needs 'depends_on'/,
  ],
  [
    "a tool that depends on itself",
    contract({ mode: "dependent", depends_on: [{ tool: "find_customers", required_fields: ["email"] }] }),
    "/orchestration/depends_on/0/tool",
    /depend on itself/,
  ],
  [
    "a dependence for no argument",
    contract({ mode: "dependent", depends_on: [{ tool: "other", required_fields: ["mail"] }] }),
    "/orchestration/depends_on/0/required_fields/0",
    /did you mean 'email'/,
  ],
  [
    "a condition on no argument",
    contract({ mode: "parallel-safe", confirm: { when: { "/emial/host": { eq: "example.com" } } } }),
    "/orchestration/confirm/when/~1emial~1host",
    /did you mean 'email'/,
  ],
  [
    "a write that is remembered",
    declare({ is_write: true, orchestration: { mode: "parallel-safe", cache_ttl_s: 5 } }),
    "/orchestration/cache_ttl_s",
    /for reads/,
  ],
  ["a mode that there is not", contract({ mode: "parallel" }), "/orchestration/mode", /parallel-safe/],
  [
    "an unknown field of the contract",
    contract({ mode: "parallel-safe", retries: 3 }),
    "/orchestration/retries",
    /no field/,
  ],
  ["a schema that is text", declare({ input_schema: "object" }), "/input_schema", /JSON Schema of an object/],
  ["a schema of a list", property({}, { type: "array" }), "/input_schema/type", /"object"/],
  [
    "a schema without a type",
    declare({ input_schema: { properties: { email: {}, limit: {}, region: {} } } }),
    "/input_schema/type",
    /"object"/,
  ],
  [
    "a type that there is not",
    property({ type: "str" }),
    "/input_schema/properties/email/type",
    /one of string/,
  ],
  [
    "a required that is a flag",
    property({}, { required: true }),
    "/input_schema/required",
    /list of different names/,
  ],
  ["a property that is text", property("string"), "/input_schema/properties/email", /a schema: an object/],
  [
    "an exclusive minimum of an older draft",
    property({ type: "integer", minimum: 1, exclusiveMinimum: true }),
    "/input_schema/properties/email/exclusiveMinimum",
    /a number/,
  ],
  [
    "items of an older draft",
    property({ type: "array", items: [{}] }),
    "/input_schema/properties/email/items",
    /prefixItems/,
  ],
  [
    "a length below zero",
    property({ minLength: -1 }),
    "/input_schema/properties/email/minLength",
    /at least 0/,
  ],
  [
    "a multiple of nothing",
    property({ type: "number", multipleOf: 0 }),
    "/input_schema/properties/email/multipleOf",
    /a number greater than 0/,
  ],
  ["an empty enum", property({ enum: [] }), "/input_schema/properties/email/enum", /at least one value/],
  ["an empty anyOf", property({ anyOf: [] }), "/input_schema/properties/email/anyOf", /at least one schema/],
  [
    "a dynamic reference",
    property({ $dynamicRef: "#node" }),
    "/input_schema/properties/email/$dynamicRef",
    /\$ref/,
  ],
  [
    "a regular expression that is none",
    property({ pattern: "(" }),
    "/input_schema/properties/email/pattern",
    /no regular expression/,
  ],
  [
    "a pattern that can explode",
    property({ pattern: "^(a+)+$" }),
    "/input_schema/properties/email/pattern",
    /many ways/,
  ],
  [
    "a pattern that looks back",
    property({ pattern: "(a)\\1" }),
    "/input_schema/properties/email/pattern",
    /backreference/,
  ],
  [
    "a name's pattern that can explode",
    property({ patternProperties: { "(x|x)*y": {} } }),
    "/input_schema/properties/email/patternProperties/(x|x)*y",
    /many ways/,
  ],
  [
    "a remote reference",
    property({ $ref: "https://example.com/schema.json" }),
    "/input_schema/properties/email/$ref",
    /inside/,
  ],
  [
    "a dangling reference",
    property({ $ref: "#/$defs/email" }),
    "/input_schema/properties/email/$ref",
    /nothing at that place/,
  ],
  [
    "references in a circle",
    property(
      { $ref: "#/$defs/a" },
      { $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } } },
    ),
    "/input_schema/$defs/b",
    /never end/,
  ],
  [
    "a value that never ends",
    property(
      { $ref: "#/$defs/node" },
      {
        $defs: {
          node: { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] },
        },
      },
    ),
    "/input_schema/$defs/node",
    /without end/,
  ],
  ["plain http", http({ url: "http://api.example.com/customers" }), "/http/url", /https/],
  ["an address without a scheme", http({ url: "api.example.com/customers" }), "/http/url", /whole address/],
  ["an IP address", http({ url: "https://10.0.0.1/customers" }), "/http/url", /IP address/],
  ["an IP address in disguise", http({ url: "https://2130706433/" }), "/http/url", /IP address/],
  ["a private name", http({ url: "https://crm.internal/customers" }), "/http/url", /private name/],
  [
    "a port that is none of https",
    http({ url: "https://api.example.com:6379/customers" }),
    "/http/url",
    /port 443 or 8443.*VOLLEY_TOOL_PORTS/,
  ],
  ["a user in the address", http({ url: "https://me:pw@api.example.com/" }), "/http/url", /user name/],
  ["a fragment", http({ url: "https://api.example.com/customers#top" }), "/http/url", /fragment/],
  ["dots in the path", http({ url: "https://api.example.com/a/../b" }), "/http/url", /normal form/],
  [
    "an argument in the host",
    http({ url: "https://{region}.example.com/customers" }),
    "/http/url",
    /host without arguments/,
  ],
  [
    "a brace in the path that is not closed",
    http({ url: "https://api.example.com/v{region}/{customers" }),
    "/http/url",
    /close each brace/,
  ],
  [
    "dots beside an argument's text",
    http({ url: "https://api.example.com/../v{region}" }),
    "/http/url",
    /normal form/,
  ],
  [
    "an argument in the address's query",
    http({ url: "https://api.example.com/customers?r={region}" }),
    "/http/url",
    /in the path only/,
  ],
  [
    "an unknown argument in the address",
    http({ url: "https://api.example.com/{regoin}/customers" }),
    "/http/url",
    /did you mean 'region'/,
  ],
  ["a method that there is not", http({ method: "HEAD" }), "/http/method", /"GET", "POST"/],
  ["a query of an unknown argument", http({ query: ["mail"] }), "/http/query/0", /did you mean 'email'/],
  [
    "an argument sent twice",
    http({ query: ["email", { argument: "email", name: "mail" }] }),
    "/http/query/1/argument",
    /sent once/,
  ],
  [
    "an argument sent in the address and the query",
    http({ query: ["region"] }),
    "/http/query/0",
    /in the url already/,
  ],
  [
    "a query of 301",
    http({ query: Array.from({ length: 301 }, () => "email") }),
    "/http/query",
    /at most 300 items/,
  ],
  [
    "301 headers",
    http({ headers: Object.fromEntries(Array.from({ length: 301 }, (_, at) => [`x-${at}`, "1"])) }),
    "/http/headers",
    /at most 300 headers/,
  ],
  [
    "a schema of 3,000",
    property({ allOf: Array.from({ length: 3_000 }, () => ({})) }),
    "/input_schema",
    /at most 2500 schemas/,
  ],
  [
    "two arguments under one name",
    http({ query: ["email", { argument: "limit", name: "email" }] }),
    "/http/query/1",
    /another 'name'/,
  ],
  [
    "an argument under the secret's name",
    http({ query: ["email"], auth: { secret: "CRM_TOKEN", as: { query: "email" } } }),
    "/http/query/0",
    /another 'name'/,
  ],
  [
    "an argument without a place under a taken name",
    http({ query: [{ argument: "email", name: "limit" }] }),
    "/http/query",
    /'limit' is sent in the query under its own name/,
  ],
  [
    "an argument without a place under a taken name of the body",
    http({ method: "POST", query: [], body: [{ argument: "email", name: "limit" }] }),
    "/http/body",
    /'limit' is sent in the body/,
  ],
  [
    "an argument without a place under the secret's name",
    http({ query: ["email"], auth: { secret: "CRM_TOKEN", as: { query: "limit" } } }),
    "/http/query",
    /'limit' is sent/,
  ],
  ["a GET with a body", http({ body: "args" }), "/http/body", /GET has no body/],
  [
    "a body of an unknown argument",
    http({ method: "POST", body: ["name"] }),
    "/http/body/0",
    /no argument 'name'/,
  ],
  [
    "two secrets in one place",
    http({
      auth: {
        secret: "CRM_TOKEN",
        as: "bearer",
        also: [{ secret: "CRM_TOKEN", as: { header: "Authorization" } }],
      },
    }),
    "/http/auth/also/0/as",
    /a place that no other secret has/,
  ],
  [
    "a second secret that is not bound",
    http({
      auth: { secret: "CRM_TOKEN", as: "bearer", also: [{ secret: "OTHER", as: { header: "x-key" } }] },
    }),
    "/http/auth/also/0/secret",
    /has not bound this secret/,
  ],
  [
    "a header that a second secret sets",
    http({
      headers: { "X-Key": "1" },
      auth: { secret: "CRM_TOKEN", as: "bearer", also: [{ secret: "CRM_TOKEN", as: { header: "x-key" } }] },
    }),
    "/http/headers/X-Key",
    /'auth' sets this header/,
  ],
  [
    "a GET with a body that needs something",
    http({ body_required: [] }),
    "/http/body_required",
    /a body that is made of arguments by their names/,
  ],
  [
    "a whole body that needs something",
    http({ method: "POST", query: [], body: { argument: "email" }, body_required: [] }),
    "/http/body_required",
    /leave it out/,
  ],
  [
    "a body that needs an unknown argument",
    http({ method: "POST", body_required: ["emial"] }),
    "/http/body_required/0",
    /did you mean 'email'/,
  ],
  [
    "a body that needs an argument of the url",
    http({ method: "POST", body_required: ["region"] }),
    "/http/body_required/0",
    /an argument that is sent in the body/,
  ],
  [
    "a whole body of an unknown argument",
    http({ method: "POST", body: { argument: "customer" } }),
    "/http/body/argument",
    /no argument 'customer'/,
  ],
  [
    "a host header",
    http({ headers: { Host: "example.com" } }),
    "/http/headers/Host",
    /may not set the header 'host'/,
  ],
  [
    "a length header",
    http({ headers: { "content-length": "3" } }),
    "/http/headers/content-length",
    /may not set/,
  ],
  ["our own mark", http({ headers: { "volley-hop": "1" } }), "/http/headers/volley-hop", /may not set/],
  [
    "a header's name that is none",
    http({ headers: { "a b": "1" } }),
    "/http/headers/a b",
    /cannot be a header's name/,
  ],
  [
    "a line break in a header",
    http({ headers: { "x-a": "1\r\nx-b: 2" } }),
    "/http/headers/x-a",
    /line break/,
  ],
  [
    "an unknown argument in a header",
    http({ headers: { "x-region": "{regoin}" } }),
    "/http/headers/x-region",
    /did you mean 'region'/,
  ],
  [
    "authorization beside auth",
    http({ headers: { Authorization: "Bearer x" } }),
    "/http/headers/Authorization",
    /'auth' sets this header/,
  ],
  ["a header twice", http({ headers: { "x-a": "1", "X-A": "2" } }), "/http/headers/X-A", /not set twice/],
  ["a result that is no pointer", http({ result: "data.items" }), "/http/result", /JSON Pointer/],
  [
    "an auth that there is not",
    http({ auth: { secret: "CRM_TOKEN", as: "digest" } }),
    "/http/auth/as",
    /'bearer', 'basic'/,
  ],
  [
    "an auth header that may not be set",
    http({ auth: { secret: "CRM_TOKEN", as: { header: "host" } } }),
    "/http/auth/as/header",
    /may not set/,
  ],
  [
    "a secret that is not bound",
    http({ auth: { secret: "OTHER", as: "bearer" } }),
    "/http/auth/secret",
    /has not bound/,
  ],
  [
    "a secret bound to another host",
    http({ url: "https://evil.example.com/{region}" }),
    "/http/auth/secret",
    /evil\.example\.com/,
  ],
  ["neither http nor mcp", declare({ http: undefined }), "", /either 'http' or 'mcp'/],
  [
    "both http and mcp",
    declare({ mcp: { url: "https://mcp.example.com/", tool: "t", fingerprint: "f" } }),
    "",
    /not both/,
  ],
  [
    "an MCP server at a private address",
    declare({ http: undefined, mcp: { url: "https://localhost/mcp", tool: "t", fingerprint: "f" } }),
    "/mcp/url",
    /local name/,
  ],
  ["over 64 KiB", declare({ description: "a".repeat(66_000) }), "", /65536 bytes/],
  [
    "a key that reaches a prototype",
    JSON.parse('{"__proto__": {"name": "x"}}'),
    "/__proto__",
    /reserved key/,
  ],
  [
    "an infinite number",
    property({ minimum: Number.POSITIVE_INFINITY }),
    "/input_schema/properties/email/minimum",
    /out of range/,
  ],
];

describe("T36 parseDeclaration() refuses", () => {
  test.each(BAD)("%s", (_, declaration, path, said) => {
    const issues = issuesOf(declaration);
    const issue = issues.find((each) => each.path === path);

    expect(issue, JSON.stringify(issues)).toBeDefined();
    expect(`${issue!.expected} ${issue!.received} ${issue!.hint}`).toMatch(said);
    for (const each of issues) {
      expect(each.hint).toMatch(/^\P{Ll}.*[.?]$/u);
      expect(each.expected).not.toBe("");
      expect(each.received).not.toBe("");
    }
  });

  trial("one thing at a time where only one is wrong", () => {
    const lonely = BAD.filter(([, declaration]) => issuesOf(declaration).length > 1).map(([what]) => what);
    expect(lonely).toEqual([]);
  });

  test("all that is wrong together", () => {
    const declaration = {
      ...declareCustomers(),
      name: "1",
      actions: [],
      http: { ...declareCustomers().http, method: "GET", body: "args", query: ["mail"] },
      timeout_ms: -1,
    };
    expect(issuesOf(declaration).map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/name", "/actions", "/http/body", "/http/query/0", "/timeout_ms"]),
    );
  });

  test("a hundred things with fifty issues", () => {
    const query = Array.from({ length: 100 }, (_, index) => `q${index}`);
    expect(issuesOf(http({ query }))).toHaveLength(50);
  });

  test("what is nested too deep", () => {
    let schema: object = {};
    for (let level = 0; level < 40; level += 1) schema = { not: schema };
    expect(issuesOf(property(schema))[0]!.hint).toMatch(/32 levels deep/);
  });
});

test("parseDeclaration() gives what was sent", () => {
  expect(parseDeclaration(declareCustomers(), RULES)).toEqual({ ok: true, value: declareCustomers() });
});

test("parseDeclaration() takes null in an optional field for a field that is not there", () => {
  const nulls = {
    execution: null,
    timeout_ms: null,
    idempotent: null,
    private: null,
    orchestration: null,
    mcp: null,
  };
  const { http: call, execution: _, timeout_ms: __, orchestration: ___, ...rest } = declareCustomers();
  const { result: ____, headers: _____, ...request } = call!;
  const sent = { ...rest, ...nulls, http: { ...request, result: null, headers: null, body: null } };
  expect(parseDeclaration(sent, RULES)).toEqual({ ok: true, value: { ...rest, http: request } });
  const argument = { type: ["string", "null"], default: null };
  const nullable = property(argument) as { readonly input_schema: object };
  expect(parseDeclaration(nullable, RULES)).toMatchObject({
    value: { input_schema: { properties: { email: argument } } },
  });
});

test.each([
  ["443", undefined],
  ["8443", undefined],
  ["9443", new Set([9443])],
])("parseDeclaration() takes port %s, where the operator lists %j", (port, ports) => {
  const { auth: _, ...http } = declareCustomers().http!;
  const url = `https://api.example.com${port === "443" ? "" : `:${port}`}/{region}/customers`;
  const rules = { ...RULES, ...(ports !== undefined && { ports }) };
  expect(parseDeclaration(declareCustomers({ http: { ...http, url } }), rules).ok).toBe(true);
});

test("parseDeclaration() takes an origin of the operator's own, in plain http", () => {
  const url = "http://127.0.0.1:9000/{region}/customers";
  const { auth: _, ...rest } = declareCustomers().http!;
  const trustedOrigins = new Set(["http://127.0.0.1:9000"]);
  expect(
    parseDeclaration(declareCustomers({ http: { ...rest, url } }), { ...RULES, trustedOrigins }).ok,
  ).toBe(true);
});

import fc from "fast-check";

import { bodySchema, type DocumentedOperation } from "./api-document.ts";
import { jsonArbitrary } from "./json-arbitrary.ts";
import type { RawRequest } from "./test-caller.ts";

/** Tools that answer at once, whatever they are asked. */
const TOOLS = [
  "probe-echo",
  "probe-cached",
  "probe-search",
  "probe-write",
  "probe-delete",
  "probe-background",
  "probe-nothing",
  "get_weather",
];

/**
 * Requests to an operation as its document describes them: half of them as they should be, the others wrong somewhere, at
 * whatever depth.
 *
 * @param ids what may stand in its path
 */
export function requestArbitrary(
  operation: DocumentedOperation,
  ids: readonly string[],
): fc.Arbitrary<RawRequest> {
  const { method, path } = operation;
  return fc
    .record({
      body: bodyArbitrary(operation),
      query: queryArbitrary(operation),
      headers: headersArbitrary(operation),
      id: fc.constantFrom(
        ...ids,
        "00000000-0000-4000-8000-000000000000",
        "x",
        "%00",
        "a%2Fb",
        "%F0%9F%98%80",
      ),
      other: fc.oneof(
        { weight: 30, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom("PUT", "PATCH", "DELETE", "OPTIONS") },
      ),
    })
    .map(({ body, query, headers, id, other }) => ({
      method: other,
      path: `${path.replace(/\{\w+\}/g, id)}${query}`,
      headers,
      ...(body !== undefined && { body }),
    }));
}

function bodyArbitrary(operation: DocumentedOperation): fc.Arbitrary<string | undefined> {
  const schema = bodySchema(operation);
  if (schema === undefined) return fc.constant(undefined);
  const { example } = operation.requestBody!.content!["application/json"]!;
  const generated = FOREIGN[operation.operationId] ?? jsonArbitrary(schema, override);
  const right = fc.oneof({ weight: 1, arbitrary: fc.constant(example) }, { weight: 4, arbitrary: generated });
  return right.chain((body) =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(JSON.stringify(body)) },
      { weight: 3, arbitrary: changeAnywhere(body) },
      { weight: 1, arbitrary: breakText(JSON.stringify(body)) },
    ),
  );
}

/** A small part of what is sent is fixed, so that requests get past the first check and never take long. */
function override(path: readonly string[]): fc.Arbitrary<unknown> | undefined {
  const at = path.at(-1);
  if (at === "tool" || at === "tool_name" || at === "toolName") return fc.constantFrom(...TOOLS);
  if (at === "args" || at === "parameters" || at === "input") return ARGS;
  if (at === "id") return fc.stringMatching(/^[a-z][a-z0-9]{0,9}$/);
  if (at === "thread")
    return fc.constantFrom({ type: "create" }, { type: "continue", previous_message_id: "msg_1" });
  if (at === "depends_on") return fc.subarray(["a0", "a1", "nobody"]);
  if (at === "for_each")
    return fc.oneof(fc.array(fc.integer(), { maxLength: 3 }), fc.constant({ $ref: "a0#" }));
  if (at === "select") return fc.constantFrom(["/n"], ["/path", "/nothing"]);
  return undefined;
}

const ARGS = fc.oneof(
  fc.record({ n: fc.integer(), d: fc.integer({ min: 0, max: 3 }) }, { requiredKeys: ["n"] }),
  fc.record({ id: fc.integer() }),
  fc.record({ q: fc.string() }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
  fc.constant({ n: { $ref: "a0#/n" } }),
);

const NAME = fc.constantFrom(...TOOLS, "discover_tools", "nobody");
const ARGS_TEXT = fc.oneof(
  ARGS.map((args) => JSON.stringify(args)),
  fc.constantFrom("{", "", "[]", '{"n":"x"}'),
);
const FUNCTION = fc.record({ name: NAME, arguments: ARGS_TEXT });
const CHAT_CALLS = calls(fc.record({ id: fc.string(), type: fc.constant("function"), function: FUNCTION }));
const RESPONSES_CALLS = calls(
  fc.record({
    type: fc.constantFrom("function_call", "function_call", "reasoning"),
    call_id: fc.string(),
    name: NAME,
    arguments: ARGS_TEXT,
  }),
);
const ANTHROPIC_CALLS = calls(
  fc.record({
    type: fc.constantFrom("tool_use", "tool_use", "text"),
    id: fc.string(),
    name: NAME,
    input: ARGS,
  }),
);
const GEMINI_CALLS = calls(fc.record({ functionCall: fc.record({ name: NAME, args: ARGS }) }));

function calls(call: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc.array(call, { maxLength: 4 });
}

/** The responses of providers and messages of the protocol: their own documents describe them, and ours does not repeat it. */
const FOREIGN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  answerChatCalls: fc.oneof(
    CHAT_CALLS,
    CHAT_CALLS.map((tool_calls) => ({ choices: [{ message: { role: "assistant", tool_calls } }] })),
    FUNCTION.map((function_call) => ({ role: "assistant", content: null, function_call })),
  ),
  answerResponsesCalls: fc.oneof(
    RESPONSES_CALLS,
    RESPONSES_CALLS.map((output) => ({ object: "response", output })),
  ),
  answerAnthropicCalls: fc.oneof(
    ANTHROPIC_CALLS,
    ANTHROPIC_CALLS.map((content) => ({ role: "assistant", content })),
  ),
  answerGeminiCalls: fc.oneof(
    GEMINI_CALLS,
    GEMINI_CALLS.map((parts) => ({ candidates: [{ content: { role: "model", parts } }] })),
  ),
  mcp: fc.record({
    jsonrpc: fc.constant("2.0"),
    id: fc.integer(),
    method: fc.constantFrom("tools/list", "tools/call", "no/such"),
    params: fc.oneof(
      fc.record({ name: NAME, arguments: ARGS }),
      fc.constant({
        name: "invoke_tool",
        arguments: { tool_name: "probe-echo", parameters: { n: 1 } },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "fuzzer", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      }),
    ),
  }),
};

type Path = readonly (string | number)[];

/** Something taken out, put in or replaced by something else, at any place of a body. */
function changeAnywhere(body: unknown): fc.Arbitrary<string> {
  const strange = fc.oneof(
    fc.string({ minLength: 520, maxLength: 600 }),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(null, "", -1, 1.5, 1e308, 2 ** 53, "\u202e\u0000", [], {}, { $ref: 7 }),
  );
  return fc
    .record({
      at: fc.constantFrom(...pathsOf(body)),
      how: fc.constantFrom("replace", "remove", "add"),
      name: fc.constantFrom("surprise", "Tool", "constructor", "id"),
      value: strange,
    })
    .map(({ at, how, name, value }) => {
      const changed = structuredClone({ body });
      const path = ["body", ...at];
      const parent = path
        .slice(0, -1)
        .reduce<unknown>((within, key) => Reflect.get(within as object, key), changed) as object;
      const last = path.at(-1)!;
      const target: unknown = Reflect.get(parent, last);
      if (how === "add" && typeof target === "object" && target !== null) Reflect.set(target, name, value);
      else if (how === "remove") Reflect.deleteProperty(parent, last);
      else Reflect.set(parent, last, value);
      return JSON.stringify(changed.body) ?? "";
    });
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

/** Something that is wrong with the text of a body that was right. */
function breakText(text: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.nat(text.length).map((at) => text.slice(0, at)),
    fc.json(),
    fc.constantFrom(`{"__proto__":${text}}`, `${text}]`, `${"[".repeat(40)}${"]".repeat(40)}`),
    fc.constant(text.replaceAll(/\d+/g, "1e400")),
  );
}

function queryArbitrary({ path, parameters = [] }: DocumentedOperation): fc.Arbitrary<string> {
  const documented = parameters.filter((parameter) => parameter.in === "query");
  if (documented.length === 0) return fc.constant("");
  const one = documented.map(({ name, schema }) =>
    fc.record({
      name: fc.constant(name),
      value: fc.oneof(
        {
          weight: 4,
          // A job that never changes would be waited for until its time is over.
          arbitrary:
            name === "wait_s" ? fc.constant("0") : jsonArbitrary(schema, () => undefined).map(String),
        },
        { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
      ),
    }),
  );
  // The protocol lets a server ignore what it does not know.
  const more = path === "/mcp" ? [] : [fc.constant({ name: "colour", value: "red" })];
  return fc
    .array(fc.oneof(...one, ...one, ...more), { maxLength: documented.length })
    .map((chosen) => `?${chosen.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join("&")}`);
}

function headersArbitrary({
  path,
  requestBody,
}: DocumentedOperation): fc.Arbitrary<NonNullable<RawRequest["headers"]>> {
  const body =
    requestBody === undefined ? [] : [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }];
  const wrong = [{ authorization: "Bearer wrong" }, { "volley-hop": "1" }, ...body];
  if (path === "/mcp")
    return fc.constantFrom(
      MCP,
      MCP_UNKNOWN,
      MCP_CALL,
      MCP_CALL,
      { ...MCP, origin: "https://example.com" },
      ...wrong,
    );
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.constant({ accept: "text/event-stream" }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("k", "l", "", "k,l").map((key) => ({ "idempotency-key": key })),
    },
    { weight: 2, arbitrary: fc.constantFrom(...wrong) },
  );
}

const MCP = { accept: "application/json, text/event-stream" };
const MCP_2026 = { ...MCP, "mcp-protocol-version": "2026-07-28" };
const MCP_UNKNOWN = { ...MCP_2026, "mcp-method": "no/such" };
const MCP_CALL = { ...MCP_2026, "mcp-method": "tools/call", "mcp-name": "invoke_tool" };

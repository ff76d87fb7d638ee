import { describe, expect, test } from "vitest";

import { readEra } from "../../../../src/features/mcp/http/mcp-revision.ts";
import { idOf, readMessage } from "../../../../src/features/mcp/http/rpc-message.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Case {
  readonly method?: string;
  readonly params?: object;
  readonly headers?: Record<string, string>;
  /** A notification has none. */
  readonly id?: number | null;
}

function era({ method = "tools/list", params = {}, headers = {}, id = 1 }: Case) {
  const message = readMessage({ jsonrpc: "2.0", ...(id !== null && { id }), method, params });
  const read = readEra(message!, new Headers(headers));
  return read.ok ? read.value : read.error.code;
}

const VERSION = { "mcp-protocol-version": "2026-07-28" };
const METHOD = { ...VERSION, "mcp-method": "tools/list" };
const CALL = { method: "tools/call", params: { name: "größe", _meta: META } };
const NAMED = { ...VERSION, "mcp-method": "tools/call" };
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;

test.each<[string, Case, string | number]>([
  ["names its revision in body and headers", { params: { _meta: META }, headers: METHOD }, "stateless"],
  [
    "has spaces around a header",
    { params: { _meta: META }, headers: { ...METHOD, "mcp-method": " tools/list " } },
    "stateless",
  ],
  ["names nothing", {}, "handshake"],
  ["names a revision with a handshake", { headers: { "mcp-protocol-version": "2025-06-18" } }, "handshake"],
  ["names a revision that never was", { headers: { "mcp-protocol-version": "1999-01-01" } }, -32_022],
  [
    "asks for a handshake of a revision that never was",
    { method: "initialize", headers: { "mcp-protocol-version": "1999-01-01" } },
    "handshake",
  ],
  ["asks for a handshake where there is none", { method: "initialize", headers: VERSION }, -32_020],
  [
    "claims a revision to come",
    { params: { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" } } },
    -32_022,
  ],
  [
    "claims one of 2025",
    { params: { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2025-11-25" } } },
    -32_022,
  ],
  ["has the header alone", { headers: METHOD }, -32_602],
  ["has half of what it must say", { params: { _meta: {} }, headers: METHOD }, -32_602],
  [
    "says nothing of its client",
    { params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }, headers: METHOD },
    -32_602,
  ],
  [
    "names its revision by a number",
    { params: { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": 7 } }, headers: METHOD },
    -32_602,
  ],
  [
    "has a client without a name",
    {
      params: { _meta: { ...META, "io.modelcontextprotocol/clientInfo": { version: "1" } } },
      headers: METHOD,
    },
    -32_602,
  ],
  [
    "lost the header of its version",
    { params: { _meta: META }, headers: { "mcp-method": "tools/list" } },
    -32_020,
  ],
  ["lost the header of its method", { params: { _meta: META }, headers: VERSION }, -32_020],
  [
    "has the header of another method",
    { params: { _meta: META }, headers: { ...METHOD, "mcp-method": "ping" } },
    -32_020,
  ],
  [
    "has the header of another version",
    { params: { _meta: META }, headers: { ...METHOD, "mcp-protocol-version": "2025-11-25" } },
    -32_020,
  ],
  ["calls without a name in a header", { ...CALL, headers: NAMED }, -32_020],
  ["calls with another name in the header", { ...CALL, headers: { ...NAMED, "mcp-name": "small" } }, -32_020],
  ["calls by an encoded name", { ...CALL, headers: { ...NAMED, "mcp-name": base64("größe") } }, "stateless"],
  [
    "calls by an encoded other name",
    { ...CALL, headers: { ...NAMED, "mcp-name": base64("klein") } },
    -32_020,
  ],
  [
    "calls by a name that is badly encoded",
    { ...CALL, headers: { ...NAMED, "mcp-name": "=?base64?%%?=" } },
    -32_020,
  ],
  [
    "calls nothing, which the method will say",
    { method: "tools/call", params: { _meta: META }, headers: NAMED },
    "stateless",
  ],
  [
    "is named like a part of every object",
    { method: "constructor", params: { _meta: META }, headers: { ...VERSION, "mcp-method": "constructor" } },
    "stateless",
  ],
])("readEra() of a request that %s", (_, request, expected) => {
  expect(era(request)).toBe(expected);
});

test.each<[string, Case, string | number]>([
  ["needs no headers", { params: { _meta: META } }, "stateless"],
  ["may have one alone", { headers: VERSION }, "stateless"],
  ["says nothing", {}, "handshake"],
  [
    "has the header of another method",
    { params: { _meta: META }, headers: { "mcp-method": "ping" } },
    -32_020,
  ],
])("readEra() of a notification that %s", (_, notification, expected) => {
  expect(era({ method: "notifications/cancelled", id: null, ...notification })).toBe(expected);
});

describe("readMessage()", () => {
  test.each([
    ["no version of its own", { id: 1, method: "ping" }],
    ["an older version", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["null as its id", { jsonrpc: "2.0", id: null, method: "ping" }],
    ["a fraction as its id", { jsonrpc: "2.0", id: 1.5, method: "ping" }],
    ["an object as its id", { jsonrpc: "2.0", id: {}, method: "ping" }],
    ["parameters in a list", { jsonrpc: "2.0", id: 1, method: "ping", params: [] }],
    ["a number as its method", { jsonrpc: "2.0", id: 1, method: 7 }],
    ["nothing in it", {}],
  ])("takes no message with %s", (_, body) => {
    expect(readMessage(body)).toBeNull();
  });

  test.each([7, null, "text", true])("takes no message from %s", (body) => {
    expect(readMessage(body)).toBeNull();
  });

  test.each([undefined, null, {}])("takes %o as no parameters", (params) => {
    const message = readMessage({ jsonrpc: "2.0", id: 1, method: "ping", params });
    expect(message).toEqual({ kind: "request", id: 1, method: "ping", params: {} });
  });

  test("tells requests, notifications and answers apart", () => {
    const kinds = [
      { jsonrpc: "2.0", id: 0, method: "ping" },
      { jsonrpc: "2.0", id: "", method: "ping", params: {}, extra: 1 },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } },
    ].map((body) => readMessage(body)?.kind);
    expect(kinds).toEqual(["request", "request", "notification", "response", "response"]);
  });
});

test("idOf() finds the id to answer under even where the rest is no message", () => {
  expect(idOf({ id: "a", method: "ping" })).toBe("a");
  expect(idOf({ jsonrpc: "2.0", id: 7, method: "ping", params: [] })).toBe(7);
  expect([idOf({ id: 7, result: {} }), idOf({ id: {}, method: "ping" }), idOf([]), idOf(null)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

import { describe, expect, test } from "vitest";

import type {
  Auth,
  Declaration,
  HttpCall,
} from "../../../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";
import type { ToolFailure } from "../../../../src/core/catalog/tool-failure.ts";
import { FakeToolContext, type SentRequest } from "../../../support/fake-tool-context.ts";
import { declareCustomers, RULES } from "../../../support/sample-declarations.ts";
import { valueOf } from "../../../support/unwrap.ts";

const NAMES = ["a", "b", "c", "list"];
const URL = "https://api.example.com/things";
const CALLER = { tenant: "acme", key: "tester" };

function makeTool(http: Partial<HttpCall>, changes: Partial<Declaration> = {}): ReturnType<typeof toTool> {
  const input_schema = { type: "object", properties: Object.fromEntries(NAMES.map((name) => [name, {}])) };
  const call = { method: "GET", url: URL, ...http } as const;
  const declaration = declareCustomers({ input_schema, ...changes, http: call });
  return toTool(valueOf(parseDeclaration(declaration, RULES)), { secrets: RULES.secrets });
}

interface Called {
  readonly http?: Partial<HttpCall>;
  readonly changes?: Partial<Declaration>;
  readonly answer?: () => Response;
  readonly secret?: string;
  readonly tenant?: string;
}

async function call(args: object, { http = {}, changes, answer, secret = "s3cr3t", tenant }: Called = {}) {
  const tool = makeTool(http, changes);
  const ctx = new FakeToolContext(tool, {
    answer: answer ?? (() => Response.json({ ok: true })),
    secrets: { CRM_TOKEN: secret },
    caller: { ...CALLER, ...(tenant !== undefined && { tenant }) },
  });
  const ended = await tool.run(args, ctx).then(
    (data) => ({ data, failure: null }),
    (error: unknown) => ({ data: undefined, failure: (error as ToolFailure).failure }),
  );
  return { ...ended, sent: ctx.requests[0] as SentRequest, requests: ctx.requests };
}

describe("T14 an argument in the address", () => {
  const http = { url: "https://api.example.com/{a}/things/{b}" };

  test.each<[unknown, string]>([
    ["eu north", "eu%20north"],
    ["a/../b?c#d", "a%2F..%2Fb%3Fc%23d"],
    ["%2e%2e", "%252e%252e"],
    ["ü😀", "%C3%BC%F0%9F%98%80"],
    ["...", "..."],
    [5, "5"],
    [0.1, "0.1"],
    [false, "false"],
  ])("%j is the one segment %s", async (a, segment) => {
    const { sent } = await call({ a, b: 1 }, { http });
    expect(sent.url.href).toBe(`https://api.example.com/${segment}/things/1`);
  });

  test.each([undefined, null, "", ".", "..", [], ["x"], {}, "\ud800"])(
    "%j is refused, and nothing is sent",
    async (a) => {
      const { failure, requests } = await call({ a, b: 1 }, { http });
      expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/a" }] });
      expect(requests).toEqual([]);
    },
  );

  const mixed = (path: string): Partial<HttpCall> => ({ url: `https://api.example.com${path}` });

  test.each([
    ["/orders/{a}.json", { a: "7" }, "/orders/7.json"],
    ["/orders/{a}.json", { a: ".." }, "/orders/...json"],
    ["/orders/{a}.json", { a: "../x?y" }, "/orders/..%2Fx%3Fy.json"],
    ["/orders/{a}{b}:get?v=1", { a: ".", b: 1 }, "/orders/.1:get?v=1"],
    ["/orders/v{a}", { a: "." }, "/orders/v."],
  ])("%s may have text and arguments beside each other: %j is sent to %s", async (path, args, sentTo) => {
    const { sent } = await call(args, { http: mixed(path) });
    expect(sent.url.href).toBe(`https://api.example.com${sentTo}`);
  });

  test.each([
    ["/orders/{a}.", "."],
    ["/orders/.{a}", "."],
    ["/orders/%2e{a}/x", "."],
    ["/orders/{a}%2E?v=1", "."],
    ["/orders/{a}{a}/items", "."],
    ["/orders/{a};v=1/items", ".."],
  ])("%s makes no dots of its segment with %j: it is refused, and nothing is sent", async (path, a) => {
    const { failure, requests } = await call({ a }, { http: mixed(path) });
    expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/a" }] });
    expect(requests).toEqual([]);
  });

  test("that is not sent is refused by its name", async () => {
    const { failure } = await call({ b: 1 }, { http });
    expect(failure!.hint).toMatch(/^\/args\/a must be text or a number for the address, received nothing\.$/);
  });
});

describe("a query", () => {
  test.each<[what: string, args: object, query: HttpCall["query"], search: string]>([
    ["takes what the declaration gives no place", { a: 1, b: "x y" }, undefined, "?a=1&b=x%20y"],
    ["has its arguments first, then the others", { a: 1, b: 2 }, ["b"], "?b=2&a=1"],
    ["repeats a list", { list: [1, "b", true] }, ["list"], "?list=1&list=b&list=true"],
    [
      "joins a list with commas where that is said",
      { list: ["a,b", "c"] },
      [{ argument: "list", name: "l", list: "comma" }],
      "?l=a%2Cb,c",
    ],
    ["writes an object as JSON", { a: { b: [1] } }, undefined, "?a=%7B%22b%22%3A%5B1%5D%7D"],
    [
      "writes a list inside a list as JSON",
      { list: [[1], { a: 2 }] },
      undefined,
      "?list=%5B1%5D&list=%7B%22a%22%3A2%7D",
    ],
    ["has other names", { a: 1 }, [{ argument: "a", name: "filter[a]" }], "?filter%5Ba%5D=1"],
    ["leaves out what is null or not there", { a: null, list: [null, 1] }, ["b"], "?list=1"],
    ["leaves out an empty list", { list: [] }, [{ argument: "list", name: "l", list: "comma" }], ""],
    ["keeps an empty text", { a: "" }, undefined, "?a="],
    ["keeps signs apart", { a: "&b=1+2%" }, undefined, "?a=%26b%3D1%2B2%25"],
    ["takes arguments that the schema does not name", { other: 1 }, undefined, "?other=1"],
    [
      "writes numbers digit for digit",
      { a: JSON.rawJSON("12345678901234567890"), b: 1e-7 },
      undefined,
      "?a=12345678901234567890&b=1e-7",
    ],
  ])("%s", async (_, args, query, search) => {
    const { sent } = await call(args, query === undefined ? {} : { http: { query } });
    expect(sent.url.search).toBe(search);
    expect(sent.body).toBe("");
  });

  test("is added to the one of the address", async () => {
    const { sent } = await call({ a: 1 }, { http: { url: `${URL}?kind=x` } });
    expect(sent.url.search).toBe("?kind=x&a=1");
  });

  test("takes what is left of a DELETE", async () => {
    const { sent } = await call({ a: 1 }, { http: { method: "DELETE" }, changes: { is_write: true } });
    expect(sent).toMatchObject({ method: "DELETE", body: "" });
    expect(sent.url.search).toBe("?a=1");
  });

  test("cannot hold half a character", async () => {
    expect((await call({ a: "\udc00" })).failure).toMatchObject({
      code: "INVALID_ARGS",
      issues: [{ path: "/args/a" }],
    });
  });
});

describe("a body", () => {
  const write = { is_write: true };
  test.each<[what: string, args: object, http: Partial<HttpCall>, body: string, search: string]>([
    ["takes what the declaration gives no place", { a: 1, b: [2] }, {}, '{"a":1,"b":[2]}', ""],
    ["does not repeat the query", { a: 1, b: 2 }, { query: ["a"] }, '{"b":2}', "?a=1"],
    ["is an object without arguments, too", {}, {}, "{}", ""],
    [
      "is all arguments",
      { a: 1, b: 2 },
      { body: "args", url: "https://api.example.com/{a}" },
      '{"a":1,"b":2}',
      "",
    ],
    [
      "has other names, and what is left",
      { a: 1, b: 2 },
      { body: [{ argument: "a", name: "x" }] },
      '{"x":1,"b":2}',
      "",
    ],
    ["keeps null", { a: null }, { body: ["a", "b"] }, '{"a":null}', ""],
    [
      "is one argument, and the query takes what is left",
      { a: ["x"], b: 2 },
      { body: { argument: "a" } },
      '["x"]',
      "?b=2",
    ],
    ["is text as JSON", { a: "x" }, { body: { argument: "a" } }, '"x"', ""],
    ["is not there without its argument", {}, { body: { argument: "a" } }, "", ""],
    [
      "may be a DELETE's, which has the rest in its query",
      { a: 1, b: 2 },
      { method: "DELETE", body: ["a"] },
      '{"a":1}',
      "?b=2",
    ],
    [
      "keeps numbers digit for digit",
      { a: JSON.rawJSON("12345678901234567890") },
      {},
      '{"a":12345678901234567890}',
      "",
    ],
    [
      "keeps a name that an object has anyway",
      JSON.parse('{"toString": 1}') as object,
      {},
      '{"toString":1}',
      "",
    ],
  ])("%s", async (_, args, http, body, search) => {
    const { sent } = await call(args, { http: { method: "POST", ...http }, changes: write });
    expect(sent.body).toBe(body);
    expect(sent.url.search).toBe(search);
    expect(sent.headers.get("content-type")).toBe(body === "" ? null : "application/json");
  });

  test("is JSON of the type that the declaration gives", async () => {
    const headers = { "Content-Type": "application/vnd.api+json" };
    const { sent } = await call({ a: 1 }, { http: { method: "PATCH", headers }, changes: write });
    expect(sent.headers.get("content-type")).toBe("application/vnd.api+json");
  });
});

describe("a header", () => {
  const headers = { "x-a": "id {a}", "x-b": "{b}/{c}", "x-fixed": "1" };

  test("is filled, and its arguments are not sent again", async () => {
    const { sent } = await call({ a: 5, b: "x", c: true }, { http: { headers } });
    expect(Object.fromEntries(sent.headers)).toEqual({ "x-a": "id 5", "x-b": "x/true", "x-fixed": "1" });
    expect(sent.url.search).toBe("");
  });

  test("is left out where an argument of it is not there", async () => {
    const { sent } = await call({ b: "x", c: null }, { http: { headers } });
    expect(Object.fromEntries(sent.headers)).toEqual({ "x-fixed": "1" });
  });

  test.each(["a\r\nx-admin: 1", "a\nb", "a\0", "日本", "\ud800"])("cannot hold %j", async (a) => {
    const { failure, requests } = await call({ a }, { http: { headers } });
    expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/a" }] });
    expect(requests).toEqual([]);
  });

  test("with the action's key goes with a write that is safe with it", async () => {
    const { sent } = await call(
      {},
      { http: { method: "POST" }, changes: { is_write: true, idempotent: "with-key" } },
    );
    expect(sent.headers.get("idempotency-key")).toBe("key-1");
  });
});

describe("a secret", () => {
  const as = (how: Auth["as"]): Called => ({ http: { auth: { secret: "CRM_TOKEN", as: how } } });

  test.each<[Auth["as"], string, string]>([
    ["bearer", "authorization", "Bearer s3cr3t"],
    ["basic", "authorization", "Basic czNjcjN0"],
    [{ header: "X-Api-Key" }, "x-api-key", "s3cr3t"],
  ])("as %j is in a header", async (how, name, value) => {
    expect((await call({}, as(how))).sent.headers.get(name)).toBe(value);
  });

  test("is base64 of UTF-8 for basic", async () => {
    const { sent } = await call({}, { ...as("basic"), secret: "Jürgen:pässwörd€\n" });
    expect(sent.headers.get("authorization")).toBe(
      `Basic ${Buffer.from("Jürgen:pässwörd€").toString("base64")}`,
    );
  });

  test("in the query is encoded", async () => {
    const { sent } = await call({ a: 1 }, { ...as({ query: "api key" }), secret: "a&b" });
    expect(sent.url.search).toBe("?a=1&api%20key=a%26b");
  });

  test("in the query lets no argument take its place", async () => {
    const { failure, requests } = await call({ key: "mine" }, as({ query: "key" }));
    expect(failure).toMatchObject({ code: "INVALID_ARGS", issues: [{ path: "/args/key" }] });
    expect(requests).toEqual([]);
  });

  test.each(["", "a\r\nb", "日本"])(
    "that no header can hold, such as %j, is the operator's to repair",
    async (secret) => {
      const { failure, requests } = await call({}, { ...as("bearer"), secret });
      expect(failure!.code).toBe("MISCONFIGURED");
      expect(requests).toEqual([]);
    },
  );

  test("that is not bound any more is not sent", async () => {
    const { failure, requests } = await call({}, { ...as("bearer"), tenant: "other" });
    expect(failure).toMatchObject({ code: "MISCONFIGURED" });
    expect(requests).toEqual([]);
  });
});

describe("the answer", () => {
  const json =
    (text: string, type = "application/json"): (() => Response) =>
    () =>
      new Response(text, { headers: { "content-type": type } });

  test.each<[what: string, answer: () => Response, result: string | undefined, data: unknown]>([
    ["is what it says", json('{"a":[1]}'), undefined, { a: [1] }],
    ["is the part that is asked for", json('{"a":[{"b/c":1}]}'), "/a/0/b~1c", 1],
    ["may be null", json('{"a":null}'), "/a", null],
    ["is JSON, whatever its type says", json('{"a":1}', "text/plain"), undefined, { a: 1 }],
    [
      "is text, where its type says so",
      json("a,b\n1,2\n", "text/csv; charset=utf-8"),
      undefined,
      "a,b\n1,2\n",
    ],
    ["is XML as text", json("<a/>", "application/atom+xml"), undefined, "<a/>"],
    ["is a JSON value alone", json("5"), undefined, 5],
    ["is nothing", () => new Response(null, { status: 204 }), undefined, null],
    ["is nothing, whatever was asked for", () => new Response(null, { status: 204 }), "/a", null],
    ["is empty", json(""), undefined, null],
  ])("%s", async (_, answer, result, data) => {
    expect((await call({}, { answer, ...(result !== undefined && { http: { result } }) })).data).toEqual(
      data,
    );
  });

  test.each<[what: string, answer: () => Response, result: string | undefined]>([
    ["broken JSON", json('{"a":'), undefined],
    ["broken JSON that says it is text", json('{"a":', "text/plain"), undefined],
    ["a page of HTML", json("<html></html>", "text/html"), undefined],
    ["text of no type", () => new Response("hello", { headers: { "content-type": "" } }), undefined],
    ["without what was asked for", json('{"a":1}'), "/b"],
    ["with a list where a field was asked for", json("[1]"), "/a"],
    ["empty, where a part was asked for", json(""), "/a"],
  ])("that is %s is BAD_UPSTREAM_RESPONSE", async (_, answer, result) => {
    const { failure } = await call({}, { answer, ...(result !== undefined && { http: { result } }) });
    expect(failure!.code).toBe("BAD_UPSTREAM_RESPONSE");
  });
});

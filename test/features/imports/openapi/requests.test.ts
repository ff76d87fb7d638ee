import { describe, expect, test } from "vitest";

import { parseArgs } from "../../../../src/core/catalog/parse-args.ts";
import { inputSchema } from "../../../../src/core/catalog/tool-schema.ts";
import type { Declaration } from "../../../../src/features/added-tools/declared/declaration.ts";
import { toTool } from "../../../../src/features/added-tools/declared/to-tool.ts";

import {
  documentOf,
  importAll,
  importOne,
  jsonBody,
  sentBy,
  SERVER,
  whySkipped,
} from "../../../support/openapi-document.ts";

/*
 * An operation's parameters and body are seen here from the request that its tool sends.
 */

const string = { type: "string" };
const query = (name: string, schema: object, more: object = {}): object => ({
  name,
  in: "query",
  schema,
  ...more,
});

const PET = {
  type: "object",
  required: ["id", "name", "born"],
  properties: {
    id: { type: "string" },
    born: { type: "string", readOnly: true },
    name: { type: "string" },
    owner: {
      type: "object",
      properties: { id: { type: "integer" }, since: { type: "string", readOnly: true } },
    },
  },
};

describe("An operation's tool", () => {
  test("takes parameters and fields of the body beside each other, and sends each to its place", async () => {
    const declaration = importOne(
      {
        parameters: [
          { name: "petId", in: "path", required: true, schema: string },
          query("dryRun", { type: "boolean" }),
          { name: "X-Trace", in: "header", schema: string },
        ],
        ...jsonBody(PET),
      },
      { method: "put", path: "/pets/{petId}" },
    );

    expect(declaration.input_schema).toEqual({
      type: "object",
      properties: {
        petId: string,
        dryRun: { type: "boolean" },
        "X-Trace": string,
        id: string,
        name: string,
        owner: { type: "object", properties: { id: { type: "integer" } } },
      },
      required: ["petId", "id", "name"],
      additionalProperties: false,
    });
    const request = await sentBy(declaration, {
      petId: "a/b",
      dryRun: true,
      "X-Trace": "t1",
      id: "7",
      name: "Rex",
      owner: { id: 1 },
    });
    expect(request.method).toBe("PUT");
    expect(request.url.href).toBe(`${SERVER}/pets/a%2Fb?dryRun=true`);
    expect(request.headers.get("x-trace")).toBe("t1");
    expect(JSON.parse(request.body)).toEqual({ id: "7", name: "Rex", owner: { id: 1 } });
  });

  test("calls what has a name that is taken by its place", async () => {
    const declaration = importOne(
      {
        parameters: [
          { name: "id", in: "path", required: true, schema: string },
          query("id", string),
          { name: "id", in: "header", schema: string },
        ],
        ...jsonBody({ type: "object", required: ["id"], properties: { id: { type: "integer" } } }),
      },
      { method: "patch", path: "/pets/{id}" },
    );

    expect(declaration.input_schema).toMatchObject({ required: ["id", "body_id"] });
    const request = await sentBy(declaration, { id: "p", query_id: "q", header_id: "h", body_id: 1 });
    expect(request.url.href).toBe(`${SERVER}/pets/p?id=q`);
    expect(request.headers.get("id")).toBe("h");
    expect(JSON.parse(request.body)).toEqual({ id: 1 });
  });

  test("gives names that a model can write to what has none", async () => {
    const declaration = importOne(
      {
        parameters: [
          query("$top", string),
          query("filter[name]", string),
          query("größe", string),
          query("名", string),
        ],
      },
      { method: "get" },
    );
    const names = Object.keys(declaration.input_schema["properties"] as object);
    expect(names).toEqual(["top", "filter_name", "gro_e", "argument"]);
    const request = await sentBy(declaration, { top: "1", filter_name: "x", gro_e: "2", argument: "3" });
    expect(request.url.search).toBe(`?%24top=1&filter%5Bname%5D=x&gr%C3%B6%C3%9Fe=2&%E5%90%8D=3`);
  });

  const styles: [sentence: string, parameter: object, args: object, search: string][] = [
    [
      "a list is repeated",
      query("tag", { type: "array", items: string }),
      { tag: ["a", "b"] },
      "?tag=a&tag=b",
    ],
    [
      "a list that is not exploded is joined by commas",
      query("tag", { type: "array", items: string }, { explode: false }),
      { tag: ["a", "b,c"] },
      "?tag=a,b%2Cc",
    ],
    [
      "an exploded list of another style is repeated as well",
      query("tag", { type: "array", items: string }, { style: "pipeDelimited", explode: true }),
      { tag: ["a", "b"] },
      "?tag=a&tag=b",
    ],
    [
      "the fields of a deep object are parameters",
      query(
        "filter",
        { type: "object", properties: { age: { type: "integer" }, name: string } },
        { style: "deepObject" },
      ),
      { filter_age: 3, filter_name: "x" },
      "?filter%5Bage%5D=3&filter%5Bname%5D=x",
    ],
    [
      "the fields of one of a deep object's forms are parameters",
      query(
        "created",
        { anyOf: [{ type: "object", properties: { gt: { type: "integer" } } }, { type: "integer" }] },
        {
          style: "deepObject",
        },
      ),
      { created_gt: 3 },
      "?created%5Bgt%5D=3",
    ],
    [
      "the fields of an exploded object are parameters by their own names",
      query("page", {
        type: "object",
        properties: { number: { type: "integer" }, size: { type: "integer" } },
      }),
      { number: 2, size: 10 },
      "?number=2&size=10",
    ],
    [
      "an object that is sent as JSON is JSON",
      {
        name: "q",
        in: "query",
        content: { "application/json": { schema: { type: "object", properties: { a: string } } } },
      },
      { q: { a: "b" } },
      "?q=%7B%22a%22%3A%22b%22%7D",
    ],
  ];
  test.each(styles)("in a query: %s", async (_, parameter, args, search) => {
    const request = await sentBy(importOne({ parameters: [parameter] }, { method: "get" }), args as never);
    expect(request.url.search).toBe(search);
  });

  const unsendable: [sentence: string, parameter: object, reason: RegExp][] = [
    ["a cookie", { name: "sid", in: "cookie", schema: string }, /'sid' is a cookie/],
    [
      "a list with pipes",
      query("p", { type: "array", items: string }, { style: "pipeDelimited" }),
      /style 'pipeDelimited'/,
    ],
    [
      "an object in one text",
      query("p", { type: "object", properties: { a: string } }, { explode: false }),
      /an object written in one text/,
    ],
    [
      "XML in a query",
      { name: "p", in: "query", content: { "application/xml": { schema: string } } },
      /neither plain nor a JSON object/,
    ],
    [
      "a header that belongs to the runtime",
      { name: "X-Forwarded-For", in: "header", schema: string },
      /'X-Forwarded-For' is a header that no tool may set/,
    ],
    [
      "an object in a header",
      { name: "P", in: "header", schema: { type: "object", properties: { a: string } } },
      /is an object/,
    ],
  ];
  test.each(unsendable)(
    "leaves out and names an optional parameter that cannot be sent: %s",
    (_, parameter) => {
      const { description, input_schema: schema } = importOne({ parameters: [parameter] }, { method: "get" });
      expect(description).toContain(`Cannot be sent: '${(parameter as { name: string }).name}'.`);
      expect(schema["properties"]).toEqual({});
    },
  );
  test.each(unsendable)("is not made where such a parameter is required: %s", (_, parameter, reason) => {
    const required = { ...parameter, required: true };
    expect(whySkipped({ parameters: [required] }, { method: "get" })).toMatch(reason);
  });

  test("writes a list in a header with commas", async () => {
    const parameter = {
      name: "X-Ids",
      in: "header",
      schema: { type: "array", items: string },
      description: "Ids.",
    };
    const declaration = importOne({ parameters: [parameter] }, { method: "get" });
    expect(declaration.input_schema["properties"]).toEqual({
      "X-Ids": { type: "string", description: "Ids. Several are separated by commas" },
    });
    expect((await sentBy(declaration, { "X-Ids": "a,b" })).headers.get("x-ids")).toBe("a,b");
  });

  test("does not take the headers that the rest of the document says", () => {
    const parameters = ["Accept", "content-type", "Authorization"].map((name) => ({
      name,
      in: "header",
      schema: string,
      required: true,
    }));
    expect(importOne({ parameters }).input_schema["properties"]).toEqual({});
  });

  test("sends an Idempotency-Key by itself where the API takes one", () => {
    const parameters = [{ name: "Idempotency-Key", in: "header", schema: string, required: true }];
    expect(importOne({ parameters })).toMatchObject({
      idempotent: "with-key",
      input_schema: { properties: {} },
    });
  });

  test("does not take the query's parameter that its API key is sent in", async () => {
    const parameters = [query("q", string), { ...query("api_key", string), required: true }];
    const document = documentOf(
      { "/x": { get: { operationId: "op", parameters } } },
      {
        components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } } },
        security: [{ key: [] }],
      },
    );
    const auth = { secret: "KEY", as: { query: "api_key" } };
    const [declaration] = importAll(document, { auth }).declarations;
    expect(declaration!.input_schema).toMatchObject({ properties: { q: string } });
    expect(Object.keys(declaration!.input_schema["properties"] as object)).toEqual(["q"]);
    expect((await sentBy(declaration!, { q: "1" })).url.search).toBe("?q=1&api_key=s3cr3t");
  });

  test("has an argument of its own for each of many parameters whose names become the same", async () => {
    const parameters = ["a.b", "a[b]", "a b", "a:b"].map((name) => query(name, string));
    const declaration = importOne({ parameters }, { method: "get" });
    const names = ["a_b", "query_a_b", "query_a_b_2", "query_a_b_3"];
    expect(Object.keys(declaration.input_schema["properties"] as object)).toEqual(names);
    const { url } = await sentBy(
      declaration,
      Object.fromEntries(names.map((name, at) => [name, String(at)])),
    );
    expect([...url.searchParams]).toEqual([
      ["a.b", "0"],
      ["a[b]", "1"],
      ["a b", "2"],
      ["a:b", "3"],
    ]);
  });

  test("takes the parameters of its path, and its own instead of one of the same name", () => {
    const parameters = [query("a", string), query("b", string)];
    const get = { operationId: "op", parameters: [query("a", { type: "integer" })] };
    const [declaration] = importAll(documentOf({ "/x": { parameters, get } })).declarations;
    expect(declaration!.input_schema["properties"]).toEqual({ a: { type: "integer" }, b: string });
  });

  const bodies: [sentence: string, schema: unknown, value: unknown][] = [
    ["a list", { type: "array", items: string }, ["a"]],
    ["one value", { type: "integer" }, 7],
    ["one of several forms", { oneOf: [PET, { type: "object", properties: { url: string } }] }, { url: "x" }],
    ["a dictionary", { type: "object", additionalProperties: { type: "integer" } }, { a: 1 }],
    ["an object of which nothing is said", { type: "object" }, { a: 1 }],
    ["anything", {}, [1, { a: 2 }]],
    ["anything, without a schema", undefined, "x"],
  ];
  test.each(bodies)(
    "takes a body that is no object of known fields as one argument: %s",
    async (_, schema, body) => {
      const declaration = importOne(jsonBody(schema));
      expect(Object.keys(declaration.input_schema["properties"] as object)).toEqual(["body"]);
      expect(declaration.input_schema["required"]).toEqual(["body"]);
      expect(JSON.parse((await sentBy(declaration, { body })).body)).toEqual(body);
    },
  );

  test("takes the fields of all parts of a body, whichever of them belong together", async () => {
    const declaration = importOne(
      jsonBody({
        allOf: [
          { type: "object", required: ["a"], properties: { a: string }, additionalProperties: false },
          { type: "object", properties: { b: { type: "integer" } } },
        ],
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      }),
    );
    expect(declaration.input_schema).toEqual({
      type: "object",
      properties: { a: string, b: { type: "integer" } },
      required: ["a"],
      additionalProperties: false,
    });
    expect(JSON.parse((await sentBy(declaration, { a: "x", b: 1 })).body)).toEqual({ a: "x", b: 1 });
  });

  describe("whose body is a parent of others by its discriminator", () => {
    const object = (properties: object, more: object = {}): object => ({
      type: "object",
      properties,
      ...more,
    });
    const parent = { $ref: "#/components/schemas/Pet" };
    const schemas = (discriminator: object): object => ({
      Pet: object({ kind: string, name: string }, { required: ["kind"], discriminator }),
      Cat: { allOf: [parent, object({ lives: { type: "integer" }, size: string }, { required: ["lives"] })] },
      Dog: { allOf: [parent, object({ size: { type: "integer" }, friend: parent, kind: { const: "dog" } })] },
      Puppy: { allOf: [{ $ref: "#/components/schemas/Dog" }, object({ age: string })] },
      Fish: object({ water: string }),
    });
    const take = (schema: object, discriminator: object = { propertyName: "kind" }) =>
      importOne(jsonBody(schema), { components: { schemas: schemas(discriminator) } });

    test("T67 takes its children's fields, of which none is required, and names the children", async () => {
      const declaration = take(parent);
      expect(declaration.input_schema).toMatchObject({
        properties: {
          kind: { type: "string", description: 'One of "Cat", "Dog", "Puppy"' },
          name: string,
          lives: { type: "integer" },
          size: { anyOf: [string, { type: "integer" }] },
          age: string,
        },
        required: ["kind"],
        additionalProperties: false,
      });
      const args = { kind: "cat", lives: 9, size: "L" };
      expect(JSON.parse((await sentBy(declaration, args)).body)).toEqual(args);
    });

    test("T67 takes those that the mapping names, which need not say whose children they are", () => {
      const mapping = {
        fish: "#/components/schemas/Fish",
        cat: "Cat",
        gone: "https://a.example/b",
        lost: "#/x",
      };
      const { properties } = take(parent, { propertyName: "kind", mapping }).input_schema as {
        properties: Record<string, { description?: string }>;
      };
      expect(Object.keys(properties)).toEqual(["kind", "name", "water", "lives", "size", "friend", "age"]);
      expect(properties["kind"]!.description).toBe('One of "fish", "cat", "Dog", "Puppy"');
    });

    test("T67 takes none of them in a child, and all of them deeper inside", () => {
      const cat = take({ $ref: "#/components/schemas/Cat" }).input_schema;
      expect(Object.keys(cat["properties"] as object)).toEqual(["kind", "name", "lives", "size"]);
      expect(cat["required"]).toEqual(["kind", "lives"]);
      const inside = take(object({ pets: { type: "array", items: parent } })).input_schema;
      expect(JSON.stringify(inside)).toContain('"lives":{"type":"integer"}');
    });
  });

  test("needs the fields that a part of a body requires of another part", () => {
    const base = { type: "object", properties: { a: string, b: string } };
    const declaration = importOne(jsonBody({ allOf: [base, { required: ["b", "unknown"] }] }));
    expect(declaration.input_schema["required"]).toEqual(["b"]);
  });

  test("takes fields that the document does not name where the body may have any", async () => {
    const declaration = importOne(
      jsonBody({ type: "object", properties: { a: string }, additionalProperties: true }),
    );
    expect(declaration.input_schema["additionalProperties"]).toBe(true);
    expect(JSON.parse((await sentBy(declaration, { a: "x", z: 1 })).body)).toEqual({ a: "x", z: 1 });
  });

  describe("whose body may be left out", () => {
    const MERGE = "application/merge-patch+json";
    const optional = (schema: object, more: object = {}) =>
      importOne(
        {
          parameters: [{ name: "petId", in: "path", required: true, schema: string }, query("dry", string)],
          requestBody: { content: { [MERGE]: { schema } } },
        },
        { method: "patch", path: "/pets/{petId}", ...more },
      );
    const open = { ...PET, additionalProperties: true };
    const refusedBy = (declaration: Declaration, args: object) => {
      const parsed = parseArgs(toTool(declaration, { secrets: null }), args as never);
      return parsed.ok ? [] : (parsed.error.issues ?? []).map(({ path }) => path);
    };

    test("T67 shows what the body needs as required, and keeps it beside the schema", () => {
      const declaration = optional(PET);
      expect(declaration.input_schema["required"]).toEqual(["petId"]);
      expect(declaration.http).toMatchObject({ body_required: ["id", "name"] });
      const shown = inputSchema(toTool(declaration, { secrets: null }));
      expect(shown["required"]).toEqual(["petId", "id", "name"]);
      expect(optional({ type: "object", properties: { a: string } }).http!.body_required).toEqual([]);
      expect(importOne(jsonBody(PET)).http!.body_required).toBeUndefined();
    });

    test.each([
      ["a body of named fields", PET],
      ["a body of any fields", open],
    ])("T67 asks for all that the body needs where one field is given: %s", (_, schema) => {
      const declaration = optional(schema);
      expect(refusedBy(declaration, { petId: "1", name: "Rex" })).toEqual(["/args/id"]);
      expect(refusedBy(declaration, { petId: "1", owner: {} })).toEqual(["/args/id", "/args/name"]);
      expect(refusedBy(declaration, { petId: "1", name: "Rex", id: "2" })).toEqual([]);
      expect(refusedBy(declaration, { petId: "1", dry: "1" })).toEqual([]);
      expect(refusedBy(declaration, { petId: "1", id: null, name: null, owner: null })).toEqual([]);
    });

    test("T67 asks for it by its own name, also for a field that the document does not name", () => {
      expect(refusedBy(optional(open), { petId: "1", more: 1 })).toEqual(["/args/id", "/args/name"]);
      const other = { type: "object", required: ["petId"], properties: { petId: string, a: string } };
      expect(refusedBy(optional(other), { petId: "1", a: "x" })).toEqual(["/args/body_petId"]);
    });

    test("sends no body, and no type of one, where none of its fields is given", async () => {
      for (const schema of [PET, open, { type: "object", properties: { a: string } }]) {
        const none = await sentBy(optional(schema), { petId: "1", dry: "1" });
        expect([none.body, none.headers.get("content-type")]).toEqual(["", null]);
        expect(none.url.search).toBe("?dry=1");
      }
      const whole = await sentBy(optional(PET), { petId: "1", id: "2", name: "Rex" });
      expect(JSON.parse(whole.body)).toEqual({ id: "2", name: "Rex" });
      expect(whole.headers.get("content-type")).toBe(MERGE);
    });

    test("sends a null that clears a field where the body needs nothing else, and takes none for a body otherwise", async () => {
      const due = { type: ["string", "null"] };
      const free = optional({ type: "object", properties: { due } });
      expect((await sentBy(free, { petId: "1", due: null })).body).toBe('{"due":null}');
      const bound = optional({ type: "object", required: ["a"], properties: { a: string, due } });
      expect((await sentBy(bound, { petId: "1", due: null })).body).toBe("");
    });
  });

  test("says what kind of JSON a body is", async () => {
    const content = { "application/merge-patch+json": { schema: PET } };
    const declaration = importOne({ requestBody: { required: true, content } }, { method: "patch" });
    expect((await sentBy(declaration, { id: "1" })).headers.get("content-type")).toBe(
      "application/merge-patch+json",
    );
  });

  test("prefers JSON where a body may be something else too", async () => {
    const content = {
      "application/xml": { schema: PET },
      "application/json; charset=utf-8": { schema: PET },
    };
    const declaration = importOne({ requestBody: { content, required: true } });
    expect((await sentBy(declaration, { id: "1" })).headers.get("content-type")).toBe("application/json");
  });

  test.each(["text/json", "application/*+json"])("is JSON of the plain kind where it is %s", async (type) => {
    const requestBody = { required: true, content: { [type]: { schema: PET } } };
    const { body, headers } = await sentBy(importOne({ requestBody }), { id: "1" });
    expect([JSON.parse(body), headers.get("content-type")]).toEqual([{ id: "1" }, type.replace("*+", "")]);
  });

  test.each([
    ["multipart/form-data", "and no tool sends a body of several parts"],
    ["application/xml", "and no tool writes XML"],
    ["text/xml; charset=utf-8", "and no tool writes XML"],
    ["application/soap+xml", "and no tool writes XML"],
    ["text/plain", "and a tool sends JSON or a form"],
  ])("is not made of an operation that takes %s only", (type, reason) => {
    const requestBody = { required: true, content: { [type]: { schema: PET } } };
    expect(whySkipped({ requestBody })).toBe(
      `Left out because it takes its body only as ${type}, ${reason}.`,
    );
  });

  describe("whose body is a form", () => {
    const FORM = "application/x-www-form-urlencoded";
    const form = (schema: object, encoding: object = {}): Declaration =>
      importOne({ requestBody: { required: true, content: { [FORM]: { schema, encoding } } } });
    const object = (properties: object): object => ({ type: "object", properties });
    const anything = object({ a: {}, tags: { type: "array" }, price: { type: "object" } });

    test("T67 takes its fields as those of any body, and sends them as a form", async () => {
      const declaration = form({ ...PET, required: ["name"] });
      expect(declaration.input_schema).toMatchObject({ required: ["name"], properties: { id: string } });
      const request = await sentBy(declaration, { name: "Rex & Söhne", owner: { id: 7 } });
      expect(request.headers.get("content-type")).toBe(FORM);
      expect(request.body).toBe("name=Rex%20%26%20S%C3%B6hne&owner%5Bid%5D=7");
    });

    const encoded: [what: string, encoding: object, args: object, body: string][] = [
      ["a list is repeated", {}, { tags: ["x", null, 2] }, "tags=x&tags=2"],
      [
        "an object is written field by field, and a list in it",
        {},
        { price: { a: 1, b: { c: true, d: ["x", { e: 2 }], f: null } } },
        "price[a]=1&price[b][c]=true&price[b][d]=x&price[b][d][1][e]=2",
      ],
      ["null and nothing are not sent", {}, { a: null, tags: [], price: {} }, ""],
      [
        "a deep object has indices",
        { tags: { style: "deepObject" } },
        { tags: ["x", "y"] },
        "tags[0]=x&tags[1]=y",
      ],
      [
        "JSON in a field",
        { price: { contentType: "application/json" } },
        { price: { a: [1] } },
        'price={"a":[1]}',
      ],
      [
        "a list in one text",
        { tags: { style: "form", explode: false } },
        { tags: ["x", "y,z"] },
        "tags=x,y%2Cz",
      ],
      ["a list with spaces", { tags: { style: "spaceDelimited" } }, { tags: ["x", "y"] }, "tags=x y"],
      ["a list with pipes", { tags: { style: "pipeDelimited" } }, { tags: ["x", "y"] }, "tags=x|y"],
      ["an object in one text", { price: { explode: false } }, { price: { a: 1, b: 2 } }, "price=a,1,b,2"],
      ["an object without its name", { price: { style: "form" } }, { price: { b: 1 } }, "b=1"],
    ];
    test.each(encoded)(
      "T67 writes it as the document's encoding says: %s",
      async (_, encoding, args, body) => {
        const sent = await sentBy(form(anything, encoding), args as Record<string, unknown>);
        const plain = (text: string): string =>
          text
            .split("&")
            .map((pair) => pair.replace("%2C", "\u0000"))
            .map(decodeURIComponent)
            .join("&");
        expect(plain(sent.body)).toBe(plain(body));
      },
    );

    test("takes all of it as one argument where it is no object of known fields", async () => {
      const declaration = form({ oneOf: [object({ a: string }), object({ b: string })] });
      expect((await sentBy(declaration, { body: { a: "x", b: ["y", "z"] } })).body).toBe("a=x&b=y&b=z");
      await expect(sentBy(declaration, { body: "a=x" })).rejects.toMatchObject({
        failure: { code: "INVALID_ARGS" },
      });
    });

    test("is preferred to XML, and JSON to it", async () => {
      const content = { "application/xml": { schema: PET }, [FORM]: { schema: PET } };
      const { http } = importOne({ requestBody: { required: true, content } });
      expect(http!.headers).toEqual({ "content-type": FORM });
      const all = { ...content, "application/json": { schema: PET } };
      expect(importOne({ requestBody: { required: true, content: all } }).http!.headers).toBeUndefined();
    });
  });

  test("ignores an optional body of a GET and is not made where one is required", () => {
    const body = jsonBody(PET, { required: false });
    expect(importOne(body, { method: "get" }).input_schema["properties"]).toEqual({});
    expect(whySkipped(jsonBody(PET), { method: "get" })).toMatch(/needs a body/);
  });

  const paths: [path: string, reason: RegExp][] = [
    ["/files/{name}.{ext", /'\{name\}\.\{ext', with a brace that names no argument/],
    ["/files/a{}", /with a brace/],
    ["/files/{+name}", /no parameter describes/],
    ["/files#top", /fragment/],
    ["/files?x={y}", /arguments in a query/],
    ["/files/../admin", /'\.\.', which is no place/],
  ];
  test.each(paths)("is not made of the path %s", (path, reason) => {
    expect(whySkipped({}, { method: "get", path })).toMatch(reason);
  });

  test("keeps a query that the path has, and writes the path as a URL has it", async () => {
    const declaration = importOne({}, { method: "get", path: "/städte/a b?beta=true" });
    expect((await sentBy(declaration, {})).url.href).toBe(`${SERVER}/st%C3%A4dte/a%20b?beta=true`);
  });

  test("has arguments in the path beside text, which is written as a URL has it", async () => {
    const declaration = importOne({}, { method: "get", path: "/v 1/ü{name}.{ext}:batch\\Get " });
    const { url } = await sentBy(declaration, { name: "a/b", ext: "." });
    expect(url.href).toBe(`${SERVER}/v%201/%C3%BCa%2Fb..:batch%5CGet%20`);
  });

  test("takes what a path names and no parameter describes as text", () => {
    const { input_schema: schema } = importOne({}, { method: "get", path: "/pets/{petId}" });
    expect(schema).toMatchObject({ properties: { petId: string }, required: ["petId"] });
  });

  test.each(["head", "options", "trace", "query"])("is not made of the method %s", (method) => {
    expect(whySkipped({}, { method })).toBe(
      `Left out because its method is ${method.toUpperCase()}, which no tool has.`,
    );
  });
});

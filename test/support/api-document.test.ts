import { beforeEach, describe, expect, test } from "vitest";

import { type DocumentedOperation, findDeviation, findMisjudgement, readOperations } from "./api-document.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Doors", version: "1" },
  paths: {
    "/doors": {
      post: {
        operationId: "openDoor",
        tags: ["Doors"],
        parameters: [{ name: "speed", in: "query", schema: { type: "integer", maximum: 3 } }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { actions: { type: "array", maxItems: 2, items: { type: "string" } } },
                required: ["actions"],
                additionalProperties: false,
              },
            },
          },
        },
        responses: {
          200: {
            description: "It is open",
            headers: { "x-request-id": { required: true, schema: { type: "string" } } },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Door" } },
              "text/event-stream": { schema: { type: "string" } },
            },
          },
          422: { description: "No", content: { "application/problem+json": { schema: { type: "object" } } } },
        },
      },
    },
  },
  components: {
    schemas: { Door: { type: "object", properties: { open: { const: true } }, required: ["open"] } },
  },
};

let operation: DocumentedOperation;
beforeEach(() => {
  operation = readOperations(JSON.stringify(DOCUMENT))[0]!;
});

const OPEN = {
  status: 200,
  headers: { "content-type": "application/json", "x-request-id": "1" },
  text: '{"open":true}',
};

describe("findDeviation()", () => {
  test("finds none where the answer is what the document says", () => {
    expect(findDeviation(operation, OPEN)).toBeNull();
    const events = 'event: result\ndata: 1\n\nevent: done\ndata: {"open":true}\n\n';
    const headers = { ...OPEN.headers, "content-type": "text/event-stream" };
    expect(findDeviation(operation, { ...OPEN, headers, text: events })).toBeNull();
  });

  test.each([
    ["a status that is not there", { ...OPEN, status: 201 }, "undocumented status 201"],
    ["a bug of the server's", { ...OPEN, status: 500 }, "500"],
    ["a body off its schema", { ...OPEN, text: '{"open":false}' }, "off its schema"],
    ["a body without a field", { ...OPEN, text: "{}" }, "off its schema"],
    [
      "another content type",
      { ...OPEN, headers: { ...OPEN.headers, "content-type": "text/html" } },
      "type text/html",
    ],
    [
      "a header left out",
      { ...OPEN, headers: { "content-type": "application/json" } },
      "x-request-id is missing",
    ],
    [
      "a header that is not described",
      { ...OPEN, headers: { ...OPEN.headers, "retry-after": "1" } },
      "retry-after",
    ],
    [
      "a stream whose last event is off the schema",
      { ...OPEN, headers: { ...OPEN.headers, "content-type": "text/event-stream" }, text: "data: {}\n\n" },
      "off its schema",
    ],
  ])("finds %s", (_, answer, deviation) => {
    expect(findDeviation(operation, answer)).toContain(deviation);
  });
});

describe("findMisjudgement()", () => {
  const refusal = (path?: string) => ({
    ...OPEN,
    status: 422,
    text: JSON.stringify({ code: "INVALID_BATCH", path }),
  });

  test.each([
    ["a body that fits is answered", '{"actions":["a"]}', "/doors?speed=3", OPEN],
    ["a call that is wrong is answered in its place", '{"actions":[7]}', "/doors", OPEN],
    ["a body off its schema is refused", "{}", "/doors", refusal("/actions")],
    ["ids that are the same are refused", '{"actions":["a","a"]}', "/doors", refusal("/actions/1/id")],
    ["a circle is refused", '{"actions":["a","b"]}', "/doors", refusal()],
  ])("finds nothing wrong when %s", (_, body, path, answer) => {
    expect(findMisjudgement(operation, { body, path }, answer)).toBeNull();
  });

  test.each([
    ["a body off its schema is answered", '{"actions":[],"x":1}', "/doors", OPEN, "off its schema"],
    [
      "more is answered than the schema admits",
      '{"actions":["a","b","c"]}',
      "/doors",
      OPEN,
      "off its schema",
    ],
    ["what is no JSON is answered", "{", "/doors", OPEN, "off its schema"],
    ["a query off its schema is answered", '{"actions":[]}', "/doors?speed=4", OPEN, "off its schema"],
    [
      "a query that is given twice is answered",
      '{"actions":[]}',
      "/doors?speed=1&speed=1",
      OPEN,
      "off its schema",
    ],
    ["a query that is not there is answered", '{"actions":[]}', "/doors?colour=1", OPEN, "off its schema"],
    ["a body that fits is refused", '{"actions":["a"]}', "/doors", refusal("/actions"), "fits its schema"],
  ])("finds that %s", (_, body, path, answer, misjudgement) => {
    expect(findMisjudgement(operation, { body, path }, answer)).toContain(misjudgement);
  });
});

import * as z from "zod";
import { expect, test } from "vitest";

import type { UpstreamResponse } from "../../../src/core/catalog/define-tool.ts";
import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { parseExact } from "../../../src/core/contract/json.ts";
import { parseUpstream } from "../../../src/tools/kit/parse-upstream.ts";

const schema = z.looseObject({ id: z.string() });

function respond(body: unknown): UpstreamResponse {
  return {
    status: 200,
    headers: new Headers(),
    url: "https://api.example.com/",
    text: () => JSON.stringify(body),
    bytes: () => new Uint8Array(),
    json: () => body,
  };
}

test("parseUpstream() reads the example of its documentation and keeps new fields out of the way", () => {
  expect(parseUpstream(schema, respond({ id: "1", added: true })).id).toBe("1");
});

test.each([{}, { id: 1 }, null, [], "text"])("parseUpstream() refuses %j", (body) => {
  expect(() => parseUpstream(schema, respond(body))).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ code: "BAD_UPSTREAM_RESPONSE", retryable: false }),
    }),
  );
});

test("parseUpstream() does not repeat what the upstream sent", () => {
  let caught: unknown;
  try {
    parseUpstream(schema, respond({ id: 4711 }));
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(ToolFailure);
  expect(JSON.stringify(caught) + String(caught)).not.toContain("4711");
});

test("parseUpstream() takes the nearest number where one is wanted, and keeps digits where anything may stand", () => {
  const json = '{"lat":33.448376512345678901,"id":12345678901234567890}';
  const answer = respond(parseExact(json));
  expect(parseUpstream(z.looseObject({ lat: z.number() }), answer).lat).toBe(33.44837651234568);
  expect(JSON.stringify(parseUpstream(z.looseObject({}), answer))).toBe(json);
});

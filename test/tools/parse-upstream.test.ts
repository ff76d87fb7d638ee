import * as z from "zod";
import { expect, test } from "vitest";

import type { UpstreamResponse } from "../../src/catalog/define-tool.ts";
import { ToolFailure } from "../../src/catalog/tool-failure.ts";
import { parseUpstream } from "../../src/tools/parse-upstream.ts";

const schema = z.looseObject({ id: z.string() });

function respond(body: unknown): UpstreamResponse {
  return { status: 200, headers: new Headers(), text: () => JSON.stringify(body), json: () => body };
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

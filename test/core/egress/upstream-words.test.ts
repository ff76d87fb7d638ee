import { describe, expect, test } from "vitest";

import type { ToolContext } from "../../../src/core/catalog/define-tool.ts";
import { readRefusal } from "../../../src/core/egress/upstream-failure.ts";
import * as LIMITS from "../../../src/core/contract/limits.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const said = (body: unknown, init: ResponseInit = { status: 422 }): Response =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as object) },
  });

describe("what a service said of its refusal", () => {
  test.each<[body: unknown, words: object]>([
    [
      { error: { message: "a", code: "c", type: "t" }, message: "b", code: "d" },
      { message: "a", code: "c" },
    ],
    [
      { message: "from is required", code: 40 },
      { message: "from is required", code: "40" },
    ],
    [
      { error: "invalid_grant", error_description: "gone" },
      { message: "gone", code: "invalid_grant" },
    ],
    [
      { detail: "d", title: "t", error: "e" },
      { message: "d", code: "e" },
    ],
    [
      { error: "e", title: "t" },
      { message: "e", code: "e" },
    ],
    [{ title: "t", errors: [{ message: "m" }] }, { message: "t" }],
    [{ errors: [{ message: "m", detail: "d" }, "other"] }, { message: "m" }],
    [{ errors: [{ detail: "d" }] }, { message: "d" }],
    [{ errors: ["itself"] }, { message: "itself" }],
    [{ error: { type: "t" } }, { code: "t" }],
    [{ message: "  ", detail: [{ loc: "a" }], title: "t" }, { message: "t" }],
    [["a"], {}],
    ["not JSON", {}],
    [{ message: "x".repeat(LIMITS.refusalBytes) }, {}],
  ])("%j is %j", async (body, words) => {
    expect(await readRefusal(said(body), new VirtualClock())).toEqual({ status: 422, ...words });
  });

  test("is not looked for in a page, and not waited for", async () => {
    const page = said('{"message":"m"}', { status: 500, headers: { "content-type": "text/html" } });
    expect(await readRefusal(page, new VirtualClock())).toEqual({ status: 500 });
    const clock = new VirtualClock();
    const silent = new Response(new ReadableStream({}), {
      status: 500,
      headers: { "content-type": "application/json" },
    });
    const read = await clock.runUntil(readRefusal(silent, clock));
    expect(read).toEqual({ status: 500 });
  });
});

describe("a refusal is told with the service's words as data", () => {
  const tool = (changes: object = {}) =>
    contractOf("send", {
      hosts: ["api.example.com"],
      secrets: ["KEY"],
      ...changes,
      run: async (_: unknown, ctx: ToolContext) => (await ctx.fetch("https://api.example.com/")).json(),
    });
  async function refused(body: unknown, changes: object = {}) {
    const world = new TestWorld();
    world.fetch = async () => said(body);
    world.secrets.set("KEY", "s3cr3t-value");
    const { results } = await world.run([tool(changes)], { actions: [{ tool: "send" }] });
    return results[0]!.error!;
  }

  test("beside the words of ours, which have none of them", async () => {
    const error = await refused({ message: "from is required", code: "missing" });
    expect(error).toMatchObject({
      code: "UPSTREAM_ERROR",
      upstream_status: 422,
      upstream: { status: 422, message: "from is required", code: "missing" },
    });
    const { upstream: _, ...ours } = error as unknown as Record<string, unknown>;
    expect(JSON.stringify(ours)).not.toContain("from is required");
  });

  test("without secrets, with what is invisible shown, and cut", async () => {
    const error = (await refused({ message: `s3cr3t-value\u202e${"x".repeat(600)}` })) as {
      readonly upstream?: { readonly message: string };
    };
    const { message } = error.upstream!;
    expect(message).not.toContain("s3cr3t");
    expect(message).toContain("\\u{202e}");
    expect(message).toHaveLength(LIMITS.upstreamCharacters);
  });

  test("unless its declaration says that they are nobody's business", async () => {
    expect(await refused({ message: "m" }, { upstreamErrors: false })).not.toHaveProperty("upstream");
  });

  test("and without the field where nothing was said", async () => {
    expect(await refused("")).not.toHaveProperty("upstream");
  });
});

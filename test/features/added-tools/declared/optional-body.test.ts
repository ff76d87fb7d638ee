import { describe, expect, test } from "vitest";

import { parseArgs, refuseCertain } from "../../../../src/core/catalog/parse-args.ts";
import { Pending } from "../../../../src/core/contract/pending.ts";
import { httpTool } from "../../../../src/features/added-tools/declared/http-tool.ts";
import { FakeToolContext } from "../../../support/fake-tool-context.ts";
import { valueOf } from "../../../support/unwrap.ts";

const declare = (more: object = {}) =>
  httpTool({
    name: "send_mail",
    summary: "Send a mail",
    description: "Send a mail of a template.",
    category: "mail",
    actions: ["send"],
    is_write: true,
    input_schema: {
      type: "object",
      properties: {
        template: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        copies: { type: "integer", default: 1 },
      },
      required: ["template"],
      additionalProperties: false,
    },
    http: {
      method: "POST",
      url: "https://api.example.com/mails/{template}",
      body: ["from", "to", "copies"],
      body_required: ["from", "to"],
    },
    ...more,
  });

describe("A body that may be left out", () => {
  test("is refused in part, with what is missing and why", () => {
    const parsed = parseArgs(declare(), { template: "a", from: "b" });
    expect(parsed).toMatchObject({
      ok: false,
      error: {
        code: "INVALID_ARGS",
        issues: [{ path: "/args/to", expected: "a value, because 'from' has one" }],
      },
    });
  });

  test("is refused before what is pending in it is known", () => {
    const tool = declare();
    expect(refuseCertain(tool, { template: "a", from: Pending.value })).toMatchObject({
      issues: [{ path: "/args/to" }],
    });
    expect(refuseCertain(tool, { template: Pending.value })).toBeNull();
  });

  test("is not given by a default, where a condition sees the defaults", () => {
    const tool = declare({
      orchestration: { mode: "sequential-only", confirm: { when: { "/copies": { gt: 5 } } } },
    });
    expect(valueOf(parseArgs(tool, { template: "a" }))).toEqual({ template: "a" });
    expect(valueOf(parseArgs(tool, { template: "a", from: "b", to: "c" }))).toMatchObject({ copies: 1 });
  });

  test("is refused when it is sent, where the author's own schema lets it through", async () => {
    const tool = declare();
    const ctx = new FakeToolContext(tool, { answer: () => Response.json({}) });
    await expect(tool.run({ template: "a", to: "b" }, ctx)).rejects.toMatchObject({
      failure: { code: "INVALID_ARGS" },
    });
    expect(ctx.requests).toEqual([]);
  });
});

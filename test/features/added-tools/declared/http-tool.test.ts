import * as z from "zod";
import { expect, test } from "vitest";

import { httpTool } from "../../../../src/features/added-tools/declared/http-tool.ts";
import { FakeToolContext } from "../../../support/fake-tool-context.ts";
import { declareCustomers } from "../../../support/sample-declarations.ts";

const { input_schema: _, mcp: __, http, ...rest } = declareCustomers();

test("httpTool() takes a Zod schema, which checks and changes the arguments", async () => {
  const tool = httpTool({
    ...rest,
    http: { ...http!, url: "https://api.example.com/customers", auth: { secret: "UNBOUND", as: "bearer" } },
    input: z.strictObject({ email: z.string().trim(), limit: z.int().default(3) }),
  });
  const ctx = new FakeToolContext(tool, {
    answer: () => Response.json({ data: { items: [] } }),
    secrets: { UNBOUND: "s3cr3t" },
  });

  await tool.run(z.parse(tool.input, { email: " a@b.c " }), ctx);

  expect(ctx.requests[0]!.url.search).toBe("?email=a%40b.c&limit=3");
});

test("httpTool() throws the tool's name and all that is wrong", () => {
  const input = z.strictObject({ email: z.string() });
  expect(() => httpTool({ ...rest, http: { ...http!, method: "GET", query: ["mail"] }, input })).toThrow(
    /^Cannot define tool 'find_customers':\n {2}- .*'region'.*\n {2}- .*did you mean 'email'/,
  );
});

test("httpTool() may name an origin of the author's own machine, which the Worker's start judges", () => {
  const url = "http://127.0.0.1:9000/customers";
  const input = z.strictObject({ email: z.string(), limit: z.int() });
  expect(httpTool({ ...rest, http: { method: "GET", url }, input }).hosts).toEqual(["http://127.0.0.1:9000"]);
});

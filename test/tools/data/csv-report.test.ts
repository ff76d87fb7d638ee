import { beforeAll, expect, test } from "vitest";

import { parseArgs } from "../../../src/core/catalog/parse-args.ts";
import { csvReport } from "../../../src/tools/data/csv-report.ts";
import { type DataBindings, startDataBindings } from "../../support/data-bindings.ts";
import { countTokens, runTool } from "../../support/run-tool.ts";
import { trial } from "../../support/trial.ts";

let data: DataBindings;
beforeAll(async () => void (data = await startDataBindings()));

let calls = 0;
async function report(args: object, tenant = "sandbox") {
  const idempotencyKey = `report-${(calls += 1)}`;
  const { output } = runTool(csvReport, args, { bindings: data.bindings, tenant, idempotencyKey });
  const said = (await output) as { object: string; rows: number; bytes: number; more?: boolean };
  const kept = await data.bucket.get(`${tenant}/${said.object}`);
  return { said, type: kept?.httpMetadata?.contentType, lines: (await kept!.text()).split("\r\n") };
}

test("csv_report keeps every column of a source, and says where it is read, in about 70 tokens", async () => {
  const { said, type, lines } = await report({ source: "orders" });
  expect(said).toEqual({
    object: expect.stringMatching(/^report-\d+\.csv$/),
    content_type: "text/csv; charset=utf-8",
    bytes: new TextEncoder().encode(lines.join("\r\n")).length,
    url: `/v1/objects/${said.object}`,
    rows: 12,
  });
  expect(countTokens(said)).toBeLessThan(70);
  expect(type).toBe("text/csv; charset=utf-8");
  expect(lines[0]).toBe("order_id,customer,status,ordered_at,total_cents,currency");
  expect(lines[1]).toBe("o-1012,Delta Foods,shipped,2026-11-09T18:15:00Z,45000,EUR");
  expect(lines).toHaveLength(14);
  expect(lines.at(-1)).toBe("");
});

trial(
  "csv_report gives the columns that are asked for, in that order, what stands in them quoted and no formula",
  async () => {
    const { lines } = await report({ source: "orders", columns: ["total_cents", "customer"] });
    expect(lines.slice(0, 4)).toEqual([
      "total_cents,customer",
      "45000,Delta Foods",
      '33333,"Müller, Söhne & ""Partner"""',
      `100,"'=HYPERLINK(""https://evil.example"",""Pay"")"`,
    ]);
  },
);

trial.each([
  ["contacts", "contact_id,email,name,company,created_at", 3],
  ["documents", "document_id,title", 12],
])("csv_report knows %s", async (source, head, rows) => {
  const { lines, said } = await report({ source });
  expect([lines[0], said.rows]).toEqual([head, rows]);
});

trial("csv_report writes its own tenant's rows only, and the head alone where there are none", async () => {
  expect((await report({ source: "contacts", columns: ["name"] }, "other")).lines).toEqual([
    "name",
    "Ada Other",
    "",
  ]);
  expect((await report({ source: "contacts", columns: ["name"] }, "nobody")).lines).toEqual(["name", ""]);
});

trial("csv_report says where there are more rows than it writes", async () => {
  await data.database
    .prepare(
      `INSERT INTO orders (tenant, order_id, customer, status, ordered_at, total_cents, currency)
       SELECT 'many', 'o' || key, 'C', 'paid', '2026-01-01T00:00:00Z', 1, 'EUR'
       FROM json_each('[' || rtrim(replace(hex(zeroblob(10001)), '00', '0,'), ',') || ']')`,
    )
    .all();
  const { said, lines } = await report({ source: "orders" }, "many");
  expect(said).toMatchObject({ rows: 10_000, more: true });
  expect(lines).toHaveLength(10_002);
});

test.each([
  [{ source: "orders", columns: ["customer", "tenant"] }, "/args/columns/1"],
  [{ source: "contacts", columns: ["order_id"] }, "/args/columns/0"],
  [{ source: "orders", columns: ["customer; DROP TABLE orders"] }, "/args/columns/0"],
  [{ source: "orders", columns: ["customer", "customer"] }, "/args/columns/1"],
  [{ source: "orders", columns: ["__proto__"] }, "/args/columns/0"],
  [{ source: "orders", columns: [] }, "/args/columns"],
  [{ source: "orders", columns: "customer" }, "/args/columns"],
  [{ source: "sqlite_master" }, "/args/source"],
  [{ source: "constructor", columns: ["name"] }, "/args/source"],
  [{ columns: ["customer"] }, "/args/source"],
])("csv_report does not accept %j", (args, path) => {
  expect(parseArgs(csvReport, args as never)).toMatchObject({
    ok: false,
    error: { code: "INVALID_ARGS", issues: [{ path }] },
  });
});

import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";

import { readWranglerConfig } from "../support/wrangler-config.ts";

const page = await readFile(new URL("../../docs/observability.md", import.meta.url), "utf8");
const queries = [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql]) => sql!);

describe("docs/observability.md", () => {
  test("answers five questions, each in SQL and as a filter", () => {
    const [, section = ""] = page.split("\n## Five questions\n");
    const [questions = ""] = section.split("\n## ");
    expect([...questions.matchAll(/^\*\*(.*\?)\*\*$/gm)]).toHaveLength(5);
    expect(queries).toHaveLength(5);
    expect([...questions.matchAll(/^Workers Logs: `event = "/gm)]).toHaveLength(5);
  });

  test("asks only for columns that it has, of a kind of point that it names, with each row's weight", () => {
    const [, section = ""] = page.split("\n## Data points\n");
    const [points = ""] = section.split("\n## ");
    for (const sql of queries) {
      const named = [...sql.matchAll(/\b(?:blob|double)\d+\b/g)].map(([name]) => name);
      const isListed = (name: string): boolean =>
        points.includes(`\`${name}\``) || /^double(?:[6-9]|1[01])$/.test(name);
      expect(named.filter((name) => !isListed(name))).toEqual([]);
      expect(sql).toContain("_sample_interval");
      expect(sql).toMatch(/blob1 (?:= '(?:batch|action)'|IN \('refused', 'action'\))/);
    }
  });
});

test("what the platform records of addresses has no query, where an upstream's key may stand", async () => {
  const config = await readWranglerConfig(new URL("../../wrangler.toml", import.meta.url));
  expect(config).toMatchObject({ observability: { enabled: true, redact_query_string: true } });
});

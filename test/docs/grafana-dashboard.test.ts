import { readFile } from "node:fs/promises";

import { describe, expect, test } from "vitest";
import * as z from "zod";

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8");
const page = await read("observability.md");

const PLUGIN = "vertamedia-clickhouse-datasource";
const source = z.strictObject({ type: z.literal(PLUGIN), uid: z.literal("${DS_VOLLEY}") });
/** A dashboard as Grafana exports one for others to import. */
const dashboardSchema = z.looseObject({
  __inputs: z.tuple([
    z.looseObject({
      name: z.literal("DS_VOLLEY"),
      type: z.literal("datasource"),
      pluginId: z.literal(PLUGIN),
    }),
  ]),
  __requires: z.array(
    z.strictObject({ type: z.string(), id: z.string(), name: z.string(), version: z.string() }),
  ),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  templating: z.strictObject({ list: z.array(z.unknown()) }),
  panels: z.array(
    z.looseObject({
      id: z.int(),
      type: z.literal("table"),
      title: z.string(),
      datasource: source,
      gridPos: z.strictObject({ x: z.int().min(0), y: z.int().min(0), w: z.int().min(1), h: z.int().min(1) }),
      targets: z.tuple([
        z.strictObject({
          refId: z.literal("A"),
          datasource: source,
          rawQuery: z.literal(true),
          format: z.literal("table"),
          query: z.string(),
        }),
      ]),
    }),
  ),
});

describe("docs/examples/grafana-dashboard.json", () => {
  test("has the form of a dashboard that is to be imported, whose panels do not lie on each other", async () => {
    const { panels } = dashboardSchema.parse(JSON.parse(await read("examples/grafana-dashboard.json")));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });

  // The columns of these are held to what points have by the page's own test.
  test("asks the five questions of docs/observability.md, in its words and its SQL", async () => {
    const { panels } = dashboardSchema.parse(JSON.parse(await read("examples/grafana-dashboard.json")));
    const [questions = ""] = page.split("\n## Five questions\n")[1]!.split("\n## ");
    const titles = [...questions.matchAll(/^\*\*(.*\?)\*\*$/gm)].map(([, title]) => title);
    const queries = [...questions.matchAll(/^```sql\n(.*?)\n^```$/gms)].map(([, sql]) => sql);
    expect(panels.map(({ title }) => title)).toEqual(titles);
    expect(panels.map(({ targets: [{ query }] }) => query)).toEqual(queries);
  });
});

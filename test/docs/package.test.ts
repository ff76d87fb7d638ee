import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test, vi } from "vitest";
import { trial } from "../support/trial.ts";

// The code in docs/package.md is run as it stands there, against the sources of the package.

const page = await readFile("docs/package.md", "utf8");
await mkdir("dist", { recursive: true });
const folder = await mkdtemp(join("dist", "package-page-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

function block(info: string, of = page): string {
  const found = [...of.matchAll(/^```(.*)\n((?:.*\n)*?)```$/gm)].find(([, name]) => name === info);
  if (found === undefined) throw new Error(`The page has no block '${info}'`);
  return found[2]!;
}

/** Run code of the page, with the package's own sources in place of the package; what it printed. */
async function run(name: string, code: string): Promise<string[]> {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    printed.push(
      values.map((value) => (Array.isArray(value) ? JSON.stringify(value) : String(value))).join(" "),
    );
  });
  const file = join(folder, `${name}.ts`);
  await writeFile(
    file,
    code
      .replaceAll('"volley"', '"../../src/package/index.ts"')
      .replaceAll('"volley/confirmations"', '"../../src/features/confirmations/index.ts"')
      .replaceAll(/"volley\/(\w+)"/g, '"../../src/package/$1.ts"'),
  );
  await import(pathToFileURL(file).href);
  spy.mockRestore();
  return printed;
}

test("The page's test of the page's tool prints what stands below it", async () => {
  // In a file of their own: the Worker is another one.
  const [tool] = block("ts worker").split("const volley = ");
  const printed = await run("testing", `${tool}\n${block("ts testing")}`);
  const said = block("text")
    .trim()
    .replaceAll("'", '"')
    .replace("[ ", "[")
    .replace(" ]", "]")
    .replace(", ", ",");
  expect(printed).toEqual([said]);
});

test("The page's client follows a job, and tells a refusal by its code", async () => {
  const volley = `
    import { defineTool } from "volley";
    import { createTestVolley } from "volley/testing";
    import * as z from "zod";
    const key = "test-key";
    const sendReport = defineTool({
      name: "send_report", summary: "Send a report", description: "Send it.", category: "reports", actions: ["send"],
      isWrite: true, execution: "fire-and-forget", input: z.strictObject({ month: z.int() }), hosts: [],
      orchestration: { mode: "parallel-safe" }, run: async () => ({ sent: true }),
    });
    const volley = await createTestVolley({ tools: [sendReport] });
  `;
  const code = block("ts client").replace(
    'createClient({ url: "https://volley.example.com", key })',
    'createClient({ url: "https://volley.test", key, fetch: volley.fetch, sleep: volley.advance })',
  );
  expect(code).toContain("volley.fetch");
  expect(await run("client", `${volley}\n${code}`)).toEqual(["succeeded 1", "INVALID_BATCH 422"]);
});

trial("The page's lines for every path keep a flow, run it, and list what failed", async () => {
  const volley = `
    import { createTestVolley } from "volley/testing";
    import { getWeather } from "volley/tools";
    import { ALL_FEATURES } from "../../test/support/all-features.ts";
    const volley = await createTestVolley({
      tools: [getWeather], features: ALL_FEATURES, key: { flags: ["manage_tools"] },
      routes: { "GET https://geocoding-api.open-meteo.com/*": { results: [] } },
    });
    const { client } = volley;
    await client.execute({ actions: [{ tool: "get_weather", args: { city: "Nowhere" } }] });
    await volley.advance(2_000);
  `;
  const printed = await run("api", `${volley}\n${block("ts api")}\nconsole.log(answer === undefined);`);
  expect(printed).toHaveLength(2);
  expect(printed[0]).toMatch(/^[\w-]{36} [A-Z_]+$/);
});

trial("The page on tools that one has already runs them here, and another in a Volley", async () => {
  const volley = `
    import { defineTool } from "volley";
    import { createTestVolley } from "volley/testing";
    import * as z from "zod";
    const key = "test-key";
    const sendReport = defineTool({
      name: "send_report", summary: "Send a report", description: "Send it.", category: "reports", actions: ["send"],
      isWrite: true, input: z.strictObject({ text: z.string() }), hosts: [], run: async ({ text }) => ({ sent: text }),
    });
    const volley = await createTestVolley({ tools: [sendReport] });
    const execute = ({ city }: { city: string }) => ({ text: \`\${city} is sunny\` });
    const tools = { forecast: { description: "The sky.", inputSchema: z.object({ city: z.string() }), execute } };
  `;
  const code = block("ts here", await readFile("docs/existing-tools.md", "utf8")).replace(
    'url: "https://volley.example.com", key,',
    'url: "https://volley.test", key, fetch: volley.fetch,',
  );
  const told = "console.log(JSON.stringify(results[1].data), parts.length);";
  expect(await run("here", `${volley}\n${code}\n${told}`)).toEqual(['{"sent":"Today Phoenix is sunny"} 1']);
});

test("The Worker of the page on tools that one has already starts as it stands there", async () => {
  const page = await readFile("docs/existing-tools.md", "utf8");
  const code = block("ts", page).replace(
    /^import \{ tools \}.*$/m,
    `import * as z from "zod";
     const one = { description: "One.", inputSchema: z.object({ day: z.string() }), execute: () => "done" };
     const tools = { forecast: one, book: one };`,
  );
  const told = "console.log(typeof volley.app.fetch, typeof TenantGate, typeof ToolGate);";
  expect(await run("worker", `${code}\n${told}`)).toEqual(["function function function"]);
});

test("The page's table has every entry point of the package", async () => {
  const { exports } = JSON.parse(await readFile("package.json", "utf8")) as {
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(exports).filter((entry) => entry !== "./package.json");
  const listed = [...page.matchAll(/^\| `(volley[^`]*)` \|/gm)].map(([, name]) => name!);
  expect(listed).toEqual(entries.map((entry) => `volley${entry.slice(1)}`));
});

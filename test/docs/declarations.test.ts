import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

import { parseDeclaration } from "../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../src/features/added-tools/declared/to-tool.ts";
import type { Tool } from "../../src/core/catalog/define-tool.ts";
import { parseArgs } from "../../src/core/catalog/parse-args.ts";
import { FakeToolContext } from "../support/fake-tool-context.ts";
import { RULES } from "../support/sample-declarations.ts";
import { valueOf } from "../support/unwrap.ts";
import { trial } from "../support/trial.ts";

async function ask(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
): Promise<[data: unknown, search: string]> {
  const answer = (): Response => Response.json({ data: { items: [{ id: 7 }] } });
  const ctx = new FakeToolContext(tool, { answer, secrets: { CRM_TOKEN: "s3cr3t" } });
  const data = await tool.run(valueOf(parseArgs(tool, args)), ctx);
  const { url, headers } = ctx.requests[0]!;
  expect(headers.get("authorization")).toBe("Bearer s3cr3t");
  return [data, url.pathname + url.search];
}

test("the declaration of docs/declarations.md is one, and does what its page says", async () => {
  const page = await readFile("docs/declarations.md", "utf8");
  const [, json = ""] = /^```json\n(.*?)^```$/ms.exec(page) ?? [];
  const declaration = valueOf(parseDeclaration(JSON.parse(json), RULES));

  expect(
    await ask(toTool(declaration, { secrets: RULES.secrets }), { region: "eu", email: "a@b.c", limit: 5 }),
  ).toEqual([[{ id: 7 }], "/eu/customers?email=a%40b.c&page_size=5"]);
});

test("every field of a declaration has its row in docs/declarations.md", async () => {
  const page = await readFile("docs/declarations.md", "utf8");
  const source = await readFile("src/features/added-tools/declared/declaration.ts", "utf8");
  const fieldsOf = (name: string): string[] => {
    const [, body = ""] = new RegExp(`export interface ${name} \\{\\n(.*?)^\\}`, "ms").exec(source) ?? [];
    return Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, field]) => field!);
  };
  const fields = [...fieldsOf("Declaration"), ...fieldsOf("HttpCall")];

  expect(fields.length).toBeGreaterThan(15);
  expect(fields.filter((field) => !new RegExp(`^\\|[^|]*\`${field}\``, "m").test(page))).toEqual([]);
});

trial("the tool of docs/define-a-tool.md's 'Bring your API' runs in ten lines or so", async () => {
  const page = await readFile("docs/define-a-tool.md", "utf8");
  const [, section = ""] = page.split("## Bring your API");
  const [, code = ""] = /^```ts\n(.*?)^```$/ms.exec(section) ?? [];
  await mkdir("dist", { recursive: true });
  const folder = await mkdtemp(join("dist", "bring-"));
  const file = join(folder, "tool.ts");
  await writeFile(
    file,
    `${code.replace('"volley"', '"../../src/package/index.ts"')}\nexport { findCustomers };\n`,
  );
  const { findCustomers } = (await import(pathToFileURL(file).href)) as { findCustomers: Tool };
  await rm(folder, { recursive: true });

  expect(/httpTool\(\{\n(.*?)^\}\);/ms.exec(code)![1]!.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
  expect(await ask(findCustomers, { region: "eu", email: "a@b.co" })).toEqual([
    [{ id: 7 }],
    "/eu/customers?email=a%40b.co&limit=10",
  ]);
});

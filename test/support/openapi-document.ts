import type { Declaration } from "../../src/features/added-tools/declared/declaration.ts";
import { parseDeclaration } from "../../src/features/added-tools/declared/parse-declaration.ts";
import { toTool } from "../../src/features/added-tools/declared/to-tool.ts";
import type { ImportOptions } from "../../src/features/imports/openapi/import-options.ts";
import { type Imported, toDeclarations } from "../../src/features/imports/openapi/to-declarations.ts";
import { FakeToolContext, type SentRequest } from "./fake-tool-context.ts";
import { valueOf } from "./unwrap.ts";

type Json = Readonly<Record<string, unknown>>;

/** Where the sample documents' API is. */
export const SERVER = "https://api.example.com/v1";

/** A document of these paths, of version 3.1 unless `more` says otherwise. */
export function documentOf(paths: object, more: object = {}): Json {
  return {
    openapi: "3.1.0",
    info: { title: "Sample", version: "1" },
    servers: [{ url: SERVER }],
    paths,
    ...more,
  };
}

/** The import of a document's operations; the prefix is `api` unless said. */
export function importAll(document: unknown, options: Partial<ImportOptions> = {}): Imported {
  return valueOf(toDeclarations(document, { prefix: "api", ...options }));
}

/** The one declaration of an operation `op`, which is a POST to /things unless said. */
export function importOne(
  operation: Json,
  { method = "post", path = "/things", ...more }: Json = {},
): Declaration {
  const document = documentOf(
    { [path as string]: { [method as string]: { operationId: "op", ...operation } } },
    more,
  );
  const { declarations, skipped } = importAll(document);
  if (declarations.length !== 1) throw new Error(`Cannot import: ${JSON.stringify(skipped)}`);
  return declarations[0]!;
}

/** Why no tool is made of such an operation. */
export function whySkipped(
  operation: Json,
  { method = "post", path = "/things", ...more }: Json = {},
): string {
  const document = documentOf(
    { [path as string]: { [method as string]: { operationId: "op", ...operation } } },
    more,
  );
  const { declarations, skipped } = importAll(document);
  if (declarations.length !== 0) throw new Error(`Cannot say why: ${JSON.stringify(declarations)}`);
  return skipped[0]!.reason;
}

/** The request that a declaration makes of arguments. */
export async function sentBy(declaration: Declaration, args: Json): Promise<SentRequest> {
  const origin = new URL(declaration.http!.url.replaceAll(/[{}]/g, "")).origin;
  const rules = { tenant: "acme", secrets: null, trustedOrigins: new Set([origin]) };
  const tool = toTool(valueOf(parseDeclaration(declaration, rules)), { secrets: null });
  const secrets = Object.fromEntries(tool.secrets.map((name) => [name, "s3cr3t"]));
  const ctx = new FakeToolContext(tool, { answer: () => Response.json({}), secrets });
  await tool.run(args, ctx);
  return ctx.requests[0]!;
}

/** An `application/json` body of a schema. */
export function jsonBody(schema: unknown, more: Json = {}): Json {
  return { requestBody: { required: true, content: { "application/json": { schema } }, ...more } };
}

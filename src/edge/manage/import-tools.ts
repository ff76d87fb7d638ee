import * as z from "zod";

import type { Keepable } from "../../registry/keep-tool.ts";
import { mcpSchema } from "../../catalog/declared/declaration-schema.ts";
import { isJsonObject } from "../../contract/json.ts";
import { lazySchema, type Written } from "../../contract/lazy-schema.ts";
import { LIMITS } from "../../contract/limits.ts";
import { parseRequest } from "../../contract/parse-request.ts";
import { makeRefusal, type Refusal, type RefusalIssue } from "../../contract/refusal.ts";
import type { Imported } from "../../formats/openapi/to-declarations.ts";
import { importOptionsSchema } from "../../formats/openapi/import-options.ts";
import { err, ok, type Result } from "../../kit/result.ts";
import { askGate } from "../http/ask-gate.ts";
import { type BodyLimits, readRequestBody } from "../http/read-request-body.ts";
import type { RequestContext } from "../http/request-context.ts";
import { respondJson } from "../http/respond.ts";
import type { Endpoint } from "../openapi/endpoint.ts";
import { readMcpServer } from "../mcp/read-mcp-server.ts";
import {
  keepOptionsOf,
  refuseChange,
  refuseShipped,
  refuseTool,
  refuseUnmanaged,
  shownToolSchema,
} from "./manage-tools.ts";

/**
 * `POST /v1/tools/import`: make tools of everything that a document describes or a server has, under one prefix. All of
 * it is kept or nothing; what the same prefix had before and there is no more is deleted.
 */
export const importTools: Endpoint = {
  route: "POST /v1/tools/import",
  runsNothing: true,
  async handle(request, context) {
    const forbidden = refuseUnmanaged(context);
    if (forbidden !== null) return err(forbidden);
    const body = await readRequestBody(request, IMPORT_LIMITS);
    if (!body.ok) return body;
    const asked = parseRequest(importSchema(), body.value.value);
    if (!asked.ok) return asked;
    const strange = refuseSource(asked.value);
    if (strange !== null) return err(strange);
    const found = await readSource(asked.value, context);
    if (!found.ok) return err(refuseTool(found.error));
    const { declarations, skipped } = found.value;
    const kept = await keepAll(declarations, context);
    if (!kept.ok) return kept;

    const { prefix, dry_run: dryRun = false } = asked.value;
    const tools = kept.value.map(({ tool }) => tool);
    const changed = await askGate(
      () => context.gate.changeTools({ kind: "import", prefix, tools, dryRun }),
      "Whether the tools were kept is not certain; send the same request again.",
    );
    if (!changed.ok) return changed;
    if (!changed.value.ok) return err(refuseChange(changed.value.error));
    const answer: Written<typeof importedSchema> = {
      tools: kept.value.map(({ declaration, tool }) => ({ ...declaration, fingerprint: tool.fingerprint })),
      skipped,
      removed: [...changed.value.value.removed],
    };
    return ok(respondJson(JSON.stringify(answer), context.requestId));
  },
  describe: () => ({
    id: "importTools",
    summary: "Add a tool for every operation of an OpenAPI document, or every tool of an MCP server",
    tag: "Tools",
    body: { schema: importSchema().meta({ id: "ToolImport" }), example: EXAMPLE },
    answer: { description: "The tools, and what none was made of", schema: importedSchema() },
    refusals: ["FORBIDDEN", "INVALID_REQUEST", "INVALID_TOOL", "NAME_TAKEN"],
  }),
};

/** A document nests deeper than a batch, and is larger. */
const IMPORT_LIMITS: BodyLimits = { bodyBytes: LIMITS.importBytes, nesting: LIMITS.openApiNesting + 2 };

const importSchema = lazySchema(() =>
  importOptionsSchema().extend({
    openapi: z
      .union(
        [z.string().min(1), z.custom<object>(isJsonObject)],
        "an OpenAPI document, as an object or as text",
      )
      .optional()
      .describe("The document, or its text (JSON or YAML)"),
    mcp: mcpSchema().pick({ url: true, auth: true }).optional().describe("An MCP server (Streamable HTTP)"),
    dry_run: z.boolean().optional().describe("Say what would be kept, and keep nothing"),
  }),
);

const importedSchema = lazySchema(() =>
  z
    .strictObject({
      tools: z.array(shownToolSchema()),
      skipped: z
        .array(z.strictObject({ operation: z.string(), reason: z.string() }))
        .describe("Operations that no tool was made of"),
      removed: z.array(z.string()).describe("Tools of the same prefix that the document has no more"),
    })
    .meta({ id: "ImportedTools" }),
);

/** Make declarations of what is imported. What reads it is loaded when the first is. */
async function readSource(
  { openapi, mcp, dry_run: _dryRun, ...options }: Asked,
  context: RequestContext,
): Promise<Result<Imported, readonly RefusalIssue[]>> {
  if (mcp !== undefined) return readMcpServer({ prefix: options.prefix, ...mcp }, context);
  const [{ readDocument }, { toDeclarations }] = await Promise.all([
    import("../../formats/openapi/read-document.ts"),
    import("../../formats/openapi/to-declarations.ts"),
  ]);
  const document = typeof openapi === "string" ? await readDocument(openapi) : ok(openapi);
  return document.ok ? toDeclarations(document.value, options) : document;
}

type Asked = z.output<ReturnType<typeof importSchema>>;

/** Refuse an import that names no source, or two, or says of a server what is only said of a document. */
function refuseSource({ openapi, mcp, include, auth, base_url, overrides }: Asked): Refusal | null {
  if ((openapi === undefined) === (mcp === undefined))
    return makeRefusal(
      "INVALID_REQUEST",
      "Give either 'openapi', a document, or 'mcp', a server with its 'url'.",
    );
  const ofDocument = Object.entries({ include, auth, base_url, overrides }).find(
    ([, value]) => value !== undefined,
  );
  if (mcp === undefined || ofDocument === undefined) return null;
  const where = ofDocument[0] === "auth" ? "; the secret of a server goes into 'mcp'" : "";
  return makeRefusal("INVALID_REQUEST", `'${ofDocument[0]}' is for documents, so leave it out${where}.`);
}

/** Make of all declarations what can be kept, or say what is wrong with which. */
async function keepAll(
  declarations: readonly { readonly name: string }[],
  context: RequestContext,
): Promise<Result<readonly Keepable[], Refusal>> {
  const shipped = declarations.filter(({ name }) => context.keeping.isShipped(name));
  if (shipped.length > 0) return err(refuseShipped(shipped.map(({ name }) => name)));
  const { keepTool } = await import("../../registry/keep-tool.ts");
  const kept: Keepable[] = [];
  const issues: RefusalIssue[] = [];
  let characters = 0;
  for (const declaration of declarations) {
    const one = await keepTool(declaration, keepOptionsOf(context));
    if (one.ok) kept.push(one.value);
    else issues.push(...one.error.map((issue) => ({ ...issue, path: `/${declaration.name}${issue.path}` })));
    characters += one.ok ? one.value.tool.json.length : 0;
    if (issues.length >= LIMITS.declarationIssues) break;
  }
  if (issues.length > 0) return err(refuseTool(issues.slice(0, LIMITS.declarationIssues)));
  // More would not fit one message to the object that refuses it.
  if (characters > LIMITS.tenantToolsBytes) return err(refuseChange({ reason: "too-large", names: [] }));
  return ok(kept);
}

const EXAMPLE = {
  prefix: "pets",
  openapi: {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: { "/pets": { get: { operationId: "listPets", summary: "List pets", responses: {} } } },
  },
  dry_run: true,
};

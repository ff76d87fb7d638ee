import * as z from "zod/mini";
import * as LIMITS from "../limits.ts";
import type { DeclarationRules, McpCall } from "../../added-tools/declared/declaration.ts";
import { type Keepable, keepTool } from "../../added-tools/put-tool.ts";
import { mcpSchema } from "../../added-tools/declared/declaration-schema.ts";
import {
  isJsonObject,
  lazySchema,
  parseRequest,
  strictSchema,
  type Written,
} from "../../../feature/schema.ts";
import type { RefusalIssue } from "../../../core/contract/refusal.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { readDocument } from "../openapi/read-document.ts";
import { type Imported, makeDeclarations } from "../openapi/to-declarations.ts";
import { importOptionsSchema } from "../openapi/import-options.ts";
import { sleep } from "../../../feature/kit.ts";
import { changeTools } from "../../added-tools/http/added-tools.ts";
import { askGate, holdingBytes, type RequestContext, respondHeld } from "../../../feature/answer.ts";
import { holdBody } from "../../../cloudflare/http/hold-bytes.ts";
import type { HeldBytes } from "../../../feature/outside.ts";
import { leastJsonSize } from "../../../core/kit/json/least-json-size.ts";
import { type BodyLimits, readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import type { Route } from "../../../feature/route.ts";
import { rulesOf } from "../../added-tools/http/tool-settings.ts";
import { readMcpServer } from "./read-mcp-server.ts";
import { workOfTenant } from "./tenant-work.ts";
import {
  keepOptionsOf,
  refuseChange,
  refuseShipped,
  refuseTool,
  shownToolSchema,
} from "../../added-tools/http/routes.ts";
import { PatternWork } from "../../added-tools/json-schema/weigh-pattern.ts";

/**
 * `POST /v1/tools/import`: make tools of everything that a document describes or a server has, under one prefix. All of
 * it is kept or nothing; what the same prefix had before and there is no more is deleted.
 *
 * The document, its tools and the answer count among the tenant's bytes, from before the body is read until the answer has been.
 */
export const importTools: Route = {
  route: "POST /v1/tools/import",
  handle: (request, context) => holdingBytes(context, (bytes) => importHolding(bytes, request, context)),
  describe: () => ({
    id: "importTools",
    summary: "Add a tool for every operation of an OpenAPI document, or every tool of an MCP server",
    tag: "Tools",
    body: { schema: importSchema().check(z.meta({ id: "ToolImport" })), example: EXAMPLE },
    answer: { description: "The tools, and what none was made of", schema: importedSchema() },
    refusals: ["INVALID_REQUEST", "INVALID_TOOL", "NAME_TAKEN", "QUOTA_EXCEEDED"],
  }),
};

async function importHolding(
  bytes: HeldBytes,
  request: Request,
  context: RequestContext,
): Promise<Result<Response, Refusal>> {
  const limits = { ...IMPORT_LIMITS, ...holdBody(bytes, request, Number.POSITIVE_INFINITY) };
  const body = await readRequestBody(request, limits);
  if (!body.ok) return body;
  const sent = parseRequest(importSchema(), body.value.value);
  if (!sent.ok) return sent;
  const asked = sent.value.parsed;
  const strange = refuseSource(asked);
  if (strange !== null) return err(strange);
  const granted = await workOfTenant(context).take(context.ports.clock, request.signal);
  if (!granted.ok) return err(makeRefusal("QUOTA_EXCEEDED", TOO_MUCH_WORK, granted.error));
  const patterns = new PatternWork();
  const rules = { ...rulesOf(context), patterns };
  const hold = (more: number): Promise<Refusal | null> => bytes.hold(more, request.signal);
  const made = await makeTools(asked, { ...context, rules, hold }).finally(() =>
    granted.value(patterns.left),
  );
  if (!made.ok) return made;
  const { kept, skipped } = made.value;

  const { caller } = context;
  const { prefix, dry_run: dryRun = false } = asked;
  const tools = kept.map(({ tool }) => tool);
  const changed = await askGate(
    () => changeTools(context, { kind: "import", prefix, tools, dryRun, grants: caller.tools }),
    "Whether the tools were kept is not certain; send the same request again.",
  );
  if (!changed.ok) return changed;
  if (!changed.value.ok) return err(refuseChange(changed.value.error));
  const answer: Written<typeof importedSchema> = {
    tools: kept.map(({ declaration, tool }) => ({ ...declaration, fingerprint: tool.fingerprint })),
    skipped,
    removed: [...changed.value.value.removed],
  };
  const json = JSON.stringify(answer);
  return ok(await respondHeld(json, context, { release: bytes.leaveTo(json), headers: {} }));
}

/** A document nests deeper than a batch, and is larger. */
const IMPORT_LIMITS: BodyLimits = { bodyBytes: LIMITS.importBytes, nesting: LIMITS.openApiNesting + 2 };

const importSchema = lazySchema(() =>
  z.extend(importOptionsSchema(), {
    openapi: z
      .optional(
        z.union(
          [z.string().check(z.minLength(1)), z.custom<object>(isJsonObject)],
          "an OpenAPI document, as an object or as text",
        ),
      )
      .check(z.describe("The document, or its text (JSON or YAML)")),
    mcp: z
      .optional(z.pick(mcpSchema(), { url: true, auth: true }))
      .check(z.describe("An MCP server (Streamable HTTP)")),
    dry_run: z.optional(z.boolean()).check(z.describe("Say what would be kept, and keep nothing")),
  }),
);

const importedSchema = strictSchema("ImportedTools", () => ({
  tools: z.array(shownToolSchema()),
  skipped: z
    .array(z.strictObject({ operation: z.string(), reason: z.string() }))
    .check(z.describe("Operations that no tool was made of")),
  removed: z.array(z.string()).check(z.describe("Tools of the same prefix that the document has no more")),
}));

const TOO_MUCH_WORK =
  "The patterns in this tenant's imports have taken all the work of this minute; import again when it is over.";

/** The context of an import. Its rules weigh the patterns of all its declarations within one bound. */
interface ImportContext extends RequestContext {
  readonly rules: DeclarationRules;
  /** Holds so many more bytes; why not, or null. */
  readonly hold: (bytes: number) => Promise<Refusal | null>;
}

/** Make tools that can be kept, and list the operations that none was made of. */
async function makeTools(
  asked: Asked,
  context: ImportContext,
): Promise<Result<Pick<Imported, "skipped"> & { readonly kept: readonly Keepable[] }, Refusal>> {
  const text = typeof asked.openapi === "string" ? asked.openapi : "";
  const unread = await context.hold(LIMITS.valueBytes * countWritten(text));
  if (unread !== null) return err(unread);
  const found = await readSource(asked, context);
  if (!found.ok) return err(refuseTool(found.error));
  const sizes = found.value.declarations.map((one) => leastJsonSize(one, LIMITS.declarationBytes));
  const characters = sizes.reduce((sum, size) => sum + size, 0);
  // As text and as values. More of them is refused when it is known exactly.
  const unmade = await context.hold(2 * Math.min(characters, LIMITS.tenantToolsBytes));
  if (unmade !== null) return err(unmade);
  const kept = await keepAll(found.value.declarations, context);
  return kept.ok ? ok({ kept: kept.value, skipped: found.value.skipped }) : kept;
}

/** About how many values a document has that came as text: one behind each comma, or on each line. */
function countWritten(text: string): number {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) if (text[at] === "," || text[at] === "\n") values += 1;
  return values;
}

/** Let others have their turn: an isolate does one thing at a time, and an import may take a second. */
function giveWay({ ports: { clock } }: RequestContext): Promise<void> {
  return sleep(clock, 0);
}

/** Make declarations of an imported source. */
async function readSource(
  { openapi, mcp, dry_run: _dryRun, ...options }: Asked,
  context: ImportContext,
): Promise<Result<Imported, readonly RefusalIssue[]>> {
  // The schema says in refinements that it is a secret with its place, or a connection.
  if (mcp !== undefined)
    return readMcpServer(
      { prefix: options.prefix, url: mcp.url, auth: mcp.auth as McpCall["auth"] },
      context,
    );
  const document = typeof openapi === "string" ? await readDocument(openapi) : ok(openapi);
  if (!document.ok) return document;
  const making = makeDeclarations(document.value, options, context.rules);
  for (;;) {
    const step = making.next();
    if (step.done === true) return step.value;
    await giveWay(context);
  }
}

type Asked = z.output<ReturnType<typeof importSchema>>;

/** Refuse an import that names no source, or two, or says of a server what is only said of a document. */
function refuseSource(asked: Asked): Refusal | null {
  const { openapi, mcp, include, auth, base_url, overrides, compensate } = asked;
  if ((openapi === undefined) === (mcp === undefined))
    return makeRefusal(
      "INVALID_REQUEST",
      "Give either 'openapi', a document, or 'mcp', a server with its 'url'.",
    );
  const ofDocument = Object.entries({ include, auth, base_url, overrides, compensate }).find(
    ([, value]) => value !== undefined,
  );
  if (mcp === undefined || ofDocument === undefined) return null;
  const where = ofDocument[0] === "auth" ? "; the secret of a server goes into 'mcp'" : "";
  return makeRefusal("INVALID_REQUEST", `'${ofDocument[0]}' is for documents, so leave it out${where}.`);
}

/** Make of all declarations what can be kept, or say what is wrong with which. */
async function keepAll(
  declarations: Imported["declarations"],
  context: ImportContext,
): Promise<Result<readonly Keepable[], Refusal>> {
  const byName = new Map(declarations.map((one) => [one.name, one]));
  const others = (name: string) => byName.get(name);
  const options = { ...keepOptionsOf(context), rules: context.rules, others };
  const shipped = declarations.filter(({ name }) => options.isShipped(name));
  if (shipped.length > 0) return err(refuseShipped(shipped.map(({ name }) => name)));
  const kept: Keepable[] = [];
  const issues: RefusalIssue[] = [];
  let characters = 0;
  for (const declaration of declarations) {
    await giveWay(context);
    const one = await keepTool(declaration, options);
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

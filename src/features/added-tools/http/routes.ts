import * as z from "zod/mini";

import * as LIMITS from "../../../core/contract/limits.ts";
import { declarationSchema } from "../declared/declaration-schema.ts";
import { callAddedTools, type ToolChangeRefusal, type ToolToKeep } from "../stored-tools.ts";
import { isFlow, isVisible, type KeptTool, orchestrationSchema, toolSchema } from "../../../feature/tool.ts";
import { describe, isJsonObject, lazySchema, visibleText } from "../../../feature/schema.ts";
import type { RefusalIssue } from "../../../core/contract/refusal.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { addedToolsOf, changeTools } from "./added-tools.ts";
import { askGate, type RequestContext, respondJson } from "../../../feature/answer.ts";
import { readRequestBody } from "../../../cloudflare/http/read-request-body.ts";
import type { Route } from "../../../feature/route.ts";
import { type KeepOptions, keepTool } from "../put-tool.ts";
import { rulesOf } from "./tool-settings.ts";

/** A declaration as it is shown: with what it amounts to. */
export const shownToolSchema = lazySchema("AddedTool", () =>
  z.extend(declarationSchema(), {
    fingerprint: z.string().check(z.describe("SHA-256 of the declaration, the same for equal ones")),
    "x-orchestration": z
      .optional(orchestrationSchema())
      .check(
        z.describe("Where one tool is shown, its contract with everything that it leaves to the default"),
      ),
  }),
);

/** `PUT /v1/tools/{name}`: add a tool of the tenant's own, or replace one. */
export const putTool: Route = {
  route: "PUT /v1/tools/:id",
  async handle(request, context, name) {
    const sent = await readPut(request, context, name);
    if (!sent.ok) return sent;
    const named = nameIt(sent.value, name);
    if (!named.ok) return named;
    const kept = await keepTool(named.value, keepOptionsOf(context));
    if (!kept.ok) return err(refuseTool(kept.error));
    const { declaration, tool } = kept.value;
    const put = await putAdded("tool", tool, context, refuseChange);
    if (!put.ok) return put;
    const shown = JSON.stringify({ ...declaration, fingerprint: tool.fingerprint });
    return ok(respondJson(shown, { status: put.value }));
  },
  describe: () => ({
    id: "putTool",
    summary: "Add a tool of the tenant's own, or replace one",
    tag: "Tools",
    body: {
      schema: z
        .omit(declarationSchema(), { name: true })
        .register(z.globalRegistry, { id: "ToolDeclaration" }),
      example: EXAMPLE,
    },
    answer: {
      description: "The declaration and its fingerprint; 201 where it is new",
      schema: shownToolSchema(),
      statuses: [200, 201],
    },
    refusals: ["INVALID_TOOL", "NAME_TAKEN"],
  }),
};

/** `GET /v1/tools/{name}`: the declaration of a tool of the tenant's own. One that the key may not call there is not. */
export const showTool: Route = {
  route: "GET /v1/tools/:id",
  async handle(_, context, name) {
    const found = await askGate(
      () => callAddedTools(context.gate, "tool", name),
      "The tool could not be read; ask again.",
    );
    if (!found.ok) return found;
    const isThere =
      found.value !== null && !isFlow(found.value) && isVisible(found.value, context.caller.tools);
    if (!isThere) return err(refuseUnknown(name));
    const { json, fingerprint } = found.value;
    const contract = await attempt(() => effectiveContractOf(json, context));
    const more = { fingerprint, ...(contract.ok && { "x-orchestration": contract.value }) };
    return ok(respondJson(`${json.slice(0, -1)},${JSON.stringify(more).slice(1)}`));
  },
  describe: () => ({
    id: "getTool",
    summary: "Show the declaration of a tool that the tenant added",
    tag: "Tools",
    answer: {
      description: "The declaration, its fingerprint and its effective contract",
      schema: shownToolSchema(),
    },
    refusals: ["NOT_FOUND"],
  }),
};

/** Rejects where a declaration of another version makes no tool any more. */
async function effectiveContractOf(json: string, { configured, catalog }: RequestContext): Promise<unknown> {
  const tool = await addedToolsOf(configured).compile(json);
  return toolSchema(tool, catalog.hidden)["x-orchestration"];
}

/** `DELETE /v1/tools/{name}`: delete one. Calls that run go on to their end, and so do its jobs. */
export const deleteTool: Route = {
  route: "DELETE /v1/tools/:id",
  handle: (_, context, name) =>
    deleteAdded("tool", name, context, { isThere: (tool) => !isFlow(tool), refuseUnknown }),
  describe: () => ({
    id: "deleteTool",
    summary: "Delete a tool that the tenant added",
    tag: "Tools",
    answer: { description: "It is gone; its jobs go on", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
};

/** The kind of an addition, in words. */
type Added = "tool" | "flow";

/** Have the tenant's object keep a tool or a flow; the status that says whether it is new. */
export async function putAdded(
  what: Added,
  tool: ToolToKeep,
  context: RequestContext,
  refuse: (refusal: ToolChangeRefusal) => Refusal,
): Promise<Result<200 | 201, Refusal>> {
  const changed = await askGate(
    () => changeTools(context, { kind: "put", tool, grants: context.caller.tools }),
    `Whether the ${what} was kept is not certain; send the same request again.`,
  );
  if (!changed.ok) return changed;
  if (!changed.value.ok) return err(refuse(changed.value.error));
  return ok(changed.value.value.added.length > 0 ? 201 : 200);
}

export interface DeleteOptions {
  /** Whether what has the name is what the path is for. */
  readonly isThere: (tool: KeptTool) => boolean;
  readonly refuseUnknown: (name: string) => Refusal;
}

/** Have the tenant's object delete a tool or a flow, and answer. */
export async function deleteAdded(
  what: Added,
  name: string,
  context: RequestContext,
  { isThere, refuseUnknown: refuse }: DeleteOptions,
): Promise<Result<Response, Refusal>> {
  const { gate, caller } = context;
  const found = await askGate(
    () => callAddedTools(gate, "tool", name),
    `The ${what} could not be read; ask again.`,
  );
  if (!found.ok) return found;
  if (found.value === null || !isThere(found.value) || !isVisible(found.value, caller.tools))
    return err(refuse(name));
  const changed = await askGate(
    () => changeTools(context, { kind: "delete", name, grants: caller.tools }),
    `Whether the ${what} was deleted is not certain; look whether it is still there.`,
  );
  if (!changed.ok) return changed;
  if (!changed.value.ok) return err(refuse(name));
  return ok(new Response(null, { status: 204 }));
}

/** Make the options of keeping a tool of the caller's tenant. */
export function keepOptionsOf(context: RequestContext): KeepOptions {
  const { configured, catalog, ports } = context;
  const isShipped = (name: string): boolean => configured.catalog.offers(name);
  return { rules: rulesOf(context), isShipped, catalog, sha256: ports.sha256 };
}

/** Refuse declarations with all that is wrong with them; the first of it is the sentence. */
export function refuseTool(issues: readonly RefusalIssue[]): Refusal {
  const [first] = issues;
  return makeRefusal("INVALID_TOOL", first?.hint ?? "The declaration cannot work.", { issues });
}

/** Read what is to be kept under a name; the deployment's own names are taken. */
export async function readPut(
  request: Request,
  { configured }: RequestContext,
  name: string,
): Promise<Result<unknown, Refusal>> {
  const body = await readRequestBody(request);
  if (!body.ok) return body;
  return configured.catalog.offers(name) ? err(refuseShipped([name])) : ok(body.value.value);
}

/** Refuse names that the deployment itself has. */
export function refuseShipped(names: readonly string[]): Refusal {
  return makeRefusal("NAME_TAKEN", `The deployment itself has ${list(names)}; choose another name.`);
}

/** Refuse a change that the tenant's object did not make. */
export function refuseChange({ reason, names }: ToolChangeRefusal): Refusal {
  switch (reason) {
    case "unknown":
      return refuseUnknown(names[0]!);
    case "taken":
    case "other-kind":
    case "hidden":
      return makeRefusal("NAME_TAKEN", `The tenant has ${list(names)} already, and ${TAKEN[reason]}.`);
    case "out-of-reach":
      return makeRefusal(
        "FORBIDDEN",
        `This key could not call ${list(names)} itself: its 'tools' have neither the name nor the category. Nothing was kept; use a key that may call it.`,
      );
    case "too-many":
      return refuseTool([
        whole(
          `at most ${LIMITS.tenantTools} tools`,
          "A tenant may have no more tools; delete one, or include fewer.",
        ),
      ]);
    case "too-large":
      return refuseTool([
        whole(
          `at most ${LIMITS.tenantToolsBytes} bytes of declarations`,
          "All declarations of a tenant together are too large; delete one, include fewer, or shorten schemas.",
        ),
      ]);
    case "needs-unknown":
      return refuseTool(names.map((name) => needs("the names of tools that are there", name)));
    case "needs-each-other":
      return refuseTool([
        {
          ...needs("tools that do not depend on this one", names.join(" → ")),
          hint: `The tools depend on each other: ${names.join(" → ")}; take one of these dependencies out.`,
        },
      ]);
  }
}

const TAKEN = {
  taken: "not from this import; choose another prefix or delete what is there",
  "other-kind": "one of the two is a flow; delete that first or choose another name",
  hidden: "this key may not call it; choose another name",
} as const;

function whole(expected: string, hint: string): RefusalIssue {
  return { path: "", expected, received: "more", hint };
}

function needs(expected: string, name: string): RefusalIssue {
  return {
    path: "/orchestration",
    expected,
    received: "the name of another",
    hint: `'${name}' depends on an unknown tool; add that one first, or leave the dependency out.`,
  };
}

function refuseUnknown(name: string): Refusal {
  return makeRefusal("NOT_FOUND", `The tenant has added no tool named '${visibleText(name)}'.`);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => `'${visibleText(name)}'`);
  return names.length > SHOWN ? `${shown.join(", ")} and ${names.length - SHOWN} more` : shown.join(", ");
}

const SHOWN = 5;

/**
 * The name stands in the path. A body that is what was shown once has it too, its fingerprint and its effective contract. Without that
 * fingerprint the contract is meant, and stands under another name than its own: a tool that is to ask would never ask.
 */
function nameIt(body: unknown, name: string): Result<unknown, Refusal> {
  if (!isJsonObject(body)) return ok(body);
  const { fingerprint, name: sent, ...written } = body;
  const { "x-orchestration": _, ...own } = written;
  const declaration = fingerprint === undefined ? written : own;
  if ((sent ?? name) === name) return ok({ name, ...declaration });
  const expected = `'${visibleText(name)}', as in the path, or nothing`;
  const hint = "The tool's name is that of the path; leave it out of the body.";
  return err(refuseTool([{ path: "/name", expected, received: describe(sent), hint }]));
}

const EXAMPLE = {
  summary: "Find a customer by email",
  description: "The customer with an email address.",
  category: "crm",
  actions: ["search"],
  is_write: false,
  input_schema: { type: "object", properties: { email: { type: "string" } }, required: ["email"] },
  http: { method: "GET", url: "https://api.example.com/customers", query: ["email"] },
};

import { type RequestContext, respondCounted, respondJson } from "../../../feature/answer.ts";
import { accountsOf } from "../../../feature/gives.ts";
import * as z from "zod/mini";

import type { KeptDeclaration } from "../../../core/catalog/define-tool.ts";
import { isFlow, type Tool } from "../../../feature/tool.ts";
import { clockOf, FLOWS, flowSchema, type KeptFlow } from "../declaration/flow-schema.ts";
import { toOwnFields } from "../declaration/own-fields.ts";
import { type CronClock, nextTime } from "../clock/next-time.ts";
import { planKeptFlow } from "../declaration/plan-kept-flow.ts";
import { mayDo, TRIGGERS } from "../../../core/contract/gate/caller.ts";
import type { ToolChangeRefusal } from "../../added-tools/stored-tools.ts";
import { describe, isJsonObject, visibleText, type Written } from "../../../feature/schema.ts";
import type { RefusalIssue } from "../../../core/contract/refusal.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { noFlow } from "../run/plan-flow.ts";
import { describePlan } from "../../../core/plan/describe-plan.ts";
import { bringsToken } from "../hooks/read-form.ts";
import { callFlows } from "../flow-run.ts";
import type { Route } from "../../../feature/route.ts";
import { findFlowIssues, findSecretFlaw } from "./flow-issues.ts";
import { flowListSchema, keptFlowSchema, shownFlowSchema } from "../wire-flow.ts";
import { deleteAdded, putAdded, readPut, refuseChange } from "../../added-tools/http/routes.ts";
import { keepFlow } from "../keep-flow.ts";

/** `PUT /v1/flows/{name}`: keep a batch under a name, or replace the one that has it. */
export const putFlow: Route = {
  route: "PUT /v1/flows/:id",
  async handle(request, context, name) {
    const body = await readPut(request, context, name);
    if (!body.ok) return body;
    const { caller, catalog, ports, configured } = context;
    const sent = readSent(body.value, name);
    if (!sent.ok) return sent;
    const { keepers } = context.hooks ?? {};
    const asked = keepers?.read(sent.value) ?? ok({ rest: sent.value, keptAs: undefined });
    if (!asked.ok) return err(refuseFlow([{ ...asked.error.issue!, hint: asked.error.hint }]));
    const { rest, keptAs } = asked.value;
    const flaw = await findSecretFlaw(sent.value, context);
    const hasAccounts = accountsOf(configured) !== undefined;
    const triggers = { flawOf: () => flaw, nowMs: ports.clock.now(), hasAccounts };
    const { tools } = caller;
    const keepable = await keepFlow(rest, { name, catalog, tools, triggers, sha256: ports.sha256, keptAs });
    if (!keepable.ok) return err(refuseFlow(keepable.error));
    const flawed = keptAs && keepers?.keeperOf(keptAs).take(keepable.value.plan, context);
    if (flawed?.ok === false) return err(refuseFlow([{ ...flawed.error.issue!, hint: flawed.error.hint }]));
    const { kept, tool } = keepable.value;
    const put = await putAdded("flow", tool, context, refuseChangeOfFlow);
    if (!put.ok) return put;
    const shown = await toShown(kept, tool, request, context);
    return ok(respondJson(JSON.stringify(shown), { status: put.value }));
  },
  describe: () => ({
    id: "putFlow",
    summary: "Keep a batch under a name, as a tool of the tenant's own, or replace one",
    tag: "Flows",
    body: { schema: flowSchema().check(z.meta({ id: "Flow" })), example: EXAMPLE },
    answer: {
      description: "The flow, its fingerprint and what follows from its tools; 201 where it is new",
      schema: keptFlowSchema(),
      statuses: [200, 201],
    },
    refusals: ["INVALID_FLOW", "NAME_TAKEN"],
  }),
};

/** `GET /v1/flows`: the flows that the key may call. */
export const listFlows: Route = {
  route: "GET /v1/flows",
  handle: async (_, context) => {
    const { catalog, ports } = context;
    const flows = (catalog.byCategory.get(FLOWS) ?? []).filter(isFlowTool);
    const answer: Written<typeof flowListSchema> = {
      flows: flows.map((tool) => {
        const { name, summary, isWrite, added } = tool;
        const planned = planKeptFlow(tool, catalog);
        const { triggers } = (JSON.parse(added.json) as KeptFlow).flow;
        const paused = triggers?.paused === true;
        const clock = clockOf(triggers);
        const shown = {
          name,
          summary,
          is_write: isWrite,
          fingerprint: added.fingerprint,
          paused,
          triggers: TRIGGERS.filter((kind) => triggers?.[kind] !== undefined),
          ...(clock !== null && { next_run_at: tellNext(clock, ports.clock.now()) }),
        };
        return planned.ok ? shown : { ...shown, broken: planned.error };
      }),
    };
    return respondCounted(JSON.stringify(answer), context);
  },
  describe: () => ({
    id: "listFlows",
    summary: "List the flows that the key may call",
    tag: "Flows",
    answer: { description: "The flows, with the reason for each that cannot run", schema: flowListSchema() },
  }),
};

/** `GET /v1/flows/{name}`: a flow, and how it would run with the tools that there are. */
export const showFlow: Route = {
  route: "GET /v1/flows/:id",
  async handle(request, context, name) {
    const { catalog } = context;
    const tool = catalog.get(name);
    if (tool === undefined || !isFlowTool(tool)) return err(noFlow(name));
    const planned = planKeptFlow(tool, catalog);
    const kept = JSON.parse(tool.added.json) as KeptFlow;
    const answer: Written<typeof shownFlowSchema> = {
      ...(await toShown(kept, tool.added, request, context)),
      ...(await showBrought(kept, context)),
      ...(planned.ok ? { plan: describePlan(planned.value).plan } : { broken: planned.error }),
    };
    return respondCounted(JSON.stringify(answer), context);
  },
  describe: () => ({
    id: "getFlow",
    summary: "Show a flow, with its plan",
    tag: "Flows",
    answer: { description: "The flow, and its plan or why it cannot run", schema: shownFlowSchema() },
    refusals: ["NOT_FOUND"],
  }),
};

/** `DELETE /v1/flows/{name}`: delete one. Runs of it go on to their end. */
export const deleteFlow: Route = {
  route: "DELETE /v1/flows/:id",
  handle: (_, context, name) =>
    deleteAdded("flow", name, context, { isThere: isFlow, refuseUnknown: noFlow }),
  describe: () => ({
    id: "deleteFlow",
    summary: "Delete a flow",
    tag: "Flows",
    answer: { description: "It is gone", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
};

/** Whether a tool is a flow that a tenant keeps, one of an older version that is no batch any more among them. */
function isFlowTool(tool: Tool): tool is Tool & { readonly added: KeptDeclaration } {
  return tool.added !== undefined && (tool.inner !== undefined || isFlow(tool.added));
}

/** A flow as it is shown: what was sent, and what follows from it. */
async function toShown(
  kept: KeptFlow,
  { fingerprint }: Pick<KeptDeclaration, "fingerprint">,
  { url }: Request,
  context: RequestContext,
): Promise<Written<typeof keptFlowSchema>> {
  const { name, flow, is_write, confirm } = kept;
  const { caller, ports } = context;
  const issues = await findFlowIssues(kept, context);
  const clock = clockOf(flow.triggers);
  const hookPath = `/hooks/${encodeURIComponent(caller.tenant)}/${name}`;
  return {
    name,
    ...flow,
    ...kept.keptAs,
    fingerprint,
    is_write,
    confirm,
    ...(flow.triggers?.webhook !== undefined && {
      hook_url: new URL(hookPath, context.configured.ownUrl ?? url).href,
    }),
    ...(clock !== null && { next_run_at: tellNext(clock, ports.clock.now()) }),
    ...(issues.length > 0 && { issues }),
  };
}

/** The secret that a flow's sender has brought, to a key that may give it to the flow. */
async function showBrought(
  { name, flow: { triggers } }: KeptFlow,
  { gate, caller }: RequestContext,
): Promise<Pick<Written<typeof shownFlowSchema>, "hook">> {
  const webhook = triggers?.webhook;
  if (webhook === undefined || !bringsToken(webhook) || !mayDo(caller, "manage_tools")) return {};
  const brought = await callFlows(gate, "broughtToken", name);
  if (brought === null) return {};
  const { token, receivedAt, others } = brought;
  return { hook: { verification_token: token, received_at: new Date(receivedAt).toISOString(), others } };
}

/** When a clock comes next. */
function tellNext(clock: CronClock, nowMs: number): string | null {
  const next = nextTime(clock, nowMs);
  return next === null ? null : new Date(next).toISOString();
}

/** The name stands in the path. A body that is what was shown once has it too, and what else is shown. */
function readSent(body: unknown, name: string): Result<unknown, Refusal> {
  if (!isJsonObject(body)) return ok(body);
  const { name: named, ...sent } = body;
  const written = named ?? name;
  if (written !== name) {
    const expected = `'${visibleText(name)}', as in the path, or nothing`;
    const hint = "The flow's name is that of the path; leave it out of the body.";
    return err(refuseFlow([{ path: "/name", expected, received: describe(written), hint }]));
  }
  return ok(toOwnFields(sent));
}

function refuseFlow(issues: readonly RefusalIssue[]): Refusal {
  const [first] = issues;
  return makeRefusal("INVALID_FLOW", first?.hint ?? "The flow cannot work.", { issues });
}

/** The refusal of a change of tools, said of a flow: the tools that it depends on are the ones that its actions call. */
function refuseChangeOfFlow(refusal: ToolChangeRefusal): Refusal {
  const refused = refuseChange(refusal);
  if (refused.code !== "INVALID_TOOL") return refused;
  const isOfActions = refusal.reason === "needs-unknown" || refusal.reason === "needs-each-other";
  const issues = refused.issues ?? [];
  return refuseFlow(isOfActions ? issues.map((issue) => ({ ...issue, path: "/actions" })) : issues);
}

const EXAMPLE = {
  summary: "Find tools that know a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  actions: [
    { id: "found", tool: "discover_tools", args: { query: { $template: "{{input#/city}}" }, limit: 3 } },
  ],
  answer: { $template: "{{found#/tools}}" },
};

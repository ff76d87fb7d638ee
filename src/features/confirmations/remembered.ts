import * as z from "zod/mini";

import type { Catalog, Tool } from "../../feature/tool.ts";
import { parseCall } from "../../core/catalog/parse-args.ts";
import { NO_ACCOUNT } from "../../core/contract/gate/caller.ts";
import { toIso } from "../../core/contract/gate/outgoing-event.ts";
import {
  type JsonObject,
  makeLost,
  objectsOf,
  parseExact,
  type Restore,
  strictSchema,
  type Written,
} from "../../feature/schema.ts";
import type { Execution } from "../../core/gate/execution.ts";
import { canonicalJson } from "../../core/kit/json/canonical-json.ts";
import { sha256 } from "../../feature/kit.ts";
import type { LinkMaker } from "./approval-link.ts";
import { decidersSchema } from "./decision.ts";
import { hashDeclaration, type Sha256 } from "./confirmation-digests.ts";
import { listAsked, type Remembered } from "./confirmation.ts";
import { callsOf, type ParkedGroup } from "./parked-group.ts";
import * as LIMITS from "./limits.ts";

export const digestArgs = (input: JsonObject): string => sha256(canonicalJson(input));

/** The wish of a yes that it is remembered. */
export interface Wish {
  readonly seconds: number;
  readonly isAny: boolean;
  readonly giver: LinkMaker;
}

/**
 * Make what is remembered of a group: each call that the yes was to. One whose arguments are not known yet is asked about by itself.
 *
 * @param group with the arguments that are to run
 */
export async function makeRemembered(
  group: ParkedGroup,
  { seconds, isAny, giver }: Wish,
  {
    catalog,
    ports,
    decidedBy,
    name: decider,
  }: Pick<Execution, "catalog" | "ports"> & Pick<Remembered, "decidedBy" | "name">,
): Promise<readonly Remembered[]> {
  const now = ports.clock.now();
  const found = new Map<string, Remembered>();
  for (const { tool: name, gated, args } of listAsked(group.actions)) {
    const tool = catalog.ofInner.get(name);
    if (!gated || tool === undefined) continue;
    const declaration = await hashWhole(tool, catalog, ports.sha256);
    for (const sent of callsOf(args)) {
      const call = parseCall(tool, sent, { isForeign: true });
      if (!call.ok) continue;
      const digest = isAny ? null : digestArgs(call.value.input);
      const argsJson = JSON.stringify(call.value.input);
      found.set(`${name} ${digest}`, {
        id: ports.newId(),
        tool: name,
        key: group.requestedBy,
        ...(group.account !== undefined && { subject: group.account.subject }),
        digest,
        ...(!isAny && argsJson.length <= LIMITS.rememberedArgsCharacters && { argsJson }),
        declaration,
        ids: group.account?.ids,
        giver,
        decidedBy,
        name: decider,
        createdAt: now,
        until: now + 1_000 * seconds,
      });
    }
  }
  return [...found.values()];
}

/** Hash the declaration of a tool and, of one that is a batch, of what that calls. */
export async function hashWhole(tool: Tool, catalog: Catalog, sha256: Sha256): Promise<string> {
  const own = await hashDeclaration(tool, sha256);
  if (tool.inner === undefined) return own;
  const called = tool.inner.batch.entries.flatMap(({ tool: name }) => catalog.ofInner.get(name ?? "") ?? []);
  return sha256([own, ...(await Promise.all(called.map((one) => hashDeclaration(one, sha256))))].join(" "));
}

/** Whether calls would use the accounts that a yes was to. @param now the ids of those that they would use */
export function hasSameAccounts(
  { ids = {} }: Pick<Remembered, "ids">,
  now: Readonly<Record<string, string>>,
) {
  return Object.entries(now).every(([connector, id]) => (ids[connector] ?? NO_ACCOUNT) === id);
}

export const rememberedSchema = strictSchema("RememberedApproval", () => ({
  id: z.string(),
  tool: z.string(),
  key: z
    .string()
    .check(
      z.describe("The key that is not asked again, or `webhook:` or `cron:` and the flow that it starts"),
    ),
  subject: z.optional(z.string()),
  args: z.optional(z.unknown()).check(z.describe("Left out where any are meant, and where they are long")),
  any_args: z.boolean(),
  decided_by: decidersSchema(),
  until: z.string(),
}));

export function toWireRemembered(one: Remembered): Written<typeof rememberedSchema> {
  const { id, tool, key, subject, digest, argsJson, decidedBy, until } = one;
  return {
    id,
    tool,
    key,
    ...(subject !== undefined && { subject }),
    ...(argsJson !== undefined && { args: parseExact(argsJson) }),
    any_args: digest === null,
    decided_by: decidedBy as Written<typeof decidersSchema>,
    until: toIso(until),
  };
}

/** Name what a restore does not put back: a yes is a person's. */
export const restoreRemembered: Restore = (exported) =>
  makeLost(
    objectsOf(exported).map(({ tool, key }) => `remembered approval of ${String(tool)} for ${String(key)}`),
    "a yes is not put back: its person says it again when the next call asks.",
  );

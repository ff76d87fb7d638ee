import * as z from "zod/mini";

import { askGate, type RequestContext, respondList } from "../../../feature/answer.ts";
import type { Route } from "../../../feature/route.ts";
import type { TenantPart } from "../../../feature/define.ts";
import { mayDo, withAccount } from "../../../feature/caller.ts";
import { parseJobCursor, toCursor } from "../../../core/contract/gate/job-query.ts";
import { pageSchema } from "../../../core/contract/list-query.ts";
import { pageFields, parseList } from "../../../feature/schema.ts";
import { err, makeRefusal, ok } from "../../../feature/refuse.ts";
import { takeWalked, walkRows } from "../../../core/kit/take-rows.ts";
import { callConfirmations, type Remembered } from "../confirmation.ts";
import * as LIMITS from "../limits.ts";
import { keepStanding } from "../recall.ts";
import { rememberedSchema, restoreRemembered, toWireRemembered } from "../remembered.ts";

/** The part of what is remembered that a key may know of: calls of tools that it has, of its own subject. */
function seenBy({ caller, catalog }: Pick<RequestContext, "caller" | "catalog">) {
  const tools = caller.tools.includes("*") ? undefined : catalog.names;
  return { tools, subject: caller.subject };
}

/** `GET /v1/remembered?limit=&cursor=`: the calls that are not asked about again for a while, newest first. */
export const listRemembered: Route = {
  route: "GET /v1/remembered",
  async handle(request, context) {
    const page = parseList(new URL(request.url).searchParams, parseJobCursor, {});
    if (!page.ok) return page;
    const found = await askGate(async () => {
      const { rows, hasMore } = await callConfirmations(context.gate, "remembered", {
        ...seenBy(context),
        ...page.value,
      });
      const catalog = rows.length === 0 ? context.catalog : await context.allTools();
      // Whose accounts the reader uses says nothing of theirs.
      const reading = { ...withAccount(context, undefined), catalog };
      const standing = await keepStanding(rows, reading, context.configured);
      return { rows: standing, next: hasMore ? toCursor(rows.at(-1)!) : null };
    }, "The remembered approvals could not be read; ask again.");
    if (!found.ok) return found;
    const { rows, next } = found.value;
    return respondList("remembered", rows, {
      limit: page.value.limit,
      next,
      toJson: (one) => JSON.stringify(toWireRemembered(one)),
      toCursor,
    });
  },
  describe: () => ({
    id: "listRemembered",
    summary: "List the calls that are not asked about again for a while, newest first",
    tag: "Confirmations",
    query: z.strictObject(pageFields()),
    answer: {
      description: "One page of remembered approvals",
      schema: pageSchema("remembered", rememberedSchema(), "RememberedPage"),
    },
  }),
};

/** `DELETE /v1/remembered/{id}`: such calls are asked about again from now on. */
export const forgetRemembered: Route = {
  route: "DELETE /v1/remembered/:id",
  async handle(_, context, id) {
    const found = await askGate(
      () => callConfirmations(context.gate, "rememberedOne", id),
      "The remembered approvals could not be read; ask again.",
    );
    if (!found.ok) return found;
    const { tools, subject } = seenBy(context);
    const isSeen = (one: Remembered): boolean =>
      (tools === undefined || tools.includes(one.tool)) && (subject === undefined || subject === one.subject);
    if (found.value === null || !isSeen(found.value)) return err(NO_MEMORY);
    const forgotten = await askGate(
      () => callConfirmations(context.gate, "forget", [id]),
      "Whether it is forgotten is not certain; send the same request again.",
    );
    return forgotten.ok ? ok(new Response(null, { status: 204 })) : forgotten;
  },
  describe: () => ({
    id: "forgetRemembered",
    summary: "Forget an approval: its calls are asked about again",
    tag: "Confirmations",
    answer: { description: "It is forgotten", schema: null, statuses: [204] },
    refusals: ["NOT_FOUND"],
  }),
};

const NO_MEMORY = makeRefusal("NOT_FOUND", "No approval of that id is remembered; its time may be over.");

/** The approvals that are remembered: exported for a key that may decide, and never put back, because a yes is a person's. They go with the tenant's object. */
export const REMEMBERED_OF_TENANT: TenantPart = {
  field: "remembered",
  describeExport: () => z.array(rememberedSchema()),
  async exportJson(context) {
    if (!mayDo(context.caller, "approve")) return null;
    const asked = { ...seenBy(context), limit: LIMITS.remembered };
    const walk = walkRows<Remembered>((last) =>
      callConfirmations(context.gate, "remembered", { ...asked, after: last }),
    );
    return JSON.stringify((await takeWalked(walk)).rows.map(toWireRemembered));
  },
  restore: restoreRemembered,
};

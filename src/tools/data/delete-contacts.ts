import * as z from "zod/mini";

import { defineTool } from "../../core/catalog/define-tool.ts";
import * as LIMITS from "../kit/limits.ts";
import { queryRows } from "../kit/query-rows.ts";

const id = () => z.string().check(z.minLength(1), z.maxLength(64));

/** Delete contacts of the caller's tenant, in one statement. A contact that is gone already is not missed. */
export const deleteContacts = defineTool({
  name: "delete_contacts",
  summary: "Delete contacts by their ids",
  description:
    "Delete 1 to 100 contacts in one transaction. `deleted` are those that there were; one that is gone already is no error. " +
    "Size: about 15 tokens for each contact.",
  category: "data",
  actions: ["delete"],
  isWrite: true,
  input: () =>
    z.strictObject({
      contact_ids: z
        .array(z.union([id(), z.looseObject({ contact_id: id() })]))
        .check(
          z.minLength(1),
          z.maxLength(LIMITS.contactRows),
          z.describe("Ids of contacts, or contacts as create_contacts gave them."),
        ),
    }),
  hosts: [],
  bindings: ["DATA"],
  idempotent: true,
  orchestration: {
    mode: "sequential-only",
    confirm: "never",
    backoff: { strategy: "exponential", initial_ms: 200 },
  },
  run: async ({ contact_ids }, ctx) => {
    const ids = contact_ids.map((one) => (typeof one === "string" ? one : one.contact_id));
    const gone = await queryRows<{ readonly contact_id: string }>(ctx, DELETE, JSON.stringify(ids));
    const deleted = new Set(gone.map(({ contact_id }) => contact_id));
    return { deleted: ids.filter((one) => deleted.has(one)) };
  },
});

const DELETE = `
  DELETE FROM contacts WHERE tenant = ?1 AND contact_id IN (SELECT value FROM json_each(?2))
  RETURNING contact_id`;

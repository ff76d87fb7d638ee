import * as z from "zod";

import { defineTool, type ToolContext } from "../../catalog/define-tool.ts";
import { ToolFailure } from "../../catalog/tool-failure.ts";
import type { Issue } from "../../contract/failure.ts";
import { describe, toHint } from "../../contract/issues.ts";
import { LIMITS } from "../../contract/limits.ts";
import { queryRows, tryRows } from "../kit/query-rows.ts";

/** Short on purpose: it travels in every schema. No letter can be read in two ways. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

const contact = z.strictObject({
  email: z.email({ pattern: EMAIL }).max(254).describe("Address; a tenant has one contact of each."),
  name: z.string().trim().min(1).max(200).describe("Name of the person."),
  company: z.string().trim().min(1).max(200).optional().describe("Where they work."),
});

type Contact = z.output<typeof contact>;

interface Created {
  readonly contact_id: string;
  readonly email: string;
}

/**
 * Create contacts of the caller's tenant, all of them or none: they are one statement, which the database takes whole or not
 * at all.
 *
 * Each row remembers the call that created it. When the same call is made again, under the same `ctx.idempotencyKey`, its rows
 * are there already, and are what it answers.
 */
export const createContacts = defineTool({
  name: "create_contacts",
  summary: "Create contacts, all of them or none",
  description:
    "Create 1 to 100 contacts in one transaction: when one row is wrong, or its address is taken, none is created and the row " +
    "is named, counted from 0. Fail-fast: correct that row and send all again. Size: about 25 tokens for each contact.",
  category: "data",
  actions: ["create"],
  isWrite: true,
  execution: "sync",
  input: z.strictObject({
    contacts: z.array(contact).min(1).max(LIMITS.contactRows).describe("The rows, 1 to 100."),
  }),
  hosts: [],
  bindings: ["DATA"],
  idempotent: "with-key",
  orchestration: {
    mode: "sequential-only",
    on_error: "fail-fast",
    backoff: { strategy: "exponential", initial_ms: 200 },
  },
  run: async ({ contacts }, ctx) => {
    refuseTaken(contacts, findRepeated(contacts), "an address that no row before it has");
    const stored = await tryRows<Created>(ctx, INSERT, ctx.idempotencyKey, JSON.stringify(contacts));
    return {
      created: inOrder(contacts, stored.ok ? stored.value : await findCreated(contacts, ctx, stored.error)),
    };
  },
});

/** What this very call has created before; otherwise an address was taken, and the rows with one are refused. */
async function findCreated(
  contacts: readonly Contact[],
  ctx: ToolContext,
  error: unknown,
): Promise<readonly Created[]> {
  const before = await queryRows<Created>(ctx, OF_THIS_CALL, ctx.idempotencyKey);
  if (before.length > 0) return before;
  const addresses = JSON.stringify(contacts.map(({ email }) => email));
  const taken = await queryRows<{ readonly row: number }>(ctx, TAKEN, addresses);
  refuseTaken(
    contacts,
    taken.map(({ row }) => row),
    "an address that no contact has yet",
  );
  // Nothing of it is taken any more: whoever had it is gone, or another constraint was offended, which is a bug.
  throw error;
}

/** Rows whose address stands in an earlier row. */
function findRepeated(contacts: readonly Contact[]): number[] {
  const seen = new Set<string>();
  return contacts.flatMap(({ email }, row) => {
    const key = email.toLowerCase();
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated ? [row] : [];
  });
}

/** Refuse all rows because of some of them. */
function refuseTaken(contacts: readonly Contact[], rows: readonly number[], expected: string): void {
  if (rows.length === 0) return;
  const issues = rows.slice(0, LIMITS.issues).map((row): Issue => ({
    path: `/args/contacts/${row}/email`,
    expected,
    received: describe(contacts[row]?.email),
  }));
  throw new ToolFailure("INVALID_ARGS", {
    issues,
    hint: `Row ${rows[0]}, counted from 0, cannot be stored, so none was: ${toHint(issues.slice(0, 1))}`,
  });
}

/** In the order of the rows, under the addresses that they were sent with. */
function inOrder(contacts: readonly Contact[], created: readonly Created[]): Created[] {
  const ids = new Map(created.map(({ email, contact_id }) => [email, contact_id]));
  return contacts.flatMap(({ email }) => {
    const contact_id = ids.get(email);
    return contact_id === undefined ? [] : [{ contact_id, email }];
  });
}

const INSERT = `
  INSERT INTO contacts (tenant, email, name, company, request, request_row)
  SELECT ?1, value ->> 'email', value ->> 'name', value ->> 'company', ?2, key FROM json_each(?3)
  RETURNING contact_id, email`;

const OF_THIS_CALL = "SELECT contact_id, email FROM contacts WHERE tenant = ?1 AND request = ?2";

const TAKEN = `
  SELECT key AS row FROM json_each(?2)
  WHERE value COLLATE NOCASE IN (SELECT email FROM contacts WHERE tenant = ?1) ORDER BY key`;

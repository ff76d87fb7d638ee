import * as z from "zod/mini";

import { defineTool, type ToolContext } from "../../core/catalog/define-tool.ts";
import { ToolFailure } from "../../core/catalog/tool-failure.ts";
import type { Issue } from "../../core/contract/failure.ts";
import { describe, toHint } from "../../core/contract/issues.ts";
import { strictSchema } from "../../core/contract/lazy-schema.ts";
import * as LIMITS from "../kit/limits.ts";
import { queryRows, tryRows } from "../kit/query-rows.ts";

/** Short on purpose: it travels in every schema. No letter can be read in two ways. */
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

const PLAIN = "text without control characters and halves of characters";

/** True of text that the database keeps as it is: it ends text at a NUL, and has no place for half of a pair. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text);
}

const contact = strictSchema(() => ({
  email: z
    .email({ pattern: EMAIL })
    .check(z.maxLength(254), z.refine(isPlain, PLAIN), z.describe("Address; there is one contact of each.")),
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1),
      z.maxLength(200),
      z.refine(isPlain, PLAIN),
      z.describe("Name of the person."),
    ),
  company: z
    .optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(200), z.refine(isPlain, PLAIN)))
    .check(z.describe("Where they work.")),
}));

type Contact = z.output<ReturnType<typeof contact>>;

interface Created {
  readonly contact_id: string;
  /** Which of the call's rows it was. */
  readonly row: number;
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
  input: () =>
    z.strictObject({
      contacts: z
        .array(contact())
        .check(z.minLength(1), z.maxLength(LIMITS.contactRows), z.describe("The rows, 1 to 100.")),
    }),
  hosts: [],
  bindings: ["DATA"],
  idempotent: "with-key",
  orchestration: {
    mode: "sequential-only",
    on_error: "fail-fast",
    backoff: { strategy: "exponential", initial_ms: 200 },
    compensate: { tool: "delete_contacts", args: { contact_ids: { $ref: "result#/created" } } },
  },
  run: async ({ contacts }, ctx) => {
    refuseTaken(contacts, findRepeated(contacts), "an address that no row before it has");
    const stored = await tryRows<Created>(ctx, INSERT, ctx.idempotencyKey, JSON.stringify(contacts));
    const created = stored.ok ? stored.value : await findCreated(contacts, ctx);
    return {
      created: created
        .toSorted((a, b) => a.row - b.row)
        .map(({ contact_id, row }) => ({ contact_id, email: contacts[row]!.email })),
    };
  },
});

/** The contacts that this very call has created before; otherwise an address was taken, and the rows with one are refused. */
async function findCreated(contacts: readonly Contact[], ctx: ToolContext): Promise<readonly Created[]> {
  const before = await queryRows<Created>(ctx, OF_THIS_CALL, ctx.idempotencyKey);
  if (before.length > 0) return before;
  const addresses = JSON.stringify(contacts.map(({ email }) => email));
  const taken = await queryRows<{ readonly row: number }>(ctx, TAKEN, addresses);
  refuseTaken(
    contacts,
    taken.map(({ row }) => row),
    "an address that no contact has yet",
  );
  throw new ToolFailure("UPSTREAM_ERROR", {
    hint: "An address was taken a moment ago and is free now; none was stored, so send all rows again.",
  });
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

const INSERT = `
  INSERT INTO contacts (tenant, email, name, company, request, request_row)
  SELECT ?1, value ->> 'email', value ->> 'name', value ->> 'company', ?2, key FROM json_each(?3)
  RETURNING contact_id, request_row AS row`;

const OF_THIS_CALL = "SELECT contact_id, request_row AS row FROM contacts WHERE tenant = ?1 AND request = ?2";

const TAKEN = `
  SELECT key AS row FROM json_each(?2)
  WHERE value COLLATE NOCASE IN (SELECT email FROM contacts WHERE tenant = ?1) ORDER BY key`;

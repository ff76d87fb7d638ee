import { expect, test } from "vitest";

import type { RequestContext } from "../../../../src/cloudflare/http/request-context.ts";
import type { ConfirmationQuery } from "../../../../src/features/confirmations/confirmation.ts";
import { runAwaiting } from "../../../../src/features/connections/http/run-awaiting.ts";
import { digestOf } from "../../../../src/features/connections/subject.ts";

/** A tenant's object in which each question has a head, of which it gives those that have the texts it is asked for. */
function gateWith(heads: readonly object[]) {
  const seen = { calls: 0, rows: 0 };
  const call = async (_feature: string, method: string, ...[query]: readonly ConfirmationQuery[]) => {
    seen.calls += 1;
    if (method !== "confirmations") return null;
    const all = heads.map((head, at) => ({ id: `q${at}`, status: "pending", createdAt: at, head }));
    const rows = all.filter(
      ({ head }) => query!.having?.some((text) => JSON.stringify(head).includes(text)) ?? true,
    );
    seen.rows += rows.length;
    return { rows, hasMore: false };
  };
  return { seen, gate: { call } };
}

const run = (heads: readonly object[], subject = "ada") => {
  const { seen, gate } = gateWith(heads);
  const context = { caller: { tenant: "acme" }, allTools: async () => new Map(), gate };
  return runAwaiting({ subject, connector: "crm" }, context as unknown as RequestContext).then((isOver) => ({
    isOver,
    ...seen,
  }));
};

test("What waits for an account is asked for by its subject: of 200 questions about others none is read, and one call is made", async () => {
  const others = Array.from({ length: 200 }, (_, n) => ({ subject: `other-${n}`, actions: [] }));
  expect(await run(others)).toEqual({ isOver: true, calls: 1, rows: 0 });
});

test("It is found by the digest of what it waits for, by the subject that is asked about, and by no beginning of either", async () => {
  const awaits = { digest: digestOf("acme", "ada"), connectors: ["crm"] };
  const heads = [
    { awaits, actions: [] },
    { subject: "ada", actions: [] },
    { subject: "ada-2", actions: [] },
    { actions: [{ args: '"subject":"ada"' }] },
  ];
  expect(await run(heads)).toMatchObject({ rows: 2 });
});

import assert from "node:assert/strict";

import type { Attack } from "./attack.ts";
import { answering, longRows, resultsOf, times } from "./hostile-data.ts";

const ONCE = times(25, (element) => element);

/** As much work as a batch may ask for, and answers that take long to look through. */
export const WORK_ATTACKS: readonly Attack[] = [
  {
    title: "work: 1,225 different reads",
    run: async ({ execute }) => {
      const actions = times(49, (n) => ({
        tool: "probe-search",
        args: { q: { $template: `${n} {{item#}}` } },
        for_each: ONCE,
      }));
      assert.equal(resultsOf(await execute({ actions })).length, 49);
    },
  },
  {
    title: "work: 1,225 background jobs",
    run: async ({ execute }) => {
      const actions = times(49, () => ({
        tool: "probe-background",
        args: { n: { $ref: "item#" } },
        for_each: ONCE,
      }));
      assert.equal(resultsOf(await execute({ actions })).length, 49);
    },
  },
  {
    title: "work: 16 MiB of answers under a batch's key and an action's",
    run: async ({ upstream, execute }) => {
      upstream.script("/big", answering(longRows()));
      const actions = times(16, (n) => ({
        tool: "probe-any",
        args: { path: `/big?${n}` },
        idempotency_key: crypto.randomUUID(),
      }));
      const key = crypto.randomUUID();
      assert.equal(resultsOf(await execute({ actions }, { "idempotency-key": key })).length, 16);
      assert.equal(resultsOf(await execute({ actions }, { "idempotency-key": key })).length, 16);
    },
  },
  {
    title: "work: 16 MiB of answers that repeat a secret in every string",
    run: async ({ upstream, execute }) => {
      const secret = "sandbox-probe-secret";
      upstream.script("/secret", (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const forms = [
          secret,
          btoa(secret),
          encodeURIComponent(secret),
          btoa(`u:${secret}`),
          btoa(`us:${secret}`),
        ];
        response.end(
          JSON.stringify({ forms, some: times(20_000, () => secret), rows: times(120_000, () => "") }),
        );
      });
      const actions = times(16, (n) => ({ tool: "probe-secret", args: { n } }));
      assert.ok(!(await execute({ actions })).text.includes(secret));
    },
  },
  {
    title: "work: a question to a person over 250 KB, and the yes to it",
    run: async ({ upstream, execute, send }) => {
      upstream.script("/item", answering({ ok: true }));
      const gate = { id: "gate", tool: "probe-delete", args: { id: 1 } };
      const waiting = times(48, (n) => ({
        tool: "grep",
        depends_on: ["gate"],
        args: { n, text: "x".repeat(4_000), element: { $ref: "item#" } },
        for_each: ONCE,
      }));
      const [asked] = resultsOf(await execute({ actions: [gate, ...waiting] }));
      const id = (asked as unknown as { confirmation: { id: string } }).confirmation.id;
      const answer = await send(`/v1/confirmations/${id}`, { decision: "approve" });
      assert.equal(answer.status, 200);
    },
  },
];

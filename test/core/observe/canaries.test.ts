import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";

import { ToolFailure } from "../../../src/core/catalog/tool-failure.ts";
import { parseBatch } from "../../../src/core/contract/batch.ts";
import { Watch } from "../../../src/core/observe/watch.ts";
import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";
import { SeenOperator } from "../../support/seen-operator.ts";
import { samples } from "../../support/samples.ts";

/* P7 for what an operator sees: nothing that a caller or an upstream wrote gets into a line or a point. */

const CANARY = "CaNaRy";
const HOST = "upstream.example";

/** Text with the canary in it, among what breaks lines, quotes and JSON. */
const poison = fc
  .tuple(fc.string({ maxLength: 8 }), fc.constantFrom("\n", "\r\n", '"', "\\", "\u2028", "\u0000", "{", "'"))
  .map(([text, breaker]) => `${breaker}${CANARY}${breaker}${text}`);

const action = fc.record(
  {
    tool: fc.oneof(fc.constantFrom("ask", "keep", "ask.background"), poison, fc.constant("__proto__")),
    args: fc.oneof(fc.record({ q: poison }), fc.dictionary(poison, poison, { maxKeys: 3 }), poison),
    id: poison,
    depends_on: fc.array(fc.oneof(fc.constantFrom("a0", "a1"), poison), { maxLength: 2 }),
    select: fc.array(
      poison.map((text) => `/${text}`),
      { maxLength: 2 },
    ),
    idempotency_key: poison,
  },
  { requiredKeys: ["tool"] },
);

/** An upstream's answer: a body, a status, a header, or nothing. */
const answer = fc.oneof(
  poison.map((text) => () => Response.json({ [text]: text })),
  fc.tuple(fc.constantFrom(400, 404, 429, 500, 503), poison).map(
    ([status, text]) =>
      () =>
        new Response(text, { status, headers: { "x-said": encodeURIComponent(text) } }),
  ),
  poison.map((text) => () => Promise.reject(new TypeError(text))),
);

const input = z.looseObject({ q: z.string() });

test("P7: no line and no point has a word of a hostile batch, a hostile upstream, or a secret", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 6 }), answer, async (actions, answers) => {
      const world = new TestWorld();
      const operator = new SeenOperator();
      world.secrets.set("TOKEN", `${CANARY}-secret-of-a-tool`);
      world.fetch = async () => answers();
      const call = async (
        { q }: { q: string },
        ctx: { fetch: (url: string) => Promise<{ json(): unknown }> },
      ) => (await ctx.fetch(`https://${HOST}/?q=${encodeURIComponent(q)}`)).json();
      const tools = [
        contractOf("ask", { input, hosts: [HOST], secrets: ["TOKEN"], run: call }),
        contractOf("keep", {
          input,
          isWrite: true,
          run: async ({ q }) => {
            throw q.length % 2 === 0 ? new ToolFailure("NOT_FOUND", { hint: q }) : new TypeError(q);
          },
        }),
      ];
      const watch = new Watch({ clock: world.clock, requestId: "request-1", telemetry: operator });
      const refused = parseBatch({ actions }, 1_000);
      const ran = refused.ok ? await world.execute(tools, { actions }, { watch }) : null;
      await world.drain();
      if (ran?.ok !== true)
        watch.sawRefusal({ code: refused.ok ? "UNAVAILABLE" : refused.error.code, status: 422 });
      const seen = [...operator.logged, ...operator.points.map((point) => JSON.stringify(point))];
      expect(seen.length).toBeGreaterThan(0);
      for (const text of seen) {
        expect(text).not.toMatch(/canary/i);
        expect(text).not.toContain("\n");
        expect(text).not.toContain(HOST);
        JSON.parse(text);
      }
    }),
    { numRuns: samples(300) },
  );
});

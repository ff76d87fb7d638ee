import * as z from "zod";

import { createCatalog } from "../../test/support/create-catalog.ts";
import { defineTool } from "../../src/core/catalog/define-tool.ts";
import { parseBatch } from "../../src/core/contract/batch.ts";
import { makePlan } from "../../src/core/plan/make-plan.ts";

const read = defineTool({
  name: "read",
  summary: "Read something",
  description: "Reads something.",
  category: "bench",
  actions: ["read"],
  isWrite: false,
  execution: "sync",
  input: z.strictObject({ key: z.string().optional(), from: z.array(z.unknown()).optional() }),
  hosts: [],
  orchestration: { mode: "parallel-safe" },
  run: () => Promise.resolve(null),
});
const catalog = createCatalog([read]);

/** 50 actions, 100 references between them. */
const actions = Array.from({ length: 50 }, (_, index) => ({
  id: `s${index}`,
  tool: "read",
  args: {
    from: [1, 2, 3]
      .filter((back) => index - back >= 0 && (back < 3 || index % 17 === 3))
      .map((back) => ({ $ref: `s${index - back}#/x` })),
  },
}));
const batch = parseBatch({ actions }, 1_000);

/** Plans the same batch `?times=` over: how long one plan takes shows from outside, since no clock moves in here. */
// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default {
  fetch(request: Request): Response {
    const times = Number(new URL(request.url).searchParams.get("times"));
    let edges = 0;
    for (let time = 0; time < times; time += 1) {
      if (!batch.ok) throw new Error(batch.error.hint);
      const plan = makePlan(batch.value, catalog);
      if (!plan.ok) throw new Error(plan.error.hint);
      edges = plan.value.steps.reduce((sum, step) => sum + step.edges.length, 0);
    }
    return Response.json({ edges });
  },
};

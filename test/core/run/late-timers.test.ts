import { expect, test } from "vitest";

import { TestWorld } from "../../support/execute-batch.ts";
import { contractOf } from "../../support/fake-actions.ts";

/** A world in which each call takes 100 ms, and no timer fires meanwhile: so it is where calls never leave the platform. */
class StarvedWorld extends TestWorld {
  begun = 0;
  #spentMs = 0;

  constructor() {
    super();
    const now = this.clock.now.bind(this.clock);
    this.clock.now = () => now() + this.#spentMs;
  }

  tool(declared: object) {
    return contractOf("look", {
      ...declared,
      run: () => {
        this.begun += 1;
        this.#spentMs += 100;
        return Promise.resolve({});
      },
    });
  }
}

test.each([
  ["writes", { isWrite: true }],
  ["reads that wait for each other", { orchestration: { mode: "parallel-safe", max_concurrency: 1 } }],
])("T63 a loop of %s begins no element after the deadline, though its timer is late", async (_, declared) => {
  const world = new StarvedWorld();
  const items = Array.from({ length: 25 }, (__, n) => n);
  const actions = [{ tool: "look", for_each: items, args: { n: { $ref: "item#" } } }];
  const { results } = await world.run([world.tool(declared)], { actions, deadline_ms: 1_000 });
  expect(world.begun).toBe(10);
  const [{ data }] = results as unknown as [{ data: { status: string; error?: { code: string } }[] }];
  expect(data.map(({ status, error }) => error?.code ?? status)).toEqual(
    items.map((n) => (n < 10 ? "success" : "DEADLINE_EXCEEDED")),
  );
});

import { describe, test } from "vitest";

import type { Attack, Target } from "../../lab/attacks/attack.ts";
import { BODY_ATTACKS } from "../../lab/attacks/bodies.ts";
import { toTarget } from "../support/attack-target.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

/** Bodies that do not end: each has a sandbox of its own, because it opens the breaker for those after it. */
const ENDLESS = BODY_ATTACKS.filter(({ title }) => /stall|endless/.test(title));
const worlds: (Attack & { readonly target: Target })[] = [];
for (const attack of ENDLESS) worlds.push({ ...attack, target: toTarget(await setUpSandbox()) });

describe("P6: What must hold of bodies that do not end", () => {
  test.each(worlds)("$title", ({ run, target }) => run(target), 120_000);
});

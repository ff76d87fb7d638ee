import { describe, test } from "vitest";

import { ANSWER_ATTACKS } from "../../lab/attacks/answers.ts";
import { BODY_ATTACKS } from "../../lab/attacks/bodies.ts";
import { toTarget } from "../support/attack-target.ts";
import { setUpSandbox } from "../support/set-up-sandbox.ts";

const target = toTarget(await setUpSandbox());

// An attack that runs out of time opens the breaker for those after it: `endless-bounds.test.ts` gives each a sandbox of its own.
const ATTACKS = [...ANSWER_ATTACKS, ...BODY_ATTACKS].filter(({ title }) => !/stall|endless/.test(title));

describe("P6: What must hold of the worst known", () => {
  test.each(ATTACKS)("$title", ({ run }) => run(target), 30_000);
});

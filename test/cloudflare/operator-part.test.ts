import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";

import { GROUP_FORMAT } from "../../src/features/confirmations/confirmation.ts";
import { createConfirmationsPart } from "../../src/features/confirmations/objects/confirmations-part.ts";
import { createOperatorPart } from "../../src/features/operator/objects/operator-part.ts";
import type { Standing } from "../../src/features/operator/operator.ts";
import { parkedAction } from "../support/parked-samples.ts";
import { ask } from "./ask-confirmations.ts";
import { listed } from "./worker.ts";
import { trial } from "../support/trial.ts";

const WAIT = { timeout: 50_000 };
const told: Standing[] = [];
const PARTS = [
  createConfirmationsPart(),
  createOperatorPart(() => ({ tell: async (standing) => void told.push(standing), report: async () => {} })),
];

trial(
  "F14 an object that starts again while a question waits has its alarm, and the operator hears of the next question",
  async () => {
    const stub = env.LISTED_GATE.getByName("operator-part");
    await runInDurableObject(stub, () => listed.splice(0, listed.length, ...PARTS));
    await evictDurableObject(stub);
    const groupJson = JSON.stringify({
      format: GROUP_FORMAT,
      requestedBy: "app",
      actions: [parkedAction("a")],
    });
    for (const count of [1, 2, 3]) {
      expect(await ask(stub).park([{ id: `q-${count}`, groupJson }])).toHaveLength(1);
      await vi.waitFor(() => expect(told.at(-1)?.waiting).toBe(count), WAIT);
      await evictDurableObject(stub);
    }
  },
);

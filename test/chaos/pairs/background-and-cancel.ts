import { setTimeout as sleep } from "node:timers/promises";

import { elementsOf } from "../background-batch.ts";
import { isFinal } from "../collect-evidence.ts";
import { type Answer, isThere, type Pair, SUBJECT } from "./pair-world.ts";

const WRITES = 12;
/** Some of the writes are done by then. */
const MOST_MS = 300;
/** A call that was under way has arrived by then. */
const UNDER_WAY_MS = 1_000;

/** A loop of writes in the background is cancelled. */
export const backgroundAndCancel: Pair = {
  name: "background × cancel",
  async begin(world, n) {
    const numbers = Array.from({ length: WRITES }, (_, at) => n + at);
    const ids: string[] = [];
    const violations: string[] = [];
    let [begun, cancelled]: (Answer | null)[] = [null, null];
    let goneAt = Number.POSITIVE_INFINITY;
    let job: Answer["body"] = {};
    return {
      ids,
      async work() {
        begun = await world.ask("POST", "/v1/execute_actions", {
          subject: SUBJECT,
          background: true,
          actions: [{ tool: "probe-write", args: { n: { $ref: "item#" } }, for_each: numbers }],
        });
        if (begun === null) return;
        ids.push(begun.body.job_id, begun.body.run_id);
        await sleep(world.random() * MOST_MS);
        cancelled = await world.ask("POST", `/v1/jobs/${ids[0]}/cancel`, {});
        if (cancelled !== null) goneAt = performance.now();
      },
      async settle() {
        if (ids[0] === undefined) return;
        job = await world.until(
          (answer) => isThere(answer) && isFinal(answer.body),
          "GET",
          `/v1/jobs/${ids[0]}`,
        );
      },
      async judge() {
        for (const of of numbers) {
          const sent = world.sent("/write", of);
          if (sent.length > 1) violations.push(`a write was sent ${sent.length} times`);
          if (sent.some(({ at }) => at > goneAt + UNDER_WAY_MS))
            violations.push("a write was sent after the cancel");
        }
        if (ids[0] === undefined) return violations;
        if (cancelled?.status === 200 && job.status !== "cancelled")
          violations.push(`an answered cancel ends as ${job.status}`);
        if (!["cancelled", "succeeded", "unknown"].includes(job.status))
          violations.push(`ends as ${job.status}`);
        for (const { index, status } of await elementsOf(world.victim.current.url, ids[0], "owner")) {
          const times = world.sent("/write", numbers[index]!).length;
          if (status === "success" && times !== 1) violations.push(`a success was sent ${times} times`);
          if (status !== "success" && status !== "unknown" && times > 0)
            violations.push(`a write that was sent is ${status}`);
        }
        return violations;
      },
    };
  },
};

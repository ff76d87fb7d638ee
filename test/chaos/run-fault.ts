import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosUpstream } from "./chaos-upstream.ts";
import { collectEvidence } from "./collect-evidence.ts";
import { type Fault, heal, knock } from "./fault.ts";
import { makeJobBatch } from "./job-batch.ts";
import type { LoopResult } from "./run-loop.ts";
import { sendBatch } from "./volley-client.ts";

/** Run one loop: send a batch, break what the fault breaks, mend it, wait until every promised job is final. */
export async function runFault(
  url: string,
  upstream: ChaosUpstream,
  fault: Fault,
  firstN: number,
): Promise<LoopResult> {
  const batch = makeJobBatch(firstN, () => fault.inFlightMs ?? 200 + Math.floor(Math.random() * 400));
  const strike = async (when: "before" | "initiated"): Promise<void> => {
    for (const { door } of fault.strikes.filter((one) => one.when === when)) await knock(url, door);
  };
  await strike("before");
  let struck = Promise.resolve();
  const promised = await sendBatch(url, {
    actions: batch.actions,
    streamed: false,
    mayBeRefused: true,
    onInitiated() {
      struck = strike("initiated");
    },
  });
  await struck;
  for (const { when, door } of fault.strikes)
    if (typeof when === "number") {
      await sleep(when);
      await knock(url, door);
    }
  const jobs = await collectEvidence(batch, { url, upstream, promised });
  await heal(url);
  return { fault: fault.label, jobs, kills: 0, attemptsTakenOver: 0, jobsWoken: 0, notWoken: [] };
}

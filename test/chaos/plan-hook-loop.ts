import { CUT, type Fault } from "./fault.ts";

/** How one loop with webhooks makes life hard. */
export interface HookLoopPlan {
  /**
   * When the runtime is killed: with the first 202, up to 30 ms after it, while a write of its run is under way, or before
   * anything was answered.
   */
  readonly kill: "with-answer" | "after-answer" | "in-once" | "in-keyed" | "during-request";
  /** After the restart nothing is sent until what was interrupted has run: only the alarm can run it. */
  readonly alarmOnly: boolean;
  /** Kill the runtime once more when what was interrupted reaches the provider again. */
  readonly killAgain: boolean;
}

const KILLS = ["with-answer", "in-once", "after-answer", "in-keyed"] as const;

/** Vary one thing after the other. Each of these kills comes after a 202. */
export function planHookLoop(loop: number): HookLoopPlan {
  const kill = KILLS[loop % KILLS.length]!;
  const round = Math.floor(loop / KILLS.length);
  const alarmOnly = kill === "with-answer" && round % 2 === 0;
  // Where the first write was cut off nothing reaches the provider again, so there is nothing to wait for.
  const isRetried = kill === "with-answer" || kill === "in-keyed";
  return { kill, alarmOnly, killAgain: isRetried && !alarmOnly && round % 3 !== 2 };
}

/** The other faults, each in a loop of its own. `initiated` is here the first 202. */
export const HOOK_FAULTS: readonly (Fault | (HookLoopPlan & { readonly label: string }))[] = [
  {
    label: "killed while a delivery is under way",
    kill: "during-request",
    alarmOnly: false,
    killAgain: false,
  },
  { label: "invocation cut off 200 ms after its 202", strikes: [CUT] },
  {
    label: "object crashed recording a run, before it wrote",
    strikes: [{ when: "before", door: "crash-before-write" }],
  },
  {
    label: "object crashed recording a run, after it wrote",
    strikes: [{ when: "before", door: "crash-after-write" }],
  },
  { label: "object crashed right after the 202", strikes: [{ when: "initiated", door: "crash" }] },
  { label: "object crashed while its runs write", strikes: [{ when: 150, door: "crash" }] },
];

import type { WirePlan } from "../kit/wire.ts";
import { count } from "../parts/count.ts";

export function sayPlan({ plan, errors }: WirePlan): string {
  const { waves, confirmations, estimated_speedup: speedup, estimated_tokens: tokens } = plan;
  const runs = waves.flat().length;
  const said = [
    runs === 0 ? "Nothing will run" : `${count(runs, "action")} in ${count(waves.length, "wave")}`,
    runs > 1 && speedup > 1 && `about ${speedup} times as fast as one by one`,
    runs > 0 && tokens > 0 && `about ${tokens.toLocaleString("en")} tokens of results`,
  ].filter((part) => typeof part === "string");
  const more = [
    errors.length > 0 && ` ${count(errors.length, "action is", "actions are")} wrong.`,
    confirmations.length > 0 &&
      ` ${count(confirmations.length, "action waits", "actions wait")} for a person's yes.`,
  ].filter((part) => typeof part === "string");
  return `${said.join(", ")}.${more.join("")}`;
}

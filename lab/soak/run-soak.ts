import { parseArgs } from "node:util";
import { makeReport } from "./report.ts";
import { describeSchedule, makeSchedule } from "./schedule.ts";
import { soak, type SoakOptions } from "./soak.ts";

// `npm run soak`: all kinds of requests at once, for ten minutes, while upstreams fail and the runtime is killed; then everything
// that Volley promises is looked at, and whether anything grew. `--minutes N`, `--quick` (one minute), `--seed N`, `--rate X` (times
// the usual load). `--forgets storage` takes it away at each kill: such a run has to fail. Everything stays on 127.0.0.1.

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    quick: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    rate: { type: "string", default: "1" },
    forgets: { type: "string" },
  },
});
const minutes = readNumber("minutes", values.minutes ?? (values.quick ? "1" : "10"));
const schedule = makeSchedule({ seed: readNumber("seed", values.seed), minutes });
console.log(describeSchedule(schedule));

// Each wait is bounded; this bounds all of them together. Leaving kills whatever was started.
const watchdogMs = schedule.lengthMs + 4 * 60_000;
const watchdog = setTimeout(() => {
  console.error(`Cannot finish: the run took longer than ${watchdogMs / 1_000} s`);
  process.exit(1);
}, watchdogMs);
const options = { rate: readNumber("rate", values.rate), forgets: readForgets(values.forgets) };
const { text, failed } = makeReport(await soak(schedule, options));
clearTimeout(watchdog);
console.log(text);
if (failed > 0) process.exitCode = 1;

function readForgets(text: string | undefined): SoakOptions["forgets"] {
  if (text === undefined || text === "storage") return text;
  throw new Error(`Cannot run the soak: '--forgets' must be 'storage', received '${text}'`);
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0))
    throw new Error(`Cannot run the soak: '--${name}' must be a positive number, received '${text}'`);
  return value;
}

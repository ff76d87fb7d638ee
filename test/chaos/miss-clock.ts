import { startChaosUpstream } from "./chaos-upstream.ts";
import { isFinal, readJobs, until } from "./collect-evidence.ts";
import { HOOK_KEY, keepFlow, readRunIds } from "./hook-flow.ts";
import { comeBack } from "./run-loop.ts";
import { startVictim } from "./victim.ts";

export interface ClockResult {
  readonly kills: number;
  /** Times of the clock that passed while nothing ran. */
  readonly missed: number;
  /** Runs on record, how they ended, and how often they wrote. */
  readonly statuses: readonly string[];
  readonly writes: number;
}

const LEASE_MS = 500;
const DAY_MS = 24 * 3_600_000;
const DAYS = 3;
const N = 4_000_000;

/**
 * Kill a runtime whose tenant has a clock, and start it when three of the clock's times have passed: what is on disk is made
 * three days older. Nothing is sent before its run has come, so it is the alarm's; then it is killed again.
 */
export async function missClock(): Promise<ClockResult> {
  await using upstream = await startChaosUpstream();
  const vars = { PROBE_ORIGIN: upstream.url, VOLLEY_JOB_LEASE_MS: String(LEASE_MS) };
  await using victim = await startVictim({ vars });
  // Half a day away from now: it does not come by itself meanwhile.
  const hour = (new Date().getUTCHours() + 12) % 24;
  await keepFlow(victim.current.url, "chaos-clock", {
    actions: [{ id: "keyed", tool: "probe-write-keyed", args: { n: N, d: 200 } }],
    triggers: { cron: `0 ${hour} * * *` },
  });
  victim.kill();
  await comeBack(victim, () => victim.age(DAYS * DAY_MS));
  const arrivals = () => upstream.attemptsOf(N, "/keyed");
  await until(() => arrivals().length > 0);
  victim.kill();
  await comeBack(victim);
  const { url } = victim.current;
  const jobIds = await readRunIds(url);
  const records = await readJobs({ url, jobIds, key: HOOK_KEY, isWanted: isFinal });
  const statuses = jobIds.map((id) => records.get(id)?.status ?? "nothing");
  return { kills: 2, missed: DAYS, statuses, writes: new Set(arrivals().map(({ key }) => key)).size };
}

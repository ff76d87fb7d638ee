import { KEYS } from "../keys.ts";
import type { Followed } from "./follow-jobs.ts";
import type { Records } from "./records.ts";
import { type Action, pause, type World } from "./world.ts";

const key = KEYS.writer;

interface JobSketch {
  readonly tool: "probe-background" | "probe-background-once" | "probe-global-background";
  readonly args: object;
  readonly callback?: boolean;
}

/** Jobs in the background: quick ones, slow ones, one that is refused at first, one at most once; a third with a callback. */
export async function work(world: World, records: Records): Promise<void> {
  const sketches: JobSketch[] = [
    { tool: "probe-background", args: {}, callback: world.int(3) === 0 },
    { tool: "probe-background", args: { d: 100 + world.int(400) }, callback: world.int(3) === 0 },
    { tool: "probe-background-once", args: { d: world.int(200) } },
    { tool: "probe-background", args: { status: 500 } },
    { tool: "probe-global-background", args: { d: 20 } },
  ];
  await promise(world, records, {
    kind: "jobs",
    sketches: sketches.slice(0, 1 + world.int(sketches.length)),
  });
}

/** A job that is called off while it is under way. */
export async function callOff(world: World, records: Records): Promise<void> {
  const sketches: JobSketch[] = [{ tool: "probe-background", args: { d: 1_500 }, callback: true }];
  const [job] = await promise(world, records, { kind: "jobs to cancel", sketches });
  if (job === undefined) return;
  await pause(world.int(600));
  job.cancelled = true;
  await world.json("cancel", "POST", `/v1/jobs/${job.jobId}/cancel`, { key });
}

/** Ask for jobs, and follow those that were promised. */
async function promise(
  world: World,
  { follower, once }: Records,
  { kind, sketches }: { kind: string; sketches: readonly JobSketch[] },
): Promise<readonly Followed[]> {
  const n = world.block();
  const actions = sketches.map(({ tool, args, callback = false }, i): Action => ({
    id: `j${i}`,
    tool,
    args: { n: n + i, ...args },
    ...(callback && { callback_url: `${world.upstream.url}/callback?token=${Math.floor(n / 100) + i}` }),
  }));
  for (const [i, { tool }] of sketches.entries()) if (tool === "probe-background-once") once.add(n + i);
  const ran = await world.batch(kind, actions, { key, followsItself: true });
  return (ran?.results ?? []).flatMap(({ status, job_id: jobId }, i) => {
    if (status !== "initiated" || jobId === undefined) return [];
    const { tool, callback = false } = sketches[i]!;
    return [
      follower.add({
        n: n + i,
        jobId,
        key,
        once: tool === "probe-background-once",
        path: tool === "probe-global-background" ? "/global-background" : "/background",
        callback,
      }),
    ];
  });
}

import { isFinal, LATE_MS } from "../../../test/chaos/collect-evidence.ts";
import { deliverUntilTaken, HOOK_KEY } from "../../../test/chaos/hook-flow.ts";
import { readJob } from "../../../test/chaos/volley-client.ts";
import { KEYS } from "../keys.ts";
import { type Records, SPARED } from "./records.ts";
import { pause, type World } from "./world.ts";

const key = KEYS.admin;
const VERSIONED = "soak-versioned";

/** Versions of one tool of the tenant's: the last that was certainly kept, and the last that was asked for. */
const versions = { kept: 0, asked: 0 };

/** Replace a tool while it is being called. */
export async function replaceTool(world: World): Promise<void> {
  versions.asked += 1;
  const v = versions.asked;
  const answer = await world.json("tools replaced", "PUT", `/v1/tools/${VERSIONED}`, {
    key,
    body: {
      summary: "Say a number back, and the version of this tool",
      description: "The number that was sent. Size: about 20 tokens.",
      category: "numbers",
      actions: ["read"],
      is_write: false,
      input_schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      http: {
        method: "GET",
        url: `${world.upstream.url}/versioned`,
        headers: { "x-version": String(v) },
        auth: { secret: "SANDBOX_SECRET", as: "bearer" },
      },
    },
  });
  if (answer?.status === 200 || answer?.status === 201) versions.kept = Math.max(versions.kept, v);
  else if (answer !== null && answer.status !== 503)
    world.problem("tools replaced", `answered ${answer.status} ${answer.text.slice(0, 200)}`);
}

/** Call it: what was kept before the call was sent is what is called, or something newer. */
export async function callReplaced(world: World): Promise<void> {
  const least = versions.kept;
  if (least === 0) return;
  const n = world.block();
  const ran = await world.batch("tools of a tenant", [{ id: "own", tool: VERSIONED, args: { n } }], { key });
  const [own] = ran?.results ?? [];
  const data = own?.data as { readonly n: number; readonly v: number } | undefined;
  if (own?.status === "success" && !(data!.v >= least && data!.v <= versions.asked))
    world.problem("tools of a tenant", `version ${data!.v} was called, ${least} had been kept`);
}

/** Run a flow by its name, and as a tool among others. */
export async function runFlow(world: World): Promise<void> {
  const n = world.block();
  if (world.int(2) === 0) {
    const actions = [
      { id: "flow", tool: "soak-flow", args: { n } },
      { id: "beside", tool: "probe-echo", args: { n: n + 1 } },
    ];
    const ran = await world.batch("flows as tools", actions, { key });
    const [flow] = ran?.results ?? [];
    if (flow?.status === "success" && flow.data !== n)
      world.problem("flows as tools", `asked ${n}, was told ${JSON.stringify(flow.data)}`);
    return;
  }
  const answer = await world.json("flows", "POST", "/v1/flows/soak-flow/run", {
    key,
    body: { input: { n } },
  });
  if (answer?.status !== 200) return;
  const { answer: said } = JSON.parse(answer.text) as { answer?: unknown };
  if (said !== undefined && said !== n)
    world.problem("flows", `asked ${n}, was told ${JSON.stringify(said)}`);
}

let lastEvent = SPARED;

/** Tell of an event until it is taken, sometimes twice at once; wait for its run, and tell of it again. */
export async function deliver(world: World, { runs }: Records): Promise<void> {
  lastEvent += 1;
  const event = { n: lastEvent, d: 20 + world.int(150) };
  const jobIds: string[] = [];
  const tell = async (): Promise<void> => {
    const jobId = await deliverUntilTaken(world.url, event);
    if (jobId !== null) jobIds.push(jobId);
  };
  const startedAt = performance.now();
  const at = Date.now();
  await Promise.all(Array.from({ length: 1 + world.int(2) }, tell));
  world.latencies.push({ kind: "webhooks", at, ms: performance.now() - startedAt });
  const [jobId] = jobIds;
  const read = async () => (jobId === undefined ? null : readJob(world.url, jobId, HOOK_KEY));
  let record = await read();
  while (record === undefined || (record !== null && !isFinal(record))) {
    await pause(500);
    record = await read();
  }
  await pause(LATE_MS + 500);
  await tell();
  await pause(LATE_MS);
  let later = await read();
  while (later === undefined) {
    await pause(500);
    later = await read();
  }
  const { chaos } = world.upstream;
  runs.push({
    n: event.n,
    jobIds,
    record,
    later,
    once: [...chaos.attemptsOf(event.n, "/write")],
    keyed: [...chaos.attemptsOf(event.n, "/keyed")],
  });
}

let keysMade = 0;

/** Make a key, use it, take it back, and find it refused; each third one is left to end by itself. */
export async function makeKey(world: World, { madeKeys }: Records): Promise<void> {
  keysMade += 1;
  const name = `soak-${keysMade}`;
  const endsItself = keysMade % 3 === 0;
  const made = await world.json("keys made", "POST", "/v1/keys", {
    key,
    body: {
      name,
      tools: ["probe"],
      ...(endsItself && { expires_at: new Date(Date.now() + 4_000).toISOString() }),
    },
  });
  if (made?.status !== 201) return;
  const { key: fresh } = JSON.parse(made.text) as { key: string };
  madeKeys.push(fresh);
  const use = async () => world.json("made keys used", "GET", "/v1/usage", { key: fresh });
  const used = await use();
  if (used !== null && used.status !== 200 && used.status !== 503)
    world.problem("keys made", `a fresh key is answered ${used.status}`);
  if (endsItself) await pause(5_000);
  else
    for (let tries = 0; tries < 20; tries += 1) {
      const revoked = await world.json("keys revoked", "DELETE", `/v1/keys/${name}`, { key });
      if (revoked?.status === 204 || revoked?.status === 404) break;
      await pause(500);
    }
  const refused = await use();
  if (refused !== null && refused.status !== 401 && refused.status !== 503)
    world.problem("keys made", `a key that ended is answered ${refused.status}`);
}

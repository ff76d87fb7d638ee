import { KEYS } from "../keys.ts";
import type { Records } from "./records.ts";
import { type Action, pause, tally, type World } from "./world.ts";

const key = KEYS.writer;
/** One a second: the lease of a run that died is over by then. */
const MOST_TRIES = 60;

/** Writes between reads, without a key: each reaches the provider once at most. */
export async function write(world: World, records: Records): Promise<void> {
  const { actions, told } = makeWrites(world, records);
  const ran = await world.batch("writes", actions, { key });
  told(ran?.results);
}

/**
 * Writes under an Idempotency-Key, sent one to three times, at once or after each other, as a caller does who heard nothing. All
 * that are answered are answered alike, and another content under the key is refused.
 */
export async function writeUnderKey(world: World, records: Records): Promise<void> {
  const kind = "writes under a key";
  const { actions, told, n } = makeWrites(world, records);
  const headers = { "idempotency-key": `soak-${n}` };
  const texts = new Set<string>();
  const send = async (): Promise<void> => {
    const ran = await world.batch(kind, actions, { key, headers });
    told(ran?.results);
    if (ran !== null) texts.add(JSON.stringify(ran.results));
  };
  const times = 1 + world.int(3);
  if (world.int(2) === 0) await Promise.all(Array.from({ length: times }, send));
  else
    for (let i = 0; i < times; i += 1) {
      await send();
      await pause(world.int(300));
    }
  // A caller that was told nothing, or to come back, comes back: until the lease of a run that died is over.
  for (let again = 0; texts.size === 0 && again < MOST_TRIES; again += 1) {
    await pause(1_000);
    await send();
  }
  if (texts.size > 1)
    world.problem(kind, `one key has ${texts.size} answers: ${[...texts].join(" | ").slice(0, 600)}`);
  if (world.int(4) > 0 || texts.size === 0) return;
  const other: Action[] = [{ id: "other", tool: "probe-echo", args: { n } }];
  const answer = await world.json(kind, "POST", "/v1/execute_actions", {
    key,
    headers,
    body: { actions: other },
  });
  if (answer !== null && answer.status !== 422 && answer.status !== 503)
    world.problem(kind, `another content under the key is answered ${answer.status}`);
}

/** One write at a time of a tenant that sends many more than its quota allows. */
export async function flood(world: World, records: Records): Promise<void> {
  const n = world.block();
  records.sentAt.set(n, performance.now());
  const answer = await world.json("flood", "POST", "/v1/execute_actions", {
    key: KEYS.flood,
    body: { actions: [{ tool: "probe-write", args: { n } }] },
  });
  if (answer?.status === 429) tally(records.denied, "quota");
}

/** Calls of tools that a tenant, or everybody together, may call five times in ten seconds, or two at once. */
export async function limit(world: World, records: Records): Promise<void> {
  const n = world.block();
  const call = (tool: string, i: number, more: object = {}): Action => ({
    id: `${tool}-${i}`,
    tool,
    args: { n: n + i, ...more },
  });
  const actions = [
    call("probe-quota", 0),
    call("probe-quota", 1),
    call("probe-global-rate", 2),
    call("probe-global-rate", 6),
    call("probe-global", 3, { d: 40 }),
    call("probe-global", 4, { d: 40 }),
    call("probe-global", 5, { d: 40 }),
  ];
  for (const i of [0, 1, 2, 6]) records.sentAt.set(n + i, performance.now());
  const ran = await world.batch("limited tools", actions, { key });
  for (const { tool, error } of ran?.results ?? [])
    if (error?.code === "RATE_LIMITED") tally(records.denied, tool);
}

/** Two writes, one that a key identifies, and a read that waits for it. */
function makeWrites(world: World, { writes }: Records) {
  const n = world.block();
  const actions: Action[] = [
    { id: "read", tool: "probe-echo", args: { n: n + 9 } },
    { id: "plain", tool: "probe-write", args: { n, d: world.int(20) } },
    { id: "keyed", tool: "probe-write-keyed", args: { n: n + 1, d: world.int(20) } },
    { id: "after", tool: "probe-read", args: { n: n + 8 } },
  ];
  const [plain, keyed] = [
    { keyed: false, told: [] as string[] },
    { keyed: true, told: [] as string[] },
  ];
  writes.set(n, plain).set(n + 1, keyed);
  const told = (results: readonly { readonly id: string; readonly status: string }[] = []): void => {
    for (const { id, status } of results) {
      if (id === "plain") plain.told.push(status);
      if (id === "keyed") keyed.told.push(status);
    }
  };
  return { actions, told, n };
}

import { sendAndHold } from "../../../test/support/raw-client.ts";
import { KEYS } from "../keys.ts";
import type { ShownResult } from "./check-envelope.ts";
import { type Action, pause, type World } from "./world.ts";

const MOST = 25;
const key = KEYS.reader;

/** Plain reads, one to twenty-five, few more often than many; each answer is that of its own question. */
export async function read(world: World): Promise<void> {
  const actions = makeReads(world, 1 + Math.floor(MOST * world.random() ** 3));
  const streamed = world.int(4) === 0;
  const kind = streamed ? "reads, streamed" : "reads";
  const headers = streamed ? { accept: "text/event-stream" } : {};
  const ran = await world.batch(kind, actions, { key, headers });
  expectOwn(world, kind, actions, ran?.results ?? []);
}

/** A search, what was found, each of it, and a text of it: in one batch. */
export async function refer(world: World): Promise<void> {
  const n = world.block();
  const actions: Action[] = [
    { id: "found", tool: "probe-search", args: { q: "item" } },
    { id: "first", tool: "probe-item", args: {} },
    {
      id: "each",
      tool: "probe-echo",
      args: { n: { $ref: "item#/id" }, d: 5 },
      for_each: { $ref: "found#/items" },
    },
    { id: "text", tool: "probe-search", args: { q: { $template: "about {{found#/items/0/name}}" } } },
    { id: "beside", tool: "probe-echo", args: { n } },
  ];
  const ran = await world.batch("references", actions, { key });
  const each = ran?.results.find(({ id }) => id === "each");
  if (each?.status !== "success") return;
  const data = each.data as readonly { readonly status: string; readonly data?: { readonly n: number } }[];
  for (const [i, one] of data.entries())
    if (one.status === "success" && one.data?.n !== i + 1)
      world.problem("references", `element ${i} is that of ${one.data?.n}`);
}

/** The same read three times in one batch is one call. */
export async function repeatRead(world: World): Promise<void> {
  const n = world.block();
  const actions = ["a", "b", "c"].map((id): Action => ({ id, tool: "probe-echo", args: { n, d: 10 } }));
  const ran = await world.batch("duplicates", actions, { key });
  // A second one is the retry that a read may have.
  const calls = world.upstream.reads.get(n) ?? 0;
  if (ran !== null && calls > 2) world.problem("duplicates", `one read of three was called ${calls} times`);
}

/** A result that is cut, and then a part of it that was not shown. */
export async function page(world: World): Promise<void> {
  const n = world.block();
  const cut = await world.batch(
    "large results",
    [{ id: "large", tool: "probe-any", args: { path: `/large?n=${n}` } }],
    { key, fields: { max_tokens: 400 } },
  );
  const [large] = cut?.results ?? [];
  if (large?.status !== "success") return;
  const handle = large.meta?.["handle"];
  if (typeof handle !== "string") return world.problem("large results", "one was not cut, or has no handle");
  const actions: Action[] = [
    { id: "part", tool: "probe-echo", args: { n: { $ref: `${handle}#/items/777/id` } } },
  ];
  const ran = await world.batch("pages of them", actions, { key });
  const [part] = ran?.results ?? [];
  const shown = (part?.data as { n?: number } | undefined)?.n;
  if (part?.status === "success" && shown !== n + 777)
    world.problem("pages of them", `item 777 of ${n} is ${shown}`);
}

/** Hang up half way through a stream. */
export async function cut(world: World): Promise<void> {
  const actions = makeReads(world, 8, 150);
  const socket = await sendAndHold(world.url, actions, {
    authorization: `Bearer ${key}`,
    accept: "text/event-stream",
  }).catch(() => null);
  await pause(30 + world.int(120));
  socket?.resetAndDestroy();
}

/** Caps of a tool within a batch; the upstream counts. */
export async function cap(world: World): Promise<void> {
  const n = world.block();
  const action =
    (tool: string) =>
    (_: unknown, i: number): Action => ({
      id: `${tool}-${i}`,
      tool,
      args: { n: n + i, d: 20 },
    });
  const actions = [
    ...Array.from({ length: 8 }, action("probe-limited")),
    ...Array.from({ length: 4 }, action("probe-serial")),
  ];
  const ran = await world.batch("capped", actions, { key });
  expectOwn(world, "capped", actions, ran?.results ?? []);
}

function makeReads(world: World, count: number, d = 15): Action[] {
  const n = world.block();
  const tools = ["probe-echo", "probe-read", "probe-echo"];
  return Array.from({ length: count }, (_, i) => ({
    id: `r${i}`,
    tool: tools[i % tools.length]!,
    args: { n: n + i, d: world.int(d * 2) },
  }));
}

/** No answer is that of another question. */
function expectOwn(
  world: World,
  kind: string,
  actions: readonly Action[],
  results: readonly ShownResult[],
): void {
  for (const [i, { status, data }] of results.entries()) {
    const shown = (data as { n?: number } | undefined)?.n;
    const asked = actions[i]?.args["n"];
    if (status === "success" && shown !== asked)
      world.problem(kind, `asked for ${String(asked)}, was told ${shown}`);
  }
}

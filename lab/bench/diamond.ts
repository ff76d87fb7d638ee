import { startSandbox } from "../../test/support/sandbox.ts";
import { median } from "./statistics.ts";

/** One way of getting the same five things done. */
export interface DiamondTimes {
  readonly label: string;
  readonly roundTrips: number;
  readonly medianMs: number;
}

const UPSTREAM_MS = 100;
const ROUNDS = 7;

interface Action {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const search: Action = { id: "search", tool: "probe-search", args: { q: "x", d: UPSTREAM_MS } };
const details = (idOf: (n: number) => unknown): Action[] =>
  [0, 1, 2].map((n) => ({ id: `detail${n}`, tool: "probe-item", args: { id: idOf(n), d: UPSTREAM_MS } }));
const final = (q: unknown): Action => ({ id: "final", tool: "probe-search", args: { q, d: UPSTREAM_MS } });

/**
 * Time a diamond (a search, three details of what it found, one action that needs all three) as one batch with
 * references, as the three batches a caller without references sends, and as five calls, one after the other.
 *
 * Everything runs on this machine, so a round trip to the caller costs next to nothing here; between a model and its
 * tools it costs a model's answer. So round trips are printed next to the times.
 */
export async function measureDiamond(): Promise<DiamondTimes[]> {
  await using sandbox = await startSandbox();
  let roundTrips = 0;
  const send = async (actions: readonly Action[]): Promise<Record<string, unknown>> => {
    roundTrips += 1;
    const response = await fetch(`${sandbox.url}/v1/execute_actions`, {
      method: "POST",
      headers: { authorization: "Bearer sandbox-key", "content-type": "application/json" },
      body: JSON.stringify({ actions }),
    });
    const { results } = (await response.json()) as {
      results: { id: string; status: string; data: unknown }[];
    };
    const failed = results.find(({ status }) => status !== "success");
    if (failed !== undefined) throw new Error(`Cannot measure the diamond: ${JSON.stringify(failed)}`);
    return Object.fromEntries(results.map(({ id, data }) => [id, data]));
  };

  const found = (data: unknown): (string | number)[] =>
    (data as { items: { id: string | number }[] }).items.map(({ id }) => id);
  const ways: readonly { readonly label: string; readonly run: () => Promise<unknown> }[] = [
    {
      label: "one batch, by reference",
      run: () =>
        send([
          search,
          ...details((n) => ({ $ref: `search#/items/${n}/id` })),
          final({ $template: "{{detail0#/id}} {{detail1#/id}} {{detail2#/id}}" }),
        ]),
    },
    {
      label: "three batches",
      run: async () => {
        const ids = found((await send([search]))["search"]);
        await send(details((n) => ids[n]));
        await send([final(ids.slice(0, 3).join(" "))]);
      },
    },
    {
      label: "five single calls",
      run: async () => {
        const ids = found((await send([search]))["search"]);
        for (const detail of details((n) => ids[n])) await send([detail]);
        await send([final(ids.slice(0, 3).join(" "))]);
      },
    },
  ];

  const times = new Map<string, number[]>();
  const trips = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { label, run } of ways) {
      roundTrips = 0;
      const startedAt = performance.now();
      await run();
      times.set(label, [...(times.get(label) ?? []), performance.now() - startedAt]);
      trips.set(label, roundTrips);
    }
  }
  return ways.map(({ label }) => ({
    label,
    roundTrips: trips.get(label) ?? 0,
    medianMs: median(times.get(label) ?? []),
  }));
}

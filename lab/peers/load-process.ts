import { Connections } from "../bench/connections.ts";
import { CONTESTANTS } from "./contestants.ts";
import { type CheckedLoad, loadAndCheck } from "./load-and-check.ts";

/** The order to the process that makes the load; it answers with a `LoadReport`. */
export interface LoadOrder extends Pick<CheckedLoad, "n" | "batches" | "patienceMs"> {
  readonly contestant: string;
  readonly url: string;
  readonly connections: number;
}

// Apart from the server and from the measuring process: checking the answers takes no CPU but its own.

/** The connections to each server and of each number, which stay open between orders. */
const opened = new Map<string, Connections>();

process.on("message", (order: LoadOrder) => void load(order).then((report) => process.send?.(report)));
process.once("disconnect", () => process.exit());

async function load({ contestant: name, url, connections: count, ...order }: LoadOrder) {
  const { makeRequest, readNumber } = CONTESTANTS.find((contestant) => contestant.name === name)!;
  const place = `${url} ${count}`;
  let connections = opened.get(place);
  if (connections?.isWhole !== true) opened.set(place, (connections = await Connections.open(url, count)));
  return loadAndCheck({ ...order, host: new URL(url).host, connections, makeRequest, readNumber });
}

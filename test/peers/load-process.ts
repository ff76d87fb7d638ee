import { CONTESTANTS } from "./contestants.ts";
import { type CheckedLoad, loadAndCheck } from "./load-and-check.ts";

/** The order to the process that makes the load; it answers with a `LoadReport`. */
export interface LoadOrder extends Omit<CheckedLoad, "makeRequest" | "readNumber"> {
  readonly contestant: string;
}

// Apart from the server and from the measuring process: checking the answers takes no CPU but its own.

process.on("message", ({ contestant: name, ...order }: LoadOrder) => {
  const { makeRequest, readNumber } = CONTESTANTS.find((contestant) => contestant.name === name)!;
  void loadAndCheck({ ...order, makeRequest, readNumber }).then((report) => process.send?.(report));
});
process.once("disconnect", () => process.exit());

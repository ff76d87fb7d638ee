import { CONTESTANTS } from "./contestants.ts";
import { type CheckedLoad, loadAndCheck } from "./load-and-check.ts";

/** What the process that makes the load is asked; it answers with a `LoadReport`. */
export interface LoadOrder extends Omit<CheckedLoad, "makeRequest" | "readNumber"> {
  readonly contestant: string;
}

// Apart from the server and from who measures: what checking the answers costs falls on nobody's CPU but its own.

process.on("message", ({ contestant: name, ...order }: LoadOrder) => {
  const { makeRequest, readNumber } = CONTESTANTS.find((contestant) => contestant.name === name)!;
  void loadAndCheck({ ...order, makeRequest, readNumber }).then((report) => process.send?.(report));
});
process.once("disconnect", () => process.exit());

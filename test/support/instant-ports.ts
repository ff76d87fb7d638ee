import type { StandInPorts } from "../sandbox/upstreams/stand-in.ts";

/** Ports of a stand-in that answers at once, on 2 November 2026. */
export const INSTANT_PORTS: StandInPorts = {
  sleep: () => Promise.resolve(),
  now: () => Date.UTC(2026, 10, 2, 15, 0),
};

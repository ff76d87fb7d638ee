/** The parts of the world that a stand-in needs; tests pass their own and wait for nothing. */
export interface StandInPorts {
  sleep(ms: number): Promise<void>;
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** A pretended provider: a request in, the provider's documented answer out. */
export type StandIn = (request: Request, ports: StandInPorts) => Promise<Response>;

export const REAL_PORTS: StandInPorts = {
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
  now: () => Date.now(),
};

/** The targets that Volley is held to. Ratios of CPU are the baseline's divided by Volley's, in the same round. */
export const TARGETS = {
  /** Against the bare Worker that makes the same fetches, by batch size. */
  cpuRatio: new Map([
    [1, 0.65],
    [3, 0.65],
    [10, 0.65],
    [25, 0.7],
  ]),
  /** One of three calls recorded and in the background, against three plain fetches. */
  jobCpuRatio: 0.28,
  p50OverheadMs: 1.5,
  p99OverheadMs: 4,
  gateCallsPerBatch: 0.05,
  /** CPU until a Worker listens, divided by hono + zod's, and that of its first batch: core with one tool, and every feature. */
  startUp: { "volley-core": { ratio: 1.5, firstMs: 14 }, volley: { ratio: 3.5, firstMs: 22 } },
  /** The bundle with every feature. */
  bundleGzipBytes: 400 * 1024,
  planMicros: 150,
  /** From a delivery's first byte to its 202. */
  webhookP50Ms: 50,
  /** One round of an agent's loop, above a bare Worker that makes the same fetches. */
  agentRoundMs: 3,
  /** The first token of a stream, above a bare Worker that passes it on. */
  firstTokenMs: 2,
  /** Tokens of 200 streams at once that come later than 50 ms after they were written, above the same. */
  stalledTokens: 0,
} as const;

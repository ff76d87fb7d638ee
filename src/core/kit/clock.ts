/**
 * Time as a port: the only way code outside `cloudflare` learns the time or waits.
 *
 * Every rule about time is therefore tested with a virtual clock, exactly and without waiting.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. May go backwards when the machine's clock is set. */
  now(): number;
  /** Run `callback` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

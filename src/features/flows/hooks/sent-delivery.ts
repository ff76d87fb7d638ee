import type { Proofs } from "./proofs.ts";

/** A delivery as it came. */
export interface SentDelivery {
  readonly method: string;
  /** The address as its sender knows it: with the deployment's own origin where that is configured. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  /** Its raw bytes: what is signed is no text, and not what anybody makes of it. */
  readonly body: Uint8Array;
}

/** Where a delivery arrives. */
export interface HookWorld {
  /** The text of the secret that the trigger names; nothing where it is not set. */
  readonly secret: string | undefined;
  readonly nowMs: number;
  readonly proofs: Proofs;
}

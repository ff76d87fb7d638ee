import type { QuotaState } from "../../contract/gate/admission.ts";

/** A batch that ran, and what its admission left of the caller's quota. */
export interface Answer {
  /** Its envelope, or what another dialect has instead. */
  readonly json: string;
  readonly quota: QuotaState | null;
  /** It ran before, under the same idempotency key, and this is the answer that it had then. */
  readonly replayed: boolean;
  /** Answers its request otherwise than with that: it was recorded, and runs later. */
  readonly respond?: ((request: Request, headers: Readonly<Record<string, string>>) => Response) | undefined;
}

import type { AddressInfo } from "node:net";

const origin = process.env["UPSTREAM_ORIGIN"];

/** The call that every contestant makes: JSON of the upstream. */
export async function fetchEcho(n: number): Promise<unknown> {
  const response = await fetch(`${origin}/echo?n=${n}`);
  return await response.json();
}

/** The request to every contestant: the calls of one batch. */
export interface Batch {
  readonly actions: readonly { readonly tool: string; readonly args: { readonly n: number } }[];
}

/** Say where this server listens, and end with the process that started it. */
export function tellPort(address: AddressInfo | string | null): void {
  if (address !== null && typeof address === "object") process.send?.({ port: address.port });
  process.once("disconnect", () => process.exit());
}

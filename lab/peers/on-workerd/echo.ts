import { env } from "cloudflare:workers";

const { UPSTREAM_ORIGIN: origin } = env as unknown as { readonly UPSTREAM_ORIGIN: string };

/** The call that every contestant makes: JSON of the upstream. */
export async function fetchEcho(n: number): Promise<unknown> {
  const response = await fetch(`${origin}/echo?n=${n}`);
  return await response.json();
}

/** The request to every contestant: the calls of one batch. */
export interface Batch {
  readonly actions: readonly { readonly tool: string; readonly args: { readonly n: number } }[];
}

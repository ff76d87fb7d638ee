import { parseArgs } from "node:util";

/** The answer of a deployment that was asked to seal anew. */
interface Resealed {
  readonly sealed: number;
  readonly unreadable: number;
  readonly done: boolean;
}

export interface RotateOptions {
  /** Where the deployment is. */
  readonly url: string;
  /** A key with the flag `operator`. */
  readonly key: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Make a key for the vault: 32 random bytes in base64. */
export function makeVaultKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64");
}

/**
 * Seal all tokens of a deployment under the first key of its `VOLLEY_VAULT_KEY`, which has two while it is changed; from then on the
 * other one can be taken out. May be called again where it broke off.
 */
export async function rotateVault({
  url,
  key,
  fetch = globalThis.fetch,
}: RotateOptions): Promise<Omit<Resealed, "done">> {
  let sealed = 0;
  for (;;) {
    const response = await fetch(new URL("/v1/connections/reseal", url), {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    });
    if (!response.ok) throw new Error(`Cannot rotate the vault: ${response.status} ${await response.text()}`);
    const answer = (await response.json()) as Resealed;
    sealed += answer.sealed;
    if (answer.done) return { sealed, unreadable: answer.unreadable };
  }
}

const USAGE = `npm run vault -- key                 a new key for VOLLEY_VAULT_KEY
npm run vault -- rotate --url URL    seal everything under the first of two keys; VOLLEY_OPERATOR_KEY has a key with the flag operator
`;

if (import.meta.main) {
  const { values, positionals } = parseArgs({ options: { url: { type: "string" } }, allowPositionals: true });
  const { VOLLEY_OPERATOR_KEY: key } = process.env;
  const [command] = positionals;
  if (command === "key") process.stdout.write(`${makeVaultKey()}\n`);
  else if (command === "rotate" && values.url !== undefined && key !== undefined) {
    const { sealed, unreadable } = await rotateVault({ url: values.url, key });
    process.stdout.write(`Sealed anew: ${sealed}. That no key opens: ${unreadable}.\n`);
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
}

import type { Deployment } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { makeVaultKey } from "../vault.ts";
import { askDeployment } from "./ask-deployment.ts";
import { defineCommand } from "./define-command.ts";

/** `volley vault key`: a key under which tokens of connections and secrets of endpoints are kept. */
export const vaultKey = defineCommand({
  words: "vault key",
  summary: "Make a key for VOLLEY_VAULT_KEY",
  about: [
    "To change the key of a deployment, put the new one before the present one with a comma between them, then seal everything anew with volley vault rotate, then take the other one out.",
  ],
  options: {},
  run({ terminal }) {
    const key = makeVaultKey();
    terminal.give({ key });
    terminal.print(key);
    return Promise.resolve(0);
  },
});

/** `volley vault rotate`: seal everything under the first of two keys. */
export const vaultRotate = defineCommand({
  words: "vault rotate",
  summary:
    "Seal the tokens of connections and the secrets of endpoints under the first key of VOLLEY_VAULT_KEY",
  about: [
    "VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key with the flag operator. Once it is done the second key can be taken out, and thirty days later where batches are undone: what an undo keeps stays under it. It may be run again where it broke off.",
  ],
  options: {},
  async run({ terminal, env }) {
    const deployment = readDeployment(env, "operator");
    let [sealed, unreadable] = [0, 0];
    for (const path of SEALED) {
      const counts = await resealAll(path, deployment);
      sealed += counts.sealed;
      unreadable += counts.unreadable;
    }
    terminal.give({ ok: true, sealed, unreadable });
    terminal.print(`Sealed anew: ${sealed}. That no key opens: ${unreadable}.`);
    return 0;
  },
});

/** The paths that seal anew what a feature keeps. */
const SEALED = ["/v1/connections/reseal", "/v1/endpoints/reseal"];

const NOTHING_KEPT = { sealed: 0, unreadable: 0, done: true };

async function resealAll(
  path: string,
  deployment: Deployment,
): Promise<{ readonly sealed: number; readonly unreadable: number }> {
  let sealed = 0;
  for (;;) {
    const answer = await askDeployment(deployment, path, { method: "POST", without: NOTHING_KEPT });
    sealed += Number(answer["sealed"]);
    if (answer["done"] === true) return { sealed, unreadable: Number(answer["unreadable"]) };
  }
}

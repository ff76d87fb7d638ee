/** The platform's module while mutants are tried. Each start of the sandbox has an environment of its own. */
export { DurableObject, DurableObject as WorkerEntrypoint } from "../../test/support/cloudflare-workers.ts";

declare global {
  // Every start loads this module anew.
  // oxlint-disable-next-line no-var
  var volleyEnvironments: Map<string, Record<string, unknown>> | undefined;
}

export const environments = (globalThis.volleyEnvironments ??= new Map<string, Record<string, unknown>>());
export const env = environments.get(new URL(import.meta.url).searchParams.get("start") ?? "") ?? {};

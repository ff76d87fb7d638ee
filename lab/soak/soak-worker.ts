// First, so that nothing has read a limit before it is changed.
import { shortened } from "./shorten-limits.ts";

/*
 * The chaos worker, which is Volley with the probe tools, and forgets sooner: minutes show what takes days where it is
 * deployed. No rule is another one.
 */
export { default, KeyShard, TenantGate, ToolGate, Workspace } from "../../test/chaos/chaos-worker.ts";

// The bundler leaves out unused code.
if (shortened.length === 0)
  throw new Error("Cannot soak: nothing is forgotten sooner, 'SOAK_LIMITS' is missing");

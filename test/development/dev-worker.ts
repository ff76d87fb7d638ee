import { env } from "cloudflare:workers";

import { develop } from "../../src/edge/develop.ts";

/** `own-worker.ts` as `src/dev-worker.ts` serves `src/worker.ts`. */
const served = await develop({ ...env }, async () => {
  const { default: app, ...gates } = await import("./own-worker.ts");
  return { app, ...gates };
});

export default served.app;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;

import { env } from "cloudflare:workers";

import { develop } from "./edge/develop.ts";

/** `worker.ts` on a development server (`npm start`). Never deployed. */
const served = await develop({ ...env }, async () => {
  const { default: app, ...gates } = await import("./worker.ts");
  return { app, ...gates };
});

export default served.app;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
export const Workspace = served.Workspace;
export const KeyShard = served.KeyShard;

import { env } from "cloudflare:workers";

import { develop } from "../../src/cloudflare/develop.ts";

/** `own-worker.ts` as `src/dev-worker.ts` serves `src/worker.ts`. */
const served = await develop(env, () => import("./own-worker.ts"));

export default served.default;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;

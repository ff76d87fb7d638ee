import { env } from "cloudflare:workers";
import { develop } from "volley/dev";

/**
 * `worker.ts` on a development server (`npm run dev`): a declaration that is wrong is said in the terminal and in every answer, and the
 * server goes on with the next save. Never deployed. A class that `wrangler.toml` names besides these is exported here too.
 */
const served = await develop(env, () => import("./worker.ts"));

export default served.default;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
export const KeyShard = served.KeyShard;

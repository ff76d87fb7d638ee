import { env } from "cloudflare:workers";

import { develop } from "./package/dev.ts";

/** `worker.ts` on a development server (`npm start`). Never deployed. */
const served = await develop(env, () => import("./worker.ts"));

export default served.default;
export const TenantGate = served.TenantGate;
export const ToolGate = served.ToolGate;
export const Workspace = served.Workspace;
export const KeyShard = served.KeyShard;
export const RunLog = served.RunLog;
export const OperatorLog = served.OperatorLog;
export const EndpointDirectory = served.EndpointDirectory;
export const EndpointShard = served.EndpointShard;
export const SignInStore = served.SignInStore;
export const ConnectionShard = served.ConnectionShard;

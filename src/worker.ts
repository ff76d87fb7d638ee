import { createVolley } from "./package/index.ts";
import { confirmConnection, publishEvent, SHIPPED_TOOLS } from "./package/tools.ts";
import { discovery } from "./features/discovery/index.ts";
import { formats } from "./features/formats/index.ts";
import { orchestration } from "./features/orchestration/index.ts";
import { mcp } from "./features/mcp/index.ts";
import { agent } from "./features/agent/index.ts";
import { responses } from "./features/responses/index.ts";
import { models } from "./features/models/index.ts";
import { confirmations } from "./features/confirmations/index.ts";
import { addedTools } from "./features/added-tools/index.ts";
import { imports } from "./features/imports/index.ts";
import { flows } from "./features/flows/index.ts";
import { background } from "./features/background/index.ts";
import { keys } from "./features/keys/index.ts";
import { signIn } from "./features/sign-in/index.ts";
import { runs } from "./features/runs/index.ts";
import { operator } from "./features/operator/index.ts";
import { endpoints } from "./features/endpoints/index.ts";
import { connections } from "./features/connections/index.ts";
import { tenantData } from "./features/tenant-data/index.ts";
import { objects } from "./features/objects/index.ts";
import { tokens } from "./features/tokens/index.ts";
import { usage } from "./features/usage/index.ts";
import { undo } from "./features/undo/index.ts";
import { cors } from "./features/cors/index.ts";
import { document } from "./features/document/index.ts";
import { console } from "./features/console/index.ts";
import { docs } from "./features/docs/index.ts";

// Tools that need a binding are added by group, each with its lines of wrangler.toml; a Worker does not contain tools that it does not list:
// import { OPT_IN_TOOLS } from "./package/tools.ts"; // documents, orders, images: docs/data.md; accounts: docs/connections.md
// import { PACK_TOOLS } from "./package/packs.ts"; // a calculator, presentations: docs/packs.md
// import { WORKSPACE_TOOLS } from "./package/packs.ts"; // files and a shell: docs/workspace.md
// import { workspace } from "./features/workspace/index.ts";
// const tools = [...SHIPPED_TOOLS, ...OPT_IN_TOOLS.data, ...OPT_IN_TOOLS.images, ...OPT_IN_TOOLS.accounts, ...PACK_TOOLS, ...WORKSPACE_TOOLS];
// export const Workspace = volley.Workspace;
const volley = createVolley({
  tools: [...SHIPPED_TOOLS, publishEvent, confirmConnection],
  features: [
    discovery(),
    formats(),
    orchestration(),
    mcp(),
    agent(),
    responses(),
    models(),
    confirmations(),
    addedTools(),
    imports(),
    flows(),
    background(),
    keys(),
    signIn(),
    runs(),
    operator(),
    endpoints(),
    connections(),
    tenantData(),
    objects(),
    tokens(),
    usage(),
    undo(),
    cors(),
    document(),
    console(),
    docs(),
    // workspace(),
  ],
});

export default volley.app;
export const TenantGate = volley.TenantGate;
export const ToolGate = volley.ToolGate;
export const KeyShard = volley.KeyShard;
export const RunLog = volley.RunLog;
export const OperatorLog = volley.OperatorLog;
export const EndpointDirectory = volley.EndpointDirectory;
export const EndpointShard = volley.EndpointShard;
export const SignInStore = volley.SignInStore;
export const ConnectionShard = volley.ConnectionShard;

import { decideConfirmation, listConfirmations, showConfirmation } from "./confirmations.ts";
import type { Endpoint } from "../openapi/endpoint.ts";
import { executeActions } from "./execute-actions.ts";
import { FLOW_ENDPOINTS } from "../manage/flows.ts";
import { deleteTenant } from "../manage/delete-tenant.ts";
import { exportAll } from "../manage/export.ts";
import { KEY_ENDPOINTS } from "../manage/keys.ts";
import { importTools } from "../manage/import-tools.ts";
import { invokeTool } from "./invoke-tool.ts";
import { cancelJob, listJobs, redriveJob, redriveJobs, showJob } from "./jobs.ts";
import { listTools } from "./list-tools.ts";
import { deleteTool, putTool, showTool } from "../manage/manage-tools.ts";
import { MODEL_ENDPOINTS } from "./model-requests.ts";
import { answerDiscovery, answerToolSchema } from "./meta-tools.ts";
import { showObject } from "./objects.ts";
import { describeEndpoints } from "./openapi.ts";
import { orchestrateBatch, orchestratePartition } from "./orchestration.ts";
import { runFlow } from "./run-flow.ts";
import { showUsage } from "./show-usage.ts";
import { TURNS } from "./turns.ts";

/** Every path and method that is answered and described. `/mcp` and `/healthz` stand beside them in the app. */
export const ENDPOINTS: readonly Endpoint[] = [
  executeActions,
  answerDiscovery,
  answerToolSchema,
  invokeTool,
  listTools,
  showTool,
  putTool,
  deleteTool,
  importTools,
  ...FLOW_ENDPOINTS,
  runFlow,
  ...KEY_ENDPOINTS,
  exportAll,
  deleteTenant,
  listJobs,
  showJob,
  cancelJob,
  redriveJob,
  redriveJobs,
  listConfirmations,
  showConfirmation,
  decideConfirmation,
  showUsage,
  showObject,
  ...TURNS,
  ...MODEL_ENDPOINTS,
  orchestrateBatch,
  orchestratePartition,
  describeEndpoints(() => ENDPOINTS),
];

import { connectorsAdd } from "./connectors.ts";
import type { Command } from "./define-command.ts";
import { deploy } from "./deploy.ts";
import { dev } from "./dev.ts";
import { doctor } from "./doctor.ts";
import { endpointsImport, endpointsList } from "./endpoints.ts";
import { exportTenant } from "./export.ts";
import { flowsDiff, flowsPull, flowsPush } from "./flows.ts";
import { hooksTry } from "./hooks.ts";
import { key } from "./key.ts";
import { listen } from "./listen.ts";
import { restore } from "./restore.ts";
import { toolsCheck, toolsList } from "./tools.ts";
import { vaultKey, vaultRotate } from "./vault.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  dev,
  key,
  toolsList,
  toolsCheck,
  flowsPull,
  flowsDiff,
  flowsPush,
  hooksTry,
  connectorsAdd,
  listen,
  endpointsList,
  endpointsImport,
  exportTenant,
  restore,
  vaultKey,
  vaultRotate,
  deploy,
  doctor,
];

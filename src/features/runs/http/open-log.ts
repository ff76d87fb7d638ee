import { routesOf } from "../../../cloudflare/openapi/route.ts";
import { visibleTools } from "../../../feature/tenant.ts";
import type { RequestContext } from "../../../feature/answer.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { RUN_LOGS } from "../run.ts";
import type { Sight, RunLog } from "../run-log-methods.ts";
import { runDeskOf } from "./run-desk.ts";

/** There is no such run in the caller's tenant, or none for this key. */
export const NO_RUN = makeRefusal(
  "NOT_FOUND",
  "There is no run of that id; a run is seen within two seconds of its answer, and kept for some days.",
);

export function openLog({ caller, configured }: RequestContext): Result<RunLog, Refusal> {
  const log = runDeskOf(configured).logOf(caller);
  return log === null ? err(NO_LOG) : ok(log);
}

const NO_LOG = makeRefusal(
  "MISCONFIGURED",
  `This deployment keeps no runs; its operator has to bind the class RunLog as ${RUN_LOGS}.`,
);

/** Make a path that runs nothing and asks the log. */
export const routeOf = routesOf({ tag: "Runs", open: openLog, refusals: ["MISCONFIGURED"] });

export function sightOf(context: RequestContext): Sight {
  const { name: key, subject } = context.caller;
  return { key, tools: visibleTools(context), subject };
}

export const UNREADABLE = "The tenant's runs could not be read; ask again.";

import type { Feature } from "../../edge/feature.ts";
import type { KeptFlow } from "./declaration/flow-schema.ts";
import { runFlowEndpoint } from "./http/run-flow.ts";
import { makeRun } from "./run/make-run.ts";
import { runFlow } from "./run/run-flow.ts";
import { FLOW_ENDPOINTS } from "./http/endpoints.ts";
import { makeHookOperation } from "./http/hook-operation.ts";

/** Batches with a name, that run when asked, by the clock or by a webhook. */
export function flows(): Feature {
  return {
    name: "flows",
    needs: ["added-tools", "confirmations"],
    endpoints: [...FLOW_ENDPOINTS, runFlowEndpoint],
    routes: [
      {
        method: "POST",
        path: "/hooks/:tenant/:id",
        async open(request, { params: { tenant = "", id: name = "" }, requestId, defer, deployment }) {
          const { answerHook } = await import("./http/answer-hook.ts");
          return answerHook({ request, tenant, name, requestId, defer }, deployment);
        },
        describe: makeHookOperation,
      },
    ],
    flows: {
      async loadCompiler() {
        const { toFlowTool } = await import("./declaration/flow-tool.ts");
        return (kept) => toFlowTool(kept as KeptFlow);
      },
      run: runFlow,
      async attemptRun(claim, deployment, options) {
        const { attemptRun } = await import("./http/attempt-run.ts");
        await attemptRun(claim, deployment, options);
      },
      async loadLook() {
        const { dueClock } = await import("./clock/due-clocks.ts");
        return dueClock;
      },
      makeRun: (clocked) =>
        makeRun({
          ...clocked,
          trigger: "cron",
          kept: JSON.parse(clocked.toolJson) as KeptFlow,
          inputJson: "{}",
        }),
    },
  };
}

import { runFlow } from "./http/run-flow.ts";
import type { Feature } from "../../edge/feature.ts";
import { FLOW_ENDPOINTS } from "./http/endpoints.ts";
import { makeHookOperation } from "./http/hook-operation.ts";

/** Batches with a name, that run when asked, by the clock or by a webhook. */
export function flows(): Feature {
  return {
    name: "flows",
    needs: ["added-tools"],
    endpoints: [...FLOW_ENDPOINTS, runFlow],
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
    async attemptRun(claim, deployment, options) {
      const { attemptRun } = await import("./http/attempt-run.ts");
      await attemptRun(claim, deployment, options);
    },
  };
}

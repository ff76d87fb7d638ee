import { parseBatch } from "../../../src/core/contract/batch.ts";
import { execute } from "../../../src/core/run/execute/executor.ts";
import { TestWorld } from "../../../test/support/execute-batch.ts";
import { valueOf } from "../../../test/support/unwrap.ts";
import { ORIGIN, type Place, solve, type Solved, WAYS } from "./measure-tasks.ts";
import { answerCall, PUBLISHED_TASKS, TOOL_MS } from "./published-tasks.ts";
import { makeTaskTools } from "./task-tools.ts";

/** Solve every task in every way, in virtual time, Volley with its real executor. The same figures each time. */
export async function solveAll(): Promise<readonly Solved[]> {
  const solved: Solved[] = [];
  for (const task of PUBLISHED_TASKS)
    for (const way of WAYS) {
      const world = new TestWorld();
      solved.push(await world.clock.runUntil(solve(task, way, placeIn(world))));
    }
  return solved;
}

function placeIn(world: TestWorld): Place {
  const { clock } = world;
  world.fetch = async (url) => {
    const { pathname, searchParams } = new URL(url);
    const tool = pathname === "/math" ? "math" : "search";
    await clock.sleep(TOOL_MS[tool]);
    return Response.json(answerCall(tool, { entity: searchParams.get("entity") ?? "" }));
  };
  const tools = makeTaskTools(ORIGIN);
  return {
    now: () => clock.now(),
    sleep: (ms) => clock.sleep(ms),
    call: async ({ tool, args }) => {
      await clock.sleep(TOOL_MS[tool]);
      return answerCall(tool, args);
    },
    execute: async (actions) => {
      const batch = valueOf(parseBatch({ actions }, 1_000));
      const { json } = valueOf(await execute(batch, world.execution(tools)));
      if (!json.includes(`"ok":${actions.length},`)) throw new Error(`Cannot solve: ${json}`);
      return json;
    },
  };
}

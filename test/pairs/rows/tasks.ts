import type { RowOf } from "../matrix.ts";

export const row: RowOf<"tasks"> = {
  "sign-in": {
    risk: "a program that was narrowed polls the tasks of its whole key",
    test: "test/harness/mcp-tasks.test.ts",
    title: "T51 has tasks of its own batches and calls, and sees none of its key",
    tries: ["T51"],
  },
  subjects: {
    risk: "the task of one person is found by another",
    test: "test/features/mcp/http/accounts.test.ts",
    title: "T52 The task of a %s is found for the subject that it was made for alone",
    tries: ["T52"],
  },
  connections: {
    risk: "a task does not say that an account is missing",
    test: "test/features/mcp/http/accounts.test.ts",
    title:
      "A batch in the background that misses an account asks for it by its task, and has its results by itself",
    tries: [],
  },
  park: {
    risk: "a task waits on when the account is there",
    test: "test/features/mcp/http/accounts.test.ts",
    title:
      "is a task that requires input where the client has tasks and leads its person to the link; it goes on by itself",
    tries: [],
  },
  "made keys": {
    risk: "a key that gets the name of a revoked one reads its tasks",
    test: "test/pairs/tasks.test.ts",
    title: "T49 the task of a made key is none for the key that gets its name with fewer tools",
    tries: ["T49"],
  },
  runs: {
    risk: "a run says success where the task of its job says failed",
    test: "test/pairs/tasks.test.ts",
    title: "a job that died is a failed task, and makes the run of its call an error",
    tries: ["T22"],
  },
  rerun: {
    risk: "a rerun cannot be polled, or its task lacks what the first has done",
    test: "test/pairs/tasks.test.ts",
    title:
      "the rerun of a batch that was a task is a task by its own job, and answers what was done from the first",
    tries: ["T56"],
  },
  undo: {
    risk: "the task of a batch that was undone says that its writes stand",
    test: "test/pairs/tasks.test.ts",
    title: "the task of a batch that was undone has what was taken back in its answer",
    tries: ["P9"],
  },
  endpoints: {
    apart:
      "a task is a job or a kept call that is looked at when it is polled: an endpoint is told of the job",
    file: "src/features/mcp/http/find-task.ts",
    line: "const find = isCallName(id) ? findCallTask : findJobTask;",
  },
  portal: {
    apart: "a portal link reaches its own customer's endpoints and deliveries, and no task",
    file: "src/features/endpoints/http/portal.ts",
    line: "for (const [method, path, answer] of PATHS)",
  },
  operator: {
    risk: "the task of a job that who operates redrives stays failed",
    test: "test/pairs/tasks.test.ts",
    title: "the task of a dead job works again where who operates redrives it, and then has its result",
    tries: ["T22"],
  },
  "export and restore": {
    apart: "a task is looked up among jobs and results, of which an export has none",
    file: "src/features/tenant-data/http/export.ts",
    line: "const exported = await exportJson(context, from);",
  },
  deletion: {
    risk: "the task of a tenant that is gone is found",
    test: "test/pairs/tasks.test.ts",
    title: "T03 no task is left of a tenant that was deleted",
    tries: ["T03"],
  },
  "vault rotation": {
    apart: "a task is told anew by every look; what is sealed has an owner and a use, and no task is one",
    file: "src/cloudflare/vault.ts",
    line: "export type SealedFor = readonly [tenant: string, ...owner: string[], use: string];",
  },
};

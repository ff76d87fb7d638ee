/** The place of an operation in a client, in camel case: `client.api.<group>.<name>`. */
export interface OperationName {
  readonly group: string;
  readonly name: string;
}

/** Paths whose own words make no good name. */
const NAMED: Readonly<Record<string, string>> = {
  "GET /healthz": "about.health",
  "GET /openapi.json": "about.document",
  "GET /v1/usage": "usage.get",
  "GET /v1/export": "tenant.export",
  "POST /v1/tenant/delete": "tenant.delete",
  "POST /v1/execute_actions": "batches.execute",
  "POST /v1/discover_tools": "tools.discover",
  "POST /v1/get_tool_schema": "tools.schema",
  "POST /v1/invoke_tool": "tools.invoke",
  "POST /v1/tools/import": "tools.import",
  "POST /v1/openai/tool_calls": "turns.openaiChat",
  "POST /v1/openai/function_calls": "turns.openaiResponses",
  "POST /v1/anthropic/tool_use": "turns.anthropic",
  "POST /v1/gemini/function_calls": "turns.gemini",
  "POST /v1/chat/completions": "agent.chatCompletions",
  "POST /v1/messages": "agent.messages",
  "POST /v1/messages/count_tokens": "agent.countTokens",
  "POST /v1/responses": "agent.responses",
  "POST /api/orchestration/batch": "orchestration.batch",
  "POST /api/orchestration/partition": "orchestration.partition",
  "GET /v1/operator/overview": "operator.overview",
  "POST /v1/operator/redrive": "operator.redrive",
  "POST /v1/jobs/redrive": "jobs.redriveMany",
  "PUT /v1/runs": "runs.restore",
  "POST /v1/runs/rerun": "runs.rerunMany",
  "POST /v1/runs/cancel": "runs.cancelMany",
  "POST /v1/confirmations/{id}": "confirmations.decide",
  "POST /v1/connections/confirm": "connections.confirmCode",
  "POST /v1/events": "events.publish",
  "POST /v1/events/batch": "events.publishBatch",
};

/** The names of what is done with a whole list, and with one of it. */
const ON_LIST: Readonly<Record<string, string>> = { GET: "list", POST: "create", DELETE: "delete" };
const ON_ONE: Readonly<Record<string, string>> = {
  GET: "get",
  PUT: "put",
  PATCH: "update",
  DELETE: "delete",
};

/**
 * Name an operation by its path: `GET /v1/runs` is `runs.list`, `PUT /v1/flows/{id}` is `flows.put`, and
 * `POST /v1/endpoints/{id}/rotate` is `endpoints.rotate`. Throws for a path that fits none of these and has no name of its own.
 */
export function nameOperation(method: string, path: string): OperationName {
  const route = `${method} ${path}`;
  const [group = "", name = ""] = (NAMED[route] ?? nameByPath(method, path)).split(".");
  if (name === "") throw new Error(`${route} has no name in the clients: add it to NAMED`);
  return { group, name };
}

function nameByPath(method: string, path: string): string {
  const [, list, id, action] = /^\/v1\/(\w+)(?:\/(\{\w+\}))?(?:\/(\w+))?$/.exec(path) ?? [];
  const name = action ?? (id === undefined ? ON_LIST : ON_ONE)[method];
  return list === undefined || name === undefined ? "" : `${toCamel(list)}.${toCamel(name)}`;
}

function toCamel(words: string): string {
  return words.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

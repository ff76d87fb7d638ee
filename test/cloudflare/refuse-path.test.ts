import { expect, test } from "vitest";

import { refusePath } from "../../src/cloudflare/http/refuse-path.ts";

const ROUTES = [
  "POST /v1/execute_actions",
  "POST /v1/discover_tools",
  "GET /v1/tools",
  "GET /v1/jobs",
  "GET /v1/jobs/:id",
  "POST /v1/jobs/:id/cancel",
  "GET /v1/confirmations/:id",
  "POST /v1/confirmations/:id",
  "POST /api/orchestration/batch",
  "GET /openapi.json",
  "GET /healthz",
  "POST /mcp",
  "POST /hooks/:tenant/:id",
];

test.each([
  ["POST", "/execute_actions", "POST /v1/execute_actions"],
  ["POST", "/v1/execute_actions/", "POST /v1/execute_actions"],
  ["POST", "//v1//execute_actions", "POST /v1/execute_actions"],
  ["POST", "/V1/EXECUTE_ACTIONS", "POST /v1/execute_actions"],
  ["POST", "/v1/execute-actions", "POST /v1/execute_actions"],
  ["POST", "/v1/executeActions", "POST /v1/execute_actions"],
  ["POST", "/v1/exeute_actions", "POST /v1/execute_actions"],
  ["POST", "/v2/execute_actions", "POST /v1/execute_actions"],
  ["POST", "/api/v1/execute_actions", "POST /v1/execute_actions"],
  ["POST", "/v1/execute", "POST /v1/execute_actions"],
  ["GET", "/v1/tool", "GET /v1/tools"],
  ["GET", "/tools", "GET /v1/tools"],
  ["GET", "/v1/job/0190-abc", "GET /v1/jobs/{id}"],
  ["POST", "/v1/jobs/0190-abc/cancle", "POST /v1/jobs/{id}/cancel"],
  ["POST", "/v1/confirmation/0190-abc", "POST /v1/confirmations/{id}"],
  ["GET", "/v1/confirmation/0190-abc", "GET /v1/confirmations/{id}"],
  ["GET", "/health", "GET /healthz"],
  ["GET", "/openapi", "GET /openapi.json"],
  ["POST", "/mcp/", "POST /mcp"],
  ["POST", "/hook/acme/orders", "POST /hooks/{tenant}/{id}"],
])("refusePath() takes %s %s for %s", (method, path, meant) => {
  const { code, hint } = refusePath(new Request(`https://volley.test${path}?secret=1`, { method }), ROUTES);
  expect(code).toBe("NOT_FOUND");
  expect(hint).toContain(`did you mean ${meant}?`);
  expect(hint).toContain("GET /openapi.json lists every path");
  expect(hint).not.toContain("secret");
});

test.each([
  "/",
  "/favicon.ico",
  "/wp-admin/setup.php",
  "/v1/threads/thread_0123456789",
  `/${"x".repeat(8_000)}`,
])("refusePath() guesses nothing for %s", (path) => {
  const { hint } = refusePath(new Request(`https://volley.test${path}`), ROUTES);
  expect(hint).toBe(
    "No such path; POST /v1/execute_actions runs things, and GET /openapi.json lists every path.",
  );
});

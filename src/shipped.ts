// Written by `npm run shipped` from the declarations of the features.
type Words = Readonly<Record<string, string>>;

/** The feature that a flag of a key, a variable, a tool's binding or need and a field of its contract take: a Worker that does not list it has no other way to know. */
export const SHIPPED: Readonly<Record<"flags" | "variables" | "needs" | "contract", Words>> = {
  flags: {
    approve: "confirmations",
    skip_approval: "confirmations",
    manage_tools: "added-tools",
    manage_keys: "keys",
    manage_endpoints: "endpoints",
    manage_connections: "connections",
    operator: "operator",
  },
  variables: {
    VOLLEY_HOSTS: "mcp",
    LLM_BASE_URL: "agent",
    ANTHROPIC_BASE_URL: "agent",
    VOLLEY_CONFIRMATION_TTL_S: "confirmations",
    VOLLEY_APPROVERS: "confirmations",
    VOLLEY_MAIL_FROM: "confirmations",
    VOLLEY_TOOL_SECRETS: "added-tools",
    VOLLEY_TOOL_PORTS: "added-tools",
    VOLLEY_IDENTITY: "sign-in",
    VOLLEY_RUNS: "runs",
    VOLLEY_RUNS_DAYS: "runs",
    VOLLEY_PORTAL: "endpoints",
    VOLLEY_CONNECTORS: "connections",
  },
  needs: {
    approval: "confirmations",
    ENDPOINTS: "endpoints",
    accounts: "connections",
    OBJECTS: "objects",
    WORKSPACES: "workspace",
  },
  contract: { compensate: "undo" },
};

/** The flags of keys, each with its right in words. */
export const SHIPPED_FLAGS: Words = {
  approve: "Can approve",
  skip_approval: "Can skip approval",
  manage_tools: "Can add tools and flows",
  manage_keys: "Can make and revoke keys",
  manage_endpoints: "Can manage endpoints and publish events",
  manage_connections: "Can manage connected accounts",
  operator: "Can see all tenants",
};

/** The classes of Durable Objects. */
export const SHIPPED_OBJECTS = [
  { className: "KeyShard", binding: "KEYS", tag: "v9" },
  { className: "SignInStore", binding: "SIGN_INS", tag: "v9" },
  { className: "RunLog", binding: "RUNS", tag: "v9" },
  { className: "OperatorLog", binding: "OPERATOR", tag: "v9" },
  { className: "EndpointDirectory", binding: "ENDPOINTS", tag: "v9" },
  { className: "EndpointShard", binding: "ENDPOINT_SHARDS", tag: "v9" },
  { className: "ConnectionShard", binding: "CONNECTIONS", tag: "v9" },
  { className: "Workspace", binding: "WORKSPACES", tag: "v10" },
];

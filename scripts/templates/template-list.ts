/** A template of a project: its folder in `templates`, and what its files are generated from. */
export interface Template {
  readonly name: string;
  /** The project's own name, until its author gives another. */
  readonly project: string;
  /** The classes of Durable Objects that its features bring. */
  readonly objects: readonly string[];
  /** The name of a key-value namespace of its tools. */
  readonly store?: string;
  readonly vars?: Readonly<Record<string, string>>;
}

/** The templates, in the order in which they are offered. */
export const TEMPLATES: readonly Template[] = [
  { name: "starter", project: "my-volley", objects: ["KeyShard", "RunLog"], store: "BOOKINGS" },
  {
    name: "agent-backend",
    project: "my-agent-backend",
    objects: ["KeyShard", "RunLog"],
    store: "TICKETS",
    vars: { LLM_BASE_URL: "https://api.openai.com/v1", LLM_MODEL: "gpt-5.4-mini" },
  },
  {
    name: "webhook-fan-out",
    project: "my-webhooks",
    objects: ["KeyShard", "RunLog", "EndpointDirectory", "EndpointShard"],
    store: "ORDERS",
  },
  { name: "mcp-gateway", project: "my-mcp-gateway", objects: ["KeyShard"] },
];

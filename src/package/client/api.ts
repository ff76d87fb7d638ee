// Written by `npm run clients` from the document of the API (`/openapi.json`).
import type { KeyedOptions, RequestOptions } from "./request-options.ts";

/** Every path of the API, by group and name. Each method rejects with a `VolleyError`, or with its signal's reason. */
export interface Api {
  readonly about: {
    /** This document: `GET /openapi.json` */
    document(options?: RequestOptions): Promise<OpenApiDocument>;
    /** Say whether the configuration can be read: `GET /healthz` */
    health(options?: RequestOptions): Promise<{
      readonly status: "ok";
    }>;
  };
  readonly agent: {
    /** Ask a model, as OpenAI's Chat Completions, and run the tools that it calls: `POST /v1/chat/completions` */
    chatCompletions(
      body: {
        readonly messages: readonly Readonly<Record<string, unknown>>[];
        readonly stream?: boolean;
        readonly volley?: {
          readonly strategy?: "act" | "react" | "think-act";
          /** How much of the catalog the model is told: auto unless said, flat for react. auto is batch while its schema has at most 4000 tokens, else meta */
          readonly surface?: "auto" | "batch" | "meta" | "flat";
          /** Names of tools or categories; all that the key may call unless said */
          readonly tools?: readonly string[];
          readonly max_rounds?: number;
          readonly deadline_ms?: number;
          /** For the data of all results of one round together; 250000 at most */
          readonly max_tokens?: number;
          readonly skip_approval?: boolean;
          readonly tags?: readonly string[];
          /** Whose accounts its tools use; the header Volley-Subject wins */
          readonly subject?: string;
          /** Which of several accounts, by connector; the one named default unless said */
          readonly connections?: Readonly<Record<string, string>>;
          /** park: an action that misses an account waits until it is connected, and what needs it too */
          readonly on_connection?: "park" | "error";
        };
        readonly [more: string]: unknown;
      },
      options?: KeyedOptions,
    ): Promise<ModelAnswer>;
    /** Count the tokens of a conversation, as Anthropic does; Volley's tools are not in it: `POST /v1/messages/count_tokens` */
    countTokens(
      body: CountedConversation,
      options?: RequestOptions,
    ): Promise<{
      readonly input_tokens: number;
      readonly [more: string]: unknown;
    }>;
    /** Ask a model, as Anthropic's Messages, and run the tools that it calls: `POST /v1/messages` */
    messages(
      body: {
        readonly messages: readonly Readonly<Record<string, unknown>>[];
        readonly stream?: boolean;
        readonly volley?: {
          readonly strategy?: "act" | "react" | "think-act";
          /** How much of the catalog the model is told: auto unless said, flat for react. auto is batch while its schema has at most 4000 tokens, else meta */
          readonly surface?: "auto" | "batch" | "meta" | "flat";
          /** Names of tools or categories; all that the key may call unless said */
          readonly tools?: readonly string[];
          readonly max_rounds?: number;
          readonly deadline_ms?: number;
          /** For the data of all results of one round together; 250000 at most */
          readonly max_tokens?: number;
          readonly skip_approval?: boolean;
          readonly tags?: readonly string[];
          /** Whose accounts its tools use; the header Volley-Subject wins */
          readonly subject?: string;
          /** Which of several accounts, by connector; the one named default unless said */
          readonly connections?: Readonly<Record<string, string>>;
          /** park: an action that misses an account waits until it is connected, and what needs it too */
          readonly on_connection?: "park" | "error";
        };
        /** A thread is answered 404 when it goes on, so that the client sends the whole conversation */
        readonly thread?: unknown;
        readonly [more: string]: unknown;
      },
      options?: KeyedOptions,
    ): Promise<ModelAnswer>;
    /** Ask a model, as OpenAI's Responses, and run the tools that it calls: `POST /v1/responses` */
    responses(
      body: {
        readonly input: string | readonly Readonly<Record<string, unknown>>[];
        readonly stream?: boolean;
        readonly store?: false | null;
        readonly background?: false | null;
        /** Nothing is kept here under an id */
        readonly previous_response_id?: null;
        /** Nothing is kept here under an id */
        readonly conversation?: null;
        readonly volley?: {
          readonly strategy?: "act" | "react" | "think-act";
          /** How much of the catalog the model is told: auto unless said, flat for react. auto is batch while its schema has at most 4000 tokens, else meta */
          readonly surface?: "auto" | "batch" | "meta" | "flat";
          /** Names of tools or categories; all that the key may call unless said */
          readonly tools?: readonly string[];
          readonly max_rounds?: number;
          readonly deadline_ms?: number;
          /** For the data of all results of one round together; 250000 at most */
          readonly max_tokens?: number;
          readonly skip_approval?: boolean;
          readonly tags?: readonly string[];
          /** Whose accounts its tools use; the header Volley-Subject wins */
          readonly subject?: string;
          /** Which of several accounts, by connector; the one named default unless said */
          readonly connections?: Readonly<Record<string, string>>;
          /** park: an action that misses an account waits until it is connected, and what needs it too */
          readonly on_connection?: "park" | "error";
        };
        readonly [more: string]: unknown;
      },
      options?: KeyedOptions,
    ): Promise<ModelAnswer>;
  };
  readonly batches: {
    /** Run a batch of actions and answer each of them: `POST /v1/execute_actions` */
    execute(body: Batch, options?: KeyedOptions): Promise<Execution | RecordedBatch>;
  };
  readonly confirmations: {
    /** Say a person's yes, which runs what was parked, or no: `POST /v1/confirmations/{id}` */
    decide(id: string, body: Decision, options?: KeyedOptions): Promise<Envelope>;
    /** Show what a person's yes would run: `GET /v1/confirmations/{id}` */
    get(
      id: string,
      query?: {
        readonly wait_s?: number;
      },
      options?: RequestOptions,
    ): Promise<Confirmation>;
    /** Make a link by which a person without a key decides, once and under a name: `POST /v1/confirmations/{id}/link` */
    link(id: string, body: NewLink, options?: RequestOptions): Promise<ApprovalLink>;
    /** End all links of a question, that of its event among them: `DELETE /v1/confirmations/{id}/links` */
    links(id: string, options?: RequestOptions): Promise<void>;
    /** List what waits, or waited, for a person's yes, newest first: `GET /v1/confirmations` */
    list(
      query?: {
        readonly status?: "waiting" | "pending" | "running" | "done" | "rejected" | "expired";
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<ConfirmationPage>;
  };
  readonly connections: {
    /** Say who came back from the provider: the right subject makes the connection active, another one ends it: `POST /v1/connections/{id}/confirm` */
    confirm(id: string, body: ConnectionConfirmation, options?: RequestOptions): Promise<Connection>;
    /** Connect an account of a subject: make the link that the person opens, or keep the subject's key: `POST /v1/connections` */
    create(body: ConnectionWish, options?: RequestOptions): Promise<StartedConnection>;
    /** End a connection: its tokens are forgotten, and taken back at the provider where it can be: `DELETE /v1/connections/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Show a connection: `GET /v1/connections/{id}` */
    get(
      id: string,
      query?: {
        readonly wait_s?: number;
      },
      options?: RequestOptions,
    ): Promise<Connection>;
    /** List connections, the newest first: `GET /v1/connections` */
    list(
      query?: {
        readonly subject?: string;
        readonly connector?: string;
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<ConnectionPage>;
    /** Seal the tokens of all connections under the vault's first key: `POST /v1/connections/reseal` */
    reseal(options?: RequestOptions): Promise<ResealedConnections>;
  };
  readonly deliveries: {
    /** Show a delivery with its attempts: `GET /v1/deliveries/{id}` */
    get(id: string, options?: RequestOptions): Promise<Delivery>;
    /** List deliveries, the latest event first: `GET /v1/deliveries` */
    list(
      query?: {
        readonly endpoint?: string;
        readonly event?: string;
        readonly run?: string;
        readonly status?: "pending" | "retrying" | "delivered" | "failed" | "discarded";
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<DeliveryPage>;
    /** Deliver an event to its endpoint once more, to its present address: `POST /v1/deliveries/{id}/resend` */
    resend(
      id: string,
      options?: RequestOptions,
    ): Promise<{
      readonly delivery_id: string;
      readonly status: "pending";
    }>;
  };
  readonly endpoints: {
    /** Delete an endpoint; what waits for it is discarded: `DELETE /v1/endpoints/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Show an endpoint, and how its last day went: `GET /v1/endpoints/{id}` */
    get(id: string, options?: RequestOptions): Promise<WholeEndpoint>;
    /** List endpoints, the newest first: `GET /v1/endpoints` */
    list(
      query?: {
        readonly customer?: string;
        readonly state?: "active" | "paused" | "disabled";
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<EndpointPage>;
    /** Keep an endpoint under an id, or replace the one that has it: `PUT /v1/endpoints/{id}` */
    put(id: string, body: EndpointRequest, options?: RequestOptions): Promise<WholeEndpoint>;
    /** Deliver again what failed in a time: `POST /v1/endpoints/{id}/recover` */
    recover(
      id: string,
      body: {
        /** Events published since */
        readonly since: string;
        readonly until?: string;
        /** Also what was never tried, because it was paused or disabled */
        readonly all?: boolean;
      },
      options?: RequestOptions,
    ): Promise<{
      readonly deliveries: number;
    }>;
    /** Seal the secrets of all endpoints under the vault's first key: `POST /v1/endpoints/reseal` */
    reseal(options?: RequestOptions): Promise<ResealedEndpoints>;
    /** Give an endpoint another secret; both sign for a while: `POST /v1/endpoints/{id}/rotate` */
    rotate(
      id: string,
      body?: {
        /** How long both secrets sign; a day unless said */
        readonly overlap_s?: number;
      },
      options?: RequestOptions,
    ): Promise<WholeEndpoint>;
    /** Send an example to one endpoint: `POST /v1/endpoints/{id}/test` */
    test(
      id: string,
      body?: {
        /** Whose example is sent; the first that the endpoint asks for by name unless said */
        readonly type?: string;
      },
      options?: RequestOptions,
    ): Promise<{
      readonly event_id: string;
    }>;
    /** Change fields of an endpoint; `paused: false` makes a disabled one active: `PATCH /v1/endpoints/{id}` */
    update(id: string, body: EndpointChange, options?: RequestOptions): Promise<WholeEndpoint>;
  };
  readonly eventTypes: {
    /** Forget a type's description; events of it stay free: `DELETE /v1/event_types/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Show a described type: `GET /v1/event_types/{id}` */
    get(id: string, options?: RequestOptions): Promise<EventType>;
    /** List the described types of events: `GET /v1/event_types` */
    list(
      query?: {
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<EventTypePage>;
    /** Describe a type of events; what is published under it must fit its schema: `PUT /v1/event_types/{id}` */
    put(id: string, body: EventTypeRequest, options?: RequestOptions): Promise<EventType>;
  };
  readonly events: {
    /** Show an event, and how many of its deliveries have each status: `GET /v1/events/{id}` */
    get(id: string, options?: RequestOptions): Promise<PublishedEvent>;
    /** List published events, the latest first: `GET /v1/events` */
    list(
      query?: {
        readonly type?: string;
        readonly customer?: string;
        readonly since?: string;
        readonly until?: string;
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<{
      readonly events: readonly PublishedEvent[];
      readonly next_cursor: string | null;
    }>;
    /** Publish an event to the endpoints that ask for it: `POST /v1/events` */
    publish(body: PublishRequest, options?: KeyedOptions): Promise<Published>;
  };
  readonly flows: {
    /** Delete a flow: `DELETE /v1/flows/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Show a flow, with its plan: `GET /v1/flows/{id}` */
    get(id: string, options?: RequestOptions): Promise<ShownFlow>;
    /** List the flows that the key may call: `GET /v1/flows` */
    list(options?: RequestOptions): Promise<FlowList>;
    /** Keep a batch under a name, as a tool of the tenant's own, or replace one: `PUT /v1/flows/{id}` */
    put(id: string, body: Flow, options?: RequestOptions): Promise<KeptFlow>;
    /** Run a flow with an input: `POST /v1/flows/{id}/run` */
    run(
      id: string,
      body?: {
        readonly input?: Readonly<Record<string, unknown>>;
        readonly deadline_ms?: number;
        readonly max_tokens?: number;
        readonly dry_run?: boolean;
        readonly skip_approval?: boolean;
        readonly callback_url?: string;
        readonly progress?: boolean;
        readonly tags?: readonly string[];
        /** Whose accounts its tools use; the header Volley-Subject wins */
        readonly subject?: string;
        /** Which of several accounts, by connector; the one named default unless said */
        readonly connections?: Readonly<Record<string, string>>;
        /** park: an action that misses an account waits until it is connected, and what needs it too */
        readonly on_connection?: "park" | "error";
      },
      options?: KeyedOptions,
    ): Promise<FlowAnswer>;
  };
  readonly jobs: {
    /** Cancel a job that is not over: `POST /v1/jobs/{id}/cancel` */
    cancel(id: string, options?: RequestOptions): Promise<Job>;
    /** Show what became of background work: `GET /v1/jobs/{id}` */
    get(
      id: string,
      query?: {
        readonly wait_s?: number;
      },
      options?: RequestOptions,
    ): Promise<Job>;
    /** List background jobs, newest first: `GET /v1/jobs` */
    list(
      query?: {
        readonly status?: "running" | "retrying" | "succeeded" | "failed" | "dead" | "cancelled" | "unknown";
        readonly tool?: string;
        readonly batch_id?: string;
        readonly since?: string;
        readonly until?: string;
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<JobPage>;
    /** Give a dead job new attempts: `POST /v1/jobs/{id}/redrive` */
    redrive(id: string, options?: RequestOptions): Promise<Job>;
    /** Give dead jobs new attempts: `POST /v1/jobs/redrive` */
    redriveMany(body: RedriveJobs, options?: RequestOptions): Promise<RedrivenJobs>;
    /** The results of a batch in the background, in pages: `GET /v1/jobs/{id}/results` */
    results(
      id: string,
      query?: {
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<ResultPage>;
  };
  readonly keys: {
    /** Make a key, or with `overlap_s` another one of a name that has one: `POST /v1/keys` */
    create(body: KeyRequest, options?: RequestOptions): Promise<MadeKey>;
    /** Revoke every key of a name: `DELETE /v1/keys/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** List the tenant's keys, newest first: `GET /v1/keys` */
    list(
      query?: {
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<KeyPage>;
  };
  readonly models: {
    /** List the models that may be asked for, as their server does: `GET /v1/models` */
    list(options?: RequestOptions): Promise<{
      readonly data: readonly {
        readonly id: string;
        readonly [more: string]: unknown;
      }[];
      readonly [more: string]: unknown;
    }>;
  };
  readonly objects: {
    /** Read a file that a tool has made: `GET /v1/objects/{id}` */
    get(id: string, options?: RequestOptions): Promise<Response>;
  };
  readonly operator: {
    /** Look across all tenants: counts, errors, times, dead jobs, open questions: `GET /v1/operator/overview` */
    overview(
      query?: {
        readonly hours?: number;
        readonly limit?: number;
      },
      options?: RequestOptions,
    ): Promise<Overview>;
    /** Give dead jobs of a tenant fresh attempts, the newest first: `POST /v1/operator/redrive` */
    redrive(body: RedriveTenant, options?: RequestOptions): Promise<RedrivenTenant>;
  };
  readonly orchestration: {
    /** Run tool calls, reads together and every write alone: `POST /api/orchestration/batch` */
    batch(body: OrchestrationBatch, options?: KeyedOptions): Promise<OrchestrationBatchAnswer>;
    /** Show how tool calls would be ordered: `POST /api/orchestration/partition` */
    partition(body: OrchestrationPartition, options?: RequestOptions): Promise<OrchestrationPartitionAnswer>;
  };
  readonly portalLinks: {
    /** Make a link by which a customer looks after its own endpoints: `POST /v1/portal_links` */
    create(body: PortalLinkRequest, options?: RequestOptions): Promise<PortalLink>;
    /** End all portal links of a customer: `DELETE /v1/portal_links` */
    delete(
      query: {
        readonly customer: string;
      },
      options?: RequestOptions,
    ): Promise<void>;
  };
  readonly runs: {
    /** End what goes on of the runs that fit, at most a thousand: themselves, their jobs, their questions: `POST /v1/runs/cancel` */
    cancelMany(body: CancelRuns, options?: RequestOptions): Promise<ChangedRuns>;
    /** Forget a run; its jobs and questions stay: `DELETE /v1/runs/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Show a run: its plan, its actions, the runs that it caused: `GET /v1/runs/{id}` */
    get(id: string, options?: RequestOptions): Promise<Run>;
    /** List what ran, newest first: `GET /v1/runs` */
    list(
      query?: {
        readonly source?:
          | "http"
          | "turn"
          | "agent"
          | "mcp"
          | "flow"
          | "webhook"
          | "cron"
          | "approval"
          | "background"
          | "orchestration";
        readonly status?: "success" | "partial" | "error" | "waiting" | "running" | "unknown";
        readonly tool?: string;
        readonly flow?: string;
        readonly key?: string;
        readonly tag?: string;
        readonly subject?: string;
        readonly request_id?: string;
        readonly since?: string;
        readonly until?: string;
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<RunPage>;
    /** Run again what ran: a write that succeeded is answered, one that may have happened asks first: `POST /v1/runs/{id}/rerun` */
    rerun(id: string, body?: Rerun, options?: KeyedOptions): Promise<RerunAnswer>;
    /** Run again the runs that fit, at most a thousand; none of them sends a write twice: `POST /v1/runs/rerun` */
    rerunMany(body: RerunRuns, options?: RequestOptions): Promise<ChangedRuns>;
    /** Take back runs of an export, with what reruns need: `PUT /v1/runs` */
    restore(
      body: RestoreRuns,
      options?: RequestOptions,
    ): Promise<{
      readonly restored: number;
    }>;
  };
  readonly signIns: {
    /** End a sign-in, and with it its tokens: `DELETE /v1/sign_ins/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** List the programs that signed in with the key, newest first: `GET /v1/sign_ins` */
    list(
      query?: {
        readonly limit?: number;
        readonly cursor?: string;
      },
      options?: RequestOptions,
    ): Promise<SignInPage>;
  };
  readonly tenant: {
    /** Delete what is kept of the tenant: jobs, results, questions, tools, flows, files, objects, keys: `POST /v1/tenant/delete` */
    delete(body: DeleteTenant, options?: RequestOptions): Promise<DeletedTenant>;
    /** Give the tenant's tools, flows and keys as one document, to keep or to restore: `GET /v1/export` */
    export(options?: RequestOptions): Promise<Export>;
  };
  readonly tools: {
    /** Delete a tool that the tenant added: `DELETE /v1/tools/{id}` */
    delete(id: string, options?: RequestOptions): Promise<void>;
    /** Find tools by what they do, by category or by action: `POST /v1/discover_tools` */
    discover(body?: DiscoveryRequest, options?: RequestOptions): Promise<Discovery>;
    /** Show the declaration of a tool that the tenant added: `GET /v1/tools/{id}` */
    get(id: string, options?: RequestOptions): Promise<AddedTool>;
    /** Add a tool for every operation of an OpenAPI document, or every tool of an MCP server: `POST /v1/tools/import` */
    import(body: ToolImport, options?: RequestOptions): Promise<ImportedTools>;
    /** Call one tool: `POST /v1/invoke_tool` */
    invoke(body: Invocation, options?: KeyedOptions): Promise<Result>;
    /** List the tools, ready to paste into a model call: `GET /v1/tools` */
    list(
      query?: {
        readonly format?: "json-schema" | "openai" | "openai-responses" | "anthropic" | "gemini" | "mcp";
        readonly surface?: "batch" | "meta" | "flat";
      },
      options?: RequestOptions,
    ): Promise<ToolList>;
    /** Add a tool of the tenant's own, or replace one: `PUT /v1/tools/{id}` */
    put(id: string, body: ToolDeclaration, options?: RequestOptions): Promise<AddedTool>;
    /** Describe one tool: `POST /v1/get_tool_schema` */
    schema(body: ToolName, options?: RequestOptions): Promise<ToolDescription>;
  };
  readonly turns: {
    /** Run the tool calls that Anthropic's Messages returned: `POST /v1/anthropic/tool_use` */
    anthropic(body: Turn, options?: KeyedOptions): Promise<AnthropicAnswer>;
    /** Run the tool calls that Gemini returned: `POST /v1/gemini/function_calls` */
    gemini(body: Turn, options?: KeyedOptions): Promise<GeminiAnswer>;
    /** Run the tool calls that OpenAI's Chat Completions returned: `POST /v1/openai/tool_calls` */
    openaiChat(body: Turn, options?: KeyedOptions): Promise<ChatAnswer>;
    /** Run the tool calls that OpenAI's Responses returned: `POST /v1/openai/function_calls` */
    openaiResponses(body: Turn, options?: KeyedOptions): Promise<ResponsesAnswer>;
  };
  readonly usage: {
    /** Show what the key has left, and what of its tenant's goes on, waits or fails: `GET /v1/usage` */
    get(options?: RequestOptions): Promise<Usage>;
  };
}

/** How each method is sent: method, path, where its input goes, and whether its answer is bytes. */
export const OPERATIONS = {
  about: {
    document: ["GET", "/openapi.json", "nothing"],
    health: ["GET", "/healthz", "nothing"],
  },
  agent: {
    chatCompletions: ["POST", "/v1/chat/completions", "body"],
    countTokens: ["POST", "/v1/messages/count_tokens", "body"],
    messages: ["POST", "/v1/messages", "body"],
    responses: ["POST", "/v1/responses", "body"],
  },
  batches: {
    execute: ["POST", "/v1/execute_actions", "body"],
  },
  confirmations: {
    decide: ["POST", "/v1/confirmations/{id}", "body"],
    get: ["GET", "/v1/confirmations/{id}", "query"],
    link: ["POST", "/v1/confirmations/{id}/link", "body"],
    links: ["DELETE", "/v1/confirmations/{id}/links", "nothing"],
    list: ["GET", "/v1/confirmations", "query"],
  },
  connections: {
    confirm: ["POST", "/v1/connections/{id}/confirm", "body"],
    create: ["POST", "/v1/connections", "body"],
    delete: ["DELETE", "/v1/connections/{id}", "nothing"],
    get: ["GET", "/v1/connections/{id}", "query"],
    list: ["GET", "/v1/connections", "query"],
    reseal: ["POST", "/v1/connections/reseal", "nothing"],
  },
  deliveries: {
    get: ["GET", "/v1/deliveries/{id}", "nothing"],
    list: ["GET", "/v1/deliveries", "query"],
    resend: ["POST", "/v1/deliveries/{id}/resend", "nothing"],
  },
  endpoints: {
    delete: ["DELETE", "/v1/endpoints/{id}", "nothing"],
    get: ["GET", "/v1/endpoints/{id}", "nothing"],
    list: ["GET", "/v1/endpoints", "query"],
    put: ["PUT", "/v1/endpoints/{id}", "body"],
    recover: ["POST", "/v1/endpoints/{id}/recover", "body"],
    reseal: ["POST", "/v1/endpoints/reseal", "nothing"],
    rotate: ["POST", "/v1/endpoints/{id}/rotate", "body"],
    test: ["POST", "/v1/endpoints/{id}/test", "body"],
    update: ["PATCH", "/v1/endpoints/{id}", "body"],
  },
  eventTypes: {
    delete: ["DELETE", "/v1/event_types/{id}", "nothing"],
    get: ["GET", "/v1/event_types/{id}", "nothing"],
    list: ["GET", "/v1/event_types", "query"],
    put: ["PUT", "/v1/event_types/{id}", "body"],
  },
  events: {
    get: ["GET", "/v1/events/{id}", "nothing"],
    list: ["GET", "/v1/events", "query"],
    publish: ["POST", "/v1/events", "body"],
  },
  flows: {
    delete: ["DELETE", "/v1/flows/{id}", "nothing"],
    get: ["GET", "/v1/flows/{id}", "nothing"],
    list: ["GET", "/v1/flows", "nothing"],
    put: ["PUT", "/v1/flows/{id}", "body"],
    run: ["POST", "/v1/flows/{id}/run", "body"],
  },
  jobs: {
    cancel: ["POST", "/v1/jobs/{id}/cancel", "nothing"],
    get: ["GET", "/v1/jobs/{id}", "query"],
    list: ["GET", "/v1/jobs", "query"],
    redrive: ["POST", "/v1/jobs/{id}/redrive", "nothing"],
    redriveMany: ["POST", "/v1/jobs/redrive", "body"],
    results: ["GET", "/v1/jobs/{id}/results", "query"],
  },
  keys: {
    create: ["POST", "/v1/keys", "body"],
    delete: ["DELETE", "/v1/keys/{id}", "nothing"],
    list: ["GET", "/v1/keys", "query"],
  },
  models: {
    list: ["GET", "/v1/models", "nothing"],
  },
  objects: {
    get: ["GET", "/v1/objects/{id}", "bytes"],
  },
  operator: {
    overview: ["GET", "/v1/operator/overview", "query"],
    redrive: ["POST", "/v1/operator/redrive", "body"],
  },
  orchestration: {
    batch: ["POST", "/api/orchestration/batch", "body"],
    partition: ["POST", "/api/orchestration/partition", "body"],
  },
  portalLinks: {
    create: ["POST", "/v1/portal_links", "body"],
    delete: ["DELETE", "/v1/portal_links", "query"],
  },
  runs: {
    cancelMany: ["POST", "/v1/runs/cancel", "body"],
    delete: ["DELETE", "/v1/runs/{id}", "nothing"],
    get: ["GET", "/v1/runs/{id}", "nothing"],
    list: ["GET", "/v1/runs", "query"],
    rerun: ["POST", "/v1/runs/{id}/rerun", "body"],
    rerunMany: ["POST", "/v1/runs/rerun", "body"],
    restore: ["PUT", "/v1/runs", "body"],
  },
  signIns: {
    delete: ["DELETE", "/v1/sign_ins/{id}", "nothing"],
    list: ["GET", "/v1/sign_ins", "query"],
  },
  tenant: {
    delete: ["POST", "/v1/tenant/delete", "body"],
    export: ["GET", "/v1/export", "nothing"],
  },
  tools: {
    delete: ["DELETE", "/v1/tools/{id}", "nothing"],
    discover: ["POST", "/v1/discover_tools", "body"],
    get: ["GET", "/v1/tools/{id}", "nothing"],
    import: ["POST", "/v1/tools/import", "body"],
    invoke: ["POST", "/v1/invoke_tool", "body"],
    list: ["GET", "/v1/tools", "query"],
    put: ["PUT", "/v1/tools/{id}", "body"],
    schema: ["POST", "/v1/get_tool_schema", "body"],
  },
  turns: {
    anthropic: ["POST", "/v1/anthropic/tool_use", "body"],
    gemini: ["POST", "/v1/gemini/function_calls", "body"],
    openaiChat: ["POST", "/v1/openai/tool_calls", "body"],
    openaiResponses: ["POST", "/v1/openai/function_calls", "body"],
  },
  usage: {
    get: ["GET", "/v1/usage", "nothing"],
  },
} as const;

export type Action = {
  /** Name of the tool to call; where it is missing, name, function or tool_name is read */
  readonly tool: string;
  /** The tool's arguments; where they are missing, arguments, parameters, params or input is read, also as JSON text */
  readonly args?: Readonly<Record<string, unknown>>;
  /** Unique within the batch; a0, a1, … by position when left out */
  readonly id?: string;
  /** Ids of actions that must succeed before this one starts */
  readonly depends_on?: readonly string[];
  /** Milliseconds for this action; shortens the tool's own limit, never lengthens it */
  readonly timeout_ms?: number;
  /** Run the action once for every element of an array, or of a reference to one; args see it as "item#" */
  readonly for_each?: readonly unknown[] | Readonly<Record<string, unknown>>;
  /** JSON Pointers into the tool's output; only these parts are returned */
  readonly select?: readonly string[];
  /** The same key with the same content runs once a day; later uses get the first result */
  readonly idempotency_key?: string;
  /** Background tools only: an https URL that is sent a signed event when the job ends */
  readonly callback_url?: string;
  /** Background tools only: when the first attempt begins, as RFC 3339; at most 30 days from now */
  readonly run_at?: string;
};

export type AddedTool = {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly is_write: boolean;
  readonly execution?: "sync" | "fire-and-forget";
  readonly timeout_ms?: number;
  readonly idempotent?: boolean | "with-key";
  readonly delivery?: "at-least-once" | "at-most-once";
  /** Its arguments and results are in no record of what ran */
  readonly private?: boolean;
  /** false: what the service says of a refusal is not told */
  readonly upstream_errors?: boolean;
  readonly orchestration?: Contract;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly http?: HttpCall;
  readonly mcp?: McpCall;
  /** SHA-256 of the declaration, the same for equal ones */
  readonly fingerprint: string;
  /** Where one tool is shown, its contract with everything that it leaves to the default */
  readonly "x-orchestration"?: Contract;
};

export type AnthropicAnswer = {
  readonly messages: readonly {
    readonly role: "user";
    readonly content: readonly {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content: string;
      readonly is_error?: true;
    }[];
  }[];
};

export type ApprovalLink = {
  readonly url: string;
  readonly expires_at: string;
};

export type Batch = {
  readonly actions: readonly Action[];
  readonly on_error?: "partial-success" | "fail-fast";
  readonly deadline_ms?: number;
  readonly dry_run?: boolean;
  readonly max_tokens?: number;
  readonly skip_approval?: boolean;
  readonly callback_url?: string;
  readonly progress?: boolean;
  readonly tags?: readonly string[];
  readonly background?: boolean;
  /** Whose accounts its tools use; the header Volley-Subject wins */
  readonly subject?: string;
  /** Which of several accounts, by connector; the one named default unless said */
  readonly connections?: Readonly<Record<string, string>>;
  /** park: an action that misses an account waits until it is connected, and what needs it too */
  readonly on_connection?: "park" | "error";
};

export type CallAuth = {
  readonly secret?: string;
  readonly as?:
    | "bearer"
    | "basic"
    | {
        readonly header: string;
      }
    | {
        readonly query: string;
      };
  /** Further secrets that the same call carries, elsewhere */
  readonly also?: readonly {
    readonly secret: string;
    readonly as:
      | "bearer"
      | "basic"
      | {
          readonly header: string;
        }
      | {
          readonly query: string;
        };
  }[];
  readonly connection?: string | Readonly<Record<string, readonly string[]>>;
};

export type CancelRuns = {
  readonly source?:
    | "http"
    | "turn"
    | "agent"
    | "mcp"
    | "flow"
    | "webhook"
    | "cron"
    | "approval"
    | "background"
    | "orchestration";
  readonly status?: "success" | "partial" | "error" | "waiting" | "running" | "unknown";
  readonly tool?: string;
  readonly flow?: string;
  /** The name of the key that asked */
  readonly key?: string;
  readonly tag?: string;
  /** Whose connections its tools used */
  readonly subject?: string;
  readonly request_id?: string;
  /** Started at or after this time (RFC 3339) */
  readonly since?: string;
  /** Started before this time (RFC 3339) */
  readonly until?: string;
  /** The next_cursor of an earlier answer */
  readonly cursor?: string;
};

export type ChangedRuns = {
  readonly runs: number;
  /** Where the rest begins, sent as `cursor`; absent where all were looked at */
  readonly next_cursor?: string;
};

export type ChatAnswer = {
  readonly messages: readonly (
    | {
        readonly role: "tool";
        readonly tool_call_id: string;
        readonly content: string;
      }
    | {
        readonly role: "function";
        readonly name: string;
        readonly content: string;
      }
  )[];
};

export type Condition = Readonly<
  Record<
    string,
    {
      readonly eq?: string | number | boolean | null;
      readonly ne?: string | number | boolean | null;
      readonly in?: readonly (string | number | boolean | null)[];
      readonly gt?: number | string;
      readonly gte?: number | string;
      readonly lt?: number | string;
      readonly lte?: number | string;
      readonly exists?: boolean;
    }
  >
>;

export type Confirmation = {
  readonly id: string;
  readonly status: "pending" | "running" | "done" | "rejected" | "expired";
  readonly created_at: string;
  readonly expires_at: string;
  readonly requested_by: RequestedBy;
  /** The page that asks a person */
  readonly url: string;
  readonly actions: readonly {
    readonly id: string;
    readonly tool: string;
    /** Needs a yes itself; the others wait for one that does */
    readonly gated: boolean;
    readonly args?: unknown;
    readonly for_each?: unknown;
    /** Instead of args: those of each element of a loop */
    readonly args_of_each?: readonly unknown[];
    /** Address or login of the account that it would use */
    readonly account?: string;
    /** Whether these are what will be sent, or still hold references */
    readonly resolved: boolean;
    readonly callback_url?: string;
    readonly run_at?: string;
    readonly waits_for: readonly string[];
    /** The actions that wait for it */
    readonly followed_by: readonly string[];
    /** How far it reaches, where that is known */
    readonly reach?: string;
    /** What a person wrote in place of args, and what ran */
    readonly edited_args?: unknown;
  }[];
  readonly args_hash: string;
  /** The key that decided, or the name of the person in the link */
  readonly decided_by?: {
    readonly name: string;
    readonly via: "key" | "link";
    /** The key that made the link */
    readonly made_by?: string;
  };
  readonly decided_at?: string;
  readonly reason?: string;
  /** A person wrote other arguments than were asked for */
  readonly edited?: true;
  /** How the event about it fares that the batch's callback_url is sent */
  readonly callback?: {
    readonly status: "running" | "retrying" | "succeeded" | "failed" | "dead" | "cancelled" | "unknown";
    readonly attempts: number;
    readonly next_attempt_at: string | null;
  };
  /** Once it was decided: what that was answered with */
  readonly results?: readonly unknown[];
};

export type ConfirmationPage = {
  readonly confirmations: readonly ListedConfirmation[];
  readonly next_cursor: string | null;
};

export type Connection = {
  readonly connection_id: string;
  readonly connector: string;
  readonly subject: string;
  readonly name: string;
  readonly state: "pending" | "active" | "broken";
  /** Why it is broken: the provider takes its tokens no more; the answer to a refresh was lost; no key of the vault opens it */
  readonly because?: "revoked" | "refresh_lost" | "unreadable";
  /** What keeps it from being renewed, where that is not the account's */
  readonly problem?: string;
  readonly scopes: readonly string[];
  /** Whose it is at the provider: an address or a login */
  readonly account: string | null;
  /** The provider's id of the account; where it gives none, one of each consent */
  readonly account_id: string | null;
  readonly created_at: string;
  readonly connected_at: string | null;
  /** When the link that would connect it, anew where it is not pending, ends */
  readonly link_expires_at?: string;
};

export type ConnectionConfirmation = {
  /** The code that the browser came back with, for one use */
  readonly code: string;
  /** Who was in that browser, by the caller's own session */
  readonly subject: string;
};

export type ConnectionPage = {
  readonly connections: readonly Connection[];
  readonly next_cursor: string | null;
};

export type ConnectionWish = {
  /** One of VOLLEY_CONNECTORS */
  readonly connector: string;
  /** Whose account it is: a word of the caller's own */
  readonly subject: string;
  /** Which one, where a subject has several of a connector; `default` unless said */
  readonly name?: string;
  /** The connector's own unless said, and those that it has already */
  readonly scopes?: readonly string[];
  /** Where the person goes back to, with `connection_id` and `code`: of an origin in VOLLEY_RETURN_ORIGINS */
  readonly return_to?: string;
  /** The subject's key, for a connector of the kind `key`; it is never shown */
  readonly secret?: string;
};

export type Contract = {
  readonly mode: "parallel-safe" | "sequential-only" | "fan-out-bounded" | "dependent";
  readonly max_concurrency?: number;
  readonly global_concurrency?: number;
  readonly backoff?: {
    readonly strategy: "exponential";
    readonly initial_ms: number;
  };
  readonly depends_on?: readonly {
    readonly tool: string;
    readonly required_fields: readonly string[];
    readonly from?: Readonly<Record<string, string>>;
  }[];
  readonly on_error?: "partial-success" | "fail-fast";
  readonly rate_limit?: {
    readonly limit: number;
    readonly window_s: number;
    readonly scope: "tenant" | "global";
  };
  readonly cache_ttl_s?: number;
  readonly verify_with?: {
    readonly tool: string;
    readonly args: Readonly<Record<string, string>>;
    readonly found?: string;
    readonly equals?: string;
  };
  readonly confirm?:
    | "never"
    | "always"
    | {
        readonly when: Readonly<Record<string, unknown>>;
      };
  readonly confirm_ttl_s?: number;
};

export type CountedConversation = Readonly<Record<string, unknown>>;

export type Decision = {
  readonly decision: "approve" | "reject";
  readonly args_hash?: string;
  /** A no's is told to the model */
  readonly reason?: string;
  /** With a yes: arguments that run in place of those that were asked about, by the action's id */
  readonly args?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export type DeleteTenant = {
  /** The tenant of the key that asks, written out */
  readonly tenant: string;
};

export type DeletedTenant = {
  readonly tenant: string;
  /** Objects of the bucket that were deleted */
  readonly objects: number;
  /** There are more; send the same request again */
  readonly more_objects: boolean;
  /** Files of the workspace that were deleted */
  readonly files: number;
  /** Names that keys were kept under; those of VOLLEY_KEYS are the operator's */
  readonly keys: number;
  /** Sign-ins of programs, with their tokens */
  readonly sign_ins: number;
  /** Runs */
  readonly runs: number;
  /** Hours of counts */
  readonly counts: number;
  /** Endpoints, with their events and deliveries */
  readonly endpoints: number;
  /** Connections, with their tokens; what providers keep of them is theirs */
  readonly connections: number;
};

export type Delivery = {
  readonly delivery_id: string;
  readonly endpoint: string;
  readonly event_id: string;
  readonly type: string;
  readonly status: "pending" | "retrying" | "delivered" | "failed" | "discarded";
  readonly attempts: readonly {
    readonly at: string;
    readonly duration_ms: number;
    /** The HTTP status that came */
    readonly status?: number;
    /** Why none came */
    readonly code?: string;
    /** The beginning of the answer's text */
    readonly response?: string;
  }[];
  readonly next_attempt_at: string | null;
  readonly created_at: string;
  /** The run that published it */
  readonly run_id?: string;
};

export type DeliveryPage = {
  readonly deliveries: readonly Delivery[];
  readonly next_cursor: string | null;
};

export type Discovery = {
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly category: string;
    readonly actions: readonly string[];
    readonly is_write: boolean;
    /** The properties; of the first tools, with `detail: "schema"` */
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  }[];
  readonly total: number;
  readonly hint?: string;
};

export type DiscoveryRequest = {
  /** Its purpose, or its name */
  readonly query?: string;
  /** One for each step of a task */
  readonly queries?: readonly string[];
  /** Only of one of these */
  readonly categories?: readonly string[];
  /** Only with one of these: search, create, delete… */
  readonly actions?: readonly string[];
  /** schema: parameters of the first 5 too */
  readonly detail?: "summary" | "schema";
  /** How many at most */
  readonly limit?: number;
};

export type DryRun = {
  readonly dry_run: true;
  readonly plan: {
    readonly waves: readonly (readonly string[])[];
    readonly edges: readonly {
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }[];
    readonly caps: Readonly<Record<string, number>>;
    readonly confirmations: readonly string[];
    readonly estimated_tokens: number;
    readonly estimated_speedup: number;
  };
  readonly errors: readonly {
    readonly index: number;
    readonly id: string;
    readonly tool: string | null;
    readonly error: Failure;
  }[];
  readonly warnings?: readonly {
    readonly index: number;
    readonly id: string;
    readonly tool: string | null;
    readonly warnings: readonly string[];
  }[];
};

export type Endpoint = {
  /** A public https address */
  readonly url: string;
  /** The tenant's word for who receives */
  readonly customer?: string;
  /** Types such as `order.paid`, prefixes such as `invoice.*`, or `*` */
  readonly events: readonly string[];
  /** A condition on `data`, by JSON pointer: all of its tests are required */
  readonly filter?: Condition;
  readonly description?: string;
  /** Headers that each delivery has besides ours */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate_limit?: {
    readonly limit: number;
    readonly window_s: number;
  };
  /** A flow of reads: the event is its input, its answer the body */
  readonly via?: string;
  readonly ordered: boolean;
  readonly paused: boolean;
  readonly id: string;
  readonly state: "active" | "paused" | "disabled";
  readonly failing_since?: string;
  /** `gone`: it answered 410; `asked`: `webhook-delivery: disable`; `failing`: five days of failures */
  readonly disabled_because?: "gone" | "asked" | "failing";
  readonly created_at: string;
  readonly updated_at: string;
};

export type EndpointChange = {
  /** A public https address */
  readonly url?: string;
  /** The tenant's word for who receives */
  readonly customer?: string;
  /** Types such as `order.paid`, prefixes such as `invoice.*`, or `*` */
  readonly events?: readonly string[];
  /** A condition on `data`, by JSON pointer: all of its tests are required */
  readonly filter?: Condition;
  readonly description?: string;
  /** Headers that each delivery has besides ours */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate_limit?: {
    readonly limit: number;
    readonly window_s: number;
  };
  /** A flow of reads: the event is its input, its answer the body */
  readonly via?: string;
  /** One delivery at a time, in the order of publishing */
  readonly ordered?: boolean;
  readonly paused?: boolean;
};

export type EndpointPage = {
  readonly endpoints: readonly Endpoint[];
  readonly next_cursor: string | null;
};

export type EndpointRequest = {
  /** A public https address */
  readonly url: string;
  /** The tenant's word for who receives */
  readonly customer?: string;
  /** Types such as `order.paid`, prefixes such as `invoice.*`, or `*` */
  readonly events: readonly string[];
  /** A condition on `data`, by JSON pointer: all of its tests are required */
  readonly filter?: Condition;
  readonly description?: string;
  /** Headers that each delivery has besides ours */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate_limit?: {
    readonly limit: number;
    readonly window_s: number;
  };
  /** A flow of reads: the event is its input, its answer the body */
  readonly via?: string;
  /** One delivery at a time, in the order of publishing */
  readonly ordered?: boolean;
  readonly paused?: boolean;
  /** The secret that it signs with, `whsec_…`, where it has one already; never shown */
  readonly secret?: string;
};

export type Envelope = {
  readonly batch_id: string;
  readonly results: readonly Result[];
  readonly summary: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly initiated: number;
    readonly skipped: number;
    readonly pending_confirmation: number;
    readonly unknown: number;
  };
  readonly stats: {
    readonly duration_ms: number;
    readonly critical_path_ms: number;
    readonly sequential_ms: number;
    /** sequential_ms over duration_ms; left out where one call ran */
    readonly speedup?: number;
    readonly max_parallelism: number;
  };
};

export type EventType = {
  readonly type: string;
  readonly description: string;
  readonly updated_at: string;
  readonly [more: string]: unknown;
};

export type EventTypePage = {
  readonly event_types: readonly EventType[];
  readonly next_cursor: string | null;
};

export type EventTypeRequest = {
  readonly description: string;
  /** JSON Schema that `data` must fit */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Data as `test` sends it; it fits the schema */
  readonly example?: Readonly<Record<string, unknown>>;
};

export type Execution = Envelope | DryRun;

export type Export = {
  /** The form of this document */
  readonly volley_export: 1;
  readonly tenant: string;
  readonly created_at: string;
  /** As PUT /v1/tools/{name} takes them */
  readonly tools?: readonly {
    readonly name: string;
    readonly [more: string]: unknown;
  }[];
  /** As PUT /v1/flows/{name} takes them */
  readonly flows?: readonly {
    readonly name: string;
    readonly [more: string]: unknown;
  }[];
  readonly keys?: readonly ExportedKey[];
  readonly sign_ins?: readonly {
    readonly sign_in_id: string;
    readonly [more: string]: unknown;
  }[];
  /** What ran, the newest first, as it is kept, and then the reruns; as PUT /v1/runs takes them */
  readonly runs?: readonly Readonly<Record<string, unknown>>[];
  /** What the operator's overview counts of the tenant, by the hour, the oldest first */
  readonly counts?: readonly Readonly<Record<string, unknown>>[];
  /** Endpoints without their secrets, described types, and events, the oldest first */
  readonly endpoints?: Readonly<Record<string, unknown>>;
  readonly connections?: readonly Connection[];
};

export type ExportedKey = {
  readonly name: string;
  readonly tenant: string;
  readonly tools: readonly string[];
  readonly quota: {
    readonly limit: number;
    readonly window_s: number;
  };
  readonly flags: readonly (
    | "approve"
    | "skip_approval"
    | "manage_tools"
    | "manage_keys"
    | "manage_endpoints"
    | "manage_connections"
    | "operator"
  )[];
  /** The one whose accounts its calls use */
  readonly subject?: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** When it last got another key */
  readonly rotated_at: string | null;
  /** Until when a key before the newest is good as well; null when none is */
  readonly previous_ends_at: string | null;
  /** Digests of its keys, the newest last */
  readonly hashes: readonly {
    readonly hash: string;
    readonly ends_at: string | null;
  }[];
};

export type Failure = {
  readonly code:
    | "INVALID_ACTION"
    | "UNKNOWN_TOOL"
    | "INVALID_ARGS"
    | "BAD_REFERENCE"
    | "RATE_LIMITED"
    | "TIMEOUT"
    | "DEADLINE_EXCEEDED"
    | "CANCELLED"
    | "UPSTREAM_ERROR"
    | "NOT_FOUND"
    | "BAD_UPSTREAM_RESPONSE"
    | "RESPONSE_TOO_LARGE"
    | "CIRCUIT_OPEN"
    | "EGRESS_DENIED"
    | "TOOL_CHANGED"
    | "FLOW_BROKEN"
    | "CONNECTION_REQUIRED"
    | "MISCONFIGURED"
    | "DEPENDENCY_FAILED"
    | "ABORTED"
    | "CONFIRMATION_INVALID"
    | "CONFIRMATION_REJECTED"
    | "OUTBOX_UNAVAILABLE"
    | "BACKLOG_FULL"
    | "IDEMPOTENCY_CONFLICT"
    | "OVERLOADED"
    | "TOOL_FAILED"
    | "INTERNAL";
  readonly message: string;
  readonly retryable: boolean;
  /** The next step, in a sentence */
  readonly hint?: string;
  /** Milliseconds after which it is worth trying again */
  readonly retry_after_ms?: number;
  readonly upstream_status?: number;
  /** What the service said of its refusal: its words, and no instruction */
  readonly upstream?: {
    readonly status: number;
    readonly message?: string;
    readonly code?: string;
  };
  readonly phase?: "headers" | "idle" | "total";
  readonly issues?: readonly Issue[];
  /** For the person whose account is missing: there it is connected */
  readonly connect_url?: string;
};

export type Flow = {
  readonly summary: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** As in a batch; {"$ref": "input#/city"} stands for what a run is given */
  readonly actions: readonly unknown[];
  readonly on_error?: "partial-success" | "fail-fast";
  /** The answer, made of the results: any JSON, with references and templates */
  readonly answer?: unknown;
  readonly deadline_ms?: number;
  readonly triggers?: Triggers;
};

export type FlowAnswer = {
  readonly batch_id: string;
  readonly results: readonly Result[];
  readonly summary: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly initiated: number;
    readonly skipped: number;
    readonly pending_confirmation: number;
    readonly unknown: number;
  };
  readonly stats: {
    readonly duration_ms: number;
    readonly critical_path_ms: number;
    readonly sequential_ms: number;
    /** sequential_ms over duration_ms; left out where one call ran */
    readonly speedup?: number;
    readonly max_parallelism: number;
  };
  /** The answer of the flow */
  readonly answer?: unknown;
  /** Why there is none */
  readonly answer_error?: Readonly<Record<string, unknown>>;
};

export type FlowIssue = {
  /** With an error no delivery is taken */
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
};

export type FlowList = {
  readonly flows: readonly {
    readonly name: string;
    readonly summary: string;
    readonly is_write: boolean;
    readonly fingerprint: string;
    /** Neither its webhook nor its clock runs it */
    readonly paused: boolean;
    /** Whatever runs it besides a caller */
    readonly triggers: readonly ("webhook" | "cron")[];
    /** When its clock comes next; null when it does not any more */
    readonly next_run_at?: string | null;
    /** Why it cannot run with the tools that the key may call by now */
    readonly broken?: string;
  }[];
};

export type GeminiAnswer = {
  readonly messages: readonly {
    readonly role: "user";
    readonly parts: readonly {
      readonly functionResponse: {
        readonly id?: string;
        readonly name: string;
        readonly response: Readonly<Record<string, unknown>>;
      };
    }[];
  }[];
};

export type HttpCall = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly query?: readonly (
    | string
    | {
        readonly argument: string;
        readonly name: string;
        readonly list?: "repeat" | "comma" | "space" | "pipe" | "json" | "index" | "spread";
      }
  )[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?:
    | "args"
    | readonly (
        | string
        | {
            readonly argument: string;
            readonly name: string;
            readonly list?: "repeat" | "comma" | "space" | "pipe" | "json" | "index" | "spread";
          }
      )[]
    | {
        readonly argument: string;
      };
  /** The body may be left out whole; a call that gives one of its fields gives these. Models see them as required */
  readonly body_required?: readonly string[];
  readonly auth?: CallAuth;
  readonly result?: string;
};

export type ImportedTools = {
  readonly tools: readonly AddedTool[];
  /** Operations that no tool was made of */
  readonly skipped: readonly {
    readonly operation: string;
    readonly reason: string;
  }[];
  /** Tools of the same prefix that the document has no more */
  readonly removed: readonly string[];
};

export type Invocation = {
  /** From discover_tools */
  readonly tool_name: string;
  /** As get_tool_schema says */
  readonly parameters?: Readonly<Record<string, unknown>>;
};

export type Issue = {
  /** JSON Pointer (RFC 6901) */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
};

export type Job = {
  readonly job_id: string;
  readonly tool: string;
  /** The batch that asked for it */
  readonly batch_id?: string;
  /** Name of the key that asked for it */
  readonly key?: string;
  /** The trigger, where it is a run of a flow */
  readonly trigger?: "webhook" | "cron";
  readonly status: "running" | "retrying" | "succeeded" | "failed" | "dead" | "cancelled" | "unknown";
  /** It has not succeeded, and one of its attempts may have taken effect */
  readonly in_doubt?: true;
  readonly attempts: number;
  /** The last attempts that have ended, the oldest first; those before a redrive too */
  readonly tries: readonly {
    /** ISO 8601, UTC */
    readonly at: string;
    readonly duration_ms: number;
    /** Absent where the attempt succeeded */
    readonly code?: string;
    readonly upstream_status?: number;
    /** It may have taken effect */
    readonly in_doubt?: true;
  }[];
  /** ISO 8601, UTC */
  readonly created_at: string;
  /** ISO 8601, UTC */
  readonly updated_at: string;
  readonly next_attempt_at: string | null;
  /** From when the job could begin to its end; absent while it is not over */
  readonly duration_ms?: number;
  /** Of a batch in the background: its calls, elements of loops each for itself */
  readonly progress?: {
    readonly done: number;
    readonly failed: number;
    readonly total: number;
  };
  readonly note?: string;
  /** How the event for `callback_url` fares */
  readonly callback?: {
    readonly status: "pending" | "delivered" | "disabled" | "failed";
    readonly attempts: number;
    readonly last_status: number | null;
    readonly next_attempt_at: string | null;
  };
  /** Shown with one job, to keys that may call its tool */
  readonly args?: unknown;
  readonly data?: unknown;
  readonly error?: Failure;
  /** The envelope of a flow's run: that of its last attempt that has ended; shown with one job */
  readonly envelope?: unknown;
};

export type JobPage = {
  readonly jobs: readonly Job[];
  readonly next_cursor: string | null;
};

export type KeptFlow = {
  readonly summary: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** As in a batch; {"$ref": "input#/city"} stands for what a run is given */
  readonly actions: readonly unknown[];
  readonly on_error?: "partial-success" | "fail-fast";
  /** The answer, made of the results: any JSON, with references and templates */
  readonly answer?: unknown;
  readonly deadline_ms?: number;
  readonly triggers?: Triggers;
  readonly name: string;
  /** SHA-256 of the flow and what it amounts to */
  readonly fingerprint: string;
  /** One of its actions writes */
  readonly is_write: boolean;
  /** One of its actions needs a person's yes */
  readonly confirm: boolean;
  /** Where signed deliveries run it */
  readonly hook_url?: string;
  /** When its clock comes next; null when it does not any more */
  readonly next_run_at?: string | null;
  /** The problems that it has, though it is kept */
  readonly issues?: readonly FlowIssue[];
};

export type Key = {
  readonly name: string;
  readonly tenant: string;
  readonly tools: readonly string[];
  readonly quota: {
    readonly limit: number;
    readonly window_s: number;
  };
  readonly flags: readonly (
    | "approve"
    | "skip_approval"
    | "manage_tools"
    | "manage_keys"
    | "manage_endpoints"
    | "manage_connections"
    | "operator"
  )[];
  /** The one whose accounts its calls use */
  readonly subject?: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** When it last got another key */
  readonly rotated_at: string | null;
  /** Until when a key before the newest is good as well; null when none is */
  readonly previous_ends_at: string | null;
};

export type KeyPage = {
  readonly keys: readonly Key[];
  readonly next_cursor: string | null;
  /** On the first page, the tenant's keys in VOLLEY_KEYS, which only the operator changes */
  readonly configured?: readonly {
    readonly name: string;
    readonly tools: readonly string[];
    readonly quota: {
      readonly limit: number;
      readonly window_s: number;
    };
    readonly flags: readonly (
      | "approve"
      | "skip_approval"
      | "manage_tools"
      | "manage_keys"
      | "manage_endpoints"
      | "manage_connections"
      | "operator"
    )[];
  }[];
};

export type KeyRequest = {
  /** Its quota is counted under it */
  readonly name: string;
  /** The tenant of the key that asks, which is the only one that there may be */
  readonly tenant?: string;
  /** Names or categories of tools, or `*`; needed for a new name, and none that the asking key has not */
  readonly tools?: readonly string[];
  /** At most as many a second as the asking key has; 120 a minute unless said */
  readonly quota?: {
    readonly limit: number;
    readonly window_s: number;
  };
  /** With a subject only `skip_approval`, `approve`, `manage_connections` */
  readonly flags?: readonly (
    | "approve"
    | "skip_approval"
    | "manage_tools"
    | "manage_keys"
    | "manage_endpoints"
    | "manage_connections"
    | "operator"
  )[];
  /** The one whose accounts its calls use; it names no other, and reaches nothing of others */
  readonly subject?: string;
  /** RFC 3339; it ends at that very time */
  readonly expires_at?: string;
  /** The digest of a key that was made elsewhere, instead of a fresh key in the answer */
  readonly hash?: string;
  /** The name has a key: make another, and end the ones before it after so many seconds */
  readonly overlap_s?: number;
};

export type ListedConfirmation = {
  readonly id: string;
  readonly status: "pending" | "running" | "done" | "rejected" | "expired";
  readonly created_at: string;
  readonly expires_at: string;
  readonly requested_by: RequestedBy;
  /** The page that asks a person */
  readonly url: string;
  readonly actions: readonly {
    readonly id: string;
    readonly tool: string;
    readonly gated: boolean;
  }[];
  /** What a yes would do */
  readonly asks: readonly {
    readonly id: string;
    readonly tool: string;
    /** In one line of at most 300 characters; absent where an earlier version asked */
    readonly args?: string;
    /** Address or login of the account that it would use */
    readonly account?: string;
  }[];
  /** The key that decided, or the name of the person in the link */
  readonly decided_by?: {
    readonly name: string;
    readonly via: "key" | "link";
    /** The key that made the link */
    readonly made_by?: string;
  };
  readonly decided_at?: string;
  readonly reason?: string;
  /** A person wrote other arguments than were asked for */
  readonly edited?: true;
};

export type ListedRun = {
  /** The batch's id; of a request to a model that request's */
  readonly run_id: string;
  /** The door that it came by */
  readonly source:
    | "http"
    | "turn"
    | "agent"
    | "mcp"
    | "flow"
    | "webhook"
    | "cron"
    | "approval"
    | "background"
    | "orchestration";
  readonly key: string;
  readonly flow?: string;
  /** The run, or the job of a run, that caused it */
  readonly parent?: string;
  /** The job that it is an attempt of */
  readonly job_id?: string;
  readonly request_id: string;
  readonly started_at: string;
  readonly duration_ms: number;
  /** `waiting` until every question of it is decided; `initiated` counts as success */
  readonly status: "success" | "partial" | "error" | "waiting" | "running" | "unknown";
  /** A write of it was sent, and whether that took effect is not known */
  readonly in_doubt?: true;
  readonly actions: number;
  readonly summary: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly initiated: number;
    readonly skipped: number;
    readonly pending_confirmation: number;
    readonly unknown: number;
  };
  /** Ten at most */
  readonly tools: readonly string[];
  readonly tags?: readonly string[];
  /** Whose connections its tools used */
  readonly subject?: string;
  /** Which of them were chosen, by connector */
  readonly connections?: Readonly<Record<string, string>>;
  /** The first action that failed */
  readonly error?: {
    readonly action?: string;
    readonly code: string;
  };
  /** It was taken back from an export: it can be looked at, and not run again */
  readonly imported?: true;
};

export type MadeKey = {
  readonly name: string;
  readonly tenant: string;
  readonly tools: readonly string[];
  readonly quota: {
    readonly limit: number;
    readonly window_s: number;
  };
  readonly flags: readonly (
    | "approve"
    | "skip_approval"
    | "manage_tools"
    | "manage_keys"
    | "manage_endpoints"
    | "manage_connections"
    | "operator"
  )[];
  /** The one whose accounts its calls use */
  readonly subject?: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** When it last got another key */
  readonly rotated_at: string | null;
  /** Until when a key before the newest is good as well; null when none is */
  readonly previous_ends_at: string | null;
  /** The key, unless its hash was sent; it cannot be shown again */
  readonly key?: string;
};

export type McpCall = {
  readonly url: string;
  readonly tool: string;
  readonly fingerprint: string;
  readonly auth?: CallAuth;
};

/** The provider's own answer, and what was run for it */
export type ModelAnswer = {
  readonly volley: {
    readonly rounds: readonly {
      readonly results: readonly unknown[];
      readonly duration_ms: number;
      readonly model_ms: number;
    }[];
    readonly stopped: "answer" | "max_rounds" | "confirmation" | "client_tools" | "deadline" | "repetition";
    readonly [more: string]: unknown;
  };
  readonly [more: string]: unknown;
};

export type NewLink = {
  /** Under which it decides */
  readonly name: string;
  /** Until the question ends unless said, and never longer */
  readonly expires_in_s?: number;
  /** Whether arguments may be changed there */
  readonly edit?: boolean;
};

export type OpenApiDocument = Readonly<Record<string, unknown>>;

export type OrchestrationBatch = {
  readonly tools: readonly OrchestrationCall[];
  readonly [more: string]: unknown;
};

export type OrchestrationBatchAnswer = {
  readonly result: {
    readonly success: boolean;
    readonly results: readonly {
      readonly toolId: string;
      readonly toolName: string;
      readonly success: boolean;
      readonly output?: unknown;
      readonly error?: string;
      readonly durationMs: number;
    }[];
    readonly stats: {
      readonly totalTools: number;
      readonly parallelBatches: number;
      readonly serialBatches: number;
      readonly maxParallelism: number;
      readonly totalDurationMs: number;
    };
  };
  readonly partition: {
    readonly batches: number;
    readonly totalTools: number;
    readonly parallelBatches: number;
    readonly serialBatches: number;
    readonly maxParallelism: number;
    readonly estimatedSpeedup: string;
  };
};

export type OrchestrationCall = {
  readonly id?: string;
  readonly toolName?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly [more: string]: unknown;
};

export type OrchestrationPartition = {
  readonly tools: readonly OrchestrationCall[];
  readonly [more: string]: unknown;
};

export type OrchestrationPartitionAnswer = {
  readonly batches: readonly {
    readonly parallel: boolean;
    readonly tools: readonly {
      readonly call: unknown;
      readonly class: "readonly" | "mutating";
      readonly reason: string;
    }[];
  }[];
  readonly stats: {
    readonly totalTools: number;
    readonly parallelBatches: number;
    readonly serialBatches: number;
    readonly maxParallelism: number;
    readonly estimatedSpeedup: string;
  };
};

export type Overview = {
  readonly tenants: readonly {
    readonly tenant: string;
    readonly runs: number;
    readonly actions: number;
    /** Of its actions, those that failed or whose end is unknown, at once or as a job */
    readonly error_rate: number;
    /** To within 10 %; null where nothing was measured */
    readonly p50_ms: number | null;
    /** To within 10 %; null where nothing was measured */
    readonly p95_ms: number | null;
    /** Requests and actions that ended as QUOTA_EXCEEDED, RATE_LIMITED or BACKLOG_FULL */
    readonly throttled: number;
    /** Jobs that are dead now, by their code */
    readonly dead: Readonly<Record<string, number>>;
    /** Questions that wait for a person now */
    readonly waiting: number;
    /** Ten at most, those that fail most first */
    readonly tools: readonly {
      readonly tool: string;
      readonly calls: number;
      readonly error_rate: number;
      /** To within 10 %; null where nothing was measured */
      readonly p50_ms: number | null;
      /** To within 10 %; null where nothing was measured */
      readonly p95_ms: number | null;
    }[];
  }[];
};

export type PortalLink = {
  readonly url: string;
  readonly expires_at: string;
};

export type PortalLinkRequest = {
  /** The tenant's word for who receives */
  readonly customer: string;
  /** Seconds until it ends; 900 unless said */
  readonly expires_in_s?: number;
  /** It shows everything and changes nothing */
  readonly read_only?: boolean;
};

export type PublishRequest = {
  /** Such as `order.paid` */
  readonly type: string;
  /** The event's own fields */
  readonly data: Readonly<Record<string, unknown>>;
  /** Only this customer's endpoints get it */
  readonly customer?: string;
  /** Its id: the same id and content is the same event for a day */
  readonly id?: string;
  /** Say of each endpoint whether the event is for it, and send nothing */
  readonly dry_run?: boolean;
};

export type Published = {
  readonly event_id?: string;
  readonly endpoints:
    | number
    | readonly {
        readonly endpoint: string;
        readonly matched: boolean;
        readonly because?: string;
      }[];
  readonly matched?: number;
};

export type PublishedEvent = {
  readonly event_id: string;
  readonly type: string;
  readonly customer?: string;
  readonly at: string;
  readonly run_id?: string;
  readonly data: unknown;
  /** Of one event: how many have each status */
  readonly deliveries?: {
    readonly pending: number;
    readonly retrying: number;
    readonly delivered: number;
    readonly failed: number;
    readonly discarded: number;
  };
  readonly [more: string]: unknown;
};

export type RecordedBatch = {
  readonly run_id: string;
  readonly job_id: string;
};

export type RedriveJobs = {
  readonly status: "dead";
  readonly tool?: string;
  /** Created at or after this time */
  readonly since?: string;
};

export type RedriveTenant = {
  readonly tenant: string;
  /** Only jobs that ended with it, as the overview has it */
  readonly code?: string;
  readonly tool?: string;
};

export type RedrivenJobs = {
  readonly redriven: number;
  /** The jobs that were left as they are: their tool is not there, or they changed meanwhile */
  readonly not_redriven: number;
  /** Tools that are not deployed any more: their jobs stay dead */
  readonly tools_gone: readonly string[];
  /** The backlog had no room for some; redrive them when others have ended */
  readonly backlog_full: boolean;
  /** There are more than one request redrives */
  readonly more: boolean;
};

export type RedrivenTenant = {
  readonly redriven: number;
  readonly not_redriven: number;
  /** Tools that are not deployed: their jobs stay dead */
  readonly tools_gone: readonly string[];
  readonly backlog_full: boolean;
  /** There may be more of them: ask again */
  readonly more: boolean;
};

export type RequestedBy = {
  /** Name of the key; absent where a trigger started the run */
  readonly key?: string;
  /** The flow that was run, where the key may call it */
  readonly flow?: string;
  /** The trigger of the flow, where no key started it */
  readonly trigger?: "webhook" | "cron";
  /** The batch, or the job of a run; absent where an earlier version recorded the question */
  readonly run_id?: string;
};

export type Rerun = {
  /** Reads that succeeded are answered too, and not run */
  readonly only?: "failed";
};

export type RerunAnswer = {
  readonly batch_id: string;
  readonly results: readonly Result[];
  readonly summary: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly initiated: number;
    readonly skipped: number;
    readonly pending_confirmation: number;
    readonly unknown: number;
  };
  readonly stats: {
    readonly duration_ms: number;
    readonly critical_path_ms: number;
    readonly sequential_ms: number;
    /** sequential_ms over duration_ms; left out where one call ran */
    readonly speedup?: number;
    readonly max_parallelism: number;
  };
  /** The run that was run again */
  readonly parent: string;
};

export type RerunRuns = {
  readonly source?:
    | "http"
    | "turn"
    | "agent"
    | "mcp"
    | "flow"
    | "webhook"
    | "cron"
    | "approval"
    | "background"
    | "orchestration";
  readonly status?: "success" | "partial" | "error" | "waiting" | "running" | "unknown";
  readonly tool?: string;
  readonly flow?: string;
  /** The name of the key that asked */
  readonly key?: string;
  readonly tag?: string;
  /** Whose connections its tools used */
  readonly subject?: string;
  readonly request_id?: string;
  /** Started at or after this time (RFC 3339) */
  readonly since?: string;
  /** Started before this time (RFC 3339) */
  readonly until?: string;
  /** The next_cursor of an earlier answer */
  readonly cursor?: string;
  /** Reads that succeeded are answered too, and not run */
  readonly only?: "failed";
};

export type ResealedConnections = {
  /** Connections whose tokens are now under the first key */
  readonly sealed: number;
  /** Those that no key opens: their subjects connect them anew */
  readonly unreadable: number;
  /** None is under another key any more; else send the request again */
  readonly done: boolean;
};

export type ResealedEndpoints = {
  /** Endpoints whose secrets are now under the first key */
  readonly sealed: number;
  /** Those with a secret that no key opens: rotate it, or put the key back */
  readonly unreadable: number;
  /** None is under another key any more; else send the request again */
  readonly done: boolean;
};

export type ResponsesAnswer = {
  readonly output: readonly {
    readonly type: "function_call_output" | "custom_tool_call_output";
    readonly call_id: string;
    readonly output: string;
  }[];
};

export type RestoreRuns = {
  /** As an export has them */
  readonly runs: readonly (
    | {
        readonly at: number;
        readonly head: {
          readonly id: string;
          readonly source:
            | "http"
            | "turn"
            | "agent"
            | "mcp"
            | "flow"
            | "webhook"
            | "cron"
            | "approval"
            | "background"
            | "orchestration";
          readonly key: string;
          readonly request: string;
          readonly startedAt: number;
          readonly durationMs: number;
          readonly flow?: string;
          readonly parent?: string;
          readonly job?: string;
          readonly answers?: string;
          readonly tags?: readonly string[];
          /** Whose accounts its tools used */
          readonly subject?: string;
          readonly connections?: Readonly<Record<string, string>>;
          readonly code?: string;
          readonly jobs?: readonly {
            readonly job: string;
            readonly run: string;
            readonly request: string;
            readonly tool: string;
            readonly status:
              | "running"
              | "retrying"
              | "succeeded"
              | "failed"
              | "dead"
              | "cancelled"
              | "unknown";
            readonly at: number;
            readonly code?: string;
            readonly inDoubt?: true;
            readonly [more: string]: unknown;
          }[];
          readonly tools: readonly {
            readonly tool: string;
            readonly ends: readonly number[];
            readonly jobs?: number;
            readonly failed?: {
              readonly at: number;
              readonly action: string;
              readonly code: string;
            };
            readonly waits?: readonly {
              readonly question: string;
              readonly until: number;
              readonly actions: number;
            }[];
            readonly [more: string]: unknown;
          }[];
          readonly [more: string]: unknown;
        };
        readonly body: {
          readonly plan: {
            readonly edges: readonly {
              readonly from: string;
              readonly to: string;
              readonly reason: string;
            }[];
          };
          readonly actions: readonly {
            readonly id: string;
            readonly tool: string;
            readonly status:
              | "success"
              | "error"
              | "initiated"
              | "skipped"
              | "pending_confirmation"
              | "unknown";
            readonly [more: string]: unknown;
          }[];
          readonly [more: string]: unknown;
        };
      }
    | {
        readonly at: number;
        readonly rerun: string;
        readonly root: string;
        readonly writes: readonly string[];
      }
  )[];
};

export type Result =
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "success";
      readonly data: unknown;
      readonly meta: ResultMeta;
    }
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "error";
      /** The elements that ran of a `for_each` that failed */
      readonly data?: unknown;
      readonly error: Failure;
      readonly meta: ResultMeta;
    }
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "initiated";
      readonly job_id: string;
      readonly meta: ResultMeta;
    }
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "pending_confirmation";
      readonly connect_url?: string;
      readonly confirmation: {
        readonly id: string;
        readonly expires_at: string;
        readonly message: string;
        /** The page that asks a person; its path alone where no request was answered */
        readonly url: string;
        /** Where the account is connected that it waits for: then it runs */
        readonly connect_url?: string;
      };
      readonly meta: ResultMeta;
    }
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "skipped";
      readonly because: string;
      readonly error: Failure;
      readonly meta: ResultMeta;
    }
  | {
      readonly index: number;
      readonly id: string;
      readonly tool: string | null;
      readonly status: "unknown";
      /** The elements that ran of a `for_each` that failed */
      readonly data?: unknown;
      readonly error: Failure;
      readonly meta: ResultMeta;
    };

export type ResultMeta = {
  /** From the batch's start until it left its queues */
  readonly started_ms?: number;
  readonly duration_ms?: number;
  readonly queued_ms?: number;
  readonly attempts?: number;
  /** Where there was more than one */
  readonly tries?: readonly {
    readonly started_ms: number;
    readonly duration_ms: number;
    readonly code?: string;
  }[];
  readonly bytes?: number;
  readonly items?: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
  };
  /** The action whose call this one shared */
  readonly deduplicated_of?: string;
  /** It is a remembered answer: nothing was called */
  readonly cached?: true;
  /** How long ago the remembered answer was asked for */
  readonly age_ms?: number;
  readonly select_missing?: readonly string[];
  readonly truncated?: {
    readonly tokens_before: number;
    readonly tokens_after: number;
    readonly elements_dropped: number;
    readonly fields_dropped: number;
    readonly characters_dropped: number;
    readonly at: readonly string[];
  };
  /** Unfinished at the deadline; it goes on as a job */
  readonly demoted?: true;
  /** Whether a lost write took effect, as of the moment when its tool's read looked */
  readonly verification?: {
    readonly tool?: string;
    readonly verdict: "took_effect" | "not_found" | "inconclusive";
    readonly duration_ms: number;
  };
  /** A write of it was sent, and whether that took effect is not known */
  readonly in_doubt?: true;
  /** It ran before, under the same idempotency_key; this is what came of it then */
  readonly idempotency_replayed?: true;
  readonly limiter?: "degraded";
  /** From where a field was read that did not stand under its own name */
  readonly read_as?: {
    readonly tool?: string;
    readonly args?: string;
  };
  /** It ran, but perhaps not as it was meant: text that only looks like a reference, or a select that found nothing */
  readonly warnings?: readonly string[];
  /** Stands for the whole data in a $ref of a later batch */
  readonly handle?: string;
};

export type ResultPage = {
  /** In the order of the actions. A long loop is on several pages, each with a part of its data */
  readonly results: readonly (
    | Result
    | {
        readonly index: number;
        readonly id: string;
        readonly tool: string | null;
        /** A loop that is not over: its elements so far */
        readonly status: "running";
        readonly data: readonly unknown[];
        readonly meta: Readonly<Record<string, never>>;
      }
  )[];
  readonly next_cursor: string | null;
};

export type Run = {
  /** The batch's id; of a request to a model that request's */
  readonly run_id: string;
  /** The door that it came by */
  readonly source:
    | "http"
    | "turn"
    | "agent"
    | "mcp"
    | "flow"
    | "webhook"
    | "cron"
    | "approval"
    | "background"
    | "orchestration";
  readonly key: string;
  readonly flow?: string;
  /** The run, or the job of a run, that caused it */
  readonly parent?: string;
  /** The job that it is an attempt of */
  readonly job_id?: string;
  readonly request_id: string;
  readonly started_at: string;
  readonly duration_ms: number;
  /** `waiting` until every question of it is decided; `initiated` counts as success */
  readonly status: "success" | "partial" | "error" | "waiting" | "running" | "unknown";
  /** A write of it was sent, and whether that took effect is not known */
  readonly in_doubt?: true;
  readonly actions: readonly RunAction[];
  readonly summary: {
    readonly total: number;
    readonly ok: number;
    readonly error: number;
    readonly initiated: number;
    readonly skipped: number;
    readonly pending_confirmation: number;
    readonly unknown: number;
  };
  /** Ten at most */
  readonly tools: readonly string[];
  readonly tags?: readonly string[];
  /** Whose connections its tools used */
  readonly subject?: string;
  /** Which of them were chosen, by connector */
  readonly connections?: Readonly<Record<string, string>>;
  /** The first action that failed */
  readonly error?: {
    readonly action?: string;
    readonly code: string;
  };
  /** It was taken back from an export: it can be looked at, and not run again */
  readonly imported?: true;
  readonly plan: {
    readonly edges: readonly {
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }[];
  };
  readonly model?: readonly {
    readonly round: number;
    readonly started_ms: number;
    readonly model_ms: number;
    readonly usage?: Readonly<Record<string, unknown>>;
  }[];
  /** The runs that it caused */
  readonly children: readonly ListedRun[];
  /** Where the deliveries of the events are that it published */
  readonly deliveries?: string;
};

export type RunAction = {
  readonly id: string;
  readonly tool: string;
  readonly status: "success" | "error" | "initiated" | "skipped" | "pending_confirmation" | "unknown";
  /** It may have taken effect */
  readonly in_doubt?: true;
  readonly args?: unknown;
  readonly data?: unknown;
  readonly error?: {
    readonly code: string;
    readonly [more: string]: unknown;
  };
  readonly job_id?: string;
  readonly confirmation?: {
    readonly id: string;
    readonly [more: string]: unknown;
  };
  /** When it left its queues, counted from the run's start */
  readonly started_ms?: number;
  readonly queued_ms?: number;
  readonly duration_ms?: number;
  readonly attempts?: number;
  /** Each attempt, where there was more than one */
  readonly tries?: readonly {
    readonly started_ms: number;
    readonly duration_ms: number;
    readonly code?: string;
  }[];
  /** Of a request to a model: the batch of it that asked for this */
  readonly round?: number;
  /** Its tool is private: nothing is kept */
  readonly private?: true;
  /** The fields that were too large to be kept */
  readonly cut?: readonly string[];
  /** The fields that a secret was taken out of */
  readonly redacted?: readonly string[];
  readonly [more: string]: unknown;
};

export type RunPage = {
  readonly runs: readonly ListedRun[];
  readonly next_cursor: string | null;
};

export type ShownFlow = {
  readonly summary: string;
  readonly description?: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** As in a batch; {"$ref": "input#/city"} stands for what a run is given */
  readonly actions: readonly unknown[];
  readonly on_error?: "partial-success" | "fail-fast";
  /** The answer, made of the results: any JSON, with references and templates */
  readonly answer?: unknown;
  readonly deadline_ms?: number;
  readonly triggers?: Triggers;
  readonly name: string;
  /** SHA-256 of the flow and what it amounts to */
  readonly fingerprint: string;
  /** One of its actions writes */
  readonly is_write: boolean;
  /** One of its actions needs a person's yes */
  readonly confirm: boolean;
  /** Where signed deliveries run it */
  readonly hook_url?: string;
  /** When its clock comes next; null when it does not any more */
  readonly next_run_at?: string | null;
  /** The problems that it has, though it is kept */
  readonly issues?: readonly FlowIssue[];
  readonly plan?: {
    readonly waves: readonly (readonly string[])[];
    readonly edges: readonly {
      readonly from: string;
      readonly to: string;
      readonly reason: string;
    }[];
    readonly caps: Readonly<Record<string, number>>;
    readonly confirmations: readonly string[];
    readonly estimated_tokens: number;
    readonly estimated_speedup: number;
  };
  /** Why it cannot run with the tools that the key may call by now */
  readonly broken?: string;
};

export type SignIn = {
  readonly sign_in_id: string;
  /** As the program calls itself; anybody can give any name */
  readonly client_name: string;
  readonly client_id: string;
  /** The name of the key that it is */
  readonly key: string;
  /** What the person chose of the key: `tools`, `tools:read`, or `category:` and a name */
  readonly tools: readonly string[];
  /** The person, where they signed in at the issuer */
  readonly subject?: string;
  readonly created_at: string;
};

export type SignInPage = {
  readonly sign_ins: readonly SignIn[];
  readonly next_cursor: string | null;
};

export type StartedConnection = {
  readonly connection_id: string;
  /** For the person, once; absent where a key was sent */
  readonly connect_url?: string;
  readonly expires_at?: string;
  /** Where a key was sent */
  readonly state?: "active";
};

export type ToolDeclaration = {
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  readonly actions: readonly string[];
  readonly is_write: boolean;
  readonly execution?: "sync" | "fire-and-forget";
  readonly timeout_ms?: number;
  readonly idempotent?: boolean | "with-key";
  readonly delivery?: "at-least-once" | "at-most-once";
  /** Its arguments and results are in no record of what ran */
  readonly private?: boolean;
  /** false: what the service says of a refusal is not told */
  readonly upstream_errors?: boolean;
  readonly orchestration?: Contract;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly http?: HttpCall;
  readonly mcp?: McpCall;
};

export type ToolDescription = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, 2020-12 */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly is_write: boolean;
  /** JSON Schema, 2020-12 */
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly "x-orchestration": Contract;
};

export type ToolImport = {
  /** The beginning of the tools' names */
  readonly prefix: string;
  /** Tags and operationIds to import; all unless said */
  readonly include?: readonly string[];
  /** The secret that requests carry, or the account that they use; or one for each security scheme of the document */
  readonly auth?:
    | {
        /** Name of the secret */
        readonly secret: string;
        /** How it is sent; what the document's security scheme says unless said */
        readonly as?:
          | "bearer"
          | "basic"
          | {
              readonly header: string;
            }
          | {
              readonly query: string;
            };
      }
    | {
        /** The connector whose account of the subject is used */
        readonly connection: string | Readonly<Record<string, readonly string[]>>;
      }
    | {
        readonly schemes: Readonly<
          Record<
            string,
            | {
                /** Name of the secret */
                readonly secret: string;
                /** How it is sent; what the document's security scheme says unless said */
                readonly as?:
                  | "bearer"
                  | "basic"
                  | {
                      readonly header: string;
                    }
                  | {
                      readonly query: string;
                    };
              }
            | {
                /** The connector whose account of the subject is used */
                readonly connection: string | Readonly<Record<string, readonly string[]>>;
              }
          >
        >;
      };
  /** Where the API is, when the document's server does not say */
  readonly base_url?: string;
  /** By operationId: what is to be said of a tool instead */
  readonly overrides?: Readonly<
    Record<
      string,
      {
        /** Begins with the prefix */
        readonly name?: string;
        readonly summary?: string;
        readonly description?: string;
        readonly category?: string;
        readonly actions?: readonly string[];
        readonly is_write?: boolean;
        readonly timeout_ms?: number;
        readonly idempotent?: boolean | "with-key";
        /** Whether it needs a person's yes */
        readonly confirm?: "always" | "never";
        readonly orchestration?: Contract;
        /** JSON Pointer to the part of the answer that is the tool's data */
        readonly result?: string;
      }
    >
  >;
  /** The document, or its text (JSON or YAML) */
  readonly openapi?: string | Readonly<Record<string, unknown>>;
  /** An MCP server (Streamable HTTP) */
  readonly mcp?: {
    readonly url: string;
    readonly auth?: CallAuth;
  };
  /** Say what would be kept, and keep nothing */
  readonly dry_run?: boolean;
};

export type ToolList = {
  /** In the format's own shape, ready to paste into a model call */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** How many tools are missing, where all of them would be too large */
  readonly left_out?: number;
};

export type ToolName = {
  /** From discover_tools */
  readonly tool_name: string;
};

export type Triggers = {
  readonly webhook?: WebhookTrigger;
  /** Five fields, such as '0 7 * * 1-5' */
  readonly cron?: string;
  /** An IANA zone; UTC where it is left out */
  readonly timezone?: string;
  /** Neither the webhook nor the clock runs it; what the clock would have run is not made up */
  readonly paused?: boolean;
};

/** The provider's response, its message, or its calls */
export type Turn = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

export type Usage = {
  readonly key: string;
  readonly tenant: string;
  /** The name of the deployment, as its operator has set it */
  readonly environment?: string;
  /** The rights of the key besides calling its tools */
  readonly flags: readonly (
    | "approve"
    | "skip_approval"
    | "manage_tools"
    | "manage_keys"
    | "manage_endpoints"
    | "manage_connections"
    | "operator"
  )[];
  /** The features that this Worker lists */
  readonly features: readonly string[];
  readonly quota: {
    readonly requests: {
      readonly limit: number;
      readonly window_s: number;
      /** Whole requests left right now; what isolates hold in advance counts as used */
      readonly remaining: number;
      /** Until the whole limit is available again */
      readonly reset_ms: number;
    };
    /** For requests that run nothing, as this one */
    readonly lists: {
      readonly limit: number;
      readonly window_s: number;
      /** Whole requests left right now; what isolates hold in advance counts as used */
      readonly remaining: number;
      /** Until the whole limit is available again */
      readonly reset_ms: number;
    };
  };
  /** Those that are kept, of tools that the key may call, by status */
  readonly jobs: {
    readonly running: number;
    readonly retrying: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly dead: number;
    readonly cancelled: number;
    readonly unknown: number;
  };
  /** The live background work of the whole tenant */
  readonly backlog: {
    readonly jobs: number;
    /** Waiting to be sent again */
    readonly webhooks: number;
    /** Of flows */
    readonly runs: number;
  };
  readonly confirmations: {
    readonly waiting: number;
    readonly oldest_at: string | null;
  };
  readonly breakers: {
    /** Others may know otherwise: each isolate learns by itself, and there are many */
    readonly seen_by: "isolate";
    readonly open: readonly {
      readonly tool: string;
      readonly origin: string;
      readonly since: string;
      /** From then on one call at a time looks whether it works again */
      readonly until: string;
    }[];
  };
  /** Tools and flows that the tenant has added, and how many and large they may be together */
  readonly added: {
    readonly tools: number;
    readonly flows: number;
    readonly limit: number;
    readonly bytes: number;
    readonly bytes_limit: number;
  };
};

export type WebhookTrigger =
  | {
      readonly verify: "standard-webhooks" | "github" | "stripe" | "slack" | "gitlab" | "shopify" | "twilio";
      readonly secret: string;
      /** The events that run the flow, such as 'issues' or 'order.*'; every one where it is left out */
      readonly events?: readonly string[];
      /** How large a delivery may be; 1024 where it is left out */
      readonly max_body_kib?: number;
      /** Where the body says whose accounts the flow uses, as a JSON Pointer */
      readonly subject?: string;
      /** How far the sender's time may be from ours, either way */
      readonly tolerance_s?: number;
      /** The status that the sender wants for what it is to hear nothing more of */
      readonly answer?: 200 | 202 | 204;
    }
  | {
      readonly verify: "hmac" | "hmac-sha256";
      readonly secret: string;
      /** The events that run the flow, such as 'issues' or 'order.*'; every one where it is left out */
      readonly events?: readonly string[];
      /** How large a delivery may be; 1024 where it is left out */
      readonly max_body_kib?: number;
      /** Where the body says whose accounts the flow uses, as a JSON Pointer */
      readonly subject?: string;
      /** How far the sender's time may be from ours, either way */
      readonly tolerance_s?: number;
      /** The status that the sender wants for what it is to hear nothing more of */
      readonly answer?: 200 | 202 | 204;
      readonly header: string | readonly string[];
      readonly encoding?: "hex" | "base64" | "base64url";
      readonly prefix?: string;
      /** How the secret's text is the key */
      readonly key?: "text" | "hex" | "base64";
      /** The text that is signed; it may name {body}, {timestamp}, {id}, {url}, {method}, {form} and {header:NAME} */
      readonly payload?: string;
      /** The header is a list of name=value */
      readonly parts?: {
        readonly separator: string;
        readonly timestamp?: string;
        readonly signature: string;
      };
      /** Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it */
      readonly timestamp?: {
        readonly header?: string;
        readonly part?: string;
        readonly pointer?: string;
        readonly unit?: "s" | "ms" | "rfc3339";
      };
      /** Where the delivery's id stands; 'digest' of what is signed unless said, or 'none' */
      readonly id?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
      /** Where the event's name stands */
      readonly event?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
      readonly algorithm?: "sha256" | "sha1" | "sha512";
      /** An older name of 'id' */
      readonly id_header?: string;
    }
  | {
      readonly verify: "ed25519";
      readonly secret: string;
      /** The events that run the flow, such as 'issues' or 'order.*'; every one where it is left out */
      readonly events?: readonly string[];
      /** How large a delivery may be; 1024 where it is left out */
      readonly max_body_kib?: number;
      /** Where the body says whose accounts the flow uses, as a JSON Pointer */
      readonly subject?: string;
      /** How far the sender's time may be from ours, either way */
      readonly tolerance_s?: number;
      /** The status that the sender wants for what it is to hear nothing more of */
      readonly answer?: 200 | 202 | 204;
      readonly header: string | readonly string[];
      readonly encoding?: "hex" | "base64" | "base64url";
      readonly prefix?: string;
      /** How the secret's text is the key */
      readonly key?: "text" | "hex" | "base64";
      /** The text that is signed; it may name {body}, {timestamp}, {id}, {url}, {method}, {form} and {header:NAME} */
      readonly payload?: string;
      /** The header is a list of name=value */
      readonly parts?: {
        readonly separator: string;
        readonly timestamp?: string;
        readonly signature: string;
      };
      /** Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it */
      readonly timestamp?: {
        readonly header?: string;
        readonly part?: string;
        readonly pointer?: string;
        readonly unit?: "s" | "ms" | "rfc3339";
      };
      /** Where the delivery's id stands; 'digest' of what is signed unless said, or 'none' */
      readonly id?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
      /** Where the event's name stands */
      readonly event?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
    }
  | {
      readonly verify: "token";
      readonly secret: string;
      /** The events that run the flow, such as 'issues' or 'order.*'; every one where it is left out */
      readonly events?: readonly string[];
      /** How large a delivery may be; 1024 where it is left out */
      readonly max_body_kib?: number;
      /** Where the body says whose accounts the flow uses, as a JSON Pointer */
      readonly subject?: string;
      /** How far the sender's time may be from ours, either way */
      readonly tolerance_s?: number;
      /** The status that the sender wants for what it is to hear nothing more of */
      readonly answer?: 200 | 202 | 204;
      /** Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it */
      readonly timestamp?: {
        readonly header?: string;
        readonly part?: string;
        readonly pointer?: string;
        readonly unit?: "s" | "ms" | "rfc3339";
      };
      /** Where the delivery's id stands; 'digest' of what is signed unless said, or 'none' */
      readonly id?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
      /** Where the event's name stands */
      readonly event?:
        | string
        | {
            readonly header: string;
          }
        | {
            readonly pointer: string;
          };
      readonly header?: string;
      readonly query?: string;
      readonly pointer?: string;
      readonly basic?: true;
    };

export type WholeEndpoint = {
  /** A public https address */
  readonly url: string;
  /** The tenant's word for who receives */
  readonly customer?: string;
  /** Types such as `order.paid`, prefixes such as `invoice.*`, or `*` */
  readonly events: readonly string[];
  /** A condition on `data`, by JSON pointer: all of its tests are required */
  readonly filter?: Condition;
  readonly description?: string;
  /** Headers that each delivery has besides ours */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rate_limit?: {
    readonly limit: number;
    readonly window_s: number;
  };
  /** A flow of reads: the event is its input, its answer the body */
  readonly via?: string;
  readonly ordered: boolean;
  readonly paused: boolean;
  readonly id: string;
  readonly state: "active" | "paused" | "disabled";
  readonly failing_since?: string;
  /** `gone`: it answered 410; `asked`: `webhook-delivery: disable`; `failing`: five days of failures */
  readonly disabled_because?: "gone" | "asked" | "failing";
  readonly created_at: string;
  readonly updated_at: string;
  /** Its signing secret, shown this once */
  readonly secret?: string;
  readonly last_24h?: {
    readonly delivered: number;
    readonly failed: number;
    readonly pending: number;
    readonly p95_ms: number | null;
  };
};

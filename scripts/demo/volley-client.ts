/** One result as the demo reads it. */
export interface Result {
  readonly index: number;
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  readonly data?: unknown;
  readonly job_id?: string;
  readonly because?: string;
  readonly confirmation?: { readonly id: string };
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly connect_url?: string;
  };
  readonly meta: {
    readonly duration_ms?: number;
    readonly items?: { readonly total: number; readonly ok: number };
  };
}

export interface Envelope {
  readonly results: readonly Result[];
  readonly summary: Readonly<Record<string, number>>;
  readonly stats: { readonly duration_ms: number; readonly sequential_ms: number; readonly speedup: number };
}

/** How a batch would run. */
export interface Plan {
  readonly waves: readonly (readonly string[])[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
  readonly caps: Readonly<Record<string, number>>;
}

export interface Job {
  readonly status: string;
  readonly attempts: number;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly upstream_status?: number };
  readonly next_attempt_at?: string | null;
}

/** A delivery of an event to an endpoint. */
export interface Delivery {
  readonly endpoint: string;
  readonly status: string;
  readonly attempts: readonly { readonly status?: number }[];
  readonly next_attempt_at: string | null;
}

/** A tool that was added while running. */
export interface ImportedTool {
  readonly name: string;
  readonly summary: string;
  readonly is_write: boolean;
  readonly actions: readonly string[];
}

/** Just enough of a client for the demo: a streamed batch, a plan, a job, a yes, an import, a flow and a delivery to it, endpoints and their deliveries. */
export class VolleyClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  }

  /** Send a batch; `onResult` is told each result as it arrives, with the milliseconds since the request was sent. */
  async execute(
    actions: readonly unknown[],
    onResult: (result: Result, elapsedMs: number) => void = () => {},
    fields: object = {},
  ): Promise<Envelope> {
    const startedAt = performance.now();
    const response = await this.#post("/v1/execute_actions", { actions, ...fields }, "text/event-stream");
    if (response.body === null) throw new Error("The sandbox answered without a body");
    for await (const { event, data } of readEvents(response.body)) {
      if (event === "done") return JSON.parse(data) as Envelope;
      if (event === "result") onResult(JSON.parse(data) as Result, performance.now() - startedAt);
    }
    throw new Error("The stream ended before the batch did");
  }

  /** Ask how a batch would run, without running it. */
  async plan(
    actions: readonly unknown[],
  ): Promise<{ readonly plan: Plan; readonly errors: readonly unknown[] }> {
    const response = await this.#post("/v1/execute_actions", { actions, dry_run: true });
    return (await response.json()) as { plan: Plan; errors: unknown[] };
  }

  job(id: string): Promise<Job> {
    return this.#get(`/v1/jobs/${id}`);
  }

  /** Wait until a job's status changes, half a minute at most; the job as it is then. */
  changeOfJob(id: string, waitS = 30): Promise<Job> {
    return this.#get(`/v1/jobs/${id}?wait_s=${waitS}`);
  }

  /** Say yes to a question; the results of the actions that waited for it. */
  async approve(confirmationId: string): Promise<Envelope> {
    const response = await this.#post(`/v1/confirmations/${confirmationId}`, { decision: "approve" });
    return (await response.json()) as Envelope;
  }

  /** Make tools of a document or of an MCP server. */
  async importTools(
    source: object,
  ): Promise<{ readonly tools: readonly ImportedTool[]; readonly skipped: readonly unknown[] }> {
    const response = await this.#post("/v1/tools/import", source);
    return (await response.json()) as { tools: ImportedTool[]; skipped: unknown[] };
  }

  async keepFlow(name: string, flow: object): Promise<void> {
    await this.#send("PUT", `/v1/flows/${name}`, flow);
  }

  async keepEndpoint(id: string, endpoint: object): Promise<void> {
    await this.#send("PUT", `/v1/endpoints/${id}`, endpoint);
  }

  /** How many deliveries of an event have each status. */
  async event(id: string): Promise<{ readonly deliveries: Readonly<Record<string, number>> }> {
    return this.#get(`/v1/events/${id}`);
  }

  /** All deliveries of an event, by their endpoints. */
  async deliveriesOf(event: string): Promise<ReadonlyMap<string, Delivery>> {
    const found = new Map<string, Delivery>();
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: { readonly deliveries: readonly Delivery[]; readonly next_cursor: string | null } =
        await this.#get(`/v1/deliveries?event=${event}&limit=100${cursor && `&cursor=${cursor}`}`);
      for (const delivery of page.deliveries) found.set(delivery.endpoint, delivery);
      cursor = page.next_cursor;
    }
    return found;
  }

  /** Deliver to a webhook, which takes no key. */
  async deliver(
    path: string,
    signature: Readonly<Record<string, string>>,
    body: string,
  ): Promise<{ readonly status: number; readonly jobId: string | undefined }> {
    const headers = { "content-type": "application/json", ...signature };
    const response = await fetch(this.#url + path, { method: "POST", headers, body });
    const { job_id: jobId } = (await response.json()) as { job_id?: string };
    return { status: response.status, jobId };
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(this.#url + path, { headers: this.#headers });
    return (await response.json()) as T;
  }

  #post(path: string, body: object, accept?: string): Promise<Response> {
    return this.#send("POST", path, body, accept);
  }

  async #send(method: string, path: string, body: object, accept = "application/json"): Promise<Response> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, accept },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
    return response;
  }
}

/** Read server-sent events (WHATWG HTML, section 9.2) as far as Volley sends them: one `event` and one `data` line each. */
async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ event: string; data: string }> {
  let pending = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    pending += text;
    for (let end = pending.indexOf("\n\n"); end !== -1; end = pending.indexOf("\n\n")) {
      const block = pending.slice(0, end);
      pending = pending.slice(end + 2);
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data };
    }
  }
}

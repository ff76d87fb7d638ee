import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { err, ok, type Result } from "../../src/core/kit/result.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import { toSent } from "./flows-file.ts";
import { REQUEST_MS, sayNetwork } from "./say-network.ts";

/** Where a deployment is, and the key that is shown to it. */
export interface Deployment {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/** The effects of the client on the world. */
export interface ClientPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly sleep: (ms: number) => Promise<void>;
  /** Told before it waits. */
  readonly onWait: (ms: number) => void;
}

/** A flow as it is listed. */
export interface ListedFlow {
  readonly name: string;
  /** Why it cannot run; null where it can. */
  readonly broken: string | null;
}

/** Why one flow was refused, while others may not be. */
export interface FlowRefusal {
  readonly code: string;
  readonly detail: string;
  readonly issues: readonly FlowIssue[];
}

/** An issue of a flow: for one that is kept all the same, how bad. */
export interface FlowIssue {
  readonly severity?: "error" | "warning";
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

/** A flow that is kept. */
export interface KeptFlow {
  /** As it can be put. */
  readonly flow: JsonObject;
  readonly issues: readonly FlowIssue[];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A request is given up after so many waits that it was asked for, none longer than this. */
const MOST_WAITS = 5;
const LONGEST_WAIT_MS = 60_000;

/**
 * The flows of a deployment. An error that would be the same for every flow is thrown, as one sentence; a refusal of one is a
 * value.
 */
export class FlowsClient {
  readonly #deployment: Deployment;
  readonly #ports: ClientPorts;

  constructor(deployment: Deployment, ports: ClientPorts) {
    this.#deployment = deployment;
    this.#ports = ports;
  }

  /** The flows that the key may call. */
  async list(): Promise<readonly ListedFlow[]> {
    const answer = await this.#send("GET", "");
    const flows = answer.status === 200 && isJsonObject(answer.body) ? answer.body["flows"] : null;
    if (!Array.isArray(flows)) throw new Error(this.#sayUnexpected("GET /v1/flows", answer));
    return flows.map((flow: JsonObject) => ({
      name: String(flow["name"]),
      broken: flow["broken"] === undefined ? null : String(flow["broken"]),
    }));
  }

  /** A flow; null where there is none by now. */
  async show(name: string): Promise<KeptFlow | null> {
    const answer = await this.#send("GET", name);
    if (answer.status === 404) return null;
    if (answer.status === 200 && isJsonObject(answer.body)) return toKept(name, answer.body);
    throw new Error(this.#sayUnexpected(`GET /v1/flows/${visibleText(name)}`, answer));
  }

  /** Keep a flow. */
  async put(name: string, flow: JsonObject): Promise<Result<KeptFlow, FlowRefusal>> {
    const answer = await this.#send("PUT", name, flow);
    const isKept = answer.status === 200 || answer.status === 201;
    if (isKept && isJsonObject(answer.body)) return ok(toKept(name, answer.body));
    const refusal = toRefusal(answer.body);
    if (refusal === null) throw new Error(this.#sayUnexpected(`PUT /v1/flows/${visibleText(name)}`, answer));
    return err(refusal);
  }

  /** Delete a flow; one that is gone already is deleted. */
  async delete(name: string): Promise<Result<void, FlowRefusal>> {
    const answer = await this.#send("DELETE", name);
    if (answer.status === 204 || answer.status === 404) return ok(undefined);
    const refusal = toRefusal(answer.body);
    if (refusal === null)
      throw new Error(this.#sayUnexpected(`DELETE /v1/flows/${visibleText(name)}`, answer));
    return err(refusal);
  }

  /** Send a request, and again as often as the answer asks to wait. */
  async #send(method: string, name: string, body?: JsonObject): Promise<Answer> {
    const { url } = this.#deployment;
    for (let waits = 0; ; waits += 1) {
      const { response, text } = await this.#ask(method, name, body);
      const { status } = response;
      const waitMs = status === 429 || status === 503 ? readWait(response) : null;
      if (waitMs !== null && waitMs <= LONGEST_WAIT_MS && waits < MOST_WAITS) {
        this.#ports.onWait(waitMs);
        await this.#ports.sleep(waitMs);
        continue;
      }
      if (status >= 300 && status < 400)
        throw new Error(`${url} sends on to another address (${status}); put that one into VOLLEY_URL.`);
      const answer = { status, body: parse(text) };
      const refusal = toRefusal(answer.body);
      if (status === 401 && refusal !== null)
        throw new Error(`${url} does not know the key in VOLLEY_KEY (401).`);
      if (status === 403 && refusal !== null) throw new Error(`The key may not do that: ${refusal.detail}`);
      if (status === 429) {
        const seconds = waitMs === null ? "a while" : `${Math.ceil(waitMs / 1000)} s`;
        throw new Error(`The key's quota is used up (429); run it again in ${seconds}.`);
      }
      if (status >= 500) {
        const said = refusal === null ? "" : ` ${refusal.detail}`;
        throw new Error(`${url} failed (${status}); run it again later.${said}`);
      }
      return answer;
    }
  }

  async #ask(method: string, name: string, body?: JsonObject): Promise<{ response: Response; text: string }> {
    const { url, key } = this.#deployment;
    const path = name === "" ? "/v1/flows" : `/v1/flows/${encodeURIComponent(name)}`;
    try {
      const response = await this.#ports.fetch(url + path, {
        method,
        // A key goes where it was meant to go, and nowhere else.
        redirect: "manual",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      });
      return { response, text: await response.text() };
    } catch (error) {
      throw new Error(`Cannot reach ${url}: ${sayNetwork(error as Error)}.`, { cause: error });
    }
  }

  /** An answer that Volley does not give, or not any more. */
  #sayUnexpected(request: string, { status, body }: Answer): string {
    const refusal = toRefusal(body);
    const { url } = this.#deployment;
    return refusal === null
      ? `${url} does not answer as Volley does (${status} for ${request}); is VOLLEY_URL right?`
      : `${url} refused ${request} with ${status} ${refusal.code}: ${refusal.detail}`;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function toKept(name: string, body: JsonObject): KeptFlow {
  return { flow: toSent(name, body), issues: toIssues(body["issues"], "") };
}

/** Read a problem document; null if it is not one. */
function toRefusal(body: unknown): FlowRefusal | null {
  if (!isJsonObject(body) || typeof body["code"] !== "string") return null;
  const { code, detail, issues = body["path"] === undefined ? [] : [body] } = body;
  return {
    code: visibleText(code),
    detail: visibleText(toText(detail), SENTENCE),
    issues: toIssues(issues, detail),
  };
}

/** Read issues, safe to print. @param detail is said of one that has no hint */
function toIssues(issues: unknown, detail: unknown): readonly FlowIssue[] {
  const listed = Array.isArray(issues) ? issues.filter(isJsonObject) : [];
  return listed.map(({ severity, path, expected, received, hint = detail }) => ({
    ...((severity === "error" || severity === "warning") && { severity }),
    path: visibleText(toText(path), SENTENCE),
    expected: visibleText(toText(expected), SENTENCE),
    received: visibleText(toText(received), SENTENCE),
    hint: visibleText(toText(hint), SENTENCE),
  }));
}

const SENTENCE = 500;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** `Retry-After` in seconds, as Volley sends it; null where it does not say. */
function readWait({ headers }: Response): number | null {
  const value = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(value) ? Number(value) * 1000 : null;
}

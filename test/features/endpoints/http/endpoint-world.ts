import { Webhook } from "standardwebhooks";
import { expect } from "vitest";

import { endpoints } from "../../../../src/features/endpoints/index.ts";
import { addedTools } from "../../../../src/features/added-tools/index.ts";
import { discovery } from "../../../../src/features/discovery/index.ts";
import { keys } from "../../../../src/features/keys/index.ts";
import { tenantData } from "../../../../src/features/tenant-data/index.ts";
import { publishEvent } from "../../../../src/tools/events/publish-event.ts";
import type { Tool } from "../../../../src/core/catalog/define-tool.ts";
import type { Feature } from "../../../../src/cloudflare/feature.ts";
import {
  createTestVolley,
  type Answer,
  type Routes,
  type SentRequest,
} from "../../../../src/package/testing.ts";

export const HOST = "https://shop.acme.dev";

/** An answer of Volley: its status and its body. */
export interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly body: any;
}

/** A receiver that has nothing to say. */
export const taken = () => new Response(null, { status: 204 });

/** The parts of a Worker besides endpoints. */
export interface WorldOptions {
  readonly tools?: readonly Tool[];
  readonly features?: readonly Feature[];
  readonly routes?: Routes;
  readonly quota?: { readonly limit: number; readonly window_s: number };
  readonly env?: Readonly<Record<string, unknown>>;
  /** The feature itself, where a test looks into its objects. */
  readonly feature?: Feature;
}

/**
 * Open a Volley with endpoints in virtual time.
 *
 * @param answer what every receiver answers
 */
export async function openEndpoints(answer: Answer = taken, options: WorldOptions = {}) {
  const { tools = [], features = [], routes = {}, quota, env = {}, feature = endpoints() } = options;
  const has = (other: string): boolean => features.some(({ name }) => name === other);
  const volley = await createTestVolley({
    tools: [publishEvent, ...tools],
    features: [discovery(), addedTools(), feature, keys(), tenantData(), ...features],
    key: {
      flags: [
        "manage_endpoints",
        "manage_keys",
        "manage_tools",
        ...(has("confirmations") ? (["approve"] as const) : []),
        ...(has("operator") ? (["operator"] as const) : []),
      ],
      ...(quota !== undefined && { quota }),
    },
    env,
    routes: { [`POST ${HOST}/*`]: answer, ...routes },
    // The library that verifies looks at the real clock.
    now: new Date(),
  });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> => {
    const response = await volley.fetch(path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
  };
  const put = async (id: string, settings: object = {}): Promise<string> => {
    const made = await send("PUT", `/v1/endpoints/${id}`, {
      url: `${HOST}/${id}`,
      events: ["*"],
      ...settings,
    });
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 });
    return made.body.secret as string;
  };
  const publish = async (type: string, data: object = {}, more: object = {}): Promise<string> => {
    const published = await send("POST", "/v1/events", { type, data, ...more });
    expect(published, JSON.stringify(published.body)).toMatchObject({ status: 202 });
    return published.body.event_id as string;
  };
  /** The requests that an endpoint has got. */
  const sentTo = (id: string): readonly SentRequest[] =>
    volley.requests.filter(({ url }) => url === `${HOST}/${id}`);
  const deliveriesOf = async (id: string) =>
    (await send("GET", `/v1/deliveries?endpoint=${id}`)).body.deliveries as readonly {
      readonly delivery_id: string;
      readonly status: string;
      readonly attempts: readonly { readonly at: string; readonly status?: number; readonly code?: string }[];
      readonly next_attempt_at: string | null;
    }[];
  return { volley, send, put, publish, sentTo, deliveriesOf, later: (ms: number) => volley.advance(ms) };
}

/** The event in a delivery, as the Standard Webhooks library reads it: it throws when the signature is not right. */
export function verify({ body, headers }: SentRequest, secret: string): unknown {
  return new Webhook(secret).verify(body!, { ...headers });
}

import {
  github,
  hmac,
  type Sender,
  slack,
  standard,
  stripe,
} from "../features/flows/hooks/sample-senders.ts";
import { type RawAnswer, TestCaller } from "./test-caller.ts";

/** The secret of the sandbox that is bound to the tenant `sandbox-admin`. */
export const HOOK_SECRET = "SANDBOX_SECRET";
const SECRET_TEXT = "whsec_c2FuZGJveC1zZWNyZXQtZm9yLXRlc3RzLW9ubHk=";

/** The senders of webhooks to a running sandbox, by every scheme. */
export const SENDERS: Readonly<Record<string, Sender>> = {
  "standard-webhooks": standard,
  github,
  stripe,
  slack,
  "hmac-sha256": hmac,
};

/** The trigger of a flow that takes deliveries of a sender. */
export function triggerOf(sender: Sender): object {
  return { ...sender.trigger, secret: HOOK_SECRET };
}

export interface Delivering {
  readonly id?: string;
  readonly body?: string;
  readonly time?: string;
  readonly secret?: string;
  /** Replaces headers of the delivery. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly tenant?: string;
}

/** Send one delivery to a flow's address, signed as its sender does. */
export function sendHook(
  url: string,
  flow: string,
  sender: Sender,
  { headers, tenant = "sandbox-admin", body = sender.body, ...delivering }: Delivering = {},
): Promise<RawAnswer> {
  const signed = signHook(sender, { body, ...delivering });
  return new TestCaller(url).send({
    path: `/hooks/${tenant}/${flow}`,
    headers: { authorization: undefined, ...signed, ...headers },
    body,
  });
}

/** The headers that a sender signs a delivery with, as of now unless said otherwise. */
export function signHook(
  sender: Sender,
  { id, time, secret = SECRET_TEXT, body = sender.body }: Omit<Delivering, "headers" | "tenant"> = {},
): Record<string, string> {
  return sender.sign({
    body: new TextEncoder().encode(body),
    secret,
    time: time ?? String(Math.floor(Date.now() / 1_000)),
    ...(id !== undefined && { id }),
  });
}

import * as z from "zod/mini";

import { lazySchema, type Written } from "../../../feature/schema.ts";
import * as LIMITS from "../limits.ts";
import { PRESETS, type PresetName } from "./presets.ts";

const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** A token (RFC 9110, 5.6.2), of a length that a header's name may have. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** A JSON Pointer (RFC 6901) to a part of a body. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** The name of a part of a header, or of a parameter in the address. */
const PART = /^[A-Za-z0-9_.-]{1,50}$/;

/** The forms that a flow's author may spell out. */
const FORMS = ["hmac", "hmac-sha256", "ed25519", "token"] as const;

/** All that `verify` may say, the way most senders have first. */
const VERIFY = [...Object.keys(PRESETS), ...FORMS];

/**
 * How deliveries to a flow prove who sent them, as its author writes it. `secret` is the name of one, never its text. `checkHook`
 * finds what contradicts itself.
 */
export const hookTriggerSchema = lazySchema("WebhookTrigger", () => {
  const header = z.string().check(z.regex(HEADER_NAME));
  const pointer = z.string().check(z.regex(POINTER), z.maxLength(255));
  const part = z.string().check(z.regex(PART));
  const place = z.union(
    [
      z.string().check(z.regex(new RegExp(`${HEADER_NAME.source}|${POINTER.source}`))),
      z.strictObject({ header }),
      z.strictObject({ pointer }),
    ],
    'a header\'s name, a JSON Pointer, {"header"} or {"pointer"}',
  );
  const shared = {
    secret: z.string().check(z.regex(SECRET_NAME)),
    events: z
      .optional(
        z
          .array(z.string().check(z.minLength(1), z.maxLength(100)))
          .check(z.minLength(1), z.maxLength(LIMITS.hookEvents)),
      )
      .check(
        z.describe(
          "The events that run the flow, such as 'issues' or 'order.*'; every one where it is left out",
        ),
      ),
    max_body_kib: z
      .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.hookBodyBytes / 1024)))
      .check(z.describe(`How large a delivery may be; ${LIMITS.usualHookBodyKib} where it is left out`)),
    subject: z
      .optional(pointer)
      .check(z.describe("Where the body says whose accounts the flow uses, as a JSON Pointer")),
    tolerance_s: z
      .optional(z.int().check(z.minimum(1), z.maximum(LIMITS.hookToleranceS)))
      .check(z.describe("How far the sender's time may be from ours, either way")),
    answer: z
      .optional(z.literal([200, 202, 204]))
      .check(z.describe("The status that the sender wants for what it is to hear nothing more of")),
  };
  const timestamp = z.strictObject({
    header: z.optional(header),
    part: z.optional(part),
    pointer: z.optional(pointer),
    unit: z.optional(z.enum(["s", "ms", "rfc3339"])),
  });
  const form = {
    timestamp: z
      .optional(timestamp)
      .check(
        z.describe(
          "Where the sender's time stands: in a header, a part of one or the body; no time is looked at without it",
        ),
      ),
    id: z
      .optional(place)
      .check(z.describe("Where the delivery's id stands; 'digest' of what is signed unless said, or 'none'")),
    event: z.optional(place).check(z.describe("Where the event's name stands")),
  };
  const signed = {
    header: z.union(
      [header, z.array(header).check(z.minLength(1), z.maxLength(4))],
      "a header's name, or up to 4",
    ),
    encoding: z.optional(z.enum(["hex", "base64", "base64url"])),
    prefix: z.optional(z.string().check(z.minLength(1), z.maxLength(50))),
    key: z.optional(z.enum(["text", "hex", "base64"])).check(z.describe("How the secret's text is the key")),
    payload: z
      .optional(z.string().check(z.minLength(1), z.maxLength(500)))
      .check(
        z.describe(
          "The text that is signed; it may name {body}, {timestamp}, {id}, {url}, {method}, {form} and {header:NAME}",
        ),
      ),
    parts: z
      .optional(
        z.strictObject({
          separator: z.string().check(z.minLength(1), z.maxLength(5)),
          timestamp: z.optional(part),
          signature: part,
        }),
      )
      .check(z.describe("The header is a list of name=value")),
    ...form,
  };
  const hmac = {
    ...shared,
    ...signed,
    algorithm: z.optional(z.enum(["sha256", "sha1", "sha512"])),
    id_header: z.optional(header).check(z.describe("An older name of 'id'")),
  };
  return z.discriminatedUnion(
    "verify",
    [
      z.strictObject({
        verify: z.enum(Object.keys(PRESETS) as PresetName[]),
        ...shared,
        verify_token: z
          .optional(z.string().check(z.regex(SECRET_NAME)))
          .check(z.describe("The name of the secret with which Meta asks whether anybody is there")),
      }),
      z.strictObject({ verify: z.enum(["hmac", "hmac-sha256"]), ...hmac }),
      z.strictObject({ verify: z.literal("ed25519"), ...shared, ...signed }),
      z.strictObject({
        verify: z.literal("token"),
        ...shared,
        ...form,
        header: z.optional(header),
        query: z.optional(part),
        pointer: z.optional(pointer),
        basic: z.optional(z.literal(true)),
      }),
    ],
    `one of ${VERIFY.map((verify) => JSON.stringify(verify)).join(", ")}`,
  );
});

export type HookTrigger = Written<typeof hookTriggerSchema>;

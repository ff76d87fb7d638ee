import * as z from "zod/mini";

import { visibleText } from "../../feature/schema.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../feature/refuse.ts";
import { parseInstant } from "../../feature/kit.ts";
import {
  type Caller,
  fittingFlags,
  KEY_NAME,
  mayDo,
  SUBJECT_FLAGS,
  subjectField,
} from "../../feature/caller.ts";
import type { KeptKey, KeyRotation } from "./stored-key.ts";
import * as LIMITS from "./limits.ts";

/** The body that `POST /v1/keys` takes. */
export const keyRequestSchema = ({ flags }: { readonly flags: readonly string[] }) =>
  z.strictObject({
    name: z
      .string()
      .check(
        z.regex(KEY_NAME, "1 to 64 letters, digits, '_', '.' or '-'"),
        z.describe("Its quota is counted under it"),
      ),
    tenant: z
      .optional(z.string())
      .check(z.describe("The tenant of the key that asks, which is the only one that there may be")),
    tools: z
      .optional(
        z
          .array(z.string().check(z.minLength(1), z.maxLength(64)))
          .check(z.minLength(1), z.maxLength(LIMITS.keyTools)),
      )
      .check(
        z.describe(
          "Names or categories of tools, or `*`; needed for a new name, and none that the asking key has not",
        ),
      ),
    quota: z
      .optional(
        z.strictObject({
          limit: z.int().check(z.minimum(1)),
          window_s: z.int().check(z.minimum(1), z.maximum(86_400)),
        }),
      )
      .check(z.describe("At most as many a second as the asking key has; 120 a minute unless said")),
    flags: z
      .optional(z.array(z.enum(flags)).check(z.maxLength(flags.length)))
      .check(z.describe(`With a subject only ${SUBJECT_FLAGS.map((flag) => `\`${flag}\``).join(", ")}`)),
    subject: z.optional(
      subjectField("The one whose accounts its calls use; it names no other, and reaches nothing of others"),
    ),
    expires_at: z.optional(z.string()).check(z.describe("RFC 3339; it ends at that very time")),
    hash: z
      .optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, "64 hex digits in lower case")))
      .check(z.describe("The digest of a key that was made elsewhere, instead of a fresh key in the answer")),
    overlap_s: z
      .optional(z.int().check(z.minimum(0), z.maximum(LIMITS.keyOverlapS)))
      .check(
        z.describe("The name has a key: make another, and end the ones before it after so many seconds"),
      ),
  });

export type KeyRequest = z.output<ReturnType<typeof keyRequestSchema>>;

/** Who makes a key, and what that may be. */
export interface KeyMaker {
  readonly caller: Caller;
  /** Whether the caller may call whatever a grant admits. */
  readonly mayGrant: (grant: string) => boolean;
  readonly nowMs: number;
}

/**
 * Make the record of a new key, or say why it may not be: a key cannot make one that may more than it may itself, or lives
 * longer. The secret that signs its callbacks is its maker's.
 */
export function makeKeptKey(asked: KeyRequest, hash: string, maker: KeyMaker): Result<KeptKey, Refusal> {
  const { caller, nowMs } = maker;
  const { name, tools, flags = [], overlap_s: _overlap } = asked;
  if (tools === undefined) return err(NO_TOOLS);
  const { subject } = asked;
  const beyond =
    refuseTenant(asked, caller) ?? refuseReach(flags, subject) ?? refusePower({ tools, flags }, maker);
  if (beyond !== null) return err(beyond);
  const quota = toQuota(asked.quota, caller);
  if (!quota.ok) return quota;
  const expiresAt = parseExpiry(asked.expires_at, maker);
  if (!expiresAt.ok) return expiresAt;
  const makers = [{ name: caller.name, quota: caller.quota }, ...(caller.makers ?? [])];
  if (makers.length > LIMITS.keyMakers) return err(TOO_DEEP);
  return ok({
    tenant: caller.tenant,
    makers,
    name,
    tools: [...new Set(tools)],
    quota: quota.value,
    flags: caller.flags.filter((flag) => flags.includes(flag)),
    ...(caller.webhookSecret !== undefined && { webhookSecret: caller.webhookSecret }),
    ...(subject !== undefined && { subject }),
    createdAt: nowMs,
    expiresAt: expiresAt.value,
    rotatedAt: null,
    digests: [{ hash, endsAt: null }],
  });
}

/** Make the rotation that is asked for of a name, or say why it may not be. */
export function makeRotation(
  asked: KeyRequest & { readonly overlap_s: number },
  known: KeptKey,
  hash: string,
  maker: KeyMaker,
): Result<KeyRotation, Refusal> {
  const { caller } = maker;
  const other = (["tools", "quota", "flags", "subject"] as const).find((field) => asked[field] !== undefined);
  if (other !== undefined) return err(refuseField(other));
  const { tools, quota, flags, subject } = known;
  const beyond = refuseTenant(asked, caller) ?? refusePower(known, maker) ?? refuseQuota(quota, caller);
  if (beyond !== null) return err(beyond);
  const expiresAt = parseExpiry(asked.expires_at, maker, known.expiresAt);
  if (!expiresAt.ok) return expiresAt;
  return ok({
    tenant: caller.tenant,
    name: asked.name,
    hash,
    overlapMs: 1_000 * asked.overlap_s,
    ...(expiresAt.value !== null && { expiresAt: expiresAt.value }),
    seen: { tools, quota, flags, ...(subject !== undefined && { subject }) },
  });
}

function refuseTenant({ tenant }: KeyRequest, caller: Caller): Refusal | null {
  if (tenant === undefined || tenant === caller.tenant) return null;
  const hint = "A key makes keys of its own tenant only; leave 'tenant' out.";
  return makeRefusal("FORBIDDEN", hint, {
    issue: { path: "/tenant", expected: `'${caller.tenant}'`, received: `'${visibleText(tenant)}'` },
  });
}

/** Refuse flags that reach beyond the one subject of a key. */
function refuseReach(flags: readonly string[], subject: string | undefined): Refusal | null {
  const fitting = fittingFlags(flags, subject);
  const at = flags.findIndex((flag) => !fitting.includes(flag));
  if (at < 0) return null;
  const [path, expected, received] = [`/flags/${at}`, SUBJECT_FLAGS.join(", "), `'${flags[at]}'`];
  const hint = `${path}: a key that acts for one subject may have the flags ${expected}; ${received} reaches what others have.`;
  return makeRefusal("INVALID_REQUEST", hint, { issue: { path, expected, received } });
}

/** Refuse tools and flags that the asking key has not. */
function refusePower({ tools, flags }: Pick<KeptKey, "tools" | "flags">, maker: KeyMaker): Refusal | null {
  const flag = flags.findIndex((one) => !mayDo(maker.caller, one));
  if (flag >= 0)
    return makeRefusal(
      "FORBIDDEN",
      `The key that asks has no flag '${flags[flag]}' itself, so it cannot give it.`,
      {
        issue: {
          path: `/flags/${flag}`,
          expected: "flags of the key that asks",
          received: `'${flags[flag]}'`,
        },
      },
    );
  const tool = tools.findIndex((one) => !maker.mayGrant(one));
  if (tool < 0) return null;
  const shown = `'${visibleText(tools[tool]!)}'`;
  const hint = `The key that asks has not got ${shown} itself, so it cannot give it; a key with '*' can give anything.`;
  return makeRefusal("FORBIDDEN", hint, {
    issue: { path: `/tools/${tool}`, expected: "tools and categories of the key that asks", received: shown },
  });
}

function toQuota(asked: KeyRequest["quota"], caller: Caller): Result<KeptKey["quota"], Refusal> {
  const usual = { limit: LIMITS.quota, windowS: LIMITS.quotaWindowS };
  if (asked === undefined) return ok(exceeds(usual, caller.quota) ? caller.quota : usual);
  const quota = { limit: asked.limit, windowS: asked.window_s };
  const beyond = refuseQuota(quota, caller);
  return beyond === null ? ok(quota) : err(beyond);
}

/** Whether a quota is more than another. A long window with a large limit would be a burst that the other has not got. */
function exceeds({ limit, windowS }: Caller["quota"], own: Caller["quota"]): boolean {
  return limit > own.limit || limit * own.windowS > own.limit * windowS;
}

function refuseQuota(quota: Caller["quota"], { quota: own }: Caller): Refusal | null {
  if (!exceeds(quota, own)) return null;
  const [most, got] = [`at most ${own.limit} in ${own.windowS} s`, `${quota.limit} in ${quota.windowS} s`];
  const hint = `The key that asks has ${own.limit} requests in ${own.windowS} s and cannot give more.`;
  return makeRefusal("FORBIDDEN", hint, { issue: { path: "/quota", expected: most, received: got } });
}

/** @param kept what holds where nothing is asked */
function parseExpiry(
  text: string | undefined,
  { caller: { endsAtMs }, nowMs }: KeyMaker,
  kept: number | null = null,
): Result<number | null, Refusal> {
  const asked = text === undefined ? kept : parseInstant(text);
  if (text !== undefined && (asked === null || asked <= nowMs)) {
    const expected = "a time to come with its offset such as 2027-12-01T08:00:00Z";
    const hint = `/expires_at: expected ${expected}, received '${visibleText(text)}'.`;
    const issue = { path: "/expires_at", expected, received: `'${visibleText(text)}'` };
    return err(makeRefusal("INVALID_REQUEST", hint, { issue }));
  }
  if (endsAtMs === undefined || (asked !== null && asked <= endsAtMs)) return ok(asked);
  const until = new Date(endsAtMs).toISOString();
  const issue = { path: "/expires_at", expected: `a time up to ${until}`, received: text ?? "nothing" };
  return err(
    makeRefusal("FORBIDDEN", `The key that asks ends at ${until} and makes none that lives longer.`, {
      issue,
    }),
  );
}

function refuseField(field: string): Refusal {
  const hint = `A rotation leaves tools, quota and flags as they are; leave '${field}' out, or delete the name and make it anew.`;
  return makeRefusal("INVALID_REQUEST", hint, {
    issue: { path: `/${field}`, expected: "nothing beside 'overlap_s'", received: "a value" },
  });
}

const TOO_DEEP = makeRefusal(
  "FORBIDDEN",
  `There are ${LIMITS.keyMakers} keys above the key that asks, so it makes none; ask with one of those.`,
);

const NO_TOOLS = makeRefusal(
  "INVALID_REQUEST",
  '/tools: a new key needs the tools that it may call; `["*"]` is all.',
  {
    issue: { path: "/tools", expected: "names or categories of tools, or '*'", received: "nothing" },
  },
);

import type { TokenForm, WrittenForm } from "../hooks/hook-form.ts";
import { type HookTrigger, hookTriggerSchema } from "../hooks/hook-trigger.ts";
import type { PresetName } from "../hooks/presets.ts";
import {
  formsOf,
  handshakesOf,
  type HookForm,
  isForm,
  names,
  parsePayload,
  partsOf,
  type Piece,
} from "../hooks/read-form.ts";

/** A field of a trigger that contradicts another, or cannot work: where it stands, what should, and what to write. */
export interface TriggerFlaw {
  readonly path: readonly string[];
  readonly expected: string;
  readonly hint: string;
}

/** The forms of a webhook as it was sent; none where it cannot be read. */
export function formsOfSent(webhook: unknown): readonly HookForm[] {
  const parsed = hookTriggerSchema().safeParse(webhook);
  return parsed.success && checkHook(parsed.data).length === 0 ? formsOf(parsed.data) : [];
}

/** Find what contradicts itself in a webhook, or cannot work. The schema says what has not its shape. */
export function checkHook(webhook: unknown): readonly TriggerFlaw[] {
  const parsed = hookTriggerSchema().safeParse(webhook);
  if (!parsed.success) return [];
  const trigger: HookTrigger = parsed.data;
  if (!isForm(trigger)) return checkPreset(trigger);
  const ofProof = trigger.verify === "token" ? checkToken(trigger) : checkSigned(trigger);
  return [...checkTime(trigger), ...ofProof, ...checkEvents(trigger)];
}

function checkPreset(trigger: Extract<HookTrigger, { readonly verify: PresetName }>): readonly TriggerFlaw[] {
  const { verify, events, verify_token: token } = trigger;
  const hasEvents = formsOf(trigger).every(({ eventAt }) => eventAt.length > 0);
  const asksByToken = handshakesOf(trigger).some(
    ({ method, token: asked }) => method === "GET" && asked !== undefined,
  );
  return [
    ...(events === undefined || hasEvents ? [] : [noEvents(`'${verify}' names no event.`)]),
    ...(asksByToken === (token !== undefined) ? [] : [tokenFlaw(verify, asksByToken)]),
  ];
}

function tokenFlaw(verify: string, asksByToken: boolean): TriggerFlaw {
  const path = ["verify_token"];
  return asksByToken
    ? {
        path,
        expected: "the name of a secret",
        hint: `'${verify}' asks once with a token that you choose there; name the secret that has the same text.`,
      }
    : { path, expected: "nothing", hint: `'${verify}' asks with no token of yours; leave it out.` };
}

function checkEvents(form: WrittenForm & Pick<HookTrigger, "events">): readonly TriggerFlaw[] {
  if (form.events === undefined || form.event !== undefined) return [];
  return [noEvents("Say as 'event' where the event's name stands, or leave 'events' out.")];
}

function noEvents(hint: string): TriggerFlaw {
  return { path: ["events"], expected: "nothing where no event is named", hint };
}

function checkToken(form: TokenForm): readonly TriggerFlaw[] {
  const said = (["header", "query", "pointer", "basic"] as const).filter((name) => form[name] !== undefined);
  if (said.length === 1) return [];
  const hint =
    said.length === 0
      ? "Say where the token stands."
      : `A token stands in one place, and ${said.map((name) => `'${name}'`).join(", ")} are said.`;
  return [
    {
      path: said.length === 0 ? [] : [said[1]!],
      expected: "one of 'header', 'query', 'pointer' and 'basic'",
      hint,
    },
  ];
}

type SignedForm = Exclude<WrittenForm, { readonly verify: "token" }>;

function checkSigned(form: SignedForm): readonly TriggerFlaw[] {
  const flaws: TriggerFlaw[] = [];
  const add = (path: string, expected: string, hint: string): void =>
    void flaws.push({ path: [path], expected, hint });
  if (form.verify === "hmac-sha256" && (form.algorithm ?? "sha256") !== "sha256")
    add(
      "algorithm",
      "'sha256' where 'verify' says so",
      "Say 'hmac' as 'verify', and the algorithm beside it.",
    );
  if (form.verify !== "ed25519" && form.id_header !== undefined && form.id !== undefined)
    add("id_header", "nothing beside 'id'", "'id_header' is an older name of 'id'; leave it out.");
  if (form.parts !== undefined && form.prefix !== undefined)
    add(
      "prefix",
      "nothing beside 'parts'",
      "'parts.signature' says what stands before a signature; leave 'prefix' out.",
    );
  if (form.parts?.separator.includes("=") === true)
    flaws.push({
      path: ["parts", "separator"],
      expected: "text without '='",
      hint: "The '=' stands between a part's name and its value.",
    });
  if (form.parts !== undefined && form.parts.timestamp === form.parts.signature)
    flaws.push({
      path: ["parts", "timestamp"],
      expected: "another part than 'signature'",
      hint: "One part holds the time and another the signature.",
    });
  const payload = parsePayload(form.payload ?? "{body}");
  if (payload.ok) flaws.push(...checkNames(form, payload.value));
  else add("payload", payload.error.expected, payload.error.hint);
  return flaws;
}

/** Find names of a payload that stand for nothing. */
function checkNames(form: SignedForm, payload: readonly Piece[]): readonly TriggerFlaw[] {
  const flaws: TriggerFlaw[] = [];
  const hasTime = form.timestamp !== undefined || form.parts?.timestamp !== undefined;
  const id = form.id ?? (form.verify === "ed25519" ? undefined : form.id_header);
  const hasId = id !== undefined && id !== "digest" && id !== "none";
  for (const [name, isSaid] of [
    ["timestamp", hasTime],
    ["id", hasId],
  ] as const)
    if (!isSaid && payload.some((piece) => names(piece, name)))
      flaws.push({
        path: ["payload"],
        expected: `no {${name}} where none is said`,
        hint: `Say as '${name}' where it stands.`,
      });
  return flaws;
}

function checkTime(form: WrittenForm): readonly TriggerFlaw[] {
  const { timestamp } = form;
  if (timestamp === undefined) return [];
  const refuse = (expected: string, hint: string): readonly TriggerFlaw[] => [
    { path: ["timestamp"], expected, hint },
  ];
  const said = (["header", "part", "pointer"] as const).filter((name) => timestamp[name] !== undefined);
  const parts = form.verify === "token" ? undefined : form.parts;
  if (parts?.timestamp !== undefined)
    return said.length === 0 ||
      (said[0] === "part" && said.length === 1 && timestamp.part === parts.timestamp)
      ? []
      : refuse("no other place than 'parts.timestamp'", "The time stands in one place; leave the other out.");
  if (said.length !== 1)
    return refuse(
      "one of 'header', 'part' and 'pointer'",
      "Say where the sender's time stands, in one place.",
    );
  if (said[0] !== "part") return [];
  if (form.verify === "token" || partsOf(form) === null)
    return refuse(
      "a header of parts",
      "A time is a part where 'parts', or a 'prefix' such as 'v1=', says that the header has some.",
    );
  return parts === undefined && form.prefix?.endsWith("=") === false
    ? refuse(
        "a 'prefix' that ends in '='",
        "Parts are name=value: say the signature's name and '=' as 'prefix', or use 'parts'.",
      )
    : [];
}

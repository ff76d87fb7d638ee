import type { EventPlace, Place } from "../../src/features/flows/hooks/hook-form.ts";
import { PRESETS } from "../../src/features/flows/hooks/presets.ts";
import { formsOf, type HookForm, type Piece } from "../../src/features/flows/hooks/read-form.ts";
import { SENDERS } from "../hooks/senders.ts";

type Name = keyof typeof SENDERS;

/** The senders with a page, in the order in which they are listed. */
export const SENDER_NAMES = Object.keys(SENDERS) as readonly Name[];

/** Write the part of a page between a command's marks anew. It throws where the page has no marks. */
export function writePart(page: string, part: string, command = "senders"): string {
  const [begin, end] = [`<!-- npm run ${command}: begin -->`, `<!-- npm run ${command}: end -->`];
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined)
    throw new Error("Cannot write a part: the page has no marks");
  return `${before}${begin}\n\n${part}\n${end}${after}`;
}

/** Write the list of the senders' pages, for `docs/index.md`. */
export function writeSenderList(): string {
  return SENDER_NAMES.map((name) => `- [${SENDERS[name].title}](senders/${name}.md)\n`).join("");
}

/** Write the table of the senders, for `docs/flows.md`. */
export function writeSenderTable(): string {
  const rows = SENDER_NAMES.map((name) => {
    const { signature, id, event, status } = factsOf(name);
    return `| [\`${name}\`](senders/${name}.md) | ${signature} | ${id} | ${event} | ${status} |\n`;
  });
  return `| \`verify\` | the proof, and what is signed | id of the delivery | name of the event | answer |\n|---|---|---|---|---|\n${rows.join("")}`;
}

/** Write the page of one sender. */
export function writeSenderPage(name: Name): string {
  const { title, at, secret, notes, sample } = SENDERS[name];
  const { signature, id, event, status, time, asks } = factsOf(name);
  const variable = `${name.toUpperCase()}_SECRET`;
  const webhook = {
    verify: name,
    secret: variable,
    ...(name === "meta" && { verify_token: "META_VERIFY_TOKEN" }),
  };
  const body = typeof sample.body === "string" ? sample.body : JSON.stringify(sample.body, null, 2);
  const rows = [
    ["proof", signature],
    ["time", time],
    ["id of a delivery", id],
    ["name of the event", event],
    ["answer", status],
    ["asks without an event", asks],
  ].filter(([, text]) => text !== "");
  return [
    `# ${title}: receive webhooks\n`,
    `For people who want ${title} to run a flow: at the end each of its deliveries is verified, and runs the flow once.\n`,
    `1. Give [the deployment](../configuration.md#secrets-of-tools-that-are-data) a secret, here \`${variable}\`, and bind it to the tenant. Its text is ${secret}.`,
    `2. Keep [a flow](../flows.md#run-it-by-a-webhook) with this trigger. The response has \`hook_url\`.\n`,
    "```json",
    JSON.stringify({ triggers: { webhook } }),
    "```\n",
    `3. Enter \`hook_url\` ${at}.`,
    name === "discord"
      ? "4. Save it there: Discord sends a ping at once.\n"
      : `4. Try it with a delivery as ${title} documents it:\n\n\`\`\`bash\n${variable}=… npx volley hooks try ${name}\n\`\`\`\n`,
    "| | |\n|---|---|",
    ...rows.map(([what, text]) => `| ${what} | ${text} |`),
    "",
    ...notes.map((note) => `- ${note}`),
    ...(notes.length > 0 ? [""] : []),
    `The delivery of the example:\n`,
    typeof sample.body === "string" ? "```text" : "```json",
    body,
    "```",
    "",
  ].join("\n");
}

interface Facts {
  readonly signature: string;
  readonly time: string;
  readonly id: string;
  readonly event: string;
  readonly status: string;
  readonly asks: string;
}

function factsOf(name: Name): Facts {
  const forms = formsOf({ verify: name, secret: "S" });
  const [first] = forms as readonly [HookForm];
  const unique = (texts: readonly string[]): string => [...new Set(texts)].join(", or ");
  const { handshakes = [] } = PRESETS[name] as {
    readonly handshakes?: readonly { readonly method: string }[];
  };
  return {
    signature: unique(forms.map(sayProof)),
    time: sayTime(first),
    id: unique(forms.map(sayId)),
    event: unique(first.eventAt.map(sayEvent)) || "none",
    status: sayAnswer(first),
    asks: unique(handshakes.map(({ method }) => `${method}, not signed`)),
  };
}

function sayProof({ proof }: HookForm): string {
  if (proof.kind === "token") return `the secret itself in \`${(proof.at as { header: string }).header}\``;
  const how =
    proof.kind === "ed25519" ? "Ed25519" : `HMAC-${proof.algorithm.toUpperCase().replace("SHA", "SHA-")}`;
  return `\`${proof.headers.join("`, `")}\`: ${how} of ${proof.payload.map(sayPiece).join("")}`;
}

function sayPiece(piece: Piece): string {
  if (typeof piece === "string") return `\`${piece}\``;
  return piece.name === "header" ? `{${piece.header}}` : `{${piece.name}}`;
}

function sayTime({ time, toleranceMs }: HookForm): string {
  if (time === null) return "not signed: somebody who has a delivery can send it again after 72 hours";
  return `signed; at most ${toleranceMs / 60_000} minutes from now, unless \`tolerance_s\` says otherwise`;
}

function sayId({ id, orDigest }: HookForm): string {
  if (id === "none") return "none: each delivery runs the flow";
  if (id === "digest") return "a digest of the signed text";
  return sayPlace(id) + (orDigest ? " or a digest" : "");
}

function sayEvent(place: EventPlace): string {
  return "each" in place ? `\`${place.each}\` of each element` : sayPlace(place);
}

function sayPlace(place: Place): string {
  return `\`${"header" in place ? place.header : place.pointer}\``;
}

function sayAnswer({ status, says }: HookForm): string {
  if (status === 204) return "204";
  return says === undefined || says === null
    ? `${status} \`{"job_id"}\``
    : `${status} \`${JSON.stringify(says)}\``;
}

import type { Catalog } from "../../feature/tool.ts";
import { visibleText } from "../../feature/schema.ts";
import { listAsked, type ListedConfirmation } from "./confirmation.ts";
import type { ParkedGroup } from "./parked-group.ts";
import * as LIMITS from "./limits.ts";

/** Somebody who is asked where they are: in exactly one of three ways. */
export interface Approver {
  readonly name: string;
  readonly slack?: { readonly secret: string } | undefined;
  readonly email?: string | undefined;
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
  /** The questions that concern them; all where it is left out. */
  readonly for?:
    | {
        readonly tools?: readonly string[] | undefined;
        readonly categories?: readonly string[] | undefined;
        readonly subjects?: readonly string[] | undefined;
        readonly tenants?: readonly string[] | undefined;
      }
    | undefined;
}

/** Find the names of the approvers that a question concerns. Every field of theirs has to fit, for any of its actions. */
export function findConcerned(
  approvers: readonly Approver[],
  group: Pick<ParkedGroup, "actions" | "account">,
  { catalog, tenant }: { readonly catalog: Catalog; readonly tenant: string },
): readonly string[] {
  const tools = listAsked(group.actions).map(({ tool }) => tool);
  const categories = tools.map((name) => catalog.ofInner.get(name)?.category);
  const subject = group.account?.subject;
  const fits = (wanted: readonly string[] | undefined, found: readonly (string | undefined)[]): boolean =>
    wanted === undefined || found.some((one) => one !== undefined && wanted.includes(one));
  return approvers.flatMap(({ name, for: only = {} }) =>
    fits(only.tools, tools) &&
    fits(only.categories, categories) &&
    fits(only.subjects, [subject]) &&
    fits(only.tenants, [tenant])
      ? [name]
      : [],
  );
}

/** The question to one approver, with a link that no answer shows. */
export interface Notice {
  readonly approver: string;
  readonly link: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Say a question in lines of text. */
export function makeNotice(
  { head, expiresAt }: ListedConfirmation,
  { approver, link }: Pick<Notice, "approver" | "link">,
): Notice {
  const asks = head.actions.filter(({ gated }) => gated);
  const said = asks.map(({ tool, args = "", says, account }) => {
    const by = account === undefined ? "" : ` as ${visibleText(account, LIMITS.saidCharacters)}`;
    return `${says ?? `${tool} ${args}`}${by}`;
  });
  const needs = head.people === undefined ? [] : [`${head.people} people have to say yes.`];
  const first = said[0] ?? "";
  return {
    approver,
    link,
    title: `Yes or no? ${first.length > LIMITS.titleCharacters ? `${first.slice(0, LIMITS.titleCharacters)}…` : first}`,
    lines: [
      ...said.slice(0, LIMITS.noticeLines),
      ...(said.length > LIMITS.noticeLines ? [`and ${said.length - LIMITS.noticeLines} more`] : []),
      `Asked by ${visibleText(head.requestedBy)}, until ${new Date(expiresAt).toISOString()}.`,
      ...needs,
    ],
  };
}

/** A message for Slack in which text is text: nothing of it is markup or a mention. */
export function toSlackMessage({ title, lines, link }: Notice): object {
  const plain = (text: string) => ({
    type: "plain_text",
    text: text.slice(0, LIMITS.slackCharacters),
    emoji: false,
  });
  return {
    text: title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    blocks: [
      { type: "section", text: plain(lines.join("\n")) },
      { type: "actions", elements: [{ type: "button", text: plain("Decide"), url: link }] },
    ],
  };
}

/** A mail that is plain text; its subject is one line. */
export function toMail({ title, lines, link }: Notice): { readonly subject: string; readonly text: string } {
  return {
    subject: visibleText(title, 2 * LIMITS.titleCharacters),
    text: [...lines, "", `Decide: ${link}`].join("\n"),
  };
}

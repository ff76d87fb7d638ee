import { digestOf, type OpenedLink } from "../approval-link.ts";
import { callConfirmations, type ConfirmationRecord } from "../confirmation.ts";
import { isEditable } from "../edit-group.ts";
import { makePlainPage, type Page, sha256 } from "../../../feature/kit.ts";
import { makeQuestionPage, type RefusedForm } from "../page/question-page.ts";
import { toWireConfirmation } from "../wire-confirmation.ts";
import { stillCounts } from "./read-approvers.ts";
import { prepareDecision, runApproved, sayNo } from "./decide.ts";
import { findConfirmation, type Found, knownTo, openConfirmation, shownGroup } from "./find-confirmation.ts";
import { findReach } from "./find-reach.ts";
import { readForm, type SentForm } from "./read-decision-form.ts";
import { type Refusal, statusOf } from "../../../feature/refuse.ts";
import { visibleText } from "../../../feature/schema.ts";
import type { Watch } from "../../../feature/tool.ts";
import type { Deployment } from "../../../feature/define.ts";
import type { SayReach } from "../../../feature/gives.ts";
import type { RequestContext } from "../../../feature/answer.ts";

/** Somebody who has a link, and asks for its page or sends its form. */
interface Visit {
  readonly request: Request;
  readonly tenant: string;
  readonly token: string;
  readonly watch: Watch;
  /** Keep work alive after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** Told whether there is such a link. */
  readonly onFound: (isFound: boolean) => void;
}

/** An open question, and the link that it was found by. */
interface Opened {
  readonly link: OpenedLink;
  readonly found: Found;
  readonly context: RequestContext;
  readonly digest: string;
  readonly formToken: string;
}

/** The page of something that failed on our side. */
export const FAULT = makePlainPage(
  503,
  "That did not work",
  "Something failed on our side. Open the link again to see whether the question still waits.",
);

const NO_LINK = makePlainPage(
  404,
  "There is no such link",
  "It may have been cut off when it was copied, or its question is gone. Ask the sender for a new one.",
);

/**
 * Answer somebody who has a link. A link that is unknown, used, or over is found, or not found, by the same one question to the
 * tenant's object.
 */
export async function answerLink(
  visit: Visit,
  deployment: Deployment,
  sayReach: readonly SayReach[],
): Promise<Page> {
  const { request, tenant, token, watch, defer } = visit;
  const runner = deployment.runnerOf(tenant);
  const digest = digestOf(token);
  if (runner === null) return NO_LINK;
  const asked = { requestId: watch.requestId, requestUrl: request.url, defer, watch };
  const context = deployment.contextOf({ ...runner, name: "link:" }, asked);
  const opened = await callConfirmations(context.gate, "openLink", digest);
  visit.onFound(opened !== null);
  if (opened === null) return NO_LINK;
  const { link, record } = opened;
  const over =
    sayOver(link, record, context.ports.clock.now()) ??
    ((await stillCounts(
      { name: link.name, isApprover: link.isApprover === true, hash: link.maker?.hash },
      tenant,
      deployment.configured,
    ))
      ? null
      : OVER);
  if (over !== null) return over;
  const found = await openConfirmation(record, context);
  if (!found.ok) return NO_LINK;
  const formToken = sha256(`form ${token}`);
  const open = { link, found: found.value, context, digest, formToken };
  if (request.method !== "POST") return showQuestion(open, sayReach);
  const sent = await readForm(request, { formToken, group: shownGroup(found.value) });
  if ("wrong" in sent) return { ...(await showQuestion(open, sayReach, sent)), status: sent.status };
  const page = await decide(sent.form, open, request);
  if (!("refusal" in page)) return page;
  const { code, hint: wrong } = page.refusal;
  // The typed texts belong to the question that was shown, and that may be another one by now.
  const refused = { wrong, typed: code === "INVALID_REQUEST" ? sent.typed : undefined };
  const now = await findConfirmation(record.id, context);
  const shown = now.ok ? { ...open, found: now.value } : open;
  return { ...(await showQuestion(shown, sayReach, refused)), status: statusOf(page.refusal) };
}

/** Say why nothing can be decided any more; null where it can. */
function sayOver(link: OpenedLink, { status, decided }: ConfirmationRecord, nowMs: number): Page | null {
  if (status === "expired")
    return makePlainPage(
      410,
      "The time to decide is over",
      "The question has expired, and nothing of it ran.",
    );
  if (status !== "pending") {
    const what = status === "rejected" ? "no, and nothing ran" : "yes";
    const own = link.isUsed ? "You have decided already" : "It was decided already";
    return makePlainPage(
      410,
      own,
      `${decided?.name ?? "Somebody"} said ${what}. There is nothing left to do here.`,
    );
  }
  return link.isUsed || nowMs >= link.expiresAt ? OVER : null;
}

const OVER = makePlainPage(410, "This link is over", "It has ended; ask the sender for a new one.");

async function showQuestion(
  { link, found, context, formToken }: Opened,
  sayReach: readonly SayReach[],
  refused?: RefusedForm,
): Promise<Page> {
  const { record, catalog } = found;
  const group = shownGroup(found);
  const question = toWireConfirmation(record, group, {
    url: "",
    knows: knownTo(context.caller, catalog),
    reach: await findReach(group, context, sayReach),
  });
  const byId = new Map(group.actions.map((action) => [action.id, action]));
  const editable = new Set(
    question.actions.flatMap(({ id }, at) => {
      const action = byId.get(id);
      return action !== undefined && isEditable(action) ? [at] : [];
    }),
  );
  return makeQuestionPage({ question, link, formToken, editable, refused });
}

async function decide(
  { decision, shownHash, reason, args }: SentForm,
  { link, found, context, digest }: Opened,
  request: Request,
): Promise<Page | { readonly refusal: Refusal }> {
  const isEdited = link.edit && args !== undefined;
  const prepared = prepareDecision(
    found,
    {
      decision,
      shownHash,
      key: null,
      by: {
        name: link.name,
        via: link.isApprover ? "approver" : "link",
        ...(link.maker !== undefined && { madeBy: link.maker.key }),
      },
      link: digest,
      hash: link.maker?.hash,
      ...(reason !== undefined && { reason }),
      ...(isEdited && { args }),
    },
    context,
  );
  if (!prepared.ok) return { refusal: prepared.error };
  // Without an idempotency key nothing is repeated.
  if (prepared.value.kind === "repeated") return NO_LINK;
  if (decision === "reject") {
    const said = await sayNo(prepared.value, context);
    return said.ok
      ? makePlainPage(200, "You said no", "Nothing of it ran. You can close this page.")
      : { refusal: said.error };
  }
  const ran = await runApproved(prepared.value, { ...context, signal: request.signal });
  if (!ran.ok) return { refusal: ran.error.refusal };
  const { status, approved, needs } = JSON.parse(ran.value.json) as Partial<Record<string, unknown>>;
  if (status !== "waiting") return makeDonePage(ran.value.json);
  return makePlainPage(
    200,
    "You said yes",
    `${approved} of ${needs} people have. Nothing runs before the last of them. You can close this page.`,
  );
}

/** Say what became of every action. The texts of tools are not shown: they are for who asked. */
function makeDonePage(answerJson: string): Page {
  const { results } = JSON.parse(answerJson) as {
    readonly results: readonly { id: string; tool: string; status: string; error?: { code: string } }[];
  };
  return makePlainPage(
    200,
    "You said yes",
    ...results.map(({ id, tool, status, error }) => {
      const code = error === undefined ? "" : ` (${error.code})`;
      return `${tool} (${visibleText(id)}): ${WORDS[status] ?? status}${code}`;
    }),
    "You can close this page.",
  );
}

const WORDS: Readonly<Record<string, string>> = {
  success: "done",
  error: "failed",
  initiated: "goes on in the background",
  skipped: "did not run",
  unknown: "was sent, and whether it happened is not known",
  pending_confirmation: "asks again, because its arguments were not known before",
};

import { type Access, accessOf } from "./account-server.ts";
import type { StandInPorts } from "./stand-in.ts";

interface Message {
  readonly id: string;
  readonly subject: string;
  readonly bodyPreview: string;
  readonly from: string;
  readonly to: readonly string[];
}

/** The mailboxes, by whose they are; the newest message first. */
const mailboxes = new Map<string, Message[]>();

/** Answer as Microsoft Graph for mail: https://learn.microsoft.com/graph/api/user-list-messages and https://learn.microsoft.com/graph/api/user-sendmail */
export async function answerOutlook(request: Request, ports: StandInPorts): Promise<Response> {
  const access = accessOf(request, ports.now());
  if (access?.provider !== "microsoft") return refuse(401, "InvalidAuthenticationToken");
  const { pathname, searchParams } = new URL(request.url);
  switch (`${request.method} ${pathname}`) {
    case "GET /v1.0/me/messages":
      return may(access, ["Mail.Read", "Mail.ReadWrite"]) ? list(access, searchParams) : DENIED();
    case "POST /v1.0/me/sendMail":
      return may(access, ["Mail.Send"]) ? send(request, access) : DENIED();
    default:
      return refuse(404, "ResourceNotFound");
  }
}

const DENIED = (): Response => refuse(403, "ErrorAccessDenied");

function may({ scopes }: Access, some: readonly string[]): boolean {
  return some.some((scope) => scopes.includes(`https://graph.microsoft.com/${scope}`));
}

function mailboxOf({ account, person }: Access): Message[] {
  const first = {
    id: `AAMkAG${person}1`,
    subject: `Timesheet of ${person}`,
    bodyPreview: `Dear ${person}, please fill in your timesheet.`,
    from: "Office <office@acme.example>",
    to: [account],
  };
  const messages = mailboxes.get(account) ?? [first];
  mailboxes.set(account, messages);
  return messages;
}

function list(access: Access, query: URLSearchParams): Response {
  const [, words] = /^"([^"]*)"$/.exec(query.get("$search") ?? "") ?? [];
  const top = Number(query.get("$top") ?? "10");
  if (words === undefined || !(top >= 1 && top <= 1_000)) return refuse(400, "BadRequest");
  const found = mailboxOf(access).filter((message) =>
    words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => JSON.stringify(message).toLowerCase().includes(word.replace(/^\w+:/, ""))),
  );
  const value = found.slice(0, top).map(({ id, subject, bodyPreview, from }) => {
    const [, name = "", address = from] = /^(.*) <(.*)>$/.exec(from) ?? [];
    return {
      id,
      subject,
      bodyPreview,
      receivedDateTime: "2026-11-02T09:00:00Z",
      from: { emailAddress: { name, address } },
    };
  });
  const more = { "@odata.nextLink": "https://graph.microsoft.com/v1.0/me/messages?$skip=1" };
  return Response.json({ value, ...(found.length > top && more) });
}

async function send(request: Request, access: Access): Promise<Response> {
  const { message } = (await request.json()) as { readonly message?: Readonly<Record<string, never>> };
  const { subject, body, toRecipients } = (message ?? {}) as {
    readonly subject?: unknown;
    readonly body?: { readonly contentType?: unknown; readonly content?: unknown };
    readonly toRecipients?: readonly { readonly emailAddress?: { readonly address?: string } }[];
  };
  const to = (toRecipients ?? []).map((one) => one.emailAddress?.address ?? "");
  const isGood =
    typeof subject === "string" && body?.contentType === "Text" && typeof body.content === "string";
  if (!isGood || to.length === 0 || to.includes("")) return refuse(400, "ErrorInvalidRecipients");
  const mailbox = mailboxOf(access);
  const id = `AAMkAG${access.person}${mailbox.length + 1}`;
  mailbox.unshift({ id, subject, bodyPreview: body.content.slice(0, 255), from: access.account, to });
  return new Response(null, { status: 202 });
}

function refuse(status: number, code: string): Response {
  return Response.json({ error: { code, message: "The stand-in refuses it." } }, { status });
}

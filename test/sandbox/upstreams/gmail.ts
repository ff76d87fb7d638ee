import { answerOrRefuse, checkQuery, readCount, readFields, refuse } from "./google-errors.ts";
import { keepFields } from "./google-fields.ts";
import { OWN_ACCOUNT, ownerOf } from "./google-oauth.ts";
import { parseMail } from "./parse-mail.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 160;
const FIELDS =
  "id threadId labelIds snippet payload partId mimeType filename headers name value body size data attachmentId parts " +
  "sizeEstimate historyId internalDate messages nextPageToken resultSizeEstimate";
const KNOWN = FIELDS.split(" ");
const ME = `Volley <${OWN_ACCOUNT}>`;
/** Scopes that may read mails, and scopes that may send them. */
const READS = ["gmail.readonly", "gmail.modify"];
const SENDS = ["gmail.send", "gmail.compose", "gmail.modify"];

interface Header {
  readonly name: string;
  readonly value: string;
}

/** A part of a message as the API shows it. */
export interface MessagePart {
  readonly mimeType: string;
  readonly filename: string;
  readonly headers: readonly Header[];
  readonly body: { readonly size: number; readonly data?: string; readonly attachmentId?: string };
  readonly parts?: readonly MessagePart[];
}

interface Message {
  readonly id: string;
  readonly threadId: string;
  readonly labelIds: readonly string[];
  readonly snippet: string;
  readonly payload: MessagePart;
}

/** The mailboxes, by whose they are. */
const mailboxes = new Map<string, Message[]>();

/** A request, and the mailbox that it is about. */
interface Asked {
  readonly query: URLSearchParams;
  readonly owner: string;
  readonly messages: Message[];
}

/** Mails that the deployment's own account sent, the first one first. */
export function listSentMails(): readonly Message[] {
  return (mailboxes.get(OWN_ACCOUNT) ?? []).filter(({ labelIds }) => labelIds.includes("SENT"));
}

/** Forget every mail but those that are always there. */
export function resetGmail(): void {
  mailboxes.clear();
}

function mailboxOf(owner: string): Message[] {
  const messages = mailboxes.get(owner) ?? (owner === OWN_ACCOUNT ? seed() : seedOf(owner));
  mailboxes.set(owner, messages);
  return messages;
}

/** Answer as the Gmail API, v1, for the messages of the mailbox: https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages */
export async function answerGmail(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  return answerOrRefuse(() => route(request, ports.now()));
}

function route(request: Request, now: number): Promise<Response> | Response {
  const isRead = request.method === "GET";
  const owner = ownerOf(request, now, isRead ? READS : SENDS);
  const { pathname, searchParams: query } = new URL(request.url);
  const asked = { query, owner, messages: mailboxOf(owner) };
  const [, user, rest = ""] = /^\/gmail\/v1\/users\/([^/]+)\/messages(\/.*)?$/.exec(pathname) ?? [];
  if (user !== "me") throw refuse(404, "notFound", "Not Found");
  if (request.method === "POST" && rest === "/send") return send(request, { ...asked, now });
  if (!isRead) throw refuse(404, "notFound", "Not Found");
  return rest === "" ? list(asked) : get(rest.slice(1), asked);
}

async function send(
  request: Request,
  { query, owner, messages, now }: Asked & { readonly now: number },
): Promise<Response> {
  checkQuery(query, ["fields"]);
  const { raw } = await readFields(request, ["raw", "threadId"]);
  if (typeof raw !== "string" || !/^[A-Za-z0-9_-]+={0,2}$/.test(raw))
    throw refuse(
      400,
      "invalidArgument",
      "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed",
    );
  const { headers, text } = parseMail(raw);
  const id = new Seeded(`mail ${messages.length}`).text(16, "0123456789abcdef");
  const own = [
    { name: "From", value: owner === OWN_ACCOUNT ? ME : owner },
    { name: "Date", value: new Date(now).toUTCString() },
    { name: "Message-ID", value: `<${id}@mail.gmail.com>` },
  ];
  messages.unshift({
    id,
    threadId: id,
    labelIds: ["SENT"],
    snippet: escape(text.replaceAll(/\s+/g, " ").trim().slice(0, 200)),
    payload: part("text/plain", text, [...own, ...headers]),
  });
  return Response.json({ id, threadId: id, labelIds: ["SENT"] });
}

function list({ query, messages }: Asked): Response {
  checkQuery(query, ["q", "maxResults", "pageToken", "includeSpamTrash", "fields"], ["labelIds"]);
  const terms = (query.get("q") ?? "").toLowerCase().match(/(?:[a-z_]+:)?(?:"[^"]*"|\S+)/g) ?? [];
  const found = messages.filter((message) => terms.every((term) => isMeant(message, term)));
  const size = readCount(query, "maxResults", 100, 500);
  const begin = query.has("pageToken") ? readCount(query, "pageToken", 1, 1_000_000) : 0;
  const page = found.slice(begin, begin + size).map(({ id, threadId }) => ({ id, threadId }));
  return show(
    {
      // The API leaves an empty list out.
      ...(page.length > 0 && { messages: page }),
      ...(begin + size < found.length && { nextPageToken: String(begin + size) }),
      resultSizeEstimate: found.length,
    },
    query,
  );
}

/** The operators that a test may use: https://support.google.com/mail/answer/7190 */
function isMeant({ payload, labelIds, snippet }: Message, term: string): boolean {
  const [, operator = "", word = ""] = /^(?:([a-z_]+):)?"?([^"]*)"?$/.exec(term) ?? [];
  const header = (name: string): string =>
    payload.headers.find((one) => one.name.toLowerCase() === name)?.value.toLowerCase() ?? "";
  switch (operator) {
    case "from":
    case "to":
    case "cc":
    case "subject":
      return header(operator).includes(word);
    case "in":
    case "is":
    case "label":
      return word === "anywhere" || labelIds.includes(word.toUpperCase());
    case "newer_than":
      return true;
    default:
      return `${header("from")} ${header("to")} ${header("subject")} ${snippet.toLowerCase()}`.includes(word);
  }
}

function get(id: string, { query, messages }: Asked): Response {
  checkQuery(query, ["format", "fields"], ["metadataHeaders"]);
  if (!/^[0-9a-f]{1,16}$/.test(id)) throw refuse(400, "invalidArgument", "Invalid id value");
  const message = messages.find((one) => one.id === id);
  if (message === undefined) throw refuse(404, "notFound", "Requested entity was not found.");
  const format = query.get("format") ?? "full";
  if (format === "full") return show(message, query);
  const { payload, ...minimal } = message;
  if (format === "minimal") return show(minimal, query);
  if (format !== "metadata") throw refuse(400, "invalidArgument", `Invalid value at 'format': "${format}"`);
  const wanted = query.getAll("metadataHeaders").map((name) => name.toLowerCase());
  const headers = payload.headers.filter(
    ({ name }) => wanted.length === 0 || wanted.includes(name.toLowerCase()),
  );
  return show({ ...minimal, payload: { mimeType: payload.mimeType, headers } }, query);
}

function show(value: object, query: URLSearchParams): Response {
  return Response.json(keepFields(value, query.get("fields"), KNOWN));
}

/** Snippets come with the characters of HTML escaped. */
function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");
}

/** Make a part of a message of this text, in UTF-8 unless its bytes are given. */
function part(mimeType: string, text: string | Uint8Array, headers: readonly Header[] = []): MessagePart {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const data = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return { mimeType, filename: "", headers, body: { size: bytes.length, data } };
}

function many(mimeType: string, parts: readonly MessagePart[], headers: readonly Header[] = []): MessagePart {
  return { mimeType, filename: "", headers, body: { size: 0 }, parts };
}

/** The one mail that everybody has who connects a mailbox, which says whose it is. */
function seedOf(owner: string): Message[] {
  const [name = ""] = owner.split("@");
  const text = `Dear ${name}, your invoice of November is attached.`;
  const payload = part("text/plain", text, [
    { name: "From", value: "The Shop <billing@shop.example>" },
    { name: "To", value: owner },
    { name: "Subject", value: `Invoice for ${name}` },
    { name: "Date", value: "Tue, 3 Nov 2026 08:00:00 +0000" },
  ]);
  const id = new Seeded(`mail of ${owner}`).text(16, "0123456789abcdef");
  return [{ id, threadId: id, labelIds: ["INBOX"], snippet: text, payload }];
}

/** Mails of every kind that people get. */
function seed(): Message[] {
  const headersOf = (from: string, subject: string, at: string): Header[] => [
    { name: "Delivered-To", value: "volley@example.com" },
    { name: "From", value: from },
    { name: "To", value: ME },
    { name: "Subject", value: subject },
    { name: "Date", value: at },
  ];
  const html =
    "<html><head><style>p{color:red}</style></head><body><p>Hello <b>you</b>,</p><p>the invoice &amp; terms are attached.</p></body></html>";
  const invoice = many(
    "multipart/mixed",
    [
      many("multipart/alternative", [
        part("text/plain", "Hello you,\r\n\r\nthe invoice & terms are attached.\r\n"),
        part("text/html", html),
      ]),
      {
        mimeType: "application/pdf",
        filename: "invoice.pdf",
        headers: [],
        body: { size: 48_213, attachmentId: "ANGjdJ8" },
      },
    ],
    headersOf("Ann Lee <ann@example.com>", "Invoice for November", "Mon, 2 Nov 2026 09:12:00 +0000"),
  );
  const news = part(
    "text/html",
    "<html><body><script>track()</script><h1>News</h1><p>First item</p><ul><li>One</li><li>Two &lt;3</li></ul></body></html>",
    headersOf("The News <news@example.org>", "This week", "Sun, 1 Nov 2026 06:00:00 +0000"),
  );
  const latin = part(
    "text/plain",
    Uint8Array.from("Grüße aus Köln", (char) => char.charCodeAt(0)),
    [
      ...headersOf("Jörg <joerg@example.de>", "Grüße", "Sat, 31 Oct 2026 18:30:00 +0100"),
      { name: "Content-Type", value: 'text/plain; charset="ISO-8859-1"' },
    ],
  );
  const message = (
    id: string,
    labelIds: readonly string[],
    snippet: string,
    payload: MessagePart,
  ): Message => ({
    id,
    threadId: id,
    labelIds,
    snippet,
    payload,
  });
  return [
    message(
      "18c0ffee00000001",
      ["INBOX", "UNREAD"],
      "Hello you, the invoice &amp; terms are attached.",
      invoice,
    ),
    message("18c0ffee00000002", ["INBOX"], "News First item One Two &lt;3", news),
    message("18c0ffee00000003", ["INBOX"], "Grüße aus Köln", latin),
  ];
}

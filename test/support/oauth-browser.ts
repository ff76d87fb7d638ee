import { createHash, randomBytes } from "node:crypto";

/** A page or a redirect as a browser sees it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Its own. */
  readonly address: URL;
  /** Where it leads to; null where it is a page. */
  readonly location: URL | null;
}

/** A browser without scripts: it keeps cookies, follows nothing by itself, and sends the forms of the pages that it was shown. */
export class OauthBrowser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  async open(address: string | URL): Promise<Seen> {
    return this.#send(new URL(address, this.#url), {});
  }

  /** Send the form of a page, its hidden fields with it. */
  async submit(
    { text, address }: Pick<Seen, "text"> & Partial<Pick<Seen, "address">>,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" },
  ): Promise<Seen> {
    const [, action = address?.href ?? ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
    const form = new URLSearchParams();
    for (const [, name, value] of text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g))
      form.append(name!, value!);
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) form.append(name, one);
    return this.#send(new URL(action, this.#url), { method: "POST", body: form, headers });
  }

  /** Forget everything that pages have set. */
  clear(): void {
    this.#cookies.clear();
  }

  async #send(address: URL, init: RequestInit): Promise<Seen> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(address, {
      ...init,
      redirect: "manual",
      headers: { ...(init.headers as Record<string, string>), ...(cookie !== "" && { cookie }) },
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (/max-age=0/i.test(set)) this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
    const location = answer.headers.get("location");
    return {
      status: answer.status,
      address,
      headers: answer.headers,
      text: await answer.text(),
      location: location === null ? null : new URL(location, address),
    };
  }
}

/** Tokens as the token endpoint gives them. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly resource: string;
}

/** A client that signs in as a program does, request by request. */
export class OauthProgram {
  readonly url: string;
  readonly redirectUri: string;
  clientId = "";
  readonly verifier = randomBytes(32).toString("base64url");
  readonly state = randomBytes(12).toString("base64url");

  constructor(url: string, redirectUri = "https://app.example.com/callback") {
    this.url = url;
    this.redirectUri = redirectUri;
  }

  /** Register, as a public client unless said otherwise. */
  async register(more: object = {}): Promise<Response> {
    const answer = await fetch(`${this.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "Example",
        redirect_uris: [this.redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        ...more,
      }),
    });
    if (answer.status === 201)
      this.clientId = ((await answer.clone().json()) as { client_id: string }).client_id;
    return answer;
  }

  /** The address that it opens in the person's browser. */
  address(changes: Readonly<Record<string, string | undefined>> = {}): URL {
    const address = new URL("/authorize", this.url);
    const parameters = {
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      code_challenge: createHash("sha256").update(this.verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: this.state,
      scope: "tools:read tools",
      resource: `${this.url}/mcp`,
      ...changes,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) address.searchParams.set(name, value);
    return address;
  }

  async token(fields: Readonly<Record<string, string>>): Promise<Response> {
    return fetch(`${this.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({ client_id: this.clientId, ...fields }),
    });
  }

  redeem(code: string, changes: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.token({
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      code_verifier: this.verifier,
      resource: `${this.url}/mcp`,
      ...changes,
    });
  }

  refresh({ refresh_token }: Pick<Tokens, "refresh_token">): Promise<Response> {
    return this.token({ grant_type: "refresh_token", refresh_token, resource: `${this.url}/mcp` });
  }
}

/** Let a program in with a key, through both pages; the code that it gets. */
export async function letIn(
  program: OauthProgram,
  key: string,
  choice: Readonly<Record<string, string | readonly string[]>> = { choice: "everything" },
): Promise<string> {
  const browser = new OauthBrowser(program.url);
  const first = await browser.open(program.address());
  const second = await browser.submit(first, { key, decision: "key" });
  const end = await browser.submit(second, { ...choice, decision: "yes" });
  const code = end.location?.searchParams.get("code");
  if (typeof code !== "string")
    throw new Error(`The program was not let in: ${first.text}\n${second.text}\n${end.status} ${end.text}`);
  return code;
}

/** Register a program, let it in with a key, and take its tokens. */
export async function signInWith(
  url: string,
  key: string,
  choice?: Readonly<Record<string, string | readonly string[]>>,
): Promise<{ readonly program: OauthProgram; readonly tokens: Tokens }> {
  const program = new OauthProgram(url);
  await program.register();
  const code = await letIn(program, key, choice);
  const answer = await program.redeem(code);
  if (answer.status !== 200) throw new Error(`The code was not taken: ${await answer.text()}`);
  return { program, tokens: (await answer.json()) as Tokens };
}

/** Send one message of the Model Context Protocol, of revision 2025-06-18. */
export function sendMcp(
  url: string,
  token: string | null,
  method: string,
  params: object = {},
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

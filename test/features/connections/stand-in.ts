import { createHmac } from "node:crypto";

import { challengeOf } from "../../../src/features/connections/link-token.ts";
import type { Routes, SentRequest } from "../../../src/package/testing/scripted-upstream.ts";
import type { Answer, Provider } from "./providers.ts";

export const CLIENT = { id: "volley", secret: "geheim" };

interface Held {
  readonly who: string;
  readonly scope: string;
}

interface Code extends Held {
  readonly challenge: string | null;
  readonly redirectUri: string;
}

/** A provider that was made of its description, and takes nothing but what that says. */
export function createStandIn(provider: Provider) {
  const { client = "body", format = "form", proof = true, scopes, renewal, expiresIn } = provider;
  const [headerName, scheme] = provider.header ?? ["authorization", "Bearer"];
  const codes = new Map<string, Code>();
  const refreshes = new Map<string, Held>();
  const accesses = new Map<string, Held>();
  let made = 0;
  const state = {
    exchanges: 0,
    refreshes: 0,
    revoked: [] as string[],
    /** Its refusals, in words. */
    problems: [] as string[],
    accesses,
    refreshTokens: refreshes,
    /** Answers the next requests to the token's address in its place. */
    instead: undefined as undefined | (() => unknown),
    /** The scopes that people leave, where they do not leave all. */
    scopesGiven: undefined as string | undefined,
    /** A person signs in, at the address that they were sent to. @returns the address by which they come back */
    signIn(address: string, who: string): string {
      const url = new URL(address);
      const codeText = `code-${(made += 1)}`;
      const read = (name: string) => url.searchParams.get(name);
      codes.set(codeText, {
        who,
        scope: read(scopes?.parameter ?? "scope") ?? "",
        challenge: read("code_challenge"),
        redirectUri: read("redirect_uri") ?? "",
      });
      const back = new URL(read("redirect_uri") ?? "");
      const sent = { code: codeText, state: read("state") ?? "", ...provider.back?.(who) };
      for (const [name, value] of Object.entries(sent)) back.searchParams.set(name, value);
      if (provider.signedBy !== undefined) {
        const signed = Object.entries(sent)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([name, value]) => `${name}=${value}`)
          .join("&");
        const mac = createHmac("sha256", CLIENT.secret).update(signed).digest("hex");
        back.searchParams.set(provider.signedBy, mac);
      }
      return back.href;
    },
  };
  const refuse = (
    why: string,
    [status, body]: readonly [number, object] = [400, { error: "invalid_request" }],
  ) => {
    state.problems.push(why);
    return Response.json(body, { status });
  };
  const give = (held: Held, former?: string) => {
    const access = `access-${(made += 1)}`;
    accesses.set(access, held);
    const refresh = former !== undefined && renewal === "stays" ? former : `refresh-${made}`;
    if (renewal !== "none") refreshes.set(refresh, held);
    if (former !== undefined && renewal === "rotates") refreshes.delete(former);
    const isLeftOut = renewal === "none" || (former !== undefined && provider.leavesOut === true);
    const standard: Answer & { readonly id_token?: string } = {
      access_token: access,
      token_type: "bearer",
      ...(expiresIn !== null && { expires_in: expiresIn }),
      ...(!isLeftOut && { refresh_token: refresh }),
      ...(held.scope !== "" && { scope: state.scopesGiven ?? held.scope }),
      ...(provider.claims !== undefined && {
        id_token: `h.${btoa(JSON.stringify(provider.claims(held.who)))}.s`,
      }),
    };
    return former === undefined ? (provider.answer?.(standard, held.who) ?? standard) : standard;
  };
  /** The fields of a request that proves its client, or why it is not taken. */
  const readFields = ({ headers, body = "" }: SentRequest): Record<string, string> | string => {
    const type = format === "json" ? "application/json" : "application/x-www-form-urlencoded";
    if (headers["content-type"] !== type) return `a body of ${headers["content-type"]}`;
    const sent: Record<string, string> =
      format === "json" ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    const { client_id: id, client_secret: secret, ...fields } = sent;
    const { authorization } = headers;
    if (client === "body")
      return id === CLIENT.id && secret === CLIENT.secret && authorization === undefined
        ? fields
        : "a client that is not in the body";
    const user = client === "basic" ? `${CLIENT.id}:${CLIENT.secret}` : `${CLIENT.secret}:`;
    return id === undefined && secret === undefined && authorization === `Basic ${btoa(user)}`
      ? fields
      : "a client that is not in Basic alone";
  };
  const isExactly = (fields: Record<string, string>, names: readonly string[]): boolean => {
    const { fields: further = {} } = provider;
    const wanted = [...names, "grant_type", ...Object.keys(further)].toSorted();
    return (
      JSON.stringify(Object.keys(fields).toSorted()) === JSON.stringify(wanted) &&
      Object.entries(further).every(([name, value]) => fields[name] === value)
    );
  };
  const answerToken = (request: SentRequest) => {
    const fields = readFields(request);
    const isCode = typeof fields !== "string" && fields["grant_type"] === "authorization_code";
    if (isCode) state.exchanges += 1;
    else state.refreshes += 1;
    if (state.instead !== undefined) return state.instead();
    if (typeof fields === "string") return refuse(fields, provider.wrongClient);
    if (request.url !== (isCode ? provider.token : (provider.refresh ?? provider.token)))
      return refuse(`${fields["grant_type"]} at ${request.url}`);
    if (isCode) {
      if (!isExactly(fields, ["code", "redirect_uri", ...(proof ? ["code_verifier"] : [])]))
        return refuse(`the fields ${Object.keys(fields).join(", ")}`);
      const code = codes.get(fields["code"]!);
      codes.delete(fields["code"]!);
      if (code === undefined || code.redirectUri !== fields["redirect_uri"])
        return refuse("another code", provider.dead);
      if (proof && code.challenge !== challengeOf(fields["code_verifier"]!))
        return refuse("another proof key", provider.dead);
      return give(code);
    }
    if (fields["grant_type"] !== "refresh_token" || !isExactly(fields, ["refresh_token"]))
      return refuse(`the fields ${Object.keys(fields).join(", ")}`);
    const former = fields["refresh_token"]!;
    const held = refreshes.get(former);
    return held === undefined
      ? Response.json(provider.dead[1], { status: provider.dead[0] })
      : give(held, former);
  };
  const heldBy = ({ headers }: SentRequest): Held | undefined =>
    accesses.get((headers[headerName] ?? "").replace(`${scheme} `, ""));
  const answerRevoke = (request: SentRequest) => {
    const { by } = provider.revoke!;
    const bearer = (request.headers["authorization"] ?? "").replace("Bearer ", "");
    const basic = `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`;
    const body = request.body ?? "";
    const take = (token: string | null | undefined, known: ReadonlyMap<string, Held>) => {
      const held = known.get(token ?? "");
      if (held === undefined) return refuse(`to take back ${token}`);
      state.revoked.push(held.who);
      return Response.json({ ok: true });
    };
    if (by === "bearer" || by === "bearer, DELETE") return take(bearer, accesses);
    if (by === "GitHub")
      return request.headers["authorization"] === basic
        ? take(JSON.parse(body).access_token, accesses)
        : refuse("a client of another");
    if (by === "access token as JSON")
      return request.headers["authorization"] === basic &&
        request.headers["content-type"] === "application/json"
        ? take(JSON.parse(body).token, accesses)
        : refuse("a revocation that is no JSON");
    return take(new URLSearchParams(format === "json" ? JSON.parse(body) : body).get("token"), refreshes);
  };
  const revokeMethod = { "bearer, DELETE": "DELETE", GitHub: "DELETE" } as Record<string, string>;
  const { who, revoke } = provider;
  const routes: Routes = {
    [`POST ${provider.token}`]: answerToken,
    [`POST ${provider.refresh ?? provider.token}`]: answerToken,
    ...(who !== undefined && {
      [`${who.method ?? "GET"} ${who.url}`]: (request: SentRequest) => {
        const held = heldBy(request);
        if (held === undefined) return Response.json({}, { status: 401 });
        if (request.body !== who.body) return refuse(`a question of ${request.body}`);
        return who.answer(held.who);
      },
    }),
    ...(revoke !== undefined && { [`${revokeMethod[revoke.by] ?? "POST"} ${revoke.url}`]: answerRevoke }),
    [`GET ${provider.api}`]: (request) => {
      const held = heldBy(request);
      return held === undefined ? Response.json({}, { status: 401 }) : { of: held.who };
    },
  };
  return { state, routes };
}

export type StandIn = ReturnType<typeof createStandIn>["state"];

import * as LIMITS from "../limits.ts";
import { attempt, err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import { placeAsConfigured, readNamespace } from "../../../feature/object.ts";
import type { People } from "../../../feature/gives.ts";
import { type CallerSource, type Configured, createSlot } from "../../../feature/define.ts";
import { type Caller, KeyMemory } from "../../../feature/caller.ts";
import { createSignInStores, type SignInStores } from "../objects/sign-in-stores.ts";
import { hasTokenForm, type SignedKey, signInOf, toCaller } from "../sign-in.ts";
import { SIGN_INS, type SignInStoreMethods } from "../store-methods.ts";
import { Issuer } from "./issuer.ts";
import { loadLibrary } from "./oauth-kv.ts";
import { OauthServer } from "./oauth-server.ts";
import { findIdentityKey, type Identity, readIdentity } from "./read-identity.ts";

/** A caller, and the text that it was made of. */
interface MadeCaller {
  readonly caller: Caller;
  readonly json: string;
}

/** The sign-ins of one deployment. */
export class SignInDesk implements CallerSource {
  readonly configured: Configured;
  /** Null where the deployment has no objects that keep any. */
  readonly stores: SignInStores | null;
  /** Where people sign in besides with a key; null for nowhere. */
  readonly identity: Identity | null;
  readonly #identityKey: Caller | null;
  readonly #memory = new KeyMemory<MadeCaller>();
  /** The token that each caller came with last. */
  readonly #sent = new WeakMap<Caller, { readonly token: string; readonly resource: string }>();
  #sources: () => readonly CallerSource[] = () => [];
  #server: OauthServer | undefined;
  #issuer: Issuer | undefined;

  /** Throws where the configuration names no key, or the runtime cannot keep the objects where it says. */
  constructor(configured: Configured) {
    const { env, keys, ports } = configured;
    this.configured = configured;
    const anywhere = readNamespace<SignInStoreMethods>(env, SIGN_INS);
    const bounds = { clock: ports.clock, timeoutMs: LIMITS.gateTimeoutMs };
    this.stores = anywhere && createSignInStores(placeAsConfigured(env, anywhere), bounds);
    this.identity = readIdentity(env);
    this.#identityKey = findIdentityKey(this.identity, keys.callers);
  }

  /** Find keys that are made while running too. */
  finding(sources: () => readonly CallerSource[]): this {
    this.#sources = sources;
    return this;
  }

  hasForm(key: string, url: string): boolean {
    return this.stores !== null && hasTokenForm(key) && resourceAt(url) !== null;
  }

  recall(key: string, url: string): Caller | null | undefined {
    if (!key.includes(":")) return undefined;
    const resource = resourceAt(url);
    if (resource === null) return undefined;
    const known = this.#memory.recall(nameOf(key, resource), this.configured.ports.clock.now());
    return known === null || known === undefined ? known : known.caller;
  }

  /** Whether the token of a caller is still good, asked for anew: before a write nothing is believed that a person may have ended. */
  readonly isStill = (caller: Caller): Promise<Result<boolean, Refusal>> | undefined => {
    const sent = this.#sent.get(caller);
    return sent === undefined ? undefined : this.#lookAgain(sent.token, sent.resource);
  };

  async #lookAgain(token: string, resource: string): Promise<Result<boolean, Refusal>> {
    const looked = await attempt(() => this.#look(token, resource));
    if (!looked.ok) return err(UNREACHABLE);
    if (!looked.value.ok) return looked.value;
    if (looked.value.value === null) this.forget(signInOf(token));
    return ok(looked.value.value !== null);
  }

  async identify(key: string, url: string): Promise<Result<Caller | null, Refusal>> {
    const known = this.recall(key, url);
    if (known !== undefined) return ok(known);
    const resource = resourceAt(url)!;
    const name = nameOf(key, resource);
    const hash = signInOf(key);
    const askedAtMs = this.configured.ports.clock.now();
    const looked = await attempt(() => this.#look(key, resource));
    if (!looked.ok) return err(UNREACHABLE);
    if (!looked.value.ok) return looked.value;
    const found = looked.value.value;
    if (found === null) {
      this.#memory.remember(name, { hash, value: null, askedAtMs, endsAtMs: Number.POSITIVE_INFINITY });
      return ok(null);
    }
    const json = JSON.stringify(found.caller);
    const last = this.#memory.lastOf(name);
    // Other memories go by the caller's object: it stays the same one while nothing about it has changed.
    const value = last?.json === json ? last : { caller: found.caller, json };
    this.#memory.remember(name, { hash, value, askedAtMs, endsAtMs: found.endsAtMs });
    this.#sent.set(value.caller, { token: key, resource });
    return ok(value.caller);
  }

  /** The key that a sign-in is of, as it is now; null where it has ended. Refused where that cannot be looked up. */
  async keyOf({ tenant, key, hash, subject }: SignedKey): Promise<Result<Caller | null, Refusal>> {
    const own = this.#identityKey;
    const found = hash === undefined ? ok(subject === undefined ? null : own) : await this.#ofHash(hash);
    if (!found.ok || found.value === null) return found;
    const { value } = found;
    return ok(value.tenant === tenant && value.name === key ? value : null);
  }

  async #ofHash(hash: string): Promise<Result<Caller | null, Refusal>> {
    let found: Result<Caller | null, Refusal> = ok(this.configured.keys.ofHash(hash));
    for (const source of this.#sources())
      if (found.ok && found.value === null) found = (await source.ofHash?.(hash)) ?? found;
    return found;
  }

  /** The configured key of people who sign in elsewhere. */
  get identityKey(): Caller | null {
    return this.#identityKey;
  }

  /** Forget the tokens of a sign-in: here it has ended. */
  forget(name: string): void {
    this.#memory.forget([name]);
  }

  /** The OAuth library over the objects; there is none where there are no objects. */
  async server(): Promise<OauthServer> {
    await loadLibrary();
    const { configured, stores } = this;
    return (this.#server ??= new OauthServer({
      configured,
      stores: stores!,
      keyOf: (signed) => this.keyOf(signed),
    }));
  }

  /** The people of the issuer; null where there is none. They are subjects of the configured key's tenant. */
  get people(): People | null {
    if (this.identity === null) return null;
    const { issuer } = this.identity;
    return { tenant: this.#identityKey!.tenant, issuer, load: () => this.issuer() };
  }

  async issuer(): Promise<Issuer> {
    return (this.#issuer ??= new Issuer(this.identity!, this.configured));
  }

  async #look(
    token: string,
    resource: string,
  ): Promise<Result<{ caller: Caller; endsAtMs: number } | null, Refusal>> {
    const server = await this.server();
    const { origin } = new URL(resource);
    const found = await server.validate(token, { resource, origin });
    if (found === null) return ok(null);
    const signed = found.props as SignedKey;
    const key = await this.keyOf(signed);
    if (!key.ok || key.value === null) return key as Result<null, Refusal>;
    const caller = toCaller(key.value, found.scope, signed.subject);
    return ok({ caller, endsAtMs: Math.min(1_000 * found.expiresAt, caller.endsAtMs ?? Infinity) });
  }
}

export const signInDeskOf = createSlot((configured) => new SignInDesk(configured));

/** The resource that a request is for, as tokens name theirs; null for an address at which no token is good. */
function resourceAt(url: string): string | null {
  return /^https?:\/\/[^/?#]+\/mcp(?=$|[?#])/.exec(url)?.[0] ?? null;
}

function nameOf(token: string, resource: string): string {
  return `${resource} ${token}`;
}

const UNREACHABLE = makeRefusal("UNAVAILABLE", "Whose token this is could not be looked up; send it again.", {
  retryAfterMs: 1_000,
});

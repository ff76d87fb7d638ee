import * as LIMITS from "../limits.ts";
import { attempt } from "../../../feature/refuse.ts";
import type { Ports } from "../../../feature/outside.ts";
import { sha256, sleep } from "../../../feature/kit.ts";
import { Vault } from "../../../feature/define.ts";
import type { SignInStores } from "../objects/sign-in-stores.ts";
import { hasTokenForm, signInOf } from "../sign-in.ts";

/** A refresh and what its client proved with it: a second one with the same proof comes from who has the token, and the client's secret. */
export interface Refresh {
  readonly name: string;
  readonly proof: string;
}

/**
 * Read a request for tokens as a refresh; null for any other. Two windows of a program may not say the same besides: one names the resource,
 * which is the only one there is, or scopes, of which a pair of tokens never has more than the sign-in.
 */
export function readRefresh(
  form: URLSearchParams,
  { resource, authorization }: { readonly resource: string; readonly authorization: string | null },
): Refresh | null {
  const token = form.get("refresh_token") ?? "";
  if (form.get("grant_type") !== "refresh_token" || !hasTokenForm(token)) return null;
  const sorted = new URLSearchParams(form);
  sorted.delete("scope");
  sorted.delete("resource", resource);
  sorted.sort();
  return { name: signInOf(token), proof: `${authorization ?? ""}\n${sorted.toString()}` };
}

/** The parts that a refresh uses. */
export interface RefreshParts {
  readonly stores: SignInStores;
  readonly ports: Pick<Ports, "clock" | "outside">;
}

/**
 * Answer a refresh once: the same one within ten seconds gets the same pair of tokens. Two windows of a program, or a client that lost the
 * answer, would otherwise each end the other's pair, because a refresh token is spent by its use.
 *
 * The first one claims the refresh before the library spends the token, and the others wait for its answer. The answer is kept sealed under
 * the refresh token, which the store has never seen, and ends with its sign-in.
 *
 * @param answer has the library answer
 */
export async function refreshOnce(
  { name, proof }: Refresh,
  { stores, ports }: RefreshParts,
  answer: () => Promise<Response>,
): Promise<Response | null> {
  const { clock } = ports;
  const vault = vaultOf(proof, ports);
  const key = `again:${name}:${sha256(proof)}`;
  const until = (): number => clock.now() + LIMITS.refreshAgainMs;
  const keep = { metadata: null, unused: false };
  for (let waits = 0; waits <= LIMITS.refreshWaits; waits += 1) {
    const known = await stores.read(key);
    if (known !== null && known.value !== "") return toResponse((await vault.open(known.value, SEALED_FOR))!);
    if (known === null) {
      const claimed = await stores.write(key, "", { ...keep, expiresAtMs: until(), expected: 0 });
      if (claimed === "written") break;
    }
    if (waits === LIMITS.refreshWaits) return null;
    await sleep(clock, LIMITS.refreshWaitMs, new AbortController().signal);
  }
  const answered = await attempt(answer);
  if (!answered.ok || answered.value.status !== 200) {
    await attempt(() => stores.drop(key));
    if (!answered.ok) throw answered.error;
    return answered.value;
  }
  const json = await answered.value.text();
  const sealed = await vault.seal(json, SEALED_FOR);
  await attempt(() => stores.write(key, sealed, { ...keep, expiresAtMs: until(), expected: null }));
  return toResponse(json);
}

const SEALED_FOR = ["sign-in", "refresh"] as const;

function toResponse(json: string): Response {
  return new Response(json, {
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" },
  });
}

/** Make what seals the answer: only who has the token can make it again. */
function vaultOf(proof: string, { outside }: Pick<Ports, "outside">): Vault {
  const digest = sha256(`answer\n${proof}`).match(/../g)!;
  const bytes = Uint8Array.from(digest, (hex) => Number.parseInt(hex, 16));
  return new Vault([{ id: "00000000", bytes }], outside);
}

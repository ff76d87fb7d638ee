import { callStandIn } from "./call-stand-in.ts";

/** A header with a token that the stand-ins of Google take. */
export async function authorize(): Promise<Record<string, string>> {
  const form = { grant_type: "refresh_token", client_id: "c", client_secret: "s", refresh_token: "r" };
  const { body } = await callStandIn("https://oauth2.googleapis.com/token", {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return { authorization: `Bearer ${(body as { access_token: string }).access_token}` };
}

/**
 * Go the way of a person with a link to connect an account: Volley's page, the provider's sign-in, and back.
 *
 * @param url of the sandbox, which has the providers' pages too
 * @returns what the person reads at the end, or where the browser is sent
 */
export async function signInAs(person: string, connectUrl: string, url: string): Promise<Response> {
  const page = await (await fetch(connectUrl)).text();
  const [, form = ""] = /name="form" value="([^"]*)"/.exec(page) ?? [];
  const body = new URLSearchParams({ form });
  const agreed = await fetch(connectUrl, { method: "POST", body, redirect: "manual" });
  const provider = new URL(locationOf(agreed), url);
  provider.searchParams.set("as", person);
  const back = await fetch(provider, { redirect: "manual" });
  return fetch(new URL(locationOf(back), url), { redirect: "manual" });
}

function locationOf({ status, headers }: Response): string {
  const location = headers.get("location");
  if (location === null) throw new Error(`The page answered ${status}, and leads nowhere`);
  return location;
}

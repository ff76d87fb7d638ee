import type { Deployment } from "./flows-client.ts";

/**
 * Read from the environment where the deployment is and which key to show it. Throws what is missing, and never the key.
 *
 * @param flag the one that the key has to have
 */
export function readDeployment(
  env: Readonly<Record<string, string | undefined>>,
  flag = "manage_tools",
): Deployment {
  const { VOLLEY_URL: address = "", VOLLEY_KEY: secret = "" } = env;
  if (address.trim() === "")
    throw new Error("Set VOLLEY_URL to the deployment's address, such as http://127.0.0.1:8787.");
  const url = URL.parse(address.trim());
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error("VOLLEY_URL is no address; it looks like https://volley.example.com.");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new Error("VOLLEY_URL is an address alone, without a name, a password, '?' or '#'.");
  // A line break at the end comes along when a key is read from a file.
  const key = secret.trim();
  if (key === "") throw new Error(`Set VOLLEY_KEY to a key with the flag ${flag}.`);
  if (!/^[!-~]+$/.test(key))
    throw new Error("VOLLEY_KEY holds characters that no key has, such as a space or a line break.");
  return { url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, key };
}

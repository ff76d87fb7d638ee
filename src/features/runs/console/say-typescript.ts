/** Write a batch as a program with the typed client; the key is read from the environment and never stands in it. */
export function sayTypescript(origin: string, body: string): string {
  return `import { createClient } from "volley/client";

const client = createClient({ url: ${JSON.stringify(origin)}, key: process.env.VOLLEY_KEY! });
const { results } = await client.execute(${body});
for (const { id, status } of results) console.log(id, status);
`;
}

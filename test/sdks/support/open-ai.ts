import OpenAI from "openai";

/** OpenAI's own client, with a key of the sandbox. */
export function createOpenAi({ url }: { readonly url: string }): OpenAI {
  return new OpenAI({ apiKey: "sandbox-key", baseURL: `${url}/v1`, maxRetries: 0 });
}

import { isJsonObject, type JsonObject } from "../../src/core/contract/json.ts";
import { visibleText } from "../../src/core/kit/visible-text.ts";
import type { HookTrigger } from "../../src/features/flows/hooks/hook-trigger.ts";
import type { Deployment } from "../flows/flows-client.ts";
import { readDeployment } from "../flows/read-deployment.ts";
import { REQUEST_MS, sayNetwork } from "../flows/say-network.ts";
import { SENDERS } from "../hooks/senders.ts";
import { signDelivery } from "../hooks/sign-delivery.ts";
import { askDeployment } from "./ask-deployment.ts";
import { CommandError } from "./command-error.ts";
import { defineCommand } from "./define-command.ts";

const NAMES = Object.keys(SENDERS).toSorted().join(", ");

/** `volley hooks try`: a delivery of a sender's, to a flow. */
export const hooksTry = defineCommand({
  words: "hooks try",
  summary: "Send a flow a webhook as its sender would send it, signed with the flow's secret",
  about: [
    `SENDER is one of ${NAMES}. VOLLEY_URL is the deployment's address, and VOLLEY_KEY a key that may call the flow. The text of the secret stands in a variable of the name that the flow's webhook gives.`,
  ],
  positionals: [{ name: "SENDER", about: "who sends it" }],
  options: {
    flow: {
      type: "string",
      value: "NAME",
      about: "the flow; the only one of that sender where it is left out",
    },
    body: { type: "string", value: "JSON", about: "another body than the one of the sender's documentation" },
  },
  exits: "Ends with 1 where the delivery is refused.",
  examples: ["stripe", 'github --flow look_up --body \'{"word": "pump"}\''],
  async run({ positionals: [name = ""], values, terminal, env }) {
    const sender = Object.hasOwn(SENDERS, name) ? SENDERS[name as keyof typeof SENDERS] : undefined;
    if (sender === undefined)
      throw new CommandError(`There is no sender '${visibleText(name, 50)}'; there are ${NAMES}.`);
    const deployment = readDeployment(env);
    const flow = await findFlow(deployment, name, values.flow);
    const secret = env[flow.webhook.secret];
    if (secret === undefined || secret === "")
      throw new CommandError(
        `Set ${flow.webhook.secret} to the text of the flow's secret: ${flow.webhook.secret}=… volley hooks try ${name}`,
      );
    const { headers = {}, body } = sender.sample;
    const signed = signDelivery(flow.webhook, {
      url: flow.url,
      headers,
      body: values.body === undefined ? body : readBody(values.body),
      secret,
      nowMs: Date.now(),
      // Each try is another delivery.
      id: `try_${crypto.randomUUID()}`,
    });
    if (signed === null)
      throw new CommandError(
        name === "discord"
          ? "Only Discord can sign for Discord: the flow's secret is its public key. Save the address there, and it sends one itself."
          : `${flow.webhook.secret} is not a secret of ${sender.title}'s: it is ${sender.secret}.`,
      );
    const response = await fetch(flow.url, {
      method: "POST",
      redirect: "manual",
      headers: signed.headers,
      body: signed.body,
      signal: AbortSignal.timeout(REQUEST_MS),
    }).catch((error: Error) => {
      throw new CommandError(`Cannot reach ${flow.url}: ${sayNetwork(error)}.`);
    });
    const answer = await response.text();
    const jobId = response.headers.get("volley-job-id");
    terminal.give({ ok: response.ok, status: response.status, job_id: jobId });
    terminal.print(`POST ${flow.url}`);
    terminal.print(`${response.status}${answer === "" ? "" : ` ${visibleText(answer, 500)}`}`);
    if (jobId !== null) terminal.print(`The run is the job ${jobId}: GET ${deployment.url}/v1/jobs/${jobId}`);
    return response.ok ? 0 : 1;
  },
});

interface HookedFlow {
  readonly url: string;
  readonly webhook: HookTrigger;
}

/** Find the flow of a sender: the one that is named, or the only one. */
async function findFlow(
  deployment: Deployment,
  sender: string,
  named: string | undefined,
): Promise<HookedFlow> {
  const names = named === undefined ? await listHooked(deployment) : [named];
  const found: (HookedFlow & { readonly name: string })[] = [];
  for (const name of names) {
    const flow = await askDeployment(deployment, `/v1/flows/${encodeURIComponent(name)}`);
    const triggers = isJsonObject(flow["triggers"]) ? flow["triggers"] : {};
    const webhook = triggers["webhook"] as HookTrigger | undefined;
    if (webhook?.verify === sender) found.push({ name, url: String(flow["hook_url"]), webhook });
  }
  const [only, other] = found;
  if (only === undefined)
    throw new CommandError(
      named === undefined
        ? `No flow has a webhook with "verify": "${sender}". docs/senders/${sender}.md says how to make one.`
        : `The flow '${visibleText(named, 100)}' has no webhook with "verify": "${sender}".`,
    );
  if (other !== undefined)
    throw new CommandError(
      `Several flows have one: say --flow ${found.map(({ name }) => name).join(" or --flow ")}.`,
    );
  return only;
}

async function listHooked(deployment: Deployment): Promise<readonly string[]> {
  const { flows } = await askDeployment(deployment, "/v1/flows");
  const all = Array.isArray(flows) ? flows.filter(isJsonObject) : [];
  return all.filter(hasWebhook).map(({ name }) => String(name));
}

function hasWebhook({ triggers }: JsonObject): boolean {
  return Array.isArray(triggers) && triggers.includes("webhook");
}

function readBody(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return body;
  } catch {
    // Said below.
  }
  throw new CommandError("--body is no JSON object or list.");
}

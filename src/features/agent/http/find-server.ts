import type { ModelAddress } from "../ask-model.ts";
import { err, makeRefusal, ok, type Refusal, type Result } from "../../../feature/refuse.ts";
import type { Ports } from "../../../feature/outside.ts";
import { CHAT } from "../dialect/chat-dialect.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { MESSAGES } from "../dialect/messages-dialect.ts";

/** The provider whose server is asked: one variable says where it is. */
export type Provider = "openai" | "anthropic";

/**
 * Find out where a path of a provider's server is. The variables are read when they are asked for: no other request needs them.
 *
 * @param path below the configured address
 */
export function readServer(
  provider: Provider,
  path: string,
  { request, ports: { secret } }: { readonly request: Request; readonly ports: Pick<Ports, "secret"> },
): Result<ModelAddress, Refusal> {
  const variable = provider === "openai" ? "LLM_BASE_URL" : "ANTHROPIC_BASE_URL";
  const base = secret(variable)?.trim() ?? "";
  if (base === "") {
    const hint = `No model is configured here: its operator sets ${variable}.`;
    return err(makeRefusal("MISCONFIGURED", hint));
  }
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    const hint = `${variable} is no http or https address; this deployment's operator sets it right.`;
    return err(makeRefusal("MISCONFIGURED", hint));
  }
  const url = `${base.replace(/\/+$/, "")}${path}`;
  // One server may speak in all ways, and know both keys.
  const secrets = ["LLM_API_KEY", "ANTHROPIC_API_KEY"].flatMap((name) => secret(name) ?? []);
  if (provider === "openai") {
    const key = secret("LLM_API_KEY");
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    return ok({ url, headers, secrets });
  }
  const key = secret("ANTHROPIC_API_KEY");
  const beta = request.headers.get("anthropic-beta");
  return ok({
    url,
    headers: {
      "anthropic-version": request.headers.get("anthropic-version") ?? "2023-06-01",
      ...(beta !== null && { "anthropic-beta": beta }),
      ...(key !== undefined && { "x-api-key": key }),
    },
    secrets,
  });
}

/** A path at which models are asked. */
export interface ModelRoute {
  readonly dialect: Dialect;
  /** The field of a body that has the conversation. */
  readonly field: "messages" | "input";
  /** Whether `LLM_MODEL` answers requests that name no model. */
  readonly hasDefaultModel: boolean;
  /** Find out where the model is asked. */
  readonly addressOf: (request: Request, ports: Pick<Ports, "secret">) => Result<ModelAddress, Refusal>;
}

export const CHAT_ROUTE: ModelRoute = {
  dialect: CHAT,
  field: "messages",
  hasDefaultModel: true,
  addressOf: (request, ports) => readServer("openai", CHAT.path, { request, ports }),
};

export const MESSAGES_ROUTE: ModelRoute = {
  dialect: MESSAGES,
  field: "messages",
  hasDefaultModel: false,
  addressOf(request, ports) {
    const isBeta = new URL(request.url).searchParams.get("beta") === "true";
    return readServer("anthropic", `${MESSAGES.path}${isBeta ? "?beta=true" : ""}`, { request, ports });
  },
};

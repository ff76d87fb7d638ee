import type { Misfit, Path } from "./find-misfits.ts";

/** Why OpenAI would refuse a request. */
export interface ChatProblem {
  readonly status: number;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** Refuse a request for what its caller wrote. */
export function refuse(message: string, param: string | null, code: string | null): ChatProblem {
  return { status: 400, message, param, code };
}

/** Say a misfit as OpenAI does. */
export function toChatProblem({ wrong, path, expected }: Misfit): ChatProblem {
  const param = toParam(path);
  switch (wrong) {
    case "unknown":
      return refuse(`Unknown parameter: '${param}'.`, param, "unknown_parameter");
    case "missing":
      return refuse(`Missing required parameter: '${param}'.`, param, "missing_required_parameter");
    case "invalid":
      return refuse(`Invalid '${param}': expected ${expected}.`, param, "invalid_value");
  }
}

/** Write a place as `messages[0].content`. */
export function toParam(path: Path): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

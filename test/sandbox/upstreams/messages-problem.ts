import type { Misfit, Path } from "./find-misfits.ts";

/** Why Anthropic would refuse a request. */
export interface MessagesProblem {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** Refuse a request for what its caller wrote. */
export function refuse(message: string): MessagesProblem {
  return { status: 400, type: "invalid_request_error", message };
}

/** Say a misfit as Anthropic does. */
export function toMessagesProblem({ wrong, path, expected }: Misfit): MessagesProblem {
  switch (wrong) {
    case "unknown":
      return refuse(`${path.join(".")}: Extra inputs are not permitted`);
    case "missing":
      return refuse(`${path.join(".")}: Field required`);
    case "invalid":
      return refuse(`${path.join(".")}: Input should be ${expected}`);
  }
}

export function refuseAt(path: Path, message: string): MessagesProblem {
  return refuse(`${path.join(".")}: ${message}`);
}

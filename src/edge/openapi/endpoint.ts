import type { Refusal } from "../../contract/refusal.ts";
import type { Result } from "../../kit/result.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Described } from "./operation.ts";

/**
 * Answer a request, or refuse it before anything ran.
 *
 * @param id what stands for `:id` in the path; empty where the path has none
 */
export type Handler = (
  request: Request,
  context: RequestContext,
  id: string,
) => Promise<Result<Response, Refusal>>;

/** A path and method: who answers it, and what the document says of it. One without the other does not compile. */
export interface Endpoint extends Described {
  readonly handle: Handler;
}

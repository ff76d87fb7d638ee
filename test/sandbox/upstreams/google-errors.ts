/** The error that a stand-in of Google throws to refuse a request. */
export class GoogleRefusal extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(`refused with ${response.status}`);
    this.response = response;
  }
}

const STATUS: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  429: "RESOURCE_EXHAUSTED",
};

/** Refuse as Google's APIs do: https://developers.google.com/workspace/calendar/api/guides/errors */
export function refuse(code: number, reason: string, message: string): GoogleRefusal {
  const errors = [{ domain: "global", reason, message }];
  const status = STATUS[code];
  const error = { errors, code, message, ...(status !== undefined && { status }) };
  return new GoogleRefusal(Response.json({ error }, { status: code }));
}

/** Give what a stand-in answers, or how it refuses. */
export async function answerOrRefuse(answer: () => Promise<Response> | Response): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof GoogleRefusal) return error.response;
    throw error;
  }
}

/** Read a body that has to be a JSON object of these fields. */
export async function readFields(
  request: Request,
  known: readonly string[],
): Promise<Record<string, unknown>> {
  if (!(request.headers.get("content-type") ?? "").startsWith("application/json"))
    throw refuse(400, "parseError", "This API does not support parsing form-encoded input.");
  let body: unknown;
  try {
    body = JSON.parse(await request.text());
  } catch {
    throw refuse(400, "parseError", "Parse Error");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw refuse(400, "parseError", "Parse Error");
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw refuse(
      400,
      "badRequest",
      `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`,
    );
  return body as Record<string, unknown>;
}

/** Check that a query has none but these parameters, each once unless it may be repeated. */
export function checkQuery(
  query: URLSearchParams,
  known: readonly string[],
  repeated: readonly string[] = [],
): void {
  const names = [...query.keys()];
  const unknown = names.find((name) => !known.includes(name) && !repeated.includes(name));
  if (unknown !== undefined)
    throw refuse(
      400,
      "badRequest",
      `Invalid JSON payload received. Unknown name "${unknown}": Cannot bind query parameter.`,
    );
  const twice = names.find((name, at) => !repeated.includes(name) && names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(400, "invalidParameter", `Repeated parameter: ${twice}`);
}

/** A whole number of the query, within its bounds. */
export function readCount(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name) ?? String(usual);
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1)
    throw refuse(400, "invalidParameter", `Invalid value for ${name}`);
  return Math.min(Number(text), most);
}

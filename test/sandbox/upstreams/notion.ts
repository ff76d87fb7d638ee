import type { Access } from "./account-server.ts";

/** Answer as Notion's API for searches: https://developers.notion.com/reference/post-search */
export async function answerNotion(request: Request, access: Access | null): Promise<Response> {
  if (access?.provider !== "notion") return refuse(401, "unauthorized");
  if (!/^\d{4}-\d{2}-\d{2}$/.test(request.headers.get("notion-version") ?? ""))
    return refuse(400, "missing_version");
  if (new URL(request.url).pathname !== "/v1/search" || request.method !== "POST")
    return refuse(400, "invalid_request_url");
  const {
    query = "",
    page_size: size = 100,
    sort,
    ...others
  } = (await request.json()) as Record<string, unknown>;
  const { timestamp = "last_edited_time" } = (sort ?? {}) as { readonly timestamp?: string };
  const isGood =
    typeof query === "string" && Number.isInteger(size) && Number(size) >= 1 && Number(size) <= 100;
  if (!isGood || timestamp !== "last_edited_time" || Object.keys(others).length > 0)
    return refuse(400, "validation_error");
  const found = pagesOf(access.person).filter(({ text }) => text.toLowerCase().includes(query.toLowerCase()));
  return Response.json({
    object: "list",
    results: found.slice(0, Number(size)).map(({ page }) => page),
    has_more: found.length > Number(size),
    next_cursor: null,
  });
}

/** The two that everybody shares with the app: a page and a database. */
function pagesOf(person: string): readonly { readonly text: string; readonly page: object }[] {
  const titled = (text: string): object[] => [{ type: "text", text: { content: text }, plain_text: text }];
  const [plan, list] = [`Plan of ${person}`, `Reading list of ${person}`];
  return [
    {
      text: plan,
      page: {
        object: "page",
        id: "59833787-2cf9-4fdf-8782-e53db20768a5",
        url: `https://www.notion.so/plan-${person}`,
        last_edited_time: "2026-11-02T09:00:00.000Z",
        properties: {
          Tags: { id: "a", type: "multi_select", multi_select: [] },
          Name: { id: "title", type: "title", title: titled(plan) },
        },
      },
    },
    {
      text: list,
      page: {
        object: "data_source",
        id: "1a44be12-0953-4631-b498-9e5817518db8",
        url: `https://www.notion.so/list-${person}`,
        last_edited_time: "2026-11-01T09:00:00.000Z",
        title: titled(list),
        properties: { Name: { id: "title", type: "title", title: {} } },
      },
    },
  ];
}

function refuse(status: number, code: string): Response {
  return Response.json({ object: "error", status, code, message: "The stand-in refuses it." }, { status });
}

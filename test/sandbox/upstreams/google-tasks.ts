import { answerOrRefuse, checkQuery, readCount, readFields, refuse } from "./google-errors.ts";
import { keepFields } from "./google-fields.ts";
import { OWN_ACCOUNT, ownerOf } from "./google-oauth.ts";
import { Seeded } from "./seeded.ts";
import type { StandInPorts } from "./stand-in.ts";

const LATENCY_MS = 110;
const WRITABLE = ["title", "notes", "status", "due", "completed", "deleted"];
const KNOWN = [...WRITABLE, "id", "kind", "updated", "hidden", "items", "nextPageToken"];
const LIST_QUERY = "maxResults pageToken showCompleted showHidden showDeleted dueMin dueMax fields".split(
  " ",
);

interface Task {
  readonly id: string;
  readonly title: string;
  readonly status: "needsAction" | "completed";
  readonly notes?: string;
  readonly due?: string;
  readonly completed?: string;
}

/** The lists, by whose they are. */
const lists = new Map<string, Map<string, Task>>();
let made = 0;

/** A request, and the list that it is about. */
interface Asked {
  readonly query: URLSearchParams;
  readonly tasks: Map<string, Task>;
}

/** Forget every task but the one that is always there. */
export function resetGoogleTasks(): void {
  lists.clear();
  made = 0;
}

function listOf(owner: string): Map<string, Task> {
  const kept = lists.get(owner);
  if (kept !== undefined) return kept;
  const title = owner === OWN_ACCOUNT ? "Water the plants" : `Water the plants of ${owner}`;
  const list = new Map<string, Task>([["c2FuZGJveA", { id: "c2FuZGJveA", title, status: "needsAction" }]]);
  lists.set(owner, list);
  return list;
}

/** Answer as the Tasks API, v1, for the tasks of the default list: https://developers.google.com/workspace/tasks/reference/rest/v1/tasks */
export async function answerGoogleTasks(request: Request, ports: StandInPorts): Promise<Response> {
  await ports.sleep(LATENCY_MS);
  return answerOrRefuse(() => route(request, ports.now()));
}

function route(request: Request, now: number): Promise<Response> | Response {
  const scopes = request.method === "GET" ? ["tasks", "tasks.readonly"] : ["tasks"];
  const tasks = listOf(ownerOf(request, now, scopes));
  const { pathname, searchParams: query } = new URL(request.url);
  const asked = { query, tasks };
  const [, list, id] = /^\/tasks\/v1\/lists\/([^/]+)\/tasks(?:\/([^/]+))?$/.exec(pathname) ?? [];
  if (list === undefined || decodeURIComponent(list) !== "@default")
    throw refuse(404, "notFound", "Task list not found.");
  switch (`${request.method} ${id === undefined ? "all" : "one"}`) {
    case "GET all":
      return listTasks(asked);
    case "POST all":
      return insert(request, asked);
    case "GET one":
      checkQuery(query, ["fields"]);
      return show(find(id!, asked), query);
    case "PATCH one":
      return patch(request, find(id!, asked), { ...asked, now });
    case "DELETE one":
      checkQuery(query, []);
      tasks.delete(find(id!, asked).id);
      return new Response(null, { status: 204 });
    default:
      throw refuse(404, "notFound", "Not Found");
  }
}

function listTasks({ query, tasks }: Asked): Response {
  checkQuery(query, LIST_QUERY);
  for (const name of ["showCompleted", "showHidden", "showDeleted"])
    if (!["true", "false"].includes(query.get(name) ?? "true"))
      throw refuse(400, "invalidParameter", `Invalid value at '${name}' (TYPE_BOOL)`);
  const found = [...tasks.values()]
    .filter(({ status }) => status === "needsAction" || query.get("showCompleted") !== "false")
    .toReversed();
  const size = readCount(query, "maxResults", 20, 100);
  const begin = query.has("pageToken") ? readCount(query, "pageToken", 1, 1_000_000) : 0;
  const items = found.slice(begin, begin + size);
  const hasMore = begin + size < found.length;
  return show({ kind: "tasks#tasks", items, ...(hasMore && { nextPageToken: String(begin + size) }) }, query);
}

async function insert(request: Request, asked: Asked): Promise<Response> {
  checkQuery(asked.query, ["parent", "previous", "fields"]);
  const body = checkBody(await readFields(request, WRITABLE));
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const id = new Seeded(`task ${(made += 1)}`).text(16, alphabet);
  return store({ id, title: "", status: "needsAction", ...body }, asked);
}

async function patch(
  request: Request,
  task: Task,
  { now, ...asked }: Asked & { readonly now: number },
): Promise<Response> {
  checkQuery(asked.query, ["fields"]);
  const changed = { ...task, ...checkBody(await readFields(request, WRITABLE)) };
  const { completed = new Date(now).toISOString(), ...open } = changed;
  return store(changed.status === "completed" ? { ...open, completed } : open, asked);
}

function checkBody(body: Readonly<Record<string, unknown>>): Partial<Task> {
  for (const [name, most] of [
    ["title", 1_024],
    ["notes", 8_192],
  ] as const) {
    const text = body[name] ?? "";
    if (typeof text !== "string" || text.length > most)
      throw refuse(400, "invalid", `Invalid value at '${name}'`);
  }
  if (!["needsAction", "completed", undefined].includes(body["status"] as string | undefined))
    throw refuse(400, "invalid", "Invalid value at 'status'");
  const { due } = body;
  if (due === undefined) return body;
  const [, day] =
    /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.exec(String(due)) ?? [];
  if (day === undefined || !new Date(`${day}T00:00:00Z`).toISOString().startsWith(day))
    throw refuse(400, "invalid", "Invalid value at 'due' (type.googleapis.com/google.protobuf.Timestamp)");
  // The time of day is thrown away.
  return { ...(body as Partial<Task>), due: `${day}T00:00:00.000Z` };
}

function find(id: string, { tasks }: Asked): Task {
  const task = tasks.get(decodeURIComponent(id));
  if (task === undefined) throw refuse(404, "notFound", "Requested entity was not found.");
  return task;
}

function store(task: Task, { query, tasks }: Asked): Response {
  tasks.set(task.id, task);
  return show(task, query);
}

function show(value: object, query: URLSearchParams): Response {
  return Response.json(keepFields(value, query.get("fields"), KNOWN));
}

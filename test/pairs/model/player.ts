import { VirtualClock } from "../../../src/package/testing/virtual-clock.ts";
import { configureKeys } from "../../support/configured-keys.ts";
import { MODEL_SERVER, SAYS_ITSELF, tellModel } from "./chat-model.ts";
import { type Announced, RECEIVER } from "./customers.ts";
import { HOOK, HOOK_SECRETS, signDelivery } from "./hooks.ts";
import { type Answered, type Asked, KILLED, KillableVolley } from "./killable-volley.ts";
import { Ledger } from "./ledger.ts";
import { type CallerName, CALLERS, type Move, QUOTA, type Step } from "./sequence.ts";
import { Store } from "./store.ts";
import { ADDED, ADDED_FORMS, CONNECTOR, INNER, TOOLS } from "./tools.ts";

const HOUR_MS = 3_600_000;
const FLOW = "put_flow";
const LISTS = [
  "/v1/runs",
  "/v1/jobs",
  "/v1/confirmations",
  "/v1/usage",
  "/v1/remembered",
  "/v1/export",
  "/v1/events",
] as const;
const CHAT = "/v1/chat/completions";
const KEY_LASTS_MS = 60_000;
/** So long a process may still know a key that was revoked. */
const KEY_KNOWN_MS = 30_000;

interface Caller {
  readonly tenant: string;
  readonly subject?: string;
}

/** A request that ran something, and the things that it was about by the ids of its actions. */
interface Ran {
  readonly asked: Asked;
  readonly by: CallerName;
  /** The caller that it is for: a rerun is for the caller of its run. */
  readonly whose: CallerName;
  readonly ofs: Map<string, string>;
  /** Sent again, it is the same. */
  readonly isKeyed: boolean;
  runId?: string;
  /** The job that it goes on as. */
  jobId?: string;
  /** It came again, and is told what came of it at first, after a rerun that it knows nothing of. */
  isStale?: boolean;
}

interface Job {
  readonly id: string;
  readonly by: CallerName;
  readonly tenant: string;
}

interface Result {
  readonly id: string;
  readonly status: string;
  readonly job_id?: string;
  readonly error?: { readonly code: string };
  readonly meta?: { readonly in_doubt?: boolean };
  /** The same, as a run has it. */
  readonly in_doubt?: boolean;
  readonly data?: unknown;
  readonly confirmation?: { readonly id: string };
}

/** Plays a sequence against a whole Volley, and has a ledger judge what it sees. */
export class Player {
  readonly #clock = new VirtualClock(Date.parse("2026-01-01T00:00:00Z"));
  readonly #store = new Store(this.#clock);
  readonly ledger = new Ledger(this.#store);
  readonly #volley: KillableVolley;
  readonly #ran: Ran[] = [];
  readonly #jobs = new Map<string, Job>();
  /** The keys that were made. One that ends has the time from which nothing takes it. */
  readonly #made: {
    readonly key: string;
    readonly name: string;
    readonly by: CallerName;
    readonly tenant: string;
    readonly subject: string | undefined;
    overAt?: number;
  }[] = [];
  /** The decisions of people, and their subjects. */
  readonly #decisions: { readonly asked: Asked; readonly meant: readonly string[] }[] = [];
  #begun = 0;
  #accounts = 0;
  readonly #kept = new Set<string>();
  /** When the requests that drew from the quota of a key were sent. */
  readonly #drawn = new Map<string, number[]>();
  /** Reruns that asked about a doubt: a yes to one of their questions is a wish to have it again. */
  readonly #reruns = new Set<string>();

  private constructor(keys: string) {
    this.#volley = new KillableVolley(
      { tools: [...TOOLS, ...INNER], send: this.#store.fetch, clock: this.#clock },
      {
        VOLLEY_KEYS: keys,
        VOLLEY_RUNS: "content",
        ...HOOK_SECRETS,
        ...MODEL_SERVER,
        VOLLEY_VAULT_KEY: btoa("0123456789abcdef0123456789abcdef"),
        VOLLEY_CONNECTORS: JSON.stringify({
          [CONNECTOR]: { kind: "key", as: { header: "x-api-key" }, hosts: ["store.example.com"] },
        }),
      },
    );
  }

  /** Play a sequence to its end, and hours beyond. @returns what is wrong; nothing where all is well */
  static async play(moves: readonly Move[]): Promise<readonly string[]> {
    const player = new Player(await (keys ??= configureCallers()));
    await KillableVolley.load();
    try {
      return await player.#play(moves);
    } finally {
      player.#volley.close();
    }
  }

  async #play(moves: readonly Move[]): Promise<readonly string[]> {
    let beside: Promise<unknown>[] = [];
    for (const [at, move] of moves.entries()) {
      this.#store.treatments.push(...move.treatments);
      // Which of two requests came first is to be clear, but for reruns.
      const isTwin = move.step.does === "rerun" && moves[at - 1]?.step.does === "rerun";
      if (beside.length > 0 && !isTwin) await this.#clock.advance(1);
      const doing = this.#do(move.step);
      if (move.meanwhile === "next") {
        beside.push(doing);
        continue;
      }
      const all = Promise.all([...beside, doing]);
      beside = [];
      if (move.meanwhile !== "nothing") {
        await this.#clock.advance(move.meanwhile.killedAfterMs);
        this.#kill();
      }
      await this.#clock.runUntil(all);
      // A run can be seen two seconds later.
      await this.#clock.advance(2_500);
      this.#store.treatments.length = 0;
      this.ledger.judge();
      if (this.ledger.faults.length > 0) return this.ledger.faults;
    }
    await this.#clock.runUntil(Promise.all(beside));
    await this.#end();
    return this.ledger.faults;
  }

  /** Keep a flow and a tool of a tenant, in one of their forms. */
  async #keep(tenant: string, form = 0): Promise<void> {
    if (tenant === "t2") return;
    this.#kept.add(tenant);
    const keeper = keeperOf(tenant);
    const flow = {
      summary: "Put one",
      triggers: { webhook: HOOK },
      input_schema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
      actions: [{ id: "a0", tool: form % 2 === 0 ? "put" : "put_once", args: { of: { $ref: "input#/of" } } }],
    };
    const tool = ADDED_FORMS[form % ADDED_FORMS.length];
    for (const [path, body] of [
      [`/v1/flows/${FLOW}`, flow],
      [`/v1/tools/${ADDED}`, tool],
    ] as const) {
      const answer = await this.#ask(keeper, { method: "PUT", path, body });
      if (answer !== KILLED && answer.status === 422)
        this.ledger.faults.push(`PUT ${path} is 422: ${answer.text.slice(0, 300)}`);
    }
  }

  /** Hours later everything that was promised has ended, and is as it is told. */
  async #end(): Promise<void> {
    await this.#clock.advance(6 * HOUR_MS);
    for (const job of this.#jobs.values()) {
      if (this.ledger.isForgotten(job.tenant, job.id)) continue;
      const answer = await this.#clock.runUntil(
        this.#ask(job.by, { method: "GET", path: `/v1/jobs/${job.id}` }),
      );
      if (answer === KILLED) continue;
      if (answer.status === 429) continue;
      if (answer.status !== 200)
        this.ledger.faults.push(`the job ${job.id} was promised, and is ${answer.status}`);
      else this.#readJob(JSON.parse(answer.text));
    }
    const ran = new Set(this.#ran.map((one) => CALLERS[one.by].tenant));
    const promised = new Set([...this.#jobs.values()].map(({ tenant }) => tenant));
    // An export begins every object of a tenant, and a list of jobs many: one in four sequences has that.
    const isWhole = this.#begun % 4 === 0;
    for (const by of ["admin", "ada", "other", "small"] as const) {
      const { tenant } = CALLERS[by];
      const some = ["/v1/runs", ...(promised.has(tenant) ? ["/v1/jobs"] : [])];
      if (ran.has(tenant))
        await this.#clock.runUntil(this.#look(by, isWhole && by !== "ada" ? ["/v1/export"] : some));
    }
    for (const { key, tenant, subject, overAt } of this.#made) {
      const by = subjectIn(tenant, subject);
      if (overAt !== undefined)
        await this.#clock.runUntil(this.#hear({ key, method: "GET", path: "/v1/usage" }, CALLERS[by]));
      const runs = this.#ran.filter((one) => one.runId !== undefined && CALLERS[one.by].tenant === tenant);
      for (const one of runs.slice(-3)) await this.#clock.runUntil(this.#open(by, one, key));
    }
    this.#store.customers.judge((of) => this.ledger.isGone(of));
    this.ledger.judge();
  }

  async #do(step: Step): Promise<void> {
    switch (step.does) {
      case "run":
        return this.#run(step);
      case "repeat": {
        // A request that a deleted tenant sends again is new.
        const ran = this.#pick(
          step,
          this.#ran.filter(({ isKeyed, ofs }) => isKeyed && !this.ledger.isGone(firstOf(ofs))),
        );
        if (ran === undefined) return;
        this.ledger.repeat(ran.ofs.values());
        return this.#send(ran, true);
      }
      case "decide":
        return this.#decide(step);
      case "decide again":
        return this.#decideAgain(step);
      case "rerun":
      case "undo":
        return this.#again(step);
      case "cancel":
      case "redrive": {
        const job = this.#pick(
          step,
          [...this.#jobs.values()].filter(
            ({ tenant }) => step.pick % 4 === 0 || tenant === CALLERS[step.by].tenant,
          ),
        );
        if (job === undefined) return;
        if (step.does === "redrive") this.ledger.wantAgainOfTenant(job.tenant);
        await this.#ask(step.by, { method: "POST", path: `/v1/jobs/${job.id}/${step.does}` });
        return;
      }
      case "look":
        return this.#look(step.by);
      case "open": {
        const ran = this.#pickRun(step);
        if (ran !== undefined) await this.#open(step.by, ran);
        return;
      }
      case "make key":
        return this.#makeKey(step);
      case "replace":
        return this.#keep(CALLERS[step.by].tenant, step.pick);
      case "revoke key":
        return this.#revokeKey(step);
      case "connect":
        return this.#connect(step.by);
      case "keep endpoint":
      case "delete endpoint":
        return this.#changeEndpoint(step);
      case "publish":
        return this.#publish(step);
      case "delete tenant":
        return this.#deleteTenant(step);
      case "pass":
        await this.#clock.advance(0);
        await this.#clock.sleep(step.ms);
        return;
      case "kill":
        return this.#kill();
      case "rest":
        // No object rests while something of it is under way.
        if (this.#store.underWay > 0) return;
        this.#store.customers.ends += 1;
        return this.#volley.evict();
    }
  }

  async #run({
    by: asking,
    door,
    actions,
    onError,
    keys,
    pick,
  }: Extract<Step, { does: "run" }>): Promise<void> {
    // The tenant itself runs what a delivery starts.
    const { by, key } =
      door === "hook" ? { by: keeperOf(CALLERS[asking].tenant), key: "" } : this.#keyOf(asking, pick);
    const caller: Caller = CALLERS[by];
    const ofs = new Map<string, string>();
    const list = actions
      .slice(0, ["batch", "background", "mcp", "turn", "agent", "ordered"].includes(door) ? 4 : 1)
      .flatMap(({ tool, follows, over }, at) => {
        const name = door === "flow" || door === "hook" ? "put" : tool;
        if (over !== null && ["batch", "background", "mcp"].includes(door)) {
          const elements = [0, 1, 2].map(() => this.ledger.wish(name, caller));
          const list = this.ledger.wish("list", caller);
          this.#store.list(list, over, elements);
          ofs.set(`l${at}`, list);
          for (const [element, of] of elements.entries()) ofs.set(`a${at} ${element}`, of);
          return [
            { id: `l${at}`, tool: "list", args: { of: list } },
            {
              id: `a${at}`,
              tool: name,
              for_each: { $ref: `l${at}#/items` },
              args: { of: { $ref: "item#" } },
              ...(keys === "each" && { idempotency_key: `k-${list}` }),
            },
          ];
        }
        const of = this.ledger.wish(name, caller);
        ofs.set(`a${at}`, of);
        return {
          id: `a${at}`,
          tool: name,
          args: { of },
          ...(follows && at > 0 && { depends_on: [`a${at - 1}`] }),
          ...(keys === "each" && { idempotency_key: `k-${of}` }),
        };
      });
    const [first] = list as [(typeof list)[number]];
    const batch = { actions: list, on_error: onError, ...(onError === "undo" && { undo: "what-can" }) };
    const asked = {
      batch: { path: "/v1/execute_actions", body: batch },
      background: { path: "/v1/execute_actions", body: { ...batch, background: true } },
      call: { path: "/v1/invoke_tool", body: { tool_name: first.tool, parameters: first.args } },
      flow: { path: `/v1/flows/${FLOW}/run`, body: { input: first.args } },
      hook: { path: `/hooks/${caller.tenant}/${FLOW}`, body: first.args, delivery: `d-${firstOf(ofs)}` },
      turn: {
        path: "/v1/anthropic/tool_use",
        body: {
          role: "assistant",
          content: list.map(({ id, tool, args }) => ({ type: "tool_use", id, name: tool, input: args })),
        },
      },
      agent: { path: CHAT, body: tellModel(list) },
      ordered: {
        path: "/api/orchestration/batch",
        body: { tools: list.map(({ id, tool, args }) => ({ id, toolName: tool, input: args })) },
      },
      mcp: {
        path: "/mcp",
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "execute_actions", arguments: batch },
        },
      },
    }[door];
    const hasKey = keys === "one" || (keys === "each" && door === "agent");
    const headers = {
      accept: "application/json, text/event-stream;q=0.1",
      ...(hasKey && { "idempotency-key": `k-${firstOf(ofs)}` }),
    };
    const isKept = door === "flow" || door === "hook" || list.some(({ tool }) => tool === ADDED);
    if (isKept && !this.#kept.has(caller.tenant)) await this.#keep(caller.tenant);
    const ran: Ran = {
      asked: { method: "POST", key, headers, ...asked },
      by,
      whose: by,
      ofs,
      isKeyed:
        door === "hook" ||
        hasKey ||
        (keys === "each" && (door === "batch" || door === "background" || door === "mcp")),
    };
    this.#ran.push(ran);
    await this.#send(ran);
  }

  /** Send what runs something, and read what is said of it. */
  async #send(ran: Ran, isRepeated = false): Promise<void> {
    this.ledger.open(ran.ofs.values());
    const answer = await this.#hear(ran.asked, CALLERS[ran.by]);
    this.ledger.close(ran.ofs.values());
    if (answer === KILLED || (answer.status >= 300 && !isOfModel(answer))) return;
    const body = this.#bodyOf(ran, answer);
    // A tool of MCP is refused in an answer of 200.
    if (!isRepeated && body.error?.code !== "QUOTA_EXCEEDED") this.#countQuota(ran.asked, answer);
    const runId = body.batch_id ?? body.run_id;
    if (typeof runId === "string") {
      ran.isStale =
        isRepeated &&
        runId !== ran.runId &&
        [...ran.ofs.values()].some((of) => this.ledger.wasWantedAgain(of));
      ran.runId = runId;
    }
    if (typeof body.job_id === "string") this.#promise((ran.jobId = body.job_id), ran.by);
    this.#readResults(body.results, ran, `${ran.asked.path} by ${ran.by}`, isRepeated);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every door
  #bodyOf({ asked }: Ran, { text, requestId }: Answered): any {
    const body = JSON.parse(text);
    if (asked.path === "/mcp") return body.result?.structuredContent ?? {};
    if (asked.path === CHAT) {
      const rounds = body.volley?.rounds as readonly { readonly results: readonly Result[] }[] | undefined;
      return { ...body, run_id: requestId, results: rounds?.flatMap(({ results }) => results) };
    }
    if (asked.path === "/v1/invoke_tool") return { ...body, results: [{ id: "a0", ...body }] };
    return body;
  }

  #readResults(
    results: unknown,
    { ofs, by, asked }: Pick<Ran, "ofs" | "by"> & Partial<Pick<Ran, "asked">>,
    where: string,
    isStored = false,
  ): void {
    if (!Array.isArray(results)) return;
    for (const [at, { id: said, status, job_id, meta, in_doubt, ...rest }] of (
      results as Result[]
    ).entries()) {
      // Each round counts its calls anew; the model makes them in their order.
      const id = asked?.path === CHAT ? `a${at}` : said;
      if (job_id !== undefined) this.#promise(job_id, by);
      const of = ofs.get(id);
      if (of === undefined) {
        const elements = [...ofs].flatMap(([name, one]) => (name.startsWith(`${id} `) ? [one] : []));
        this.#readElements(rest.data, elements, by, where);
        continue;
      }
      // A stored answer tells of itself, whatever came of the action in a later run; what a rerun skips may have happened before it.
      const isBygone = status === "skipped" || (isStored && status !== "success");
      if (isBygone && this.ledger.wasWantedAgain(of)) continue;
      // It tells of the key, and nothing of the thing.
      if (rest.error?.code === "IDEMPOTENCY_CONFLICT") continue;
      this.ledger.hear(
        of,
        { status, in_doubt: (meta?.in_doubt ?? in_doubt) === true },
        `${where} (${JSON.stringify(rest).slice(0, 200)})`,
      );
    }
  }

  /** The elements of a loop, which go by what they are about: the list may be another one by now. */
  #readElements(entries: unknown, elements: readonly string[], by: CallerName, where: string): void {
    if (!Array.isArray(entries)) return;
    for (const { status, job_id, data, in_doubt } of entries as Result[]) {
      if (job_id !== undefined) this.#promise(job_id, by);
      const { of } = (data ?? {}) as { readonly of?: string };
      if (status === "success" && of !== undefined) this.ledger.hear(of, { status }, where);
      // It is one of them.
      else if (status === "unknown" || in_doubt === true)
        for (const one of elements) this.ledger.hear(one, { status: "unknown" }, where);
    }
  }

  #promise(id: string, by: CallerName): void {
    const { tenant } = CALLERS[by];
    this.#jobs.set(id, { id, by, tenant });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  #readJob(job: any): void {
    const ended = ["succeeded", "failed", "dead", "cancelled", "unknown"];
    if (!ended.includes(job.status))
      this.ledger.faults.push(`the job ${job.job_id} is ${job.status} hours later`);
    const results = (job.envelope?.results ?? []) as readonly Result[];
    if (["failed", "dead"].includes(job.status) && job.in_doubt !== true && results.some(isDoubted))
      this.ledger.faults.push(`the job ${job.job_id} is ${job.status}, and says nothing of its doubt`);
    const of = job.args?.of;
    // A job tells of itself, whatever came of the action in a later one.
    const isOld = job.status !== "succeeded" && this.ledger.wasWantedAgain(of);
    if (typeof of === "string" && !isOld)
      this.ledger.hear(of, { status: job.status, in_doubt: job.in_doubt }, `GET /v1/jobs/${job.job_id}`);
  }

  async #decide({ by, pick, how }: Extract<Step, { does: "decide" }>): Promise<void> {
    const listed = await this.#ask(by, { method: "GET", path: "/v1/confirmations?status=waiting" });
    if (listed === KILLED || listed.status !== 200) return;
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    const { confirmations } = JSON.parse(listed.text) as { confirmations: any[] };
    const question = this.#pick({ pick }, confirmations);
    if (question === undefined) return;
    const id = String(question.confirmation_id ?? question.id);
    const asks = (question.asks ?? []) as {
      readonly id: string;
      readonly tool: string;
      readonly args: string;
    }[];
    const ofsOf = asks.map(({ args }) =>
      [.../t\d-(?:s\d|n)-\d{6}/g[Symbol.matchAll](args)].map(([of]) => of),
    );
    const ofs = ofsOf.flat();
    const asking = this.#ran.find(
      ({ runId, jobId }) => question.requested_by?.run_id === (jobId ?? runId ?? null),
    );
    const isRerun = this.#reruns.has(String(asking?.runId));
    if (how !== "reject" && (isRerun || /again|may have/i.test(JSON.stringify(question))))
      this.ledger.insist(ofs.filter((of) => this.ledger.wishes.has(of)));
    const isOne = ofsOf[0]?.length === 1 && asks[0]!.tool.startsWith("put");
    const edited = how === "edit" && isOne ? asks[0] : undefined;
    const args = edited && {
      [edited.id]: { of: this.ledger.wish(edited.tool, CALLERS[asking?.whose ?? by]) },
    };
    const body =
      how === "reject"
        ? { decision: "reject" }
        : { decision: "approve", ...(args && { args }), ...(how === "remember" && { remember_s: 600 }) };
    const meant = [...ofs, ...Object.values(args ?? {}).map(({ of }) => of)].filter((of) =>
      this.ledger.wishes.has(of),
    );
    if (how !== "reject") this.ledger.approve(meant);
    const asked = { method: "POST", key: by, path: `/v1/confirmations/${id}`, body };
    this.#decisions.push({ asked, meant });
    this.ledger.open(meant);
    const answer = await this.#hear(asked, CALLERS[by]);
    this.ledger.close(meant);
    if (answer === KILLED || answer.status !== 200) return;
    const { results } = JSON.parse(answer.text) as { results?: unknown };
    // The action is about the words of that person from then on, in all runs of its root.
    for (const { of } of Object.values(args ?? {}))
      for (const [action, before] of asking?.ofs ?? []) if (before === ofs[0]) asking!.ofs.set(action, of);
    const named = asks.flatMap(({ id: action }, at) =>
      ofsOf[at]!.length === 1 ? [[action, args?.[action]?.of ?? ofsOf[at]![0]!] as const] : [],
    );
    this.#readResults(results, { ofs: new Map(named), by }, `a ${how} of ${id}`);
  }

  /** A decision is sent again, as by somebody who did not hear the answer. It means what it meant. */
  async #decideAgain(step: Step): Promise<void> {
    const decision = this.#pick(step, this.#decisions);
    if (decision === undefined) return;
    const { asked, meant } = decision;
    this.ledger.open(meant);
    await this.#hear(asked, CALLERS[asked.key as CallerName]);
    this.ledger.close(meant);
  }

  /** Find the runs that deliveries have started: their answers name a job. */
  async #learnRuns(by: CallerName): Promise<void> {
    const unknown = this.#ran.filter(({ runId, jobId }) => runId === undefined && jobId !== undefined);
    if (unknown.length === 0) return;
    const answer = await this.#ask(by, { method: "GET", path: "/v1/runs?source=webhook" });
    if (answer === KILLED || answer.status !== 200) return;
    for (const { run_id, job_id } of JSON.parse(answer.text).runs) {
      const ran = unknown.find(({ jobId }) => jobId === job_id);
      if (ran !== undefined) ran.runId = run_id;
    }
  }

  async #again(step: Step & { readonly only?: boolean }): Promise<void> {
    await this.#learnRuns(step.by);
    const ran = this.#pickRun(step);
    if (ran === undefined) return;
    if (step.does === "rerun") this.ledger.wantAgain(ran.ofs.values());
    const body = step.does === "rerun" && step.only ? { only: "failed" } : {};
    const asked = { method: "POST", key: step.by, path: `/v1/runs/${ran.runId!}/${step.does}`, body };
    this.ledger.open(ran.ofs.values());
    const answer = await this.#hear(asked, CALLERS[step.by]);
    this.ledger.close(ran.ofs.values());
    if (answer === KILLED) return;
    this.#mayIt(step.by, ran, answer.status);
    if (answer.status >= 300) return;
    this.#countQuota(asked, answer);
    const envelope = JSON.parse(answer.text);
    if (step.does === "undo") return this.#readUndone(envelope.undone, ran);
    const again: Ran = { asked, by: step.by, whose: ran.whose, ofs: ran.ofs, isKeyed: false };
    const runId = envelope.batch_id ?? envelope.run_id;
    if (typeof runId === "string") {
      again.runId = runId;
      this.#reruns.add(runId);
      this.#ran.push(again);
    }
    if (typeof envelope.job_id === "string") this.#promise((again.jobId = envelope.job_id), step.by);
    this.#readResults(envelope.results, again, `a rerun of ${ran.runId!}`, ran.isStale);
  }

  #readUndone(undone: unknown, { ofs, runId, asked }: Ran): void {
    for (const { id, status } of undone as Result[])
      if (asked.path !== CHAT && status === "success" && ofs.has(id))
        this.ledger.hearUndone(ofs.get(id)!, `an undo of ${runId!}`);
  }

  async #look(by: CallerName, paths: readonly string[] = LISTS): Promise<void> {
    for (const path of paths) await this.#ask(by, { method: "GET", path });
  }

  async #open(by: CallerName, ran: Ran, key: string = by): Promise<void> {
    const path = `/v1/runs/${ran.runId!}`;
    const answer = await this.#hear({ key, method: "GET", path }, CALLERS[by]);
    if (answer === KILLED) return;
    this.#mayIt(by, ran, answer.status);
    if (answer.status !== 200) return;
    this.#readResults(JSON.parse(answer.text).actions, ran, `GET /v1/runs/${ran.runId!}`, true);
  }

  /** Judge that a caller who may not see a run is told that there is none. */
  #mayIt(by: CallerName, ran: Ran, status: number): void {
    const [reader, owner]: Caller[] = [CALLERS[by], CALLERS[ran.whose]];
    const maySee =
      reader!.tenant === owner!.tenant &&
      (reader!.subject === undefined || reader!.subject === owner!.subject);
    if (!maySee && status !== 404 && status !== 429 && status !== 401)
      this.ledger.faults.push(`${by} is answered ${status} of a run of ${ran.whose}`);
  }

  async #makeKey({ by, pick }: Step): Promise<void> {
    const name = `made-${this.#made.length}`;
    const endsAt = pick % 2 === 0 ? this.#clock.now() + KEY_LASTS_MS : undefined;
    const { tenant } = CALLERS[by];
    const subject = [undefined, "s1", tenant === "t0" ? "s2" : "s1"][pick % 3];
    const body = {
      name,
      tools: ["*"],
      ...(subject !== undefined && { subject }),
      ...(endsAt !== undefined && { expires_at: new Date(endsAt).toISOString() }),
    };
    const answer = await this.#ask(by, { method: "POST", path: "/v1/keys", body });
    if (answer === KILLED || answer.status >= 300) return;
    const { key } = JSON.parse(answer.text) as { key: string };
    this.#made.push({
      key,
      name,
      by,
      tenant,
      subject,
      ...(endsAt !== undefined && { overAt: endsAt }),
    });
  }

  async #revokeKey({ by, pick }: Step): Promise<void> {
    const made = this.#pick(
      { pick },
      this.#made.filter(
        ({ tenant, overAt }) => tenant === CALLERS[by].tenant && (overAt ?? Infinity) > this.#clock.now(),
      ),
    );
    if (made === undefined) return;
    const answer = await this.#ask(by, { method: "DELETE", path: `/v1/keys/${made.name}` });
    if (answer !== KILLED && answer.status < 300) made.overAt = this.#clock.now() + KEY_KNOWN_MS;
  }

  /** A person connects another account. */
  async #connect(by: CallerName): Promise<void> {
    const { subject }: Caller = CALLERS[by];
    const body = { connector: CONNECTOR, subject, secret: `account-${(this.#accounts += 1)}` };
    if (subject !== undefined) await this.#ask(by, { method: "POST", path: "/v1/connections", body });
  }

  #kill(): void {
    this.#store.customers.ends += 1;
    this.#volley.kill();
  }

  /** Keep an endpoint for a customer, who may be a new one, or delete it. */
  async #changeEndpoint({ by, pick, does }: Step): Promise<void> {
    const { tenant } = CALLERS[by];
    const id = `e${pick % 5 === 0 ? 1 : 0}`;
    const to = does === "keep endpoint" ? `c${pick % 2}` : undefined;
    const end = this.#store.customers.change(tenant, { id, ...(to && { to }), now: () => this.#clock.now() });
    const path = `/v1/endpoints/${id}`;
    const body = { url: `${RECEIVER}/${tenant}/${to}/${id}`, customer: to, events: ["thing.*"] };
    const asked = to === undefined ? { method: "DELETE", path } : { method: "PUT", path, body };
    const answer = await this.#ask(keeperOf(tenant), asked);
    end(answer !== KILLED && answer.status < 300);
  }

  /** An event is published, by a batch or as it is; or once more, as by somebody who did not hear the answer. */
  async #publish({ by, pick }: Step): Promise<void> {
    const { tenant } = CALLERS[by];
    const { events } = this.#store.customers;
    const known = events.filter((one) => one.tenant === tenant && !this.ledger.isGone(one.of));
    const event = (pick % 4 === 0 && known.at(-1)) || this.#announce(by, pick);
    this.ledger.open([event.of]);
    const answer = await this.#ask(event.by as CallerName, event.asked);
    this.ledger.close([event.of]);
    if (answer === KILLED || answer.status >= 300) return;
    const { results } = JSON.parse(answer.text) as { readonly results?: readonly Result[] };
    if (results === undefined || results[0]!.status === "success") event.isTold = true;
  }

  #announce(asking: CallerName, pick: number): Announced {
    const { tenant } = CALLERS[asking];
    const isBatch = pick % 2 === 0;
    const by = isBatch ? asking : keeperOf(tenant);
    const of = this.ledger.wish("event", CALLERS[by]);
    // Mostly for one who has an endpoint.
    const customer =
      pick % 3 === 0
        ? undefined
        : (this.#store.customers.find(tenant, (pick % 3) - 1) ?? `c${(pick >> 2) % 2}`);
    const args = { type: "thing.made", data: { of }, ...(customer && { customer }) };
    const actions = [{ id: "a0", tool: "publish_event", args, idempotency_key: `k-${of}` }];
    const asked = isBatch
      ? { method: "POST", path: "/v1/execute_actions", body: { actions } }
      : { method: "POST", path: "/v1/events", body: { ...args, id: `e-${of}` } };
    return this.#store.customers.announce({ of, tenant, customer, asked, by });
  }

  async #deleteTenant({ by }: Step): Promise<void> {
    const { tenant } = CALLERS[by];
    const end = this.#store.customers.change(tenant, { now: () => this.#clock.now() });
    const wishes = this.ledger.wishes.size;
    const answer = await this.#ask(by, { method: "POST", path: "/v1/tenant/delete", body: { tenant } });
    end(answer !== KILLED && answer.status === 200);
    if (answer !== KILLED && answer.status === 200) {
      this.#kept.delete(tenant);
      this.ledger.forget(tenant, { begun: this.#begun, wishes });
      for (const made of this.#made)
        if (made.tenant === tenant)
          made.overAt = Math.min(made.overAt ?? Infinity, this.#clock.now() + KEY_KNOWN_MS);
    }
  }

  /**
   * A made key of the caller's tenant, now and then, and the caller that it is as: one who has all rights has the keys of subjects too. A
   * configured one's name is the key.
   */
  #keyOf(asking: CallerName, pick: number): { readonly by: CallerName; readonly key: string } {
    const { tenant, subject }: Caller = CALLERS[asking];
    const mine = this.#made.filter(
      (one) => one.tenant === tenant && (subject === undefined || subject === one.subject),
    );
    if (mine.length === 0 || pick % 3 !== 0) return { by: asking, key: asking };
    const made = mine[pick % mine.length]!;
    return { by: made.subject === undefined ? asking : subjectIn(tenant, made.subject), key: made.key };
  }

  #ask(by: CallerName, asked: Omit<Asked, "key">): Promise<Answered | typeof KILLED> {
    return this.#hear({ key: by, ...asked }, CALLERS[by]);
  }

  async #hear(asked: Asked, reader: Caller): Promise<Answered | typeof KILLED> {
    const made = this.#made.find(({ key }) => key === asked.key);
    const sentAt = this.#clock.now();
    const begun = this.#begun++;
    const answer = await this.#volley.ask(signDelivery(asked, this.#clock.now()));
    if (answer === KILLED) return KILLED;
    const where = `${asked.method} ${asked.path} by ${made?.name ?? asked.key}`;
    // Two reruns at once: one of them is told to look at the other.
    const isTold = answer.status === 503 && answer.text.includes("Another rerun");
    if (answer.status >= 500 && !isTold && !isOfModel(answer))
      this.ledger.faults.push(`${where} is ${answer.status}: ${answer.text.slice(0, 300)}`);
    if (made?.overAt !== undefined && sentAt > made.overAt && answer.status !== 401)
      this.ledger.faults.push(`${where} is ${answer.status} although the key ended`);
    this.ledger.read(answer.text, reader, { where, begun });
    for (const [, id] of answer.text.matchAll(/"job_id":"([^"]+)"/g))
      this.ledger.remember(reader.tenant, id!, begun);
    return answer;
  }

  /** Judge that a request which ran something drew from the quota of its key, and from that of the key which made it. */
  #countQuota({ key, path }: Asked, { sentAt, left }: Answered): void {
    // A run that a delivery starts has no key.
    if (key === "") return;
    // Every door says what is left, but for an undo.
    const told = left ?? (path.endsWith("/undo") ? 0 : Infinity);
    const made = this.#made.find((one) => one.key === key);
    for (const name of made === undefined ? [key] : [made.by, key]) {
      const { limit, window_s } = (made?.by ?? key) === "small" ? CALLERS.small.quota : QUOTA;
      const times = [...(this.#drawn.get(name) ?? []), sentAt].toSorted((one, other) => one - other);
      this.#drawn.set(name, times);
      let [level, at] = [limit, 0];
      for (const [order, time] of times.entries()) {
        level = Math.min(limit, level + ((time - at) * limit) / (window_s * 1_000)) - 1;
        at = time;
        // One that was sent later may have been answered before.
        const isIt = name === key && order === times.indexOf(sentAt);
        if (level < 0 || (isIt && told > level))
          this.ledger.faults.push(`${path} by ${made?.name ?? key}: ${left} are left, where ${level} may be`);
      }
    }
  }

  /** A run that has an id: mostly one of the caller's tenant. */
  #pickRun({ by, pick }: Step): Ran | undefined {
    const known = this.#ran.filter(({ runId }) => runId !== undefined);
    const own = known.filter((ran) => CALLERS[ran.by].tenant === CALLERS[by].tenant);
    return this.#pick({ pick: pick >> 2 }, pick % 4 === 0 ? known : own);
  }

  #pick<Item>({ pick }: { readonly pick: number }, items: readonly Item[]): Item | undefined {
    // Most happens to the last ones.
    const near = pick % 3 === 0 ? items.length : Math.min(2, items.length);
    return items.at(-1 - (pick % Math.max(1, near)));
  }
}

/** The same for every sequence. */
let keys: Promise<string> | undefined;

function configureCallers(): Promise<string> {
  const entries = Object.entries(CALLERS).map(([name, { flags, ...entry }]) => [
    name,
    { name, quota: QUOTA, ...entry, flags: [...flags] },
  ]);
  return configureKeys(Object.fromEntries(entries));
}

function isDoubted({ status, meta }: Result): boolean {
  return status === "unknown" || meta?.in_doubt === true;
}

/** The model failed, not Volley. */
function isOfModel({ status, text }: Answered): boolean {
  return status >= 500 && text.includes(SAYS_ITSELF);
}

/** Name a caller that has all rights in a tenant. */
function keeperOf(tenant: string): CallerName {
  return tenant === "t0" ? "admin" : tenant === "t1" ? "other" : "small";
}

/** Name the caller that is a subject of a tenant, or has all of its rights. */
function subjectIn(tenant: string, subject: string | undefined): CallerName {
  if (subject === undefined) return keeperOf(tenant);
  const names = Object.keys(CALLERS) as CallerName[];
  const isIt = (one: Caller): boolean => one.tenant === tenant && one.subject === subject;
  return names.find((name) => isIt(CALLERS[name]))!;
}

/** Name the first thing that a request is about. */
function firstOf(ofs: ReadonlyMap<string, string>): string {
  return ofs.values().next().value!;
}

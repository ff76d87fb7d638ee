import { OauthBrowser } from "../../support/oauth-browser.ts";
import { type Answer, isThere, type Pair, type PairWorld, SUBJECT } from "./pair-world.ts";

/** Connect an account of a subject; its connection. */
async function connect(world: PairWorld, subject: string): Promise<string> {
  const wish = { connector: "acme", subject, return_to: "http://localhost:3000/done" };
  const { connect_url: url, connection_id: id } = await world.must("POST", "/v1/connections", wish);
  const browser = new OauthBrowser(world.victim.current.url);
  const gone = await browser.submit(await browser.open(url), {});
  await browser.open(world.provider.signIn(gone.location!, `${subject}@acme`));
  return id;
}

/** A write with an account is run again while other calls need the account's next token. */
export const refreshAndRerun: Pair = {
  name: "refresh of an account × rerun",
  async arrange(world) {
    // Each call needs a new token.
    world.provider.expiresInS = 0.001;
    for (const subject of [SUBJECT, "bob"]) await connect(world, subject);
    await world.must("PUT", "/v1/tools/charge", {
      ...world.provider.tool,
      actions: ["create"],
      is_write: true,
      input_schema: { type: "object", properties: { n: { type: "integer" } } },
      http: { method: "POST", url: `${world.provider.upstream.url}/charge`, auth: { connection: "acme" } },
    });
  },
  async begin(world, n) {
    const charge = (of: number, subject: string) => ({
      subject,
      actions: [{ tool: "charge", args: { n: of } }],
    });
    world.refusing.add(n);
    const { batch_id: run } = await world.must("POST", "/v1/execute_actions", charge(n, SUBJECT));
    const { connections } = await world.must("GET", `/v1/connections?subject=${SUBJECT}`);
    const rerun = `/v1/runs/${run}/rerun`;
    await world.until(isThere, "GET", `/v1/runs/${run}`);
    let answers: readonly (Answer | null)[] = [];
    let last: Answer["body"];
    return {
      ids: [run, connections[0].connection_id],
      async work() {
        const letGo = world.provider.upstream.hold("/oauth/token");
        setTimeout(letGo, world.random() * 40);
        answers = await Promise.all([
          world.soon("POST", rerun, {}),
          world.soon("POST", "/v1/execute_actions", charge(n + 1, SUBJECT)),
          world.soon("POST", "/v1/execute_actions", charge(n + 2, "bob")),
        ]);
      },
      async settle() {
        last = await world.until(isThere, "POST", rerun, {});
      },
      async judge() {
        const violations: string[] = [];
        for (const [at, account] of ["ada", "ada", "bob"].entries()) {
          const sent = world.sent("/charge", n + at);
          const again = at === 0 ? sent.length - 1 : sent.length;
          if (again > 1) violations.push(`the charge ${at} was sent ${again} times`);
          if (answers[at]?.body.results?.[0].status === "success" && again !== 1)
            violations.push(`the charge ${at} was answered as a success, and sent ${again} times`);
          for (const { headers } of sent)
            if (!headers.authorization?.includes(`access-${account}@acme`))
              violations.push(`the charge ${at} came with another account: ${headers.authorization}`);
        }
        const [{ status }] = last.results;
        // One that is not on record asks a person.
        if (!["success", "pending_confirmation"].includes(status))
          violations.push(`the rerun ends as ${status}`);
        const { connections: kept } = await world.must("GET", `/v1/connections?subject=${SUBJECT}`);
        if (kept[0]?.state !== "active") violations.push(`the account is ${kept[0]?.state}`);
        return violations;
      },
    };
  },
};

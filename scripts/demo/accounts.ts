import { askVolley } from "./agent-client.ts";
import { heading } from "./print.ts";
import { signInAs } from "./sign-in-as.ts";
import type { Result } from "./volley-client.ts";
import { paint } from "./waterfall.ts";

const PEOPLE = ["ada", "grace"];
const QUESTION = "Find the timesheet in my Outlook.";
const NAME_WIDTH = 7;

/** One agent, asked for two people: first neither is connected, then each is. */
export async function showAccounts(url: string): Promise<void> {
  heading("1. One agent, asked for two people: neither has connected a mailbox");
  console.log(`  The question: ${paint("magenta", QUESTION)}\n`);
  const first = await Promise.all(PEOPLE.map((person) => askFor(person, url)));
  for (const { person, result } of first) {
    say(person, `${result.tool}  ${paint("red", result.error?.code ?? result.status)}`);
    say("", linkOf(result).replace(/^(.{58}).*$/, "$1…"));
  }

  heading("2. Each opens her own link, and signs in");
  for (const { person, result } of first) {
    const page = await signInAs(person, linkOf(result), url);
    const [, account = "nothing"] = /([\w.]+@[\w.]+)/.exec(await page.text()) ?? [];
    say(person, `connected ${paint("green", account)}`);
  }

  heading("3. The same question, for both at once");
  for (const { person, result, text } of await Promise.all(PEOPLE.map((one) => askFor(one, url)))) {
    const { messages = [] } = result.data as { readonly messages?: readonly { readonly subject: string }[] };
    const subjects = messages.map(({ subject }) => `"${subject}"`).join(", ");
    say(person, `${result.tool}  ${paint("green", result.status)}  ${subjects}`);
    say("", paint("magenta", text));
  }
  console.log("\n  The application names the person beside the question (`volley.subject`).");
  console.log("  The model cannot: in what it writes it is an unknown field.");
}

/** The first result of an answer, and the model's words. */
interface Asked {
  readonly person: string;
  readonly result: Result;
  readonly text: string;
}

async function askFor(person: string, url: string): Promise<Asked> {
  let text = "";
  const body = {
    model: "sandbox-model",
    messages: [{ role: "user", content: QUESTION }],
    volley: { subject: person, tools: ["search_outlook"] },
  };
  const { rounds } = await askVolley(url, body, {
    key: "sandbox-admin-key",
    onText: (piece) => void (text += piece),
    onResult: () => {},
  });
  return { person, result: rounds[0]!.results[0]!, text };
}

function linkOf({ error }: Result): string {
  if (error?.connect_url === undefined) throw new Error("The account is connected already");
  return error.connect_url;
}

function say(person: string, text: string): void {
  console.log(`  ${paint("bold", person.padEnd(NAME_WIDTH))} ${text}`);
}

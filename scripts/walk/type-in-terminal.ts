import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/**
 * Type a command in a terminal, and Enter at each question that it asks. How often something was typed, and all that was printed.
 *
 * `script` of util-linux gives the terminal.
 *
 * @param questions what is printed where an answer is waited for, in their order; one that is not asked is left out
 */
export async function typeInTerminal(
  command: string,
  {
    questions,
    cwd,
    env,
  }: { readonly questions: readonly RegExp[]; readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<{ readonly inputs: number; readonly printed: string }> {
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], { cwd, env });
  let printed = "";
  let seen = 0;
  let inputs = 1;
  const left = [...questions];
  child.stdout.on("data", (part: Buffer) => {
    printed += stripVTControlCharacters(part.toString());
    const at = left.findIndex((question) => question.test(printed.slice(seen)));
    if (at === -1) return;
    left.splice(0, at + 1);
    seen = printed.length;
    inputs += 1;
    child.stdin.write("\n");
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`'${command}' ended with ${code}:\n${printed}`);
  return { inputs, printed };
}

import type { CheckArguments } from "./check-options.ts";
import { checkCurl } from "./curl-command.ts";
import { checkFind } from "./find-command.ts";
import { checkGit } from "./git-command.ts";
import { checkDocker, checkNpm, checkPip } from "./package-commands.ts";
import { checkDate, checkDf, checkEnv, checkHostname, checkWhich } from "./system-commands.ts";
import { checkAwk, checkSort, checkUniq } from "./text-commands.ts";

/** Has no option and no operand that writes or runs anything. Following a growing file (`tail -f`) reads. */
const readsOnly: CheckArguments = () => null;

/** Every command of the reference document's table, and what makes a use of it read-only. Nothing else is. */
export const COMMANDS: ReadonlyMap<string, CheckArguments> = new Map([
  ["cat", readsOnly],
  ["head", readsOnly],
  ["tail", readsOnly],
  ["ls", readsOnly],
  ["find", checkFind],
  ["stat", readsOnly],
  ["wc", readsOnly],
  ["du", readsOnly],
  ["df", checkDf],

  ["grep", readsOnly],
  ["sort", checkSort],
  ["uniq", checkUniq],
  ["cut", readsOnly],
  ["awk", checkAwk],

  ["git", checkGit],

  ["echo", readsOnly],
  ["pwd", readsOnly],
  ["whoami", readsOnly],
  ["date", checkDate],
  ["uptime", readsOnly],
  ["hostname", checkHostname],
  ["env", checkEnv],
  ["which", checkWhich],

  ["npm", checkNpm],
  ["pip", checkPip],
  ["docker", checkDocker],
  ["curl", checkCurl],
]);

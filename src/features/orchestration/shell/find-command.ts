import type { CheckArguments } from "./check-options.ts";
import { quoteText } from "./split-commands.ts";

/** Tests, operators and actions that read. `-delete`, `-exec…`, `-ok…`, `-fprint…` and `-fls` are not among them. */
const PRIMARIES = new Set(
  (
    "-a -amin -and -anewer -atime -cmin -cnewer -ctime -d -daystart -depth -empty -executable -false -follow " +
    "-fstype -gid -group -H -ilname -iname -inum -ipath -iregex -iwholename -L -links -lname -ls -maxdepth " +
    "-mindepth -mmin -mount -mtime -name -newer -nogroup -noleaf -not -nouser -o -or -P -path -perm -print " +
    "-print0 -printf -prune -quit -readable -regex -regextype -samefile -size -true -type -uid -used -user " +
    "-wholename -writable -xdev -xtype"
  ).split(" "),
);
/** `-mtime -7`, `-size -10k`, `-perm -644`, `-newermt`. */
const VALUE = /^-(?:\d+[a-zA-Z]?|newer[aBcm][aBcmt])$/;

/** Expands to names that end in a dot and letters, as no action of find does. */
const FILES_BY_SUFFIX = /^\*(?:\.\w+)+$/;

/** Prove `find` harmless: every word with a dash is a primary that reads, wherever it stands. */
export const checkFind: CheckArguments = (args) => {
  for (const { raw, text, wild } of args) {
    if (wild && !FILES_BY_SUFFIX.test(raw)) return `${quoteText(raw)} could become an action of find`;
    if (text.startsWith("-") && !PRIMARIES.has(text) && !VALUE.test(text))
      return `find ${quoteText(text)} is not proven harmless`;
  }
  return null;
};

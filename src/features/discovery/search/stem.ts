import { stemmer } from "stemmer";

/** Forms that no rule of endings joins to their word; each entry is the word, then its forms. */
const IRREGULAR_FORMS = `begin began begun, bind bound, bite bit bitten, break broke broken, bring brought, build built,
  buy bought, catch caught, choose chose chosen, deal dealt, draw drew drawn, drink drank drunk, drive drove driven,
  eat ate eaten, feed fed, fly flew flown, forget forgot forgotten, freeze froze frozen, get got gotten, give gave given,
  go went gone, grow grew grown, hear heard, hide hid hidden, hold held, keep kept, know knew known, leave left,
  lend lent, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen,
  run ran, say said, see saw seen, sell sold, send sent, shake shook shaken, show shown, sing sang sung, sleep slept,
  speak spoke spoken, spend spent, steal stole stolen, swim swam swum, take took taken, teach taught, tell told,
  think thought, throw threw thrown, understand understood, wake woke woken, wear wore worn, win won,
  withdraw withdrew withdrawn, write wrote written, child children, person people, index indices, matrix matrices,
  vertex vertices, criterion criteria`;

const BASES: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.split(",").flatMap((entry) => {
    const [base, ...forms] = entry.trim().split(" ");
    return forms.map((form) => [form, base!] as const);
  }),
);

/**
 * Cut an English word (lower case) to the part that its forms share: `meetings` and `meeting`, `sent` and `send`. The stem need
 * not be a word. Porter's rules; words with other letters than a to z stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  return stemmer(BASES.get(word) ?? word);
}

/** Forms that no rule of suffixes joins to their word; each line is the word, then its forms. */
const IRREGULAR_FORMS = `
buy bought
sell sold
send sent
pay paid
spend spent
lend lent
lose lost
find found
meet met
hold held
tell told
write wrote written
speak spoke spoken
break broke broken
choose chose chosen
draw drew drawn
drive drove driven
fly flew flown
eat ate eaten
sleep slept
wake woke woken
build built
begin began begun
run ran
steal stole stolen
hide hid hidden
throw threw thrown
hear heard
teach taught
catch caught
bring brought
swim swam swum
ride rode ridden
rise rose risen
freeze froze frozen
grow grew grown
withdraw withdrew withdrawn
forget forgot forgotten
child children
index indice
criterion criteria
subscribe subscription
describe description
transcribe transcription
prescribe prescription
deliver delivery
recover recovery
discover discovery
pay payment
fail failure
`;

const BASES: ReadonlyMap<string, string> = new Map(
  IRREGULAR_FORMS.trim()
    .split("\n")
    .flatMap((line) => {
      const [base, ...forms] = line.split(" ");
      return forms.map((form) => [form, base!] as const);
    }),
);

/** The word of which this is an irregular form (no plural `s`); null when it is none. */
export function withoutIrregularForm(word: string): string | null {
  return BASES.get(word) ?? null;
}

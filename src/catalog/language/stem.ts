import { withoutIrregularForm } from "./irregular-forms.ts";

/**
 * Cut an English word to the part that its forms share: `meetings` and `meeting`, `scheduled` and `schedule`, `translation`
 * and `translate`. What is left need not be a word; it only has to be the same for the forms of one.
 *
 * Suffixes and a short list of irregular forms, no dictionary: rules this few rarely join words that mean different things, and other languages pass
 * through almost untouched.
 */
export function stem(word: string): string {
  const base = withoutIrregularForm(word.length > 3 ? withoutPlural(word) : word);
  if (base !== null) return stem(base);
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  let cut = withoutPlural(word);
  cut = withAmericanSpelling(withoutEnding(cut));
  cut = cut.replace(/^(.{4,})ment$/, "$1");
  cut = cut.replace(/^(.{3,})(?:ation|ate)$/, "$1").replace(/^(.{4,}[st])ion$/, "$1");
  // `approval` and `approve`, `renewal` and `renew`; `cancellation` and `cancel`.
  cut = cut.replace(/^(.{4,}[vw])al$/, "$1").replace(/^(.*[aeiou].*[aeiou]l)l$/, "$1");
  return cut.length > 3 ? cut.replace(/e$/, "") : cut;
}

/** `organise` as `organize`, `colour` as `color`. */
function withAmericanSpelling(word: string): string {
  return word.replace(/^(.{3,}[iy])s(e?|ation)$/, "$1z$2").replace(/^(.{3,})our$/, "$1or");
}

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/.{2,}ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ch|sh|ss|x|zz)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** `-ing` and `-ed`, where a syllable is left; the doubled letter of `planned` goes, that of `billing` belongs to `bill`. */
function withoutEnding(word: string): string {
  // `applied` and `apply`.
  if (/.{3,}ied$/.test(word)) return `${word.slice(0, -3)}y`;
  const [, base] = /^(.*[aeiouy].*)(?:ing|(?<!e)ed)$/.exec(word) ?? [];
  if (base === undefined || base.length < 3) return word;
  const single = base.replace(/([bdgmnprt])\1$/, "$1");
  // `updating` has lost the letter by which `update` is cut.
  return /.{3,}at$/.test(single) ? `${single}e` : single;
}

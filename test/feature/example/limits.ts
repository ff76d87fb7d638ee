/** Notes of one tenant: a page shows them all. */
export const notes = 3;
/** Characters of one note. */
export const noteCharacters = 200;
/** Notes of one tenant whose words are counted at once. */
export const noteCountsAtOnce = 2;

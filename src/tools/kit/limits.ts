/** Numbers that bound shipped tools, each with its reason. */

export {
  firstAttemptMs,
  issues,
  loopElements,
  maxResponseBytes,
  queryCharacters,
  workspaceBytes,
  workspaceFileBytes,
  workspaceFiles,
  workspaceFirstBytes,
} from "../../core/contract/limits.ts";

/** Tags of a web page that are read: the longest articles of an encyclopedia have 25,000, and a hostile page a million. */
export const pageTags = 30_000;
/** Characters of a web page's text that are read: four times what may be asked for, so that a menu costs nothing of it. */
export const pageCharacters = 200_000;
/** One object that a tool keeps: the largest image or presentation is a few megabytes, and an isolate holds it two or three times while it is made. */
export const objectBytes = 16 * 1024 * 1024;
/** Characters of one part of a document: some 5,000 tokens, which is as much as a model reads with care at once. */
export const documentCharacters = 20_000;
/** Words of one search that are looked for: a long sentence, and each is a walk through the index. */
export const searchedWords = 32;
/** Contacts that one call creates: one statement, and a page of a spreadsheet. */
export const contactRows = 100;
/** Orders of one answer; a report holds more. */
export const orderRows = 100;
/** Groups of one summary: months of eight years, or the hundred largest customers. */
export const summaryGroups = 100;
/** Rows of one report: its text is a few megabytes, made in memory, and its query reads no more of the table. */
export const reportRows = 10_000;
/** Characters of an image's description: a page of text, a quarter of what the service takes. */
export const promptCharacters = 8_000;
/** Documents put in order at once: more than a search gives, within the arguments of one action. */
export const rerankDocuments = 100;
/** A formula of people; the worst of this length takes a tenth of a second. */
export const expressionCharacters = 500;
/** Slides of one presentation: an hour's talk. */
export const presentationSlides = 50;
/** Processor time of one call of a pack, which Cloudflare ends: each has bounds of its own that are well below. */
export const packCpuMs = 10_000;
/** A file's path in UTF-8: ten thousand of them are half of the workspace's own size. */
export const workspacePathBytes = 512;
/** Folders that a file lies in, and itself: each costs its object some memory. */
export const workspaceDepth = 16;
/** Memories that one search looks through, the newest of them: a thousand pages, and half a second of a processor. */
export const memorySearchBytes = 2 * 1024 * 1024;
/** Characters of a file that one read answers, some 10,000 tokens: more is asked for by line. */
export const workspaceReadCharacters = 40_000;
/** Lines that one search answers: a search that finds more should be narrower. */
export const workspaceMatches = 200;
/** Characters of such a line. */
export const workspaceLineCharacters = 300;
/** Paths that one pattern answers. */
export const workspacePaths = 1_000;
/** Characters of what a command printed that are answered, of its errors a quarter: some 5,000 tokens. */
export const shellOutputCharacters = 20_000;
/** Bytes that the parts of a command print together, to each other too: as much as there are files. */
export const shellOutputBytes = 12 * 1024 * 1024;
/** Bytes that the parts of a command read at once: all of the files. */
export const shellInputBytes = 12 * 1024 * 1024;
/** A command's own time: below what its tool has, so that what it printed is still answered. */
export const shellTimeMs = 8_000;
/** How often a command, or an edit, is tried over files that others change meanwhile: one of them gets on each time. */
export const workspaceTries = 8;

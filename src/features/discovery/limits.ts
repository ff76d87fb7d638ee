/** Numbers that bound this feature, each with its reason; the others are core's. */

export { queryCharacters } from "../../feature/tool.ts";

/** Tools that one discovery lists: enough to choose from, and about 500 tokens. */
export const discoveredTools = 10;
/** The most it lists when asked for more. */
export const maxDiscoveredTools = 50;
/** Requests of one discovery: a task of more steps is better looked for in parts. */
export const discoveryQueries = 8;
/** Tools of one discovery that are shown with their parameters: who needs more asks for them by name. */
export const describedTools = 5;
/** Categories, or actions, that one discovery filters by. */
export const filterWords = 50;
/** Bytes of a list of tools, which is one page: all that a tenant may declare fits, unless a format writes more for it. An isolate keeps large lists of as many bytes together. */
export const toolListBytes = 8 * 1024 * 1024;
/** Bytes that a tool takes of a list, at most: for so many, of all its tools, there is room before it is written. */
export const listedToolBytes = 64 * 1024;

/** Numbers that bound this feature, each with its reason; the others are core's. */

/** How long an MCP client may keep a list of tools: it changes with a deployment only. */
export const toolListTtlMs = 5 * 60_000;
/** Tools in one page of an MCP client's list. */
export const toolListPage = 50;
/** A tool's reports of its progress are told to an MCP client no faster: it asked to see movement, not every step. */
export const progressIntervalMs = 20;
/** Characters of such a report's message. */
export const progressMessageChars = 200;
/** How long an MCP client may keep a list with tools that a tenant has added: they change while it runs. */
export const addedToolListTtlMs = 5_000;

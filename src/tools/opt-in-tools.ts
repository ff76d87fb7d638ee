import type { Tool } from "../core/catalog/define-tool.ts";
import { createContacts } from "./data/create-contacts.ts";
import { csvReport } from "./data/csv-report.ts";
import { deleteContacts } from "./data/delete-contacts.ts";
import { queryOrders } from "./data/query-orders.ts";
import { revenueSummary } from "./data/revenue-summary.ts";
import { fetchDocument } from "./documents/fetch-document.ts";
import { searchDocuments } from "./documents/search-documents.ts";
import { createGithubIssue } from "./github/create-github-issue.ts";
import { searchGithubIssues } from "./github/search-github-issues.ts";
import { generateImage } from "./images/generate-image.ts";
import { searchNotion } from "./notion/search-notion.ts";
import { searchOutlook } from "./outlook/search-outlook.ts";
import { sendOutlook } from "./outlook/send-outlook.ts";
import { postSlackMessage } from "./slack/post-slack-message.ts";

/**
 * The tools that come with Volley and need a binding of the Worker, or the feature `connections`, by what they are about. Beside the others, so that a
 * Worker without them does not carry their code: `[...SHIPPED_TOOLS, ...OPT_IN_TOOLS.data]`.
 */
export const OPT_IN_TOOLS = {
  /** Need the D1 database `DATA` with its migrations, `csv_report` the R2 bucket `OBJECTS` as well. */
  data: [
    searchDocuments,
    fetchDocument,
    createContacts,
    deleteContacts,
    queryOrders,
    revenueSummary,
    csvReport,
  ],
  /** Need the R2 bucket `OBJECTS`. */
  images: [generateImage],
  /** Need the feature `connections`, with the connectors `github`, `slack`, `notion` and `microsoft`. */
  accounts: [
    searchGithubIssues,
    createGithubIssue,
    postSlackMessage,
    searchNotion,
    searchOutlook,
    sendOutlook,
  ],
} as const satisfies Readonly<Record<string, readonly Tool[]>>;

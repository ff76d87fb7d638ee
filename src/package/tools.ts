/**
 * The tools that come with Volley: `import { sendEmail, webFetch } from "volley/tools"`. A Worker has those it lists and none besides,
 * and what it does not import is not in its bundle. Tools that run in isolates of their own are in `volley/tools/packs`.
 */
export { OPT_IN_TOOLS } from "../tools/opt-in-tools.ts";
export { SHIPPED_TOOLS } from "../tools/shipped-tools.ts";

export { addCalendarEvent } from "../tools/calendar/add-calendar-event.ts";
export { deleteCalendarEvent } from "../tools/calendar/delete-calendar-event.ts";
export { listCalendarEvents } from "../tools/calendar/list-calendar-events.ts";
export { searchCalendarEvents } from "../tools/calendar/search-calendar-events.ts";
export { restoreCalendarEvent } from "../tools/calendar/restore-calendar-event.ts";
export { updateCalendarEvent } from "../tools/calendar/update-calendar-event.ts";
export { createContacts } from "../tools/data/create-contacts.ts";
export { deleteContacts } from "../tools/data/delete-contacts.ts";
export { csvReport } from "../tools/data/csv-report.ts";
export { queryOrders } from "../tools/data/query-orders.ts";
export { revenueSummary } from "../tools/data/revenue-summary.ts";
export { fetchDocument } from "../tools/documents/fetch-document.ts";
export { rerank } from "../tools/documents/rerank.ts";
export { searchDocuments } from "../tools/documents/search-documents.ts";
export { sendEmail } from "../tools/email/send-email.ts";
export { deliverEvent } from "../tools/events/deliver-event.ts";
export { dispatchEvent } from "../tools/events/dispatch-event.ts";
export { publishEvent } from "../tools/events/publish-event.ts";
export { gasPrices } from "../tools/fuel/gas-prices.ts";
export { readGmail } from "../tools/gmail/read-gmail.ts";
export { searchGmail } from "../tools/gmail/search-gmail.ts";
export { sendGmail } from "../tools/gmail/send-gmail.ts";
export { createGithubIssue } from "../tools/github/create-github-issue.ts";
export { searchGithubIssues } from "../tools/github/search-github-issues.ts";
export { generateImage } from "../tools/images/generate-image.ts";
export { googleMapsSearch } from "../tools/maps/google-maps-search.ts";
export { searchNotion } from "../tools/notion/search-notion.ts";
export { searchOutlook } from "../tools/outlook/search-outlook.ts";
export { sendOutlook } from "../tools/outlook/send-outlook.ts";
export { postSlackMessage } from "../tools/slack/post-slack-message.ts";
export { confirmConnection } from "../tools/connections/confirm-connection.ts";
export { addTask } from "../tools/tasks/add-task.ts";
export { completeTask } from "../tools/tasks/complete-task.ts";
export { deleteTask } from "../tools/tasks/delete-task.ts";
export { reopenTask } from "../tools/tasks/reopen-task.ts";
export { listTasks } from "../tools/tasks/list-tasks.ts";
export { nhtsaRecallSearch } from "../tools/vehicles/nhtsa-recall-search.ts";
export { getWeather } from "../tools/weather/get-weather.ts";
export { duckduckgoSearch } from "../tools/web/duckduckgo-search.ts";
export { webFetch } from "../tools/web/web-fetch.ts";
export { webSearch } from "../tools/web/web-search.ts";
export { edit } from "../tools/workspace/edit.ts";
export { glob } from "../tools/workspace/glob.ts";
export { memoryGet } from "../tools/workspace/memory-get.ts";
export { memorySearch } from "../tools/workspace/memory-search.ts";
export { read } from "../tools/workspace/read.ts";
export { restoreFile } from "../tools/workspace/restore-file.ts";
export { write } from "../tools/workspace/write.ts";

import type { Tool } from "../core/catalog/define-tool.ts";
import { rerank } from "./documents/rerank.ts";
import { deliverEvent } from "./events/deliver-event.ts";
import { dispatchEvent } from "./events/dispatch-event.ts";
import { duckduckgoSearch } from "./web/duckduckgo-search.ts";
import { gasPrices } from "./fuel/gas-prices.ts";
import { addCalendarEvent } from "./calendar/add-calendar-event.ts";
import { deleteCalendarEvent } from "./calendar/delete-calendar-event.ts";
import { listCalendarEvents } from "./calendar/list-calendar-events.ts";
import { searchCalendarEvents } from "./calendar/search-calendar-events.ts";
import { updateCalendarEvent } from "./calendar/update-calendar-event.ts";
import { restoreCalendarEvent } from "./calendar/restore-calendar-event.ts";
import { addTask } from "./tasks/add-task.ts";
import { completeTask } from "./tasks/complete-task.ts";
import { deleteTask } from "./tasks/delete-task.ts";
import { listTasks } from "./tasks/list-tasks.ts";
import { reopenTask } from "./tasks/reopen-task.ts";
import { readGmail } from "./gmail/read-gmail.ts";
import { searchGmail } from "./gmail/search-gmail.ts";
import { sendGmail } from "./gmail/send-gmail.ts";
import { getWeather } from "./weather/get-weather.ts";
import { googleMapsSearch } from "./maps/google-maps-search.ts";
import { nhtsaRecallSearch } from "./vehicles/nhtsa-recall-search.ts";
import { sendEmail } from "./email/send-email.ts";
import { webFetch } from "./web/web-fetch.ts";
import { webSearch } from "./web/web-search.ts";

/** The tools that come with Volley. Your own go beside them in `src/worker.ts`: `[...SHIPPED_TOOLS, myTool]`. */
export const SHIPPED_TOOLS: readonly Tool[] = [
  googleMapsSearch,
  nhtsaRecallSearch,
  webSearch,
  duckduckgoSearch,
  webFetch,
  gasPrices,
  sendEmail,
  getWeather,
  rerank,
  dispatchEvent,
  deliverEvent,
  addCalendarEvent,
  listCalendarEvents,
  searchCalendarEvents,
  updateCalendarEvent,
  deleteCalendarEvent,
  restoreCalendarEvent,
  sendGmail,
  searchGmail,
  readGmail,
  addTask,
  listTasks,
  completeTask,
  reopenTask,
  deleteTask,
];

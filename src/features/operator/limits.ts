/** Numbers that bound this feature, each with its reason; the others are core's. */

export { gateTimeoutMs, maxJobPage } from "../../feature/kit.ts";

/** An isolate reports its counts to the operator's object no more often: the counts of all tenants together. */
export const operatorReportMs = 1_000;
/** Tenants of one report; the rest is counted as one. An isolate runs no more batches in a second. */
export const operatorReportTenants = 2_000;
/** Tools of all tenants of one report, each some 150 bytes; the rest of a tenant's is counted as one. */
export const operatorReportTools = 8_000;
/** Hours that are counted: from Friday evening to Monday evening. */
export const operatorHours = 72;
/** Parts that the tenants of an hour are dealt into, a row each: a row of ten thousand tenants would be too large for SQLite. */
export const operatorParts = 64;
/** Tenants of one part of an hour; the rest is counted as one. */
export const operatorPartTenants = 400;
/** Tools of all tenants of one part of an hour: all parts together are some 30 MB in the object's memory. */
export const operatorPartTools = 2_500;
/** Tools of one tenant that are counted apart. */
export const operatorTenantTools = 32;
/** The operator's object writes an hour's parts down no more often, and a row a second at most. */
export const operatorWriteMs = 10_000;
/** A tenant's object tells of its dead jobs and waiting questions at most so often, and so long after a change. */
export const operatorTellMs = 2_000;
/** It tells again so often while there are any: a question may have expired, and a message may have been lost. */
export const operatorTellAgainMs = 15 * 60_000;
/** When a message about them was not taken, it is sent again after this time. */
export const operatorTellFailedMs = 30_000;
/** Its message counts for so long: twice the time, and some for the way. */
export const operatorToldMs = 35 * 60_000;
/** Dead jobs of one object that are looked at for their codes; more are counted without one. */
export const operatorDeadJobs = 1_000;
/** An overview of ten thousand tenants is some seconds of reading. */
export const operatorReadMs = 10_000;
/** Hours of an overview, unless its `hours` says otherwise. */
export const operatorOverviewHours = 24;
/** Tenants of an overview, unless its `limit` says otherwise. */
export const operatorTenants = 30;
/** The most that it may say. */
export const maxOperatorTenants = 100;
/** Tools of each of them. */
export const operatorTools = 10;
/** Dead jobs that one request of the operator looks at; it redrives as many of them as a tenant's own does. */
export const operatorRedriveLooks = 1_000;

/** Bounds of contacts, against agents that fill them. */

/** Contacts of a workspace: far above the largest import. */
export const MAX_CONTACTS = 250_000;
export const MAX_LISTS = 1_000;

/** Bounds of one contact. */
export const MAX_CHANNELS = 50;
export const MAX_DOMAINS = 20;
export const MAX_ADDRESSES = 20;
export const MAX_MEMORIES = 100;

/** Characters. */
export const MAX_NAME = 200;
export const MAX_NOTES = 10_000;
export const MAX_FACT = 1_000;
export const MAX_CHANNEL = 320;
export const MAX_LABEL = 60;
export const MAX_LIST_NAME = 100;
export const MAX_LIST_DESCRIPTION = 1_000;
export const MAX_QUERY = 200;

/** Octets of an imported file: 50 000 rows of CSV are some five million. */
export const MAX_IMPORT_OCTETS = 16 * 1024 * 1024;
/** A person's file may hold all contacts with their photographs. */
export const MAX_PERSONS_FILE = 64 * 1024 * 1024;
export const MAX_PERSONS_CARDS = 100_000;
/** The interface's limit. */
export const MAX_CARDS = 1_000;

/** Members in one change of a list. */
export const MAX_MEMBERS_AT_ONCE = 1_000;
/** Characters of a page of contacts as JSON: a page of full ones ends early, and its cursor continues. */
export const MAX_PAGE_CHARS = 2_000_000;

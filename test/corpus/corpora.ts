/** Where the public corpora are: beside the repository, or where POSTROOM_TEST_DATA says. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';

export const CORPORA = process.env.POSTROOM_TEST_DATA ?? resolve(import.meta.dirname, '../../../shared/data');

/** For a test's `skip`: false where the corpora are there, else what is missing and how to name it. */
export const missingCorpora: false | string = existsSync(CORPORA)
  ? false
  : `no corpora at ${CORPORA}: set POSTROOM_TEST_DATA to the folder that holds them`;

export const corpusPath = (...parts: string[]): string => join(CORPORA, ...parts);

/** The name under which a file stands in a list of exceptions: its path below the corpora. */
export const corpusName = (path: string): string => relative(CORPORA, path);

/** The folders of mails, bounces among them. */
export const MAIL_FOLDERS = [
  'mail-parser-stalwart',
  'zbateson',
  'cpython-email',
  'sisimai',
  'flanker-bounce',
  'github-reply',
] as const;

const MESSAGE = /\.(eml|txt|msg|message|mbox)$/;

/** Paths of every message of a folder, in the order of their names. */
export const messageFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(corpusPath(folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && MESSAGE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
};

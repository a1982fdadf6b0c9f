/**
 * Finds the mail in files and folders: mboxes, files of one mail, Maildirs. Keeps only each mail's position and time.
 */

import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asCaller } from '../../../kernel/files/caller-rights.ts';
import { codeOf, messageOf } from '../../../kernel/text/message-of.ts';
import { findMailTime } from '../../../mail/header/mail-time.ts';
import { isExpunged, isTrashed } from '../../../mail/mbox/deleted-mark.ts';
import { findFileKind, KIND_OCTETS } from '../../../mail/mbox/file-kind.ts';
import { type MboxEntry, splitMbox } from '../../../mail/mbox/split-mbox.ts';
import { refused } from '../../failure.ts';
import { FileWindow } from './file-window.ts';

export interface MailFile {
  path: string;
  /** Named by the operator, so it may be a link. */
  isNamed: boolean;
}

export interface FoundMail extends Pick<MboxEntry, 'start' | 'end' | 'isCounted'> {
  file: MailFile;
  isInMbox: boolean;
  /** From 1, in its file. */
  number: number;
  /** Epoch milliseconds. */
  at: number;
}

export interface RefusedMail {
  file: string;
  /** From 1; null: the file as a whole. */
  number: number | null;
  offset: number | null;
  reason: string;
}

export interface FoundMails {
  mails: FoundMail[];
  refused: RefusedMail[];
  /** Files in folders that hold no mail. */
  ignored: number;
  /** Mails that their program has marked as deleted. */
  deleted: number;
}

/** Depth of nested folders; deeper ones are skipped. */
const MAX_DEPTH = 32;
/** Octets of a header that are searched for its time. */
const HEADER_OCTETS = 64 * 1024;
/** Room for trace fields that a delivery adds: an exported mail may exceed the limit by them. */
const TRACE_ROOM = 64 * 1024;

const MAIL_NAME = /\.(eml|mbox|mbx)$/i;
const MAILDIR = new Set(['cur', 'new']);

/** Why a file is refused that the system does not let be read. */
export const unreadable = (error: unknown): string => `cannot be read (${codeOf(error) ?? messageOf(error)})`;

/** @param maxOctets of one mail, the limit of SMTP */
export const createMailFinder = (maxOctets: number) => {
  const found: FoundMails = { mails: [], refused: [], ignored: 0, deleted: 0 };

  const refuse = (file: MailFile, reason: string, number: number | null = null, offset: number | null = null): void => {
    found.refused.push({ file: file.path, number, offset, reason });
  };

  const add = (file: MailFile, source: FileWindow, entry: MboxEntry, number: number, isInMbox: boolean): void => {
    const { start, end, isCounted, offset } = entry;
    const header = source.read(start, Math.min(end - start, HEADER_OCTETS));
    if (isExpunged(header) || (!file.isNamed && !isInMbox && isTrashed(file.path))) {
      found.deleted += 1;
      return;
    }
    if (end - start > maxOctets + TRACE_ROOM) {
      refuse(file, `too_large: ${end - start} octets, and [smtp] max_message_bytes is ${maxOctets}`, number, offset);
      return;
    }
    const at = findMailTime(header, entry.at) ?? source.modifiedAt;
    found.mails.push({ file, isInMbox, number, start, end, isCounted, at });
  };

  const look = (file: MailFile, source: FileWindow, isCalledMail: boolean): void => {
    const kind = findFileKind(source.read(0, KIND_OCTETS));
    if (kind.kind === 'mbox') {
      let number = 0;
      for (const entry of splitMbox(source)) add(file, source, entry, ++number, true);
    } else if (kind.kind === 'message') {
      add(file, source, { offset: 0, start: 0, end: source.size, at: null, isCounted: false }, 1, false);
    } else if (!isCalledMail) found.ignored += 1;
    else if (kind.kind === 'empty') refuse(file, 'not_a_mail: the file is empty');
    else if (kind.name !== null) refuse(file, `not_a_mail: this is ${kind.name}. Unpack or convert it first`);
    else refuse(file, 'not_a_mail: it begins neither with a From_ line nor with a header field');
  };

  const lookAtFile = (file: MailFile, isCalledMail: boolean): void => {
    let source: FileWindow;
    try {
      source = new FileWindow(file.path, file.isNamed);
    } catch (error) {
      refuse(file, unreadable(error));
      return;
    }
    try {
      look(file, source, isCalledMail);
    } catch (error) {
      refuse(file, unreadable(error));
    } finally {
      source.close();
    }
  };

  /** Skips all links, and everything else that is neither file nor folder. */
  const lookIntoFolder = (path: string, depth: number): void => {
    if (depth > MAX_DEPTH) {
      refuse({ path, isNamed: false }, `is more than ${MAX_DEPTH} folders deep`);
      return;
    }
    let entries: ReturnType<typeof readFolder>;
    try {
      entries = readFolder(path);
    } catch (error) {
      refuse({ path, isNamed: false }, unreadable(error));
      return;
    }
    const isMaildir = entries.some((entry) => entry.name === 'cur' && entry.isDirectory());
    const isCalledMail = (name: string) => MAIL_NAME.test(name) || MAILDIR.has(basename(path));
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        // Mail that is being delivered.
        if (!(isMaildir && entry.name === 'tmp')) lookIntoFolder(inner, depth + 1);
      } else if (entry.isFile()) lookAtFile({ path: inner, isNamed: false }, isCalledMail(entry.name));
      else found.ignored += 1;
    }
  };

  return (paths: readonly string[]): FoundMails => {
    const folders = paths.map((path) => [path, isFolder(path)] as const);
    for (const [path, isAFolder] of folders) {
      if (isAFolder) lookIntoFolder(path, 1);
      else lookAtFile({ path, isNamed: true }, true);
    }
    // By time, so that a reply follows its original, in whatever order the files are.
    found.mails.sort((one, other) => one.at - other.at);
    return found;
  };
};

const readFolder = (path: string) =>
  asCaller(() => readdirSync(path, { withFileTypes: true })).sort((one, other) => (one.name < other.name ? -1 : 1));

const isFolder = (path: string): boolean => {
  const stat = asCaller(() => statSync(path, { throwIfNoEntry: false }));
  if (!stat) throw refused(`There is no such file or folder: ${path}`);
  return stat.isDirectory();
};

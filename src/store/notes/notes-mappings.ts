/** The tables of notes. What each column promises stands beside it in migrations/. */

import { type Entity, id, mapping, number, text } from '../mapping.ts';

export const notes = mapping('notes', {
  /** Given by the store alone; ascends with the notes' creation. */
  seq: number().defaulted(),
  id: id<'note'>(),
  workspaceId: id<'workspace'>(),
  title: text().nullable(),
  body: text(),
  createdAt: number(),
  updatedAt: number(),
  /** The maker of the current text; null, like the next two: not recorded. */
  makerKind: text<'agent' | 'connection' | 'person'>().nullable(),
  /** The agent's, or the grant's; null for a person as well. */
  makerId: id<'agent' | 'grant'>().nullable(),
  makerName: text().nullable(),
  /** 1 as it was written first. */
  revision: number().defaulted(),
});

export type Note = Entity<typeof notes>;
export type NoteMaker = Pick<Note, 'makerKind' | 'makerId' | 'makerName'>;

export const noteReaders = mapping('note_readers', {
  readerId: id<'agent' | 'workspace'>(),
  noteSeq: number(),
}).keyedBy('readerId', 'noteSeq');

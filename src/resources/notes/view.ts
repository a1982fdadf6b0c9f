/** Stored notes in the interface's shape. */

import { isoTime } from '../../kernel/clock.ts';
import type { Note } from '../../store/notes/notes-mappings.ts';
import type { NoteView } from './contract.ts';

export const viewNote = ({ id, title, body, createdAt, updatedAt }: Note): NoteView => ({
  id,
  title,
  body,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});

/** Stored notes in the interface's shape. */

import { isoTime } from '../../kernel/clock.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import type { NoteView } from './contract.ts';

/** @param reader to recognise its own notes; only persons see names of persons */
export const viewNote = (
  { id, title, body, makerKind, makerId, makerName, revision, createdAt, updatedAt }: Note,
  reader: NoteMaker,
): NoteView => ({
  id,
  title,
  body,
  made_by: makerKind && {
    kind: makerKind,
    name: makerKind === 'person' && reader.makerKind !== 'person' ? null : makerName,
    own: makerId !== null && makerId === reader.makerId,
  },
  revision,
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});

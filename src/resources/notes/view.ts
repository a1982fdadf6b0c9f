/** Stored notes in the interface's shape. */

import { viewOf } from '../../access/view-of.ts';
import type { Note, NoteMaker } from '../../store/notes/notes-mappings.ts';
import { noteShape } from './contract.ts';

/** @param reader to recognise its own notes; only persons see names of persons */
export const viewNote = viewOf(noteShape, ({ makerKind, makerId, makerName }: Note, reader: NoteMaker) => ({
  made_by: makerKind && {
    kind: makerKind,
    name: makerKind === 'person' && reader.makerKind !== 'person' ? null : makerName,
    own: makerId !== null && makerId === reader.makerId,
  },
}));

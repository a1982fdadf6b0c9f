/** Brings the full-text index up with the texts, a batch at a time: FTS5 merges once where single mails merge each time. */

import type { IndexedText } from '../../search/full-text-search.ts';
import type { IndexedBatch } from '../../search/indexer.ts';
import { toIndexedWords } from '../../search/match-words.ts';
import { readBody, type StoredBody, storedBody } from '../../search/packed-text.ts';
import type { Connection } from '../open-database.ts';
import { createStateReader } from './index-file.ts';

/** Texts of one batch. */
const TEXTS_AT_ONCE = 500;
/** Octets of the bodies after which a batch ends. */
const MOST_BODY_OCTETS = 16 * 1024 * 1024;
const REMOVALS_AT_ONCE = 5_000;

/** The words of each column. */
const toIndexed = ({ seq, mailbox, subject, sender, recipients, attachments, body }: { seq: number } & IndexedText) => {
  const ofSubject = toIndexedWords(subject);
  const ofAttachments = toIndexedWords(attachments);
  const ofBody = toIndexedWords(body);
  return {
    seq,
    mailbox,
    subject: ofSubject.words,
    sender: toIndexedWords(sender).words,
    recipients: toIndexedWords(recipients).words,
    attachments: ofAttachments.words,
    body: ofBody.words,
    subjectStems: ofSubject.stems,
    stems: `${ofAttachments.stems} ${ofBody.stems}`,
  };
};

type TextRow = { seq: number } & Omit<IndexedText, 'body'> & StoredBody;

/** @returns indexes one batch; null: the index is of other data */
export const createTextIndexing = (data: Connection, index: Connection): (() => IndexedBatch | null) => {
  const readState = createStateReader(data, index);
  const listRemoved = data
    .prepare<[], number>(`select seq from removed_texts order by seq limit ${REMOVALS_AT_ONCE}`)
    .pluck();
  const listTexts = data.prepare<[number], TextRow>(`
    select t.seq, t.mailbox, t.subject, t.sender, t.recipients, t.attachments, ${storedBody()}
    from message_texts t left join messages m on m.seq = t.seq left join raw_messages r on r.id = m.raw_id
    where t.seq > ? order by t.seq limit ${TEXTS_AT_ONCE}`);
  const findAnchor = data.prepare<[number], { seq: number; id: Uint8Array }>(
    'select seq, id from messages where seq <= ? order by seq desc limit 1',
  );
  const add = index.prepare<[ReturnType<typeof toIndexed>]>(`insert into message_index
    (rowid, mailbox, subject, sender, recipients, attachments, body, subject_stems, stems)
    values (@seq, @mailbox, @subject, @sender, @recipients, @attachments, @body, @subjectStems, @stems)`);
  const remove = index.prepare<[number]>('delete from message_index where rowid = ?');
  const setState = index.prepare<[number, number | null, Uint8Array | null]>(
    'update state set position = ?, anchor = ?, anchor_id = ?',
  );

  const addTexts = (position: number): { last: number; isMore: boolean } => {
    let last = position;
    let octets = 0;
    let count = 0;
    for (const { packed, mime, ...row } of listTexts.iterate(position)) {
      const body = readBody({ ...row, packed, mime });
      add.run(toIndexed({ ...row, body }));
      last = row.seq;
      octets += body.length;
      count += 1;
      if (octets > MOST_BODY_OCTETS) return { last, isMore: true };
    }
    return { last, isMore: count === TEXTS_AT_ONCE };
  };

  const indexBatch = index.transaction((): Required<IndexedBatch> | null => {
    const state = readState();
    if (state === null) return null;
    const removed = listRemoved.all();
    for (const seq of removed) remove.run(seq);
    const { last, isMore } = addTexts(state.position);
    const anchor = findAnchor.get(last);
    setState.run(last, anchor?.seq ?? null, anchor?.id ?? null);
    return { removed, isMore: isMore || removed.length === REMOVALS_AT_ONCE };
  });

  return () => {
    // One moment of the data: a text that is removed meanwhile is removed from the index by the next batch.
    const batch = data.transaction(() => indexBatch.immediate())();
    if (batch && batch.removed.length > 1) {
      // The words are deleted on disk before the record of their removal.
      index.pragma('wal_checkpoint(PASSIVE)');
      index.pragma('incremental_vacuum(200)');
    }
    return batch;
  };
};

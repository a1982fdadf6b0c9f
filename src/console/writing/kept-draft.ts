/** A mail that is being written: stored on the server a moment after each change, and on leaving. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, api } from '../api/client.ts';
import { Failure, toFailure } from '../api/failure.ts';
import { toRefusal } from '../api/refusal.ts';
import { holdPage } from '../components/drafts.ts';
import { draftsLeft } from './composing.ts';

export type Draft = Answer<'writing', 'draft'>;
type DraftFile = Draft['files'][number];

/** Recipients are entries; the last one is being typed. */
export interface Written {
  agent: string;
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  body: string;
}

const PAUSE_MS = 800;
/** Between two attempts to store it, where the service does not answer. */
const AGAIN_MS = 3_000;
/** As the service has it. */
const MAX_OCTETS = 10 * 1024 * 1024;
const GONE =
  'This draft was sent, discarded or changed in another window. What stands here is a draft of its own now, without files.';
const TOO_LARGE = 'The files of a mail are 10 MB together at most.';

const withTyped = (entries: readonly string[]): string[] => [...entries, ''];
export const entriesOf = (typed: readonly string[]): string[] => typed.map((each) => each.trim()).filter(Boolean);

const readDraft = ({ agent, to, cc, bcc, subject, body }: Draft): Written => ({
  agent,
  subject,
  body,
  to: withTyped(to),
  cc: withTyped(cc),
  bcc: withTyped(bcc),
});

const toBase64 = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Failure(0, 'file_unreadable', `“${file.name}” cannot be read.`));
    reader.readAsDataURL(file);
  });

export const useKeptDraft = (begun: Draft) => {
  const { kind, message_id: messageId } = begun;
  const [written, setWritten] = useState(() => readDraft(begun));
  const [files, setFiles] = useState<readonly DraftFile[]>(begun.files);
  const [keptAt, setKeptAt] = useState(begun.updated_at);
  const [failure, setFailure] = useState<string | null>(null);
  const own = useRef({
    id: begun.draft_id,
    keptAt: begun.updated_at,
    written,
    isChanged: false,
    isOver: false,
    isLeft: false,
    again: null as ReturnType<typeof setTimeout> | null,
    saving: Promise.resolve<Failure | null>(null),
  });

  const contentOf = ({ agent, to, cc, bcc, subject, body }: Written) => ({
    agent,
    kind,
    subject,
    body,
    to: entriesOf(to),
    cc: entriesOf(cc),
    bcc: entriesOf(bcc),
    ...(messageId !== null && { message_id: messageId }),
  });
  const idOf = () => {
    const { id, keptAt: kept_at } = own.current;
    return { ...(id !== null && { draft_id: id }), ...(kept_at !== null && { kept_at }) };
  };
  /** Where the draft is gone, this text becomes another one. */
  const leaveGone = (reason: Failure): Failure => {
    if (reason.code !== 'draft_not_found') return reason;
    Object.assign(own.current, { id: null, keptAt: null, isChanged: true });
    setFiles([]);
    return new Failure(reason.status, reason.code, GONE);
  };

  const saveNow = async (): Promise<Failure | null> => {
    const { current } = own;
    if (!current.isChanged || current.isOver) return null;
    current.isChanged = false;
    try {
      const kept = await api.writing.save({ ...contentOf(current.written), ...idOf() });
      current.id = kept.draft_id;
      current.keptAt = kept.updated_at;
      setKeptAt(kept.updated_at);
      // That it is another draft now stays said.
      setFailure((before) => (before === GONE ? before : null));
      if (!current.isChanged) holdPage(current, false);
      return null;
    } catch (error) {
      const reason = leaveGone(toFailure(error));
      current.isChanged = true;
      // It may have been kept all the same.
      if (reason.isPassing) current.keptAt = null;
      setFailure(toRefusal(reason).words);
      // The text outlives its form: leaving the screen would lose what is not stored.
      if (reason.isPassing || (current.isLeft && current.id === null)) saveAgain();
      else if (current.isLeft) holdPage(current, false);
      return reason;
    }
  };
  /** One save at a time, because two would store two drafts. */
  const save = (): Promise<Failure | null> => {
    own.current.saving = own.current.saving.then(saveNow);
    return own.current.saving;
  };
  const saveAgain = (): void => {
    own.current.again ??= setTimeout(() => {
      own.current.again = null;
      void save();
    }, AGAIN_MS);
  };

  const touch = (): void => {
    own.current.isChanged = true;
    holdPage(own.current, true);
  };
  const change = (part: Partial<Written>): void => {
    const next = { ...own.current.written, ...part };
    own.current.written = next;
    touch();
    setWritten(next);
  };

  useEffect(() => {
    const timer = setTimeout(() => void save(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [written]);
  useEffect(
    () => () => {
      own.current.isLeft = true;
      void save().then(() => {
        draftsLeft.value += 1;
      });
    },
    [],
  );

  const end = (): void => {
    own.current.isOver = true;
    holdPage(own.current, false);
  };

  return {
    written,
    change,
    files,
    keptAt,
    failure,
    isEmpty: (): boolean => own.current.id === null && !own.current.isChanged,
    attach: async (chosen: readonly File[]): Promise<void> => {
      const octets = [...files, ...chosen].reduce((sum, { size }) => sum + size, 0);
      if (octets > MAX_OCTETS) throw new Failure(409, 'draft_files_too_large', TOO_LARGE);
      if (own.current.id === null) touch();
      await save();
      for (const file of chosen) {
        const draft_id = own.current.id;
        if (draft_id === null) return;
        const about = { draft_id, filename: file.name, content_base64: await toBase64(file) };
        // No attachment has the type of a saved web page (.mht).
        const type = { ...(!/^(?:multipart\/|$)/.test(file.type) && { content_type: file.type }) };
        setFiles((await api.writing.attach({ ...about, ...type })).files);
      }
    },
    detach: async ({ id: file_id }: DraftFile): Promise<void> => {
      const draft_id = own.current.id;
      if (draft_id !== null) setFiles((await api.writing.detach({ draft_id, file_id })).files);
    },
    discard: async (): Promise<void> => {
      await own.current.saving;
      const draft_id = own.current.id;
      if (draft_id !== null) await api.writing.discard({ draft_id });
      end();
    },
    /** @throws Failure with the reason where the gate refuses it */
    send: async (sendAt?: string): Promise<Answer<'writing', 'send'>> => {
      const gone = await save();
      if (gone?.code === 'draft_not_found') throw gone;
      const mail = { ...contentOf(own.current.written), ...idOf(), ...(sendAt !== undefined && { send_at: sendAt }) };
      const sent = await api.writing.send(mail).catch((error: unknown) => {
        throw leaveGone(toFailure(error));
      });
      if (sent.status === 'rejected') throw new Failure(422, sent.reason ?? '', sent.hint ?? sent.reason ?? '');
      end();
      return sent;
    },
  };
};

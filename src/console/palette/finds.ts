/** What the palette finds on the server: mail, contacts, notes; secrets, domains and held mail are loaded once, as it opens. */

import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useLoaded } from '../api/loaded.ts';
import { heldCount } from '../api/overview.ts';

/** Hits of each kind; the rest is behind "All". */
export const MOST_OF_KIND = 4;
/** Shorter than between two letters of a fast typist; a held key and an input method give several at once. */
const PAUSE_MS = 20;
const LEAST_CHARS = 2;

const none = { mail: [], all: 0, hasMore: false, contacts: [], notes: [] };

/** The last word may be incomplete: a plain one is searched as a prefix. */
const asBeginning = (text: string): string => (/(?:^|\s)[\p{L}\p{N}]{3,}$/u.test(text) ? `${text}*` : text);

const findOnServer = async (text: string, signal: AbortSignal) => {
  const begun = performance.now();
  const [mail, contacts, notes] = await Promise.all([
    api.inbox.search({ q: asBeginning(text), limit: 20 }, { signal }),
    api.contacts.list({ q: text, limit: MOST_OF_KIND }, { signal }),
    api.notes.list({ q: text, limit: MOST_OF_KIND }, { signal }),
  ]);
  return {
    text,
    mail: mail.hits.slice(0, MOST_OF_KIND - 1),
    all: mail.hits.length,
    hasMore: mail.next_cursor !== null,
    contacts: contacts.contacts,
    notes: notes.notes,
    ms: Math.round(performance.now() - begun),
  };
};

type Found = Awaited<ReturnType<typeof findOnServer>>;

export const useFinds = (typed: string) => {
  const text = typed.trim();
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    if (text.length < LEAST_CHARS) {
      setFound(null);
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(
      // A failed search shows nothing; local entries stay.
      () => void findOnServer(text, controller.signal).then(setFound, () => undefined),
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  const kept = useLoaded(async (signal) => {
    const [{ secrets }, { domains }, { pending }] = await Promise.all([
      api.secrets.list({}, { signal }),
      api.domains.list({}, { signal }),
      heldCount.value > 0 ? api.heldMail.list({}, { signal }) : { pending: [] },
    ]);
    return { secrets, domains, pending };
  }, 'palette');
  return {
    /** Results for the former text stay until the next ones arrive. */
    found: found ?? { ...none, text: '', ms: null },
    isPending: text.length >= LEAST_CHARS && found?.text !== text,
    kept: kept.value ?? { secrets: [], domains: [], pending: [] },
  };
};

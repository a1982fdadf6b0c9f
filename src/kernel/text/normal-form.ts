/** Normal forms of Unicode in linear time: the engine orders a run of marks by insertion, which takes squared time. */

const MAX_RUN = 30;
/** No language has so many marks in a row (Unicode Annex 15, section 13). The two of half width become marks. */
const LONG_RUN = /[[\p{M}\uff9e\uff9f]--\u034f]{30}(?=[[\p{M}\uff9e\uff9f]--\u034f])/gv;
/** A mark that is not seen, and past which no other is moved. */
const JOINER = '\u034f';

/** The stream-safe form of it: a run of marks is split after each 30. */
export const toNormalForm = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  (text.length <= MAX_RUN ? text : text.replace(LONG_RUN, `$&${JOINER}`)).normalize(form);

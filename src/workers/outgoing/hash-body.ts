/** By which copies of a mass mailing are known. */

import { createHash } from 'node:crypto';
import { toNormalForm } from '../../kernel/text/normal-form.ts';
import type { Composed } from '../tasks.ts';

/**
 * Ignores what may differ between the copies of a mass mailing: case, numbers, white space, punctuation, invisible and
 * combining characters. Most mail programs show the HTML part.
 */
export const hashBody = ({ text, htmlText }: Pick<Composed, 'text' | 'htmlText'>): string =>
  createHash('sha256')
    .update(
      toNormalForm(htmlText ?? text, 'NFKD')
        .toLowerCase()
        .replace(/\p{N}+/gu, '0')
        .replace(/[^\p{L}0]+/gu, ''),
    )
    .digest('hex');

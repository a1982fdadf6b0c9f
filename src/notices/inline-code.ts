/** Untrusted text in the Markdown of a notice. */

import { isolated } from '../kernel/text/clean-text.ts';

/** As inline code: untrusted text is not rendered as Markdown, and cannot reorder the text around it. */
export const code = (text: string): string => `\`${isolated(text.replace(/[`\r\n]+/g, ' '))}\``;

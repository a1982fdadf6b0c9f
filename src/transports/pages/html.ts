/** HTML templates: values are escaped, unless they are HTML. */

import { escapeHtml } from '../../mail/html/escape-html.ts';

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | null | readonly Html[];

const toText = (part: Part): string => {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escapeHtml(String(part));
};

/**
 * @example
 * html`<p title="${title}">${words}</p>`;
 */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((text, string, at) => text + toText(parts[at - 1] ?? null) + string));

export interface PageContent {
  title: string;
  main: Html;
  /** Whether the page loads the sign-in pages' script: passkeys, and the theme. It works without. */
  hasScript?: boolean;
}

export const STYLES_PATH = '/console/pages.css';

const ENVELOPE = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2.25 3.75h11.5v8.5H2.25zM2.5 4.25 8 8.75l5.5-4.5"/></svg>`;

/**
 * @param hostname shown in the footer, so that a person sees the page's host
 * @param script of a page that works without one as well; null: the page has none
 */
export const formatPage = ({ title, main }: PageContent, hostname: string, script: string | null): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<title>${title} · Postroom</title>
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="stylesheet" href="${STYLES_PATH}">
${script === null ? null : html`<script type="module" src="${script}"></script>`}
</head>
<body>
<header>${ENVELOPE}Postroom</header>
<main>
<h1>${title}</h1>
${main}
</main>
<footer><span>${hostname}</span></footer>
</body>
</html>
`.text;

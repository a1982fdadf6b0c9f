/** HTML by template: what is put into one is escaped, unless it is HTML itself. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | null | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const toText = (part: Part): string => {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
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
}

export const STYLES_PATH = '/console/pages.css';

/** @param hostname named at the foot, so that a person sees whose page it is */
export const formatPage = ({ title, main }: PageContent, hostname: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - Postroom</title>
<link rel="stylesheet" href="${STYLES_PATH}">
</head>
<body>
<header>Postroom</header>
<main>
<h1>${title}</h1>
${main}
</main>
<footer>${hostname}</footer>
</body>
</html>
`.text;

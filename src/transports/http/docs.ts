/**
 * `/docs`: the pages of src/docs, as HTML for people and as Markdown for agents; `/llms.txt`, the list of them;
 * `/skill.md`, an agent's introduction.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import MarkdownIt from 'markdown-it';
import { ApiError } from '../../kernel/errors.ts';

const FOLDER = new URL('../../docs/', import.meta.url);
/** Page names are unique across these folders. */
const PAGE_FOLDERS = [FOLDER, new URL('clients/', FOLDER), new URL('operate/', FOLDER)];
/** No script runs, and only the style sheet and the icon are loaded. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The index: the names of all pages, by reader and in reading order. */
const INDEX: Readonly<Record<string, readonly string[]>> = {
  'To write agents': [
    'examples',
    'sending',
    'mcp',
    'frameworks',
    'client',
    'python',
    'webhooks',
    'oauth',
    'signup',
    'knowledge',
  ],
  'To set a server up': [
    'install',
    'containers',
    'dns',
    'domains',
    'tls',
    'smarthost',
    'existing-mail-server',
    'ipv6',
    'postgresql',
  ],
  'To run it': ['cli', 'operating', 'backup', 'moving', 'mail-files', 'vault', 'security', 'growth', 'personal-data'],
  'To grow beyond one machine': ['scaling', 'several-boxes', 'two-machines'],
  'To work on Postroom': ['architecture', 'rfc-status', 'benchmarks'],
};

interface Page {
  name: string;
  title: string;
  markdown: string;
}

const readPages = (): Page[] =>
  PAGE_FOLDERS.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => {
        const markdown = readFileSync(new URL(file, folder), 'utf8');
        const name = file.slice(0, -'.md'.length);
        return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown };
      }),
  );

/** @param addressOf gives the address of the page of a name */
const formatIndex = (pages: readonly Page[], addressOf: (name: string) => string): string =>
  Object.entries(INDEX)
    .flatMap(([reader, names]) => [
      `## ${reader}`,
      '',
      ...names.map((name) => `- [${pages.find((page) => page.name === name)?.title}](${addressOf(name)})`),
      '',
    ])
    .join('\n');

const renderer = new MarkdownIt({ html: false });
/** A heading is linked to by its words, in the form that GitHub gives them. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
renderer.renderer.rules.heading_open = (tokens, at, options, _env, self) => {
  tokens[at]?.attrSet('id', toAnchor(tokens[at + 1]?.content ?? ''));
  return self.renderToken(tokens, at, options);
};

/** Sections of a page, from which on a list of them stands below its title. */
const LISTED_FROM = 5;

const withContents = (markdown: string): string => {
  const sections = [...markdown.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  if (sections.length < LISTED_FROM) return markdown;
  const list = sections.map((heading) => `- [${heading}](#${toAnchor(heading)})`).join('\n');
  return markdown.replace(/^# .+\n/, (title) => `${title}\n${list}\n`);
};

const formatDocument = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${renderer.utils.escapeHtml(title)} - Postroom</title>
<link rel="icon" type="image/svg+xml" href="/icon.svg">
<link rel="stylesheet" href="/docs/docs.css">
<body>
${body}
</body>
</html>
`;

const BESIDE = `Every operation, with its fields and errors, is in [/openapi.json](/openapi.json). [/skill.md](/skill.md) is what an agent
is given to begin with: the common calls, in one table.`;
const TO_INDEX = '<p><a href="/docs">Documentation</a></p>';

/** The file specified at https://llmstxt.org. */
const formatLlms = (pages: readonly Page[], publicUrl: string): string =>
  [
    '# Postroom',
    '',
    '> Mail for software agents: each has an address, a mailbox and an API key. REST, MCP, webhooks.',
    '',
    `- [How to use it](${publicUrl}/skill.md)`,
    `- [Every operation, as OpenAPI](${publicUrl}/openapi.json)`,
    '',
    formatIndex(pages, (name) => `${publicUrl}/docs/${name}.md`),
  ].join('\n');

/** Instructions for an agent without a key. */
const formatSignup = (publicUrl: string, isOpen: boolean): string =>
  isOpen
    ? `\`POST /v1/signup\` makes you a mailbox and a key (${publicUrl}/docs/signup.md)`
    : 'signup is closed on this server; ask its operator for an agent and its key';

/** @param onRequest counts the request against its address */
export const registerDocs = (
  app: FastifyInstance,
  { publicUrl, opensSignup }: { publicUrl: string; opensSignup: boolean },
  onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void => {
  const options = { onRequest, exposeHeadRoute: true };
  const pages = readPages();
  const index = `# Documentation\n\n${BESIDE}\n\n${formatIndex(pages, (name) => `/docs/${name}`)}`;
  const styles = readFileSync(new URL('docs.css', FOLDER), 'utf8');
  const markdown = new Map(pages.map((page) => [`${page.name}.md`, page.markdown]));
  const rendered = new Map<string, string>();
  const render = ({ name, title, markdown }: Page): string => {
    const html = rendered.get(name) ?? formatDocument(title, `${TO_INDEX}\n${renderer.render(withContents(markdown))}`);
    rendered.set(name, html);
    return html;
  };

  const answer = (reply: FastifyReply, type: string, text: string): FastifyReply =>
    reply
      .type(`${type}; charset=utf-8`)
      .header('content-security-policy', POLICY)
      .header('x-content-type-options', 'nosniff')
      .send(text);

  for (const path of ['/docs', '/docs/']) {
    app.get(path, options, async (_request, reply) =>
      answer(reply, 'text/html', formatDocument('Documentation', renderer.render(index))),
    );
  }
  const llms = formatLlms(pages, publicUrl);
  const skill = readFileSync(new URL('files/skill.md', FOLDER), 'utf8')
    .replaceAll('{{public_url}}', publicUrl)
    .replace('{{signup}}', formatSignup(publicUrl, opensSignup));
  const dashboard = readFileSync(new URL('files/grafana-dashboard.json', FOLDER), 'utf8');
  app.get('/llms.txt', options, async (_request, reply) => answer(reply, 'text/plain', llms));
  app.get('/skill.md', options, async (_request, reply) => answer(reply, 'text/markdown', skill));
  app.get('/docs/files/grafana-dashboard.json', options, async (_request, reply) =>
    answer(reply, 'application/json', dashboard),
  );
  app.get('/docs/docs.css', options, async (_request, reply) => answer(reply, 'text/css', styles));
  app.get<{ Params: { page: string } }>('/docs/:page', options, async (request, reply) => {
    const [page, source] = [pages.find(({ name }) => name === request.params.page), markdown.get(request.params.page)];
    if (page) return answer(reply, 'text/html', render(page));
    if (source !== undefined) return answer(reply, 'text/markdown', source);
    throw new ApiError('route_not_found');
  });
};

/** A browser as far as pages without script need one: it keeps a cookie, and sends the forms of a page. */

import { Parser } from 'htmlparser2';

export interface Page {
  status: number;
  headers: Headers;
  html: string;
  /** Of its heading. */
  title: string;
  text: string;
  forms: { method: string; action: string | null; buttons: string[] }[];
  links: string[];
  /** Names of all elements, and of all attributes that would run something. */
  elements: Set<string>;
  handlers: string[];
}

const readPage = async (response: Response): Promise<Page> => {
  const html = await response.text();
  const page: Page = {
    ...{ status: response.status, headers: response.headers, html, title: '', text: '' },
    ...{ forms: [], links: [], elements: new Set<string>(), handlers: [] },
  };
  const open: string[] = [];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      open.push(name);
      page.elements.add(name);
      page.handlers.push(...Object.keys(attributes).filter((attribute) => /^on|^style$/.test(attribute)));
      if (name === 'form') {
        page.forms.push({ method: attributes.method ?? 'get', action: attributes.action ?? null, buttons: [] });
      }
      if (name === 'a') page.links.push(attributes.href ?? '');
      if (name === 'button') page.forms.at(-1)?.buttons.push('');
    },
    ontext: (text) => {
      page.text += text;
      if (open.includes('h1')) page.title += text;
      const buttons = page.forms.at(-1)?.buttons;
      if (open.includes('button') && buttons) buttons[buttons.length - 1] += text;
    },
    onclosetag: () => void open.pop(),
  });
  parser.end(html);
  return page;
};

/** What the console's API answers. */
export interface ConsoleAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape that it asks for.
  body: any;
}

export interface Browser {
  cookie: string | null;
  /** A call of the console's API, as its page makes it; `path` as in `agents/list`. */
  call(path: string, input?: unknown, workspace?: string, headers?: Record<string, string>): Promise<ConsoleAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** Sends a form as browsers do from these pages: `Origin: null`, by their Referrer-Policy. */
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Page>;
}

export const createBrowser = (baseUrl: string): Browser => {
  const request = async (path: string, init: RequestInit): Promise<Page> => {
    const headers = new Headers(init.headers);
    if (browser.cookie !== null) headers.set('cookie', browser.cookie);
    const response = await fetch(new URL(path, baseUrl), { ...init, headers, redirect: 'manual' });
    const set = response.headers.get('set-cookie');
    if (set !== null) browser.cookie = /Max-Age=0/.test(set) ? null : (set.split(';')[0] ?? null);
    return readPage(response);
  };
  const browser: Browser = {
    cookie: null,
    call: async (path, input = {}, workspace, headers = {}) => {
      const response = await fetch(new URL(`/console/api/${path}`, baseUrl), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'sec-fetch-site': 'same-origin',
          ...(browser.cookie !== null && { cookie: browser.cookie }),
          ...(workspace !== undefined && { 'x-workspace': workspace }),
          ...headers,
        },
        body: JSON.stringify(input),
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    get: (path, headers = {}) => request(path, { headers: { 'sec-fetch-site': 'none', ...headers } }),
    post: (path, fields = {}, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { origin: 'null', 'sec-fetch-site': 'same-origin', ...headers },
        body: new URLSearchParams(fields),
      }),
  };
  return browser;
};

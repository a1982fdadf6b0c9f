/** Normalises URLs of pages, so that a page is fetched once. */

/** Characters of a URL; longer ones are no pages. */
export const MAX_URL = 2_000;

/** File extensions without text: such links are not fetched. */
const NO_TEXT =
  /\.(?:png|jpe?g|gif|webp|avif|ico|svg|css|js|mjs|json|xml|rss|atom|woff2?|ttf|otf|eot|mp[34]|m4[av]|ogg|webm|mov|avi|wav|flac|zip|gz|tgz|bz2|xz|zst|7z|rar|tar|exe|dmg|iso|deb|rpm|apk|msi|bin|docx?|xlsx?|pptx?|odt|ods|odp|epub|ics|vcf)$/i;

/** Removes the fragment. Null for a URL that is not http or https, carries credentials, or is too long. */
export const normalizeUrl = (text: string): string | null => {
  if (text.length > MAX_URL || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  url.hash = '';
  return url.href.length > MAX_URL ? null : url.href.toWellFormed();
};

/** @returns the normalised link; null where its target is no page */
export const resolveLink = (href: string, base: URL): string | null => {
  const trimmed = href.trim();
  if (trimmed === '' || trimmed.startsWith('#') || !URL.canParse(trimmed, base.href)) return null;
  return normalizeUrl(new URL(trimmed, base.href).href);
};

/**
 * The URL with the scheme of `origin`: http and https of one host are one site, for pages and sitemaps name either. Null
 * for one of another site.
 */
export const onSite = (url: string, origin: string): string | null => {
  const [at, site] = [new URL(url), new URL(origin)];
  if (at.origin === site.origin) return url;
  // With a port that is not the usual one, both schemes cannot be served.
  if (at.host !== site.host || at.port !== '') return null;
  at.protocol = site.protocol;
  return at.href;
};

export const mayBeText = (url: string): boolean => !NO_TEXT.test(new URL(url).pathname);

/** Parses the extensions in an EHLO reply (RFC 5321 section 4.1.1.1). */

export interface Extensions {
  offers(keyword: string): boolean;
  /** In bytes (RFC 1870); 0 without a limit. */
  readonly sizeLimit: number;
  /** The mechanisms of AUTH (RFC 4954), in capitals. */
  readonly authMechanisms: readonly string[];
}

/** @param reply the lines of the reply, joined by LF; empty after HELO */
export const parseExtensions = (reply: string): Extensions => {
  const parameters = new Map<string, string>();
  for (const line of reply.split('\n').slice(1)) {
    // "AUTH=LOGIN" is the form from before RFC 2554, which some hosts still send beside the standard one.
    const [, keyword = '', rest = ''] = /^250[ -]([A-Za-z0-9-]+)(?:[ =](.*))?$/.exec(line) ?? [];
    const known = parameters.get(keyword.toUpperCase());
    parameters.set(keyword.toUpperCase(), known === undefined ? rest.trim() : `${known} ${rest.trim()}`);
  }
  return {
    offers: (keyword) => parameters.has(keyword),
    sizeLimit: Number(/^\d{1,15}/.exec(parameters.get('SIZE') ?? '')?.[0] ?? 0),
    authMechanisms: (parameters.get('AUTH') ?? '').toUpperCase().split(/\s+/).filter(Boolean),
  };
};

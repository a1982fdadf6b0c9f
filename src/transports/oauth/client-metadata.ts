/** Validates a client's metadata (RFC 7591 section 2), from its registration or its metadata document. */

/** Redirect URIs of a client, and characters of one. */
const MAX_REDIRECT_URIS = 20;
const MAX_URI_CHARS = 2_048;
const MAX_NAME_CHARS = 200;

/** Schemes that run code or open content in the browser itself. */
const REFUSED_SCHEMES: ReadonlySet<string> = new Set(
  'javascript: data: vbscript: blob: file: about: filesystem: ws: wss: ftp: mailto: view-source:'.split(' '),
);
/** Those of well-known programs, which are MCP clients or have such clients as extensions. */
const PROGRAMS: ReadonlySet<string> = new Set(
  [
    'antigravity: claude: codebuddy: cursor: grokbot: kiro: positron: qoder: raycast: trae: trae-cn:',
    'vscode: vscode-insiders: vscodium: warp: windsurf: windsurf-next: workbuddy:',
  ].flatMap((line) => line.split(' ')),
);
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Accepted fields. All others, as `logo_uri`, are dropped: they are not fetched, stored or judged. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    'client_id client_id_issued_at client_name client_secret client_secret_expires_at',
    'grant_types redirect_uris software_id token_endpoint_auth_method',
  ].flatMap((line) => line.split(' ')),
);

/** `none`: public clients, authenticated by PKCE only. */
export const AUTH_METHODS = ['none', 'client_secret_basic', 'client_secret_post'] as const;

export const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token'];

/** The argument of oidc-provider's validator: the given fields, and defaults. */
export interface ClientMetadata {
  [name: string]: unknown;
  /** @throws an error that is sent to the client */
  invalidate(message: string): never;
}

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK.has(hostname);

/** A private-use URI scheme (RFC 8252 section 7.1). */
const isPrivateScheme = ({ protocol }: URL): boolean => protocol !== 'https:' && protocol !== 'http:';

/** @returns the fault of a redirect URI; null: none */
const findRedirectFault = (text: unknown): string | null => {
  if (typeof text !== 'string' || text.length > MAX_URI_CHARS || !URL.canParse(text)) return 'must be valid URIs';
  const url = new URL(text);
  if (text.includes('#')) return 'must not contain fragments';
  if (REFUSED_SCHEMES.has(url.protocol)) return `must not use the scheme ${url.protocol.slice(0, -1)}`;
  // RFC 8252 section 8.4: a reversed domain, which no other program uses by chance.
  if (isPrivateScheme(url) && !url.protocol.includes('.') && !PROGRAMS.has(url.protocol))
    return 'must use a private scheme with a dot, as com.example.app';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (url.protocol === 'http:' && !isLoopback(url)) return 'may use http on a loopback host alone';
  return null;
};

/** Completes and checks a client's metadata, before oidc-provider does. */
export const checkClientMetadata = (metadata: ClientMetadata): void => {
  for (const [name, value] of Object.entries(metadata)) {
    // A client that leaves a field empty has none.
    if (!KNOWN.has(name) || value === null || value === '') delete metadata[name];
  }
  const { redirect_uris: uris, client_name: name, grant_types: types } = metadata;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    metadata.invalidate(`redirect_uris must be a list of 1 to ${MAX_REDIRECT_URIS} URIs`);
  }
  for (const uri of uris as readonly unknown[]) {
    const fault = findRedirectFault(uri);
    if (fault !== null) metadata.invalidate(`redirect_uris ${fault}`);
  }
  if (typeof name === 'string' && name.length > MAX_NAME_CHARS) {
    metadata.invalidate(`client_name must have at most ${MAX_NAME_CHARS} characters`);
  }
  // A client may name types of other servers as well (RFC 7591 section 3.2.1: the server may replace them).
  if (Array.isArray(types)) metadata.grant_types = types.filter((type) => GRANT_TYPES.includes(String(type)));
  // A client with a document shares no secret, and its keys are not read here. ChatGPT's prefers a key and can do without.
  if (/^https:/i.test(String(metadata.client_id))) metadata.token_endpoint_auth_method = 'none';
  const urls = (uris as string[]).map((uri) => new URL(uri));
  // What a client says itself does not fit its redirects: some editors say `web` with a scheme of their own.
  metadata.application_type = urls.some((url) => isLoopback(url) || isPrivateScheme(url)) ? 'native' : 'web';
};

const withoutPort = (url: URL): string => {
  const same = new URL(url);
  same.port = '';
  return same.href;
};

/** Whether it is exactly one of the registered; on a loopback host with any port (RFC 8252 section 7.3). */
export const isRegisteredRedirect = (value: string, registered: readonly string[]): boolean => {
  if (registered.includes(value)) return true;
  if (!URL.canParse(value) || findRedirectFault(value) !== null || !isLoopback(new URL(value))) return false;
  const wanted = withoutPort(new URL(value));
  return registered.some((uri) => {
    const url = new URL(uri);
    return isLoopback(url) && withoutPort(url) === wanted;
  });
};

/** The target of an answer, for people: a host, or a program's scheme. */
export const describeRedirect = (uri: string): string => {
  const url = new URL(uri);
  return isPrivateScheme(url) ? url.protocol : url.host;
};

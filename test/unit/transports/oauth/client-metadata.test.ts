import t from 'tap';
import {
  type ClientMetadata,
  checkClientMetadata,
  describeRedirect,
  isRegisteredRedirect,
} from '../../../../src/transports/oauth/client-metadata.ts';

const check = (given: Record<string, unknown>): Record<string, unknown> | string => {
  const metadata: ClientMetadata = {
    ...given,
    invalidate: (message: string): never => {
      throw new Error(message);
    },
  };
  // As oidc-provider has it: no field of the metadata's own.
  Object.defineProperty(metadata, 'invalidate', { enumerable: false });
  try {
    checkClientMetadata(metadata);
    return { ...metadata };
  } catch (error) {
    return (error as Error).message;
  }
};

t.test('a redirect URI is HTTPS, of a loopback host, or of a scheme of a program', (t) => {
  for (const uri of [
    'https://a.example/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:1/cb',
    'http://localhost/cb',
    'com.example.app:/cb',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback',
    'warp://mcp/oauth2callback',
    'raycast://oauth?package_name=mcp_server_postroom',
    'claude://claude.ai/mcp-auth-callback/sdk',
    'workbuddy://workbuddy/mcp/connector%3A/oauth/callback',
  ]) {
    t.type(check({ redirect_uris: [uri] }), 'object', uri);
  }
  for (const uri of [
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'blob:https://a.example/x',
      'file:///etc/passwd',
    ],
    ...['http://a.example/cb', 'http://127.0.0.1.evil.example/cb', 'http://10.0.0.1/cb', 'https://a.example/cb#', 'cb'],
    // RFC 8252 section 8.4: a scheme of its own is a domain name in reverse.
    'app://cb',
    ...['https://user@a.example/cb', 'about:blank', 'view-source:https://a.example', 7, null, {}],
  ]) {
    t.match(check({ redirect_uris: [uri] }), /^redirect_uris /, String(uri));
  }
  t.match(check({ redirect_uris: Array(21).fill('https://a.example/cb') }), /^redirect_uris /);
  t.match(check({}), /^redirect_uris /);
  t.end();
});

t.test('what is not known is left out, and the kind of application follows from its redirects', (t) => {
  const redirect_uris = ['https://a.example/cb'];
  t.same(
    check({
      redirect_uris,
      jwks_uri: 'https://a.example',
      scope: 'x',
      subject_type: 'pairwise',
      application_type: null,
      client_uri: '',
      logo_uri: 'data:image/png;base64,AAAA',
      tos_uri: 'tbd',
      response_types: ['code', 'token'],
    }),
    {
      redirect_uris,
      application_type: 'web',
    },
  );
  t.match(check({ redirect_uris: ['http://localhost/cb'] }), { application_type: 'native' });
  t.match(
    check({ redirect_uris: ['com.example.app:/cb'], application_type: 'web' }),
    { application_type: 'native' },
    'whatever it says itself',
  );
  t.match(check({ redirect_uris, grant_types: ['authorization_code', 'implicit', 7] }), {
    grant_types: ['authorization_code'],
  });
  t.match(check({ redirect_uris, client_name: 'x'.repeat(201) }), /^client_name /);
  t.end();
});

t.test('a redirect is exactly a registered one, but for the port of a loopback host', (t) => {
  const registered = ['https://a.example/cb', 'http://127.0.0.1/cb', 'http://[::1]:7/cb?x=1', 'app:cb'];
  for (const uri of [...registered, 'http://127.0.0.1:49152/cb', 'http://[::1]:9/cb?x=1']) {
    t.ok(isRegisteredRedirect(uri, registered), uri);
  }
  for (const uri of [
    ...[
      'https://a.example/cb/',
      'https://a.example/CB',
      'https://a.example:444/cb',
      'https://a.example/cb?x',
      'app:cb2',
    ],
    ...['http://127.0.0.1:1/other', 'http://localhost/cb', 'http://127.0.0.1:1/cb?y', 'http://u:p@127.0.0.1/cb'],
    ...['http://127.0.0.1/cb#x', 'https://127.0.0.1/cb', 'http://127.0.0.1:99999/cb', 'nonsense', ''],
  ]) {
    t.notOk(isRegisteredRedirect(uri, registered), uri);
  }
  t.end();
});

t.test('where an answer goes, as a person reads it', (t) => {
  t.same(['https://a.example:8443/cb', 'http://127.0.0.1:5/cb', 'com.example.app:/cb'].map(describeRedirect), [
    'a.example:8443',
    '127.0.0.1:5',
    'com.example.app:',
  ]);
  t.end();
});

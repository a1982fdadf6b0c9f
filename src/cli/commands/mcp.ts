import { command, required } from '../command.ts';
import { apiKeyInEnvironment } from '../config-file.ts';
import { CommandError, EXIT, wrongUsage } from '../failure.ts';

const parseUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrongUsage(`--url is the server's address, as https://mx.example.com.`);
  if (url.pathname === '/') {
    url.pathname = '/mcp';
    if (url.search === '') url.search = '?tools=core';
  }
  return url;
};

const mcp = command({
  name: 'mcp',
  summary: 'bridges a client that speaks MCP by stdio to the endpoint; the key is read from $POSTROOM_API_KEY',
  options: {
    url: required('U', "the server's address, as https://mx.example.com: the core tools; with /mcp behind it, all"),
  },
  run: async ({ url: text }) => {
    const url = parseUrl(text);
    const apiKey = apiKeyInEnvironment();
    if (!apiKey) throw wrongUsage('Set POSTROOM_API_KEY to an API key of the agent, svc_...');
    // Loaded here, because no other command uses the protocol.
    const { BridgeError, bridgeStdio } = await import('../../transports/mcp/stdio-bridge.ts');
    const warn = (message: string) => process.stderr.write(`postroom: ${message}\n`);
    try {
      await bridgeStdio({ url, apiKey, stdin: process.stdin, stdout: process.stdout, warn });
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      throw new CommandError(error.isUnreachable ? EXIT.unreachable : EXIT.refused, error.message, { cause: error });
    }
    return null;
  },
});

export const mcpCommands = [mcp];
